"""Front ends that print: parse, one library call, render."""

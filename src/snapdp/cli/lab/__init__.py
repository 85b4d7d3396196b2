"""Commands for those who study the mechanism: `snapdp lab`."""

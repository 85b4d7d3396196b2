"""The language of programs: syntax, texts, Python functions, formulas and FPCore."""

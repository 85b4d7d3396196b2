"""What tests compare the library with: a second cipher, logarithm and definition of the mechanism, in plain Python.

They share neither code nor method with the library (docs/theory/second-arithmetic.md). `constants`,
`laws`, `logarithms` and `same_bits` compare.
"""

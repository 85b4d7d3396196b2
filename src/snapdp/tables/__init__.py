"""Rows to exact integers: one SQL text, sources, engines. The only package that reads data files."""

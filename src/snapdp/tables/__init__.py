"""Rows to exact integers: one SQL text, sources, engines. The only room that reads data files."""

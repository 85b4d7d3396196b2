"""Tables to exact integers: declared columns, one SQL text, engines. The only room that reads data files."""

"""The two languages in which programs are written, and the one syntax they are read into."""

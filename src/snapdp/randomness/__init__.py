"""Random bits as an argument: the operating system's, or recorded ones for tests and replay."""

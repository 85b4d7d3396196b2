"""The public classes and functions: each method is one call into a package below."""

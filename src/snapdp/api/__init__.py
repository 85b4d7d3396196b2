"""The public classes: they hold what rooms below build, and each method is one call into a room."""

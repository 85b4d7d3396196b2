"""Questions about a program for other tools: Gappa scripts and FPCore expressions."""

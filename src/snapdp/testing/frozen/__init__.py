"""Noise that replays: the frozen bytes, the generators that draw them, and how they take the place of others."""

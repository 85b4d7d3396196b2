"""The one SQL generator, and what engines spell differently."""

"""Attacks on the usual way of doing it, and on ours: `snapdp attack`."""

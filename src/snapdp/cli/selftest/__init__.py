"""The command that compares this installation with known answers: `snapdp selftest`."""

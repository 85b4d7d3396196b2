"""The command that compares this installation with a second arithmetic: `snapdp selftest`."""

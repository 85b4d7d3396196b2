"""Questions, from a file to a published report: `snapdp start`, and the questions of `snapdp init`."""

from snapdp.cli.start.command import start_command as start_command

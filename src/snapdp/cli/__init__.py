"""Front ends that print: parse, one library call, render."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.cli.app import main as main
    from snapdp.cli.process import run as run
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "app": "main",
            "process": "run",
        },
    )

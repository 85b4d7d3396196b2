"""Front ends that print: parse, one library call, render."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.cli.app import main as main
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "app": "main",
        },
    )

"""Random bits as an argument: the operating system's, or recorded ones for tests and replay."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.randomness.bits import (
        BitSource as BitSource,
        RecordedBits as RecordedBits,
        SystemBits as SystemBits,
        key_stream as key_stream,
    )
    from snapdp.randomness.uniform import (
        DOUBLE_DIGITS as DOUBLE_DIGITS,
        DOUBLE_MASK as DOUBLE_MASK,
        FIRST_DIGITS as FIRST_DIGITS,
        HALF_DIGITS as HALF_DIGITS,
        HALF_MASK as HALF_MASK,
        LazyUniform as LazyUniform,
        joined as joined,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "bits": "BitSource RecordedBits SystemBits key_stream",
            "uniform": "DOUBLE_DIGITS DOUBLE_MASK FIRST_DIGITS HALF_DIGITS HALF_MASK LazyUniform joined",
        },
    )

"""The classes of refusals, and what the page refuses by itself."""

from __future__ import annotations

from snapdp_reference.markdown import plain, table


def classes_table() -> str:
    """Return the classes of the family, with what they mean and what they are derived from."""
    from snapdp import errors
    from snapdp.ledger.accounts import InProgressError
    from snapdp.ledger.storage.storage import UnavailableError

    own = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.SnapdpError)]
    lines = [_row(each) for each in (*own, InProgressError, UnavailableError) if each is not errors.SnapdpError]
    return table(["class", "what it means", "derived from"], lines)


def _row(error: type) -> tuple[str, str, str]:
    return f"`{error.__name__}`", plain(" ".join((error.__doc__ or "").split())), f"`{error.__bases__[0].__name__}`"


def page_refusals() -> str:
    """Return what the page refuses by itself, before the library is asked."""
    from snapdp.web.refusals import REFUSED

    lines = [(str(each.status), f"**{plain(each.error)}**", plain(each.advice)) for each in REFUSED.values()]
    return table(["status", "message", "what to do"], lines)

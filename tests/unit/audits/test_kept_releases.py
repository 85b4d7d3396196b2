"""Records that are kept with their studies: each is sound, accepted, and still what its study asks for."""

from __future__ import annotations

import json

import pytest

from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, release_certificate
from tests import VECTORS

RECORDS = sorted((VECTORS / "releases").glob("record*.json"), key=str)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_kept_record_is_sound_and_accepted(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    assert audit(record, directory=path.parent).findings == ()
    assert check_release.check(json.loads(json.dumps(release_certificate(record)))) == []

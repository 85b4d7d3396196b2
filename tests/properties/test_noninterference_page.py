"""Noninterference through the page: given the same index, no answer of it depends on the data, header or byte.

As in test_noninterference: neighbouring tables, each with bits that give the same indices. The look is left out: it is
about the cells, for the data holder alone, and a request of its own.
"""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from snapdp.web.releases import FILES
from snapdp.web.workplace import Workplace
from tests.properties.observing import bits_for, chosen_targets, differences, exact_numerators, fixed_world, request_of
from tests.properties.test_noninterference import BOTH, FEWER, PAIRS, TEXTS, study, writers
from tests.tiers import those_in
from tests.unit.web.pages import Answer, Page

IN_DEFAULT = [*FEWER[:1], "a row comes or goes"]
FEW = [BOTH[place] for place in (0, 4, 6, 11, 14)]  # of the default suite; all of them in the long one


def seen(page: Page, values: dict[str, Any]) -> dict[str, bytes]:
    """Return every answer of a release from its first plan to the ledger page, header by header."""
    body = {"study": values}
    found: dict[str, Answer] = {"state": page.read("/api/state"), "plan": page.write("/api/plan", body)}
    found["open"] = page.write("/api/open", {**body, "cap": "1000"})
    found["before"] = page.write("/api/before", body)
    agreed = {key: found["before"].json[key] for key in ("cost", "agreed")}
    found["release"] = page.write("/api/release", {**body, **agreed})
    number = found["release"].json["number"]
    found["again"] = page.write("/api/release", {**body, **agreed})
    found["progress"] = page.read("/api/progress")
    found["after"] = page.write("/api/before", body)
    found["planned again"] = page.write("/api/plan", body)
    found["ledger"] = page.read("/api/ledger")
    found["charge"] = page.read(f"/api/ledger/release?dataset=people&number={number}")
    for name in (*FILES, *found["release"].json["beside"]):
        found[name] = page.read(f"/api/file?dataset=people&number={number}&name={name}")
    assert {name: each.status for name, each in found.items() if each.status != 200} == {}
    return {name: repr(each.headers).encode() + each.content for name, each in found.items()}


@pytest.mark.parametrize("name", those_in(IN_DEFAULT, [*PAIRS, *TEXTS]))
def test_neighbouring_tables_lead_to_the_same_answers(name, tmp_path):
    pair, home = PAIRS.get(name) or TEXTS[name], tmp_path / "home"
    values = study(pair.relation, pair.rows, FEW if name in IN_DEFAULT else None)
    request = request_of(values)
    targets, both = None, []
    for write in writers(pair, "csv", texts=name in TEXTS):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        exact = exact_numerators(request, write(home))
        targets = targets or chosen_targets(request, exact, salt="page")
        with fixed_world(bits_for(request, exact, targets)):
            page = Page(Workplace(directory=home, data=str(home / "people.csv"), ledger=str(home / "people.ledger")))
            both.append(seen(page, values))
            page.close()
    assert differences(*both) == {}
    assert len(both[0]) >= 16

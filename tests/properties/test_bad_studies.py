"""Bad studies, tables and commands: refused by a SnapdpError that costs nothing, never a traceback, never a cell.

2,000 of them here, 20,000 in the long suite, all from seeds. Everything printed, written or carried by an error is
searched for a canary that stands in the cells of every table.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main
from snapdp.errors import SnapdpError
from snapdp.ledger.ledger import Ledger
from snapdp.release import release as engine
from tests.properties.badness import (
    CELLS,
    NUMBER,
    SOUND,
    TRACES,
    bad_bytes,
    bad_command,
    bad_study,
    bad_table,
    seeded,
    sound_csv,
    toml_file,
)

LONG = 40  # times as many


def assert_no_trace(where: str, *texts: str | bytes) -> None:
    for text in texts:
        plain = (text.decode("latin-1") if isinstance(text, bytes) else text).replace(".", "")
        for trace in TRACES:
            assert trace not in plain, f"{trace} in {where}"


def texts_of(error: BaseException | None) -> list[str]:
    """Return every text that an error carries, with those of its causes and contexts."""
    found: list[str] = []
    while error is not None:
        found += [str(error), repr(error.args), repr(getattr(error, "numbers", "")), repr(vars(error))]
        found += texts_of(error.__cause__)
        error = error.__context__
    return found


class World:
    """A directory with a ledger for each relation, used by many cases and searched at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "in").mkdir()
        (folder / "out").mkdir()
        self.released = self.refused = 0
        for relation in ("change-one", "add-remove"):
            with Ledger.create(folder / f"{relation}.ledger") as ledger:
                ledger.create_account("people", cap=10**12, relation=relation, rows=6)

    def spent(self) -> list[object]:
        found = []
        for relation in ("change-one", "add-remove"):
            with Ledger.open(self.folder / f"{relation}.ledger") as ledger:
                found.append(ledger.account("people").spent)
        return found

    def search(self) -> None:
        for path in self.folder.rglob("*"):
            if path.is_file() and path.relative_to(self.folder).parts[0] != "in":
                assert_no_trace(path.name, path.read_bytes(), str(path))

    def in_python(self, values, data, options) -> None:
        before = self.spent()
        try:
            study = snapdp.study(values)
            table = snapdp.open_table(data, **options)
            relation = study.relation.kind
            result = study.release(table, ledger=self.folder / f"{relation}.ledger", directory=self.folder / "out")
        except SnapdpError as error:
            self.refused += 1
            assert_no_trace("an error", *texts_of(error))
            assert self.spent() == before, "refused, and charged"
            return
        self.released += 1
        for ending in ("json", "html", "csv"):
            result.save(self.folder / "out" / f"result.{ending}")
        assert_no_trace("a result", repr(result), result._repr_html_(), result.to_json(), repr(result.values))


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "system_bits", seeded)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SNAPDP_TRACEBACK", raising=False)
    return World(tmp_path)


def sizes(count: int) -> list:
    return [pytest.param(count, id="short"), pytest.param(LONG * count, id="long", marks=pytest.mark.long)]


@pytest.mark.parametrize("count", sizes(250))
def test_bad_studies_in_python(world, count):
    for seed in range(count):
        world.in_python(bad_study(random.Random(f"study {seed}")), CELLS, {})
    world.search()
    assert world.refused > count / 2
    assert world.released > count / 50


@pytest.mark.parametrize("count", sizes(100))
def test_bad_tables_in_python(world, count):
    for seed in range(count):
        dice = random.Random(f"table {seed}")
        values = {**SOUND, "statistic": dice.sample(SOUND["statistic"], 2)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandas and numpy, while the bad table is made
            data, options = bad_table(dice, world.folder / "in")
        world.in_python(values, data, options)
    world.search()
    assert world.refused > count / 3
    assert world.released > count / 20  # most tables are bad: some of them are not, so that releases are tried too


# Through the command line


def typed(world, words) -> int:
    """Type a command; return its exit code. 70 would say that something broke."""
    before = world.spent()
    done = CliRunner().invoke(main, words)
    said = f"{words}: {done.exit_code}\n{done.stdout}\n{done.stderr}"
    assert done.exit_code in (0, 1, 2), said
    assert done.exception is None or isinstance(done.exception, SystemExit), said
    assert "Traceback" not in done.stdout + done.stderr, said
    assert_no_trace(f"what {words} prints", done.stdout, done.stderr)
    assert done.exit_code == 0 or world.spent() == before, f"refused, and charged: {said}"
    return done.exit_code


@pytest.mark.parametrize("count", sizes(150))
def test_bad_study_files_on_the_command_line(world, count):
    (world.folder / "in" / "people.csv").write_text(sound_csv())
    path, codes = world.folder / "in" / "study.toml", []
    for seed in range(count):
        dice = random.Random(f"file {seed}")
        values = bad_study(dice)
        text = toml_file(values).encode("utf-8", "replace")
        path.write_bytes(bad_bytes(text, dice) if dice.random() < 0.3 else text)
        ledger = f"{'change-one' if values.get('relation') == 'change-one' else 'add-remove'}.ledger"
        words = dice.choice(
            [
                ["release", "in/study.toml", "--data", "in/people.csv", "--ledger", ledger, "--yes"],
                ["release", "in/study.toml", "--data", "in/people.csv", "--ledger", ledger, "--yes", "--json"],
                ["plan", "in/study.toml"],
                ["plan", "in/study.toml", "--sql"],
            ]
        )
        codes.append(typed(world, words))
    world.search()
    assert codes.count(1) > count / 2
    assert codes.count(0) > 2  # some are not spoilt after all


@pytest.mark.parametrize("count", sizes(150))
def test_bad_commands(world, count):
    (world.folder / "in" / "people.csv").write_text(sound_csv())
    (world.folder / "in" / "study.toml").write_text(toml_file(SOUND))
    codes = []
    for seed in range(count):
        codes.append(typed(world, bad_command(random.Random(f"command {seed}"))))
        for path in (world.folder / "out").glob("new.*"):
            path.unlink()
    world.search()
    assert min(codes.count(code) for code in (0, 1, 2)) > 5


def test_the_search_would_find_a_cell(world):
    """Teeth: a message that quotes a cell, an error whose context does, and a file."""
    with pytest.raises(AssertionError, match="kanarienvogel"):
        assert_no_trace("a message", "the cell 'kanarienvogel' is no number")
    for shown in (str(NUMBER), str(float(NUMBER)), f"{NUMBER:.14e}", str(NUMBER / 1000)):
        with pytest.raises(AssertionError, match="8675309"):
            assert_no_trace("a number", shown)
    try:
        try:
            raise ValueError(NUMBER)
        except ValueError:
            raise SnapdpError("no.") from None
    except SnapdpError as error:
        with pytest.raises(AssertionError, match="8675309"):
            assert_no_trace("a context", *texts_of(error))
    (world.folder / "out" / "left").write_text(sound_csv())
    with pytest.raises(AssertionError, match="kanarienvogel"):
        world.search()

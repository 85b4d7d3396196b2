"""How the public classes show themselves: one line in a terminal, a small table in a notebook.

Names of datasets, columns and statistics are anybody's text: they are made visible, shortened and escaped.
However much is declared, what is shown stays short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snapdp.display.html import html_card
from snapdp.display.text import one_line
from snapdp.exact.numbers import shown
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.studies.columns import CategoryColumn, Column
from snapdp.studies.grouping.groups import BinnedColumn
from snapdp.studies.plans.lines import Asked
from snapdp.studies.protection import describe_protected, person_in_words
from snapdp.studies.study_file import DeclaredStudy

FEW, MANY, LONGEST = 5, 20, 80  # names in a line, rows of a table, characters of a name


def mechanism_html(p: SnappingParameters) -> str:
    """Return the public parameters of a mechanism as a table."""
    rows = [
        ("epsilon", shown(p.epsilon)),
        ("sensitivity", shown(p.sensitivity)),
        ("public range", f"{shown(p.lower)} to {shown(p.upper)}"),
        ("noise scale", shown(p.unit * p.noise_scale)),
        ("distance of outputs", shown(p.data_grid)),
        ("outputs", f"{shown(p.data_value(p.low))} to {shown(p.data_value(p.high))}"),
        ("arithmetic", p.arithmetic),
    ]
    return html_card("snapping mechanism", [(("", ""), rows)])


def study_text(study: DeclaredStudy) -> str:
    """Return a study in one line.

    >>> from snapdp import study
    >>> study(dataset="people", relation="change-one", n=5000,
    ...       columns={"g": {"kind": "category", "categories": [str(i) for i in range(100_000)]}},
    ...       statistic=[{"kind": "histogram", "column": "g", "epsilon": "0.5"}])
    Study(dataset='people', relation='change-one', n=5000, columns=(g), statistics=(histogram(g)))
    """
    relation = study.relation
    said = [
        f"dataset='{_short(study.dataset)}'",
        f"relation='{relation.kind}'",
        f"{'n' if relation.is_change_one else 'n_max'}={relation.rows}",
        *([] if relation.person is None else [f"person='{_short(person_in_words(relation.person))}'"]),
        *([] if relation.unit_rows == 1 else [f"unit_rows={relation.unit_rows}"]),
        f"columns=({_few([column.name for column in study.columns])})",
        f"statistics=({_few([each.statistic.readable_title for each in study.asked])})",
    ]
    return f"Study({', '.join(said)})"


def study_html(study: DeclaredStudy) -> str:
    """Return a study as tables: who is protected, what is declared, what is asked."""
    columns = ((_short(column.name), _declared(column)) for column in study.columns)
    asked = ((_short(each.statistic.readable_title), _cost(each)) for each in study.asked)
    return html_card(
        f"study of {_short(study.dataset)}",
        [
            (("what is protected",), [(describe_protected(study.relation),)]),
            (("column", "declared"), _first(columns, len(study.columns))),
            (("statistic", "asked for"), _first(asked, len(study.asked))),
        ],
    )


def _declared(column: Column) -> str:
    if isinstance(column, CategoryColumn):
        return f"{column.kind}, {len(column.categories)} categories"
    bins = f", {column.cells} bins" if isinstance(column, BinnedColumn) else ""
    return f"{column.kind}, {shown(column.lower)} to {shown(column.upper)} in steps of {shown(column.step)}{bins}"


def _cost(asked: Asked) -> str:
    return f"accuracy {asked.accuracy}" if asked.epsilon is None else f"epsilon {asked.epsilon}"


def _short(name: str) -> str:
    return one_line(name, LONGEST)


def _few(names: Sequence[str]) -> str:
    """Return the first names, and how many others there are."""
    more = [] if len(names) <= FEW else [f"... {len(names) - FEW} more"]
    return ", ".join([*map(_short, names[:FEW]), *more])


def _first(rows: Iterable[tuple[str, str]], count: int) -> list[Sequence[str]]:
    """Return the first rows of a table, and one that says how many others there are."""
    found: list[Sequence[str]] = [row for row, _ in zip(rows, range(MANY), strict=False)]
    return found if count <= MANY else [*found, [f"... and {count - MANY} more"]]

"""Turning results into tables (plain or Markdown) and JSON lines."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rounds import Result, Results, median_ratio
from targets import SCALAR, VECTOR, Verdict

Rows = Sequence[Sequence[str]]


def figure(value: float | None) -> str:
    """Return three significant digits, or a dash."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(rows: Rows, *, markdown: bool = False) -> str:
    """Lay out rows of which the first is the heading; all columns but the first are right-aligned."""
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(pairs))
        for row in rows
        for pairs in [zip(row, widths, strict=True)]
    ).rstrip()


def case_tables(results: Results) -> list[Rows]:
    """One row a case: cost, and its ratio to snapdp's vector and scalar release; reasons of missing ones beneath."""
    rows, reasons = [["case", "ns/value min", "median", "x vector", "x scalar"]], [["missing", "reason"]]
    for result in results.values():
        if not result.measured:
            rows.append([result.name, "missing", "-", "-", "-"])
            reasons.append([result.name, result.missing or "not run"])
            continue
        costs = result.ns_per_value
        to_scalar = median_ratio(results, [result.name], [SCALAR]) if result.kind == "scalar" else None
        to_vector = median_ratio(results, [result.name], [VECTOR])
        rows.append([result.name, *map(figure, (min(costs), median(costs), to_vector, to_scalar))])
    return [rows, reasons] if len(reasons) > 1 else [rows]


def verdict_rows(verdicts: Iterable[Verdict]) -> Rows:
    """One row a target."""
    rows = [["target", "limit", "measured", "verdict"]]
    for verdict in verdicts:
        limit = f"{'>=' if verdict.at_least else '<='} {verdict.limit:g}"
        rows.append([verdict.title, limit, figure(verdict.ratio), verdict.state])
    return rows


def cold_rows(cold_ms: Mapping[str, list[float]]) -> Rows:
    """One row a fresh interpreter; the last column is the median of differences inside a round."""
    rows = [["cold start, CPU ms", "min", "median", "over bare python"]]
    for name, times in cold_ms.items():
        over = median(a - b for a, b in zip(times, cold_ms["bare python"], strict=True))
        rows.append([name, *map(figure, (min(times), median(times), over))])
    return rows


def growth_rows(results: Results) -> Rows:
    """One row a size; these rounds are not those of the other cases, so there are no ratios to them."""
    rows = [["growth, out= on touched memory", "ns/value min", "median"]]
    for result in results.values():
        costs = result.ns_per_value
        if result.measured:
            rows.append([result.name, figure(min(costs)), figure(median(costs))])
        else:
            rows.append([f"{result.name}: {result.missing}", "missing", "-"])
    return rows


def memory_rows(entries: Iterable[Mapping[str, Any]]) -> Rows:
    """One row a size."""
    rows = [["extra memory, values", "resident kB", "bytes/value", "traced kB", "bytes/value"]]
    for entry in entries:
        if "missing" in entry:
            rows.append([f"missing ({entry['missing']})", "-", "-", "-", "-"])
            continue
        resident, traced, count = entry["resident_growth_bytes"], entry["traced_peak_bytes"], entry["values"]
        cells = (resident / 1024, resident / count, traced / 1024, traced / count)
        rows.append([f"{count:,}", *map(figure, cells)])
    return rows


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine(versions: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return date, machine and versions, by heading."""
    facts = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{cpu_model()}, {os.cpu_count()} cores, {platform.system()}",
    }
    for environment, found in versions.items():
        facts[f"environment {environment}"] = ", ".join(f"{name} {number}" for name, number in found.items())
    return facts


def plain_text(facts: Mapping[str, str], tables: Iterable[Rows]) -> str:
    """Return what the terminal shows."""
    heading = "\n".join(f"{name}: {fact}" for name, fact in facts.items())
    return "\n\n".join([heading, *map(table, tables)])


def markdown_section(facts: Mapping[str, str], tables: Iterable[Rows], *, rounds: int) -> str:
    """Return a results section for a document."""
    heading = "\n".join(f"- {name}: {fact}" for name, fact in facts.items())
    note = f"CPU time, {rounds} interleaved rounds; ratios are medians of the ratios inside a round."
    return "\n\n".join(["## Results", heading, note, *(table(rows, markdown=True) for rows in tables)]) + "\n"


def case_record(result: Result) -> dict[str, Any]:
    """Return the JSON form of one case."""
    record: dict[str, Any] = {"name": result.name, "kind": result.kind, "environment": result.environment}
    if not result.measured:
        return {**record, "missing": result.missing}
    return {**record, "seconds_per_value": [ns * 1e-9 for ns in result.ns_per_value]}


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """Return the JSON form of one target."""
    side = "at_least" if verdict.at_least else "at_most"
    return {"target": verdict.title, side: verdict.limit, "ratio": verdict.ratio, "state": verdict.state}

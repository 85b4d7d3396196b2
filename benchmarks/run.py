"""The benchmarks of snapdp: one command that measures, compares with other libraries and judges the targets.

    python benchmarks/run.py                     everything, about a minute; the first time also installs the peers
    python benchmarks/run.py --quick --no-peers  a first impression
    python benchmarks/run.py --only 'scalar'     cases whose name contains the text or matches the pattern
    python benchmarks/run.py --growth            also --memory, --cold: these tables alone

Run it with the interpreter of an environment in which snapdp is installed. Figures are CPU time, so a busy machine
disturbs them little, but only ratios from one run should be quoted. numpy's logarithm is several times faster with
AVX-512; NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" in the environment shows a processor without it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import probes
import report
from rounds import MIN_CPU_SECONDS, QUICK_MIN_CPU_SECONDS, Results, run_rounds, start_workers
from targets import GROWTH_SIZES, SCALAR, VECTOR, verdicts
from worker import versions

DEFAULT_ROUNDS, QUICK_ROUNDS, GROWTH_ROUNDS = 9, 3, 3


@dataclass
class Outcome:
    """Everything a run produced: tables to show and records to write."""

    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    tables: list[report.Rows] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)


def say(text: str) -> None:
    """Tell the person at the terminal what happens; results go elsewhere."""
    print(text, file=sys.stderr, flush=True)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure snapdp and compare it with other libraries.")
    parser.add_argument("--rounds", type=int, help=f"interleaved rounds (default {DEFAULT_ROUNDS})")
    parser.add_argument("--only", metavar="PATTERN", help="run only cases that contain or match this")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} short rounds, vectors up to 1e7")
    parser.add_argument("--json", metavar="FILE", help="write one JSON line per case; '-' is stdout")
    parser.add_argument("--markdown", metavar="FILE", help="write a results section; '-' is stdout")
    parser.add_argument("--no-peers", action="store_true", help="leave the other libraries out")
    parser.add_argument("--growth", action="store_true", help="only: cost per value from 1e3 to 1e8 values")
    parser.add_argument("--memory", action="store_true", help="only: extra memory of a release into out=")
    parser.add_argument("--cold", action="store_true", help="only: CPU time of fresh interpreters")
    options = parser.parse_args(arguments)
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else DEFAULT_ROUNDS)
    return options


def selector(pattern: str | None) -> Callable[[str], bool]:
    """Return the test for --only; the two cases that all ratios refer to are always run."""
    if pattern is None:
        return lambda _name: True
    text = pattern.lower()
    return lambda name: name in (SCALAR, VECTOR) or text in name.lower() or fnmatch(name.lower(), text)


def measure_cases(options: argparse.Namespace, outcome: Outcome) -> Results:
    """Run the interleaved rounds over all environments."""
    workers, absent = start_workers(with_peers=not options.no_peers, say=say)
    with ExitStack() as ending:
        for worker in workers:
            ending.callback(worker.close)
            outcome.versions[worker.environment] = worker.versions
        results = run_rounds(
            workers,
            rounds=options.rounds,
            min_cpu_seconds=QUICK_MIN_CPU_SECONDS if options.quick else MIN_CPU_SECONDS,
            wanted=selector(options.only),
            say=say,
        )
    return results | absent


def growth(options: argparse.Namespace, outcome: Outcome, sizes: Iterable[str] | None = None) -> Results:
    """Run the growth cases, or some of them; a quick run leaves out the 1.6 GB one."""
    chosen = None if sizes is None else set(sizes)
    say("growth ...")
    results = probes.growth(
        rounds=min(options.rounds, GROWTH_ROUNDS),
        wanted=lambda name: (chosen is None or name in chosen) and not (options.quick and name.endswith("1e8")),
        say=lambda _text: None,
    )
    outcome.tables.append(report.growth_rows(results))
    outcome.records += map(report.case_record, results.values())
    return results


def cold(options: argparse.Namespace, outcome: Outcome) -> dict[str, list[float]]:
    """Start fresh interpreters."""
    say("cold start ...")
    cold_ms = probes.cold(options.rounds)
    outcome.tables.append(report.cold_rows(cold_ms))
    outcome.records += [{"name": name, "cpu_ms": times} for name, times in cold_ms.items()]
    return cold_ms


def full_run(options: argparse.Namespace, outcome: Outcome) -> None:
    """Measure everything that the targets need and judge them."""
    results = measure_cases(options, outcome)
    outcome.tables += report.case_tables(results)
    outcome.records += map(report.case_record, results.values())
    grown, cold_ms = ({}, {}) if options.only else (growth(options, outcome, GROWTH_SIZES), cold(options, outcome))
    judged = [one for one in verdicts(results, grown, cold_ms) if not options.only or one.ratio is not None]
    outcome.tables += [report.verdict_rows(judged)] if judged else []
    outcome.records += map(report.verdict_record, judged)


def single_tables(options: argparse.Namespace, outcome: Outcome) -> None:
    """Produce only the tables that were asked for."""
    outcome.versions["snapdp"] = versions()
    if options.growth:
        growth(options, outcome)
    if options.memory:
        say("memory ...")
        entries = probes.memory()
        outcome.tables.append(report.memory_rows(entries))
        outcome.records += entries
    if options.cold:
        cold(options, outcome)


def write(text: str, destination: str) -> None:
    """Write to a file, or to stdout for '-'."""
    if destination == "-":
        sys.stdout.write(text)
    else:
        Path(destination).write_text(text, encoding="utf-8")


def main() -> None:
    """Measure, print, write."""
    options = parse()
    outcome = Outcome()
    if options.growth or options.memory or options.cold:
        single_tables(options, outcome)
    else:
        full_run(options, outcome)
    facts = report.machine(outcome.versions)
    # stdout belongs to whatever was asked for as '-'; the tables then go beside it.
    beside = "-" in (options.json, options.markdown)
    print(report.plain_text(facts, outcome.tables), file=sys.stderr if beside else sys.stdout)
    if options.json:
        write("".join(json.dumps(record) + "\n" for record in [facts, *outcome.records]), options.json)
    if options.markdown:
        write(report.markdown_section(facts, outcome.tables, rounds=options.rounds), options.markdown)


if __name__ == "__main__":
    main()

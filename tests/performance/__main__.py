"""``make bench``: every benchmark as a row of a table, with the ratio to the peer that the row names."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

for _pool in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_pool, "1")

_WIDTHS = (46, 11, 10, 38, 11, 10)


def _line(*cells: str) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip()


def _seconds(value: float | None) -> str:
    if value is None:
        return "–"
    if value < 0.0001:
        return f"{value * 1e6:.1f} µs"
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def _ratio(theirs: float | None, ours: float) -> str:
    """Return the speed-up factor, or a dash if the peer is not installed."""
    if theirs is None:
        return "–"
    return f"{theirs / ours:,.0f} ×" if theirs >= 10 * ours else f"{theirs / ours:.1f} ×"


def main(wanted: list[str]) -> None:
    """Run the modules ``bench_*`` of this folder, or those whose names are given."""
    print(_line("benchmark", "ours", "bar", "peer", "peer’s", "ratio"))
    for module in pkgutil.iter_modules(importlib.import_module("tests.performance").__path__):
        name = module.name.removeprefix("bench_")
        if module.name == name or (wanted and name not in wanted):
            continue
        found = importlib.import_module(f"tests.performance.{module.name}")
        # Some print a table of their own: `python -m tests.performance.bench_sites`.
        for row in found.benchmarks() if hasattr(found, "benchmarks") else ():
            ratio = _ratio(row.peer_seconds, row.seconds)
            print(
                _line(
                    row.name, _seconds(row.seconds), _seconds(row.limit), row.peer, _seconds(row.peer_seconds), ratio
                ),
                flush=True,
            )


main(sys.argv[1:])

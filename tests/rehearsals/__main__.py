"""Rehearse many generated designs: ``python -m tests.rehearsals --number 5000``.

Prints each design that the checks accept and in which a rehearsal fails, and a summary. The exit code is 1 if any did.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter

from evaluation.designs.compilation import compile_values
from evaluation.rehearsal import rehearse_assessment
from evaluation.rehearsal.running import FAILED_CALL
from tests.rehearsals.designs import design


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rehearsals", description=__doc__)
    parser.add_argument("--number", type=int, default=5000, help="number of accepted designs (5000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first design (0)")
    parser.add_argument("--resamples", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=None, help="stop after this time")
    options = parser.parse_args()
    begun, index = time.monotonic(), options.first
    counts: Counter[str] = Counter()
    failed = []
    while counts["accepted"] < options.number:
        if options.seconds is not None and time.monotonic() - begun > options.seconds:
            break
        document = design(index)
        values = next(iter(document.each_task()))
        compilation = compile_values(values)
        index += 1
        if compilation.assessment is None:
            counts["refused by the checks"] += 1
            continue
        counts["accepted"] += 1
        try:
            task = rehearse_assessment(compilation.assessment, resamples=options.resamples)
            problems = [f"{obstacle.step}: {obstacle}" for obstacle in task.obstacles]
            problems += [reason for reason in task.comparison.not_compared if reason.startswith(FAILED_CALL)]
            counts["compared values"] += task.comparison.values
            counts["values without direct computation"] += sum(
                number for reason, number in task.comparison.not_compared.items() if "no direct" in reason
            )
        except Exception:  # noqa: BLE001  (a design that breaks the rehearsal is reported like one in which it fails)
            problems = [traceback.format_exc(limit=-3)]
        if problems:
            failed.append(index - 1)
            shown = {
                key: compilation.parts.get(key) for key in ("problem", "settings", "regions", "metrics", "ranking")
            }
            sys.stdout.write(f"design {index - 1}: {json.dumps(shown)}\n  " + "\n  ".join(problems[:3]) + "\n")
            sys.stdout.flush()
    seconds = time.monotonic() - begun
    sys.stdout.write(f"{dict(counts)}, {len(failed)} failed, {seconds:.0f} s\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

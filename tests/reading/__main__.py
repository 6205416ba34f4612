"""Create the reports of the two examples and of eight small challenges, and print every ranking sentence.

    python -m tests.reading FOLDER

Examples are scored again, which takes minutes. Existing results (``hippocampus.csv``) are reused.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pandas as pd

from evaluation.assessment import parse
from evaluation.cli import main as evaluation
from evaluation.cli.inputs import read_results
from evaluation.documents.html import as_html
from evaluation.reporting import report_blocks
from tests.reading.contests import CONTESTS, Contest

EXAMPLES = ("hippocampus", "nuclei")
SOURCES = Path(__file__).parents[2] / "examples"


def example(name: str, folder: Path) -> Contest:
    """An example that comes with Podium, by the assessment of its challenge."""
    source, results = SOURCES / name, folder / f"{name}.csv"
    document = json.loads((source / "challenge.json").read_text(encoding="utf-8"))["assessment"]
    (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    if not results.exists():
        arguments = ["score", folder / f"{name}.json", "--references", source / "references"]
        arguments += ["--predictions", source / "predictions", "--each", "--output", results]
        if evaluation([str(argument) for argument in arguments]):
            message = f"{name} could not be scored"
            raise SystemExit(message)
    return Contest(document, read_results([results], {}), pd.read_csv(source / "cases.csv"))


def main() -> None:
    """Write the reports and print their sentences."""
    parser = argparse.ArgumentParser(prog="python -m tests.reading", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--only", action="append", choices=[*CONTESTS, *EXAMPLES], metavar="NAME", help="one of the ten"
    )
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.only or [*CONTESTS, *EXAMPLES]:
        contest = CONTESTS[name]() if name in CONTESTS else example(name, folder)
        blocks = report_blocks(
            parse(contest.document), contest.results, title=name, cases=contest.cases, evidence=contest.evidence
        )
        (folder / f"{name.replace(' ', '-')}.html").write_text(as_html(blocks, title=name), encoding="utf-8")
        print(f"\n##### {name}")
        for block in blocks:
            said = [block.text, *map(str, block.items)]
            if block.kind == "table":
                said += [" | ".join(map(str, row)) for row in (block.columns, *block.rows)]
            print(*(f"[{block.kind}] {line}" for line in said if line), sep="\n")


if __name__ == "__main__":
    main()

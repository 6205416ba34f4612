"""Programs of a starter kit, as text.

The programs use the standard library and `podium_client` only, so that participants can read them in a minute.
"""

from __future__ import annotations

import json
from string import Template
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.starter.facts import KitFacts

_PREDICT: Final = Template('''\
"""Predictions in the format of the challenge.

The functions below copy the sample predictions, so that every later step works before your method exists.
Replace their bodies with your method.

    python predict.py                                   # the sample cases
    python predict.py --inputs IMAGES --output OUT      # a folder with one file or folder per case
"""

import argparse
import csv
import shutil
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "sample"
ENDING = $ending
TABLES = $tables


def write_file(case: str, inputs: Path | None, target: Path) -> None:
    """Write the prediction of a case to a file. Replace the body with your method."""
    sample = SAMPLE / "predictions" / f"{case}{ENDING}"
    shutil.copyfile(sample if sample.is_file() else next((SAMPLE / "predictions").glob(f"*{ENDING}")), target)


def rows_of(table: str, case: str, inputs: Path | None) -> list[list[str]]:
    """Return the rows of a case, without the column of the case. Replace the body with your method."""
    with (SAMPLE / "predictions" / table).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    return [row[1:] for row in rows if row[0] == case] or [row[1:] for row in rows if row[0] == rows[0][0]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Predict all cases.")
    parser.add_argument("--inputs", type=Path, help="one file or folder per case; the sample cases if absent")
    parser.add_argument("--output", type=Path, default=Path("predictions"))
    options = parser.parse_args()
    if options.inputs is None:
        with (SAMPLE / "references" / "cases.csv").open(encoding="utf-8", newline="") as stream:
            cases = {row["case"]: None for row in csv.DictReader(stream)}
    else:
        cases = {path.name.partition(".")[0]: path for path in sorted(options.inputs.iterdir())}
    options.output.mkdir(parents=True, exist_ok=True)
    for case, inputs in cases.items():
        if ENDING:
            write_file(case, inputs, options.output / f"{case}{ENDING}")
    for table, columns in TABLES.items():
        with (options.output / table).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\\n")
            writer.writerow(columns)
            for case, inputs in cases.items():
                writer.writerows([case, *row] for row in rows_of(table, case, inputs))
    print(f"{len(cases)} cases written to {options.output}")


if __name__ == "__main__":
    main()
''')

_SCORE: Final = '''\
"""Score predictions with the registered assessment. The values are those of the platform.

    python score.py
    python score.py --predictions OUT --references TRAINING_REFERENCES
"""

import argparse
from pathlib import Path

from podium_client import Challenge

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description="Score predictions.")
    parser.add_argument("--predictions", type=Path, default=Path("predictions"))
    parser.add_argument("--references", type=Path, default=HERE / "sample" / "references")
    options = parser.parse_args()
    # The address of the challenge page gives the same assessment: Challenge(%(address)s, phase=%(phase)s)
    challenge = Challenge(HERE / "assessment.json")
    print("\\n".join(challenge.score(options.predictions, options.references).lines))


if __name__ == "__main__":
    main()
'''

_WORKFLOW: Final = """\
name: score
on: [push, pull_request]
jobs:
  score:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install -r requirements.txt
      - run: python predict.py
      - run: python score.py
"""

_DOCKERFILE: Final = """\
# docker build -t algorithm . && docker save algorithm -o algorithm.tar
# podium try algorithm.tar CASES/ --interface interface.json
FROM python:3.12-slim
COPY . /opt/algorithm
WORKDIR /opt/algorithm
ENTRYPOINT ["python", "run.py"]
"""

_RUN: Final = '''\
"""Entry point of the container: read the cases of a start and write the outputs of each case."""

import csv
import json
import os
from pathlib import Path

import predict

INPUT, OUTPUT = Path("/input"), Path("/output")


def main() -> None:
    interface = json.loads((INPUT / "interface.json").read_text("utf-8"))
    for entry in interface["cases"]:
        case = entry["case"]
        folder = OUTPUT / case
        folder.mkdir(parents=True, exist_ok=True)
        for output in interface["outputs"]:
            write(output, case, INPUT / case, folder / output["file"])


def write(output: dict, case: str, inputs: Path, target: Path) -> None:
    """Write an output under another name, and rename it when it is complete."""
    unfinished = target.with_name(f"unfinished-{target.name}")
    if output["kind"] == "csv":
        table, columns = next(iter(predict.TABLES.items()))
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\\n")
            writer.writerow(columns[1:])
            writer.writerows(predict.rows_of(table, case, inputs))
    else:
        predict.write_file(case, inputs, unfinished)
    os.replace(unfinished, target)


if __name__ == "__main__":
    main()
'''

_RUN_ADAPTED: Final = Template('''\
"""Entry point of the container with the folders of Grand Challenge: one case per start."""

import os
from pathlib import Path

import predict

INPUT, OUTPUT = Path("/input"), Path("/output")
READS = $reads
WRITES = $writes


def main() -> None:
    [image] = [path for path in (INPUT / READS).iterdir() if path.is_file()]
    folder = OUTPUT / WRITES
    folder.mkdir(parents=True, exist_ok=True)
    predict.write_file(image.name.partition(".")[0], image, folder / "unfinished.tmp")
    os.replace(folder / "unfinished.tmp", folder / "output.mha")


if __name__ == "__main__":
    main()
''')


def predict(ending: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Return ``predict.py`` for files with an ending, tables of all cases, or both."""
    named = {name: list(columns) for name, columns in tables.items()}
    return _PREDICT.substitute(ending=json.dumps(ending), tables=json.dumps(named, ensure_ascii=False))


def score(facts: KitFacts) -> str:
    """Return ``score.py``."""
    return _SCORE % {"address": json.dumps(facts.address), "phase": json.dumps(facts.phase_slug)}


def workflow() -> str:
    """Return the workflow that predicts and scores the sample cases in continuous integration."""
    return _WORKFLOW


def dockerfile() -> str:
    """Return the ``Dockerfile`` of an algorithm."""
    return _DOCKERFILE


def run(interface: Mapping[str, Any]) -> str:
    """Return ``run.py``, the entry point of the container, for the conventions in ``interface.json``."""
    mapping = interface.get("grand_challenge")
    if not mapping:
        return _RUN
    [reads], [writes] = (list(mapping[side].values()) for side in ("inputs", "outputs"))
    return _RUN_ADAPTED.substitute(reads=json.dumps(reads["relative_path"]), writes=json.dumps(writes["relative_path"]))

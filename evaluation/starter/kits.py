"""Files of a starter kit, and the kit as one ZIP archive."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import evaluation
from evaluation.problems import kind_of
from evaluation.problems.registered_examples import names_of_cases, write_characteristics
from evaluation.rehearsal.sample_sets import RefusedError, seal
from evaluation.rehearsal.submit_pages import submit_page_of
from evaluation.starter import programs
from evaluation.starter.notebook import notebook
from evaluation.starter.readme import readme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from evaluation.starter.facts import KitFacts

_EPOCH: Final = (2026, 1, 1, 0, 0, 0)
_SAMPLE: Final = "sample"


class NoKitError(ValueError):
    """Error for an assessment for which no sample data can be generated; the message is for readers."""


@dataclass(frozen=True)
class Layout:
    """Files of sample predictions.

    Attributes
    ----------
    ending
        Ending of the file of each case; empty if predictions are tables only.
    tables
        Columns of each table of all cases, by file name.
    """

    ending: str
    tables: dict[str, list[str]]


def kit_files(assessment: Assessment, facts: KitFacts) -> dict[str, bytes]:
    """Generate the files of a kit.

    Returns
    -------
    dict
        Content of each file by its path in the kit.

    Raises
    ------
    NoKitError
        If no sample data can be generated for the assessment.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> from evaluation.starter.facts import KitFacts
    >>> document = {"problem": "image_classification", "regions": [{"name": "a"}, {"name": "b"}],
    ...     "metrics": [{"id": "accuracy"}]}
    >>> facts = KitFacts("Demo", "demo", "https://podium.example.org/challenges/demo/", "Final", "final")
    >>> sorted(kit_files(parse(document), facts))[:5]
    ['.github/workflows/score.yml', 'README.md', 'assessment.json', 'predict.py', 'requirements.txt']
    """
    kind = kind_of(assessment)
    if not kind.is_scored:
        raise NoKitError("Values of this phase are measured outside. There is no starter kit.")
    number = kind.samples.cases_of(assessment)
    with tempfile.TemporaryDirectory(prefix="starter-") as name:
        folder = Path(name)
        try:
            kind.samples.write_registered(assessment, folder, cases=number, algorithms=(_SAMPLE,))
            cases = write_characteristics(assessment, folder, number)
            test_set = seal(assessment, folder / "references", names_of_cases(number), cases)
        except (NotImplementedError, RefusedError) as error:
            message = "No sample data can be generated for this phase. There is no starter kit."
            raise NoKitError(message) from error
        predictions = _read(folder / "predictions" / _SAMPLE)
        references = _read(folder / "references")
        submit_page = submit_page_of(test_set, number)
    layout = _layout(predictions)
    text = {
        "README.md": readme(assessment, facts, submit_page),
        "assessment.json": json.dumps(assessment.document, indent=1, ensure_ascii=False) + "\n",
        "predict.py": programs.predict(layout.ending, layout.tables),
        "score.py": programs.score(facts),
        "score.ipynb": notebook(facts),
        "requirements.txt": f"podium-evaluation=={evaluation.__version__}\n",
        ".github/workflows/score.yml": programs.workflow(),
    }
    if facts.interface:
        text |= {
            "Dockerfile": programs.dockerfile(),
            "interface.json": json.dumps(facts.interface, indent=1) + "\n",
            "run.py": programs.run(facts.interface),
        }
    files = {path: content.encode() for path, content in text.items()}
    files |= {f"sample/references/{path}": content for path, content in references.items()}
    files |= {f"sample/predictions/{path}": content for path, content in predictions.items()}
    return files


def packed(files: Mapping[str, bytes], folder: str) -> bytes:
    """Return the files as a ZIP archive with one folder; the same files give the same bytes.

    Examples
    --------
    >>> zipfile.ZipFile(io.BytesIO(packed({"a.txt": b"1"}, "kit"))).namelist()
    ['kit/a.txt']
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{path}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[path])
    return buffer.getvalue()


def _read(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _layout(predictions: Mapping[str, bytes]) -> Layout:
    first = names_of_cases(1)[0]
    endings = [path.removeprefix(first) for path in predictions if path.startswith(f"{first}.")]
    tables = {
        path: next(csv.reader(io.StringIO(content.decode())))
        for path, content in predictions.items()
        if path.endswith(".csv") and not path.startswith("case-")
    }
    return Layout(endings[0] if endings else "", tables)

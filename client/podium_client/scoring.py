"""Scoring at home: the registered assessment, with the numbers and sentences of the platform."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from evaluation.aggregation.summary import summarize
from evaluation.assessment import Assessment, AssessmentError, parse
from evaluation.checking import Finding
from evaluation.checking.sentences import finding, of_issue
from evaluation.claims.ranking import titled
from evaluation.cli.inputs import read_table
from evaluation.ranking.document import rank
from evaluation.ranking.reading import exact_end
from evaluation.readers import ReadError
from evaluation.scoring import ScoredFolders, score_folders
from evaluation.scoring.evidence import make_evidence
from podium_client.connection import LOOPBACK, TIMEOUT, Connection
from podium_client.errors import ClientError

_COLUMNS = ("algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal", "flag", "worst", "before")


@dataclass(frozen=True)
class Scored:
    """Scores of one or several algorithms.

    Attributes
    ----------
    values
        By algorithm: ``metric``, ``region``, ``value`` and ``outcomes``, as the page of a submission shows them.
    sentences
        Sentences about each ranking, under its title, as the leaderboard shows them.
    ranking
        Ranking document.
    findings
        Findings of the check, by algorithm.
    """

    values: Mapping[str, list[dict[str, Any]]]
    sentences: list[tuple[str, list[str]]]
    ranking: dict[str, Any]
    folders: ScoredFolders
    findings: Mapping[str, list[Finding]] = field(default_factory=dict)

    def all_findings(self, algorithm: str) -> list[Finding]:
        """Findings of an algorithm: what is wrong with single files or rows, then the other findings."""
        reasons = {case: issue for (name, case), issue in self.folders.reasons.items() if name == algorithm}
        return [of_issue(issue, case=case) for case, issue in reasons.items()] + list(self.findings.get(algorithm, []))

    @property
    def document(self) -> dict[str, Any]:
        """The scores as JSON values."""
        return {
            "schema": 1,
            "findings": [
                {"algorithm": name, **finding.document} for name in self.values for finding in self.all_findings(name)
            ],
            "algorithms": [
                {
                    "name": name,
                    "values": values,
                    "findings": [finding.document for finding in self.all_findings(name)],
                }
                for name, values in self.values.items()
            ],
            "sentences": [{"ranking": title, "sentences": sentences} for title, sentences in self.sentences],
            "ranking": self.ranking,
        }

    @property
    def lines(self) -> list[str]:
        """The scores as text."""
        intervals = {
            (entry["metric"], entry["region"], algorithm["name"]): algorithm.get("score_confidence_interval")
            for entry in self.ranking["rankings"]
            for algorithm in entry["algorithms"]
        }
        lines = []
        for name, values in self.values.items():
            lines += [f"{name}:"] if len(self.values) > 1 else []
            for value in values:
                where = f", {value['region']}" if value["region"] else ""
                number = "undefined" if value["value"] is None else f"{value['value']:.6g}"
                interval = intervals.get((value["metric"], value["region"], name))
                lines.append(f"{value['metric']}{where}: {number}{_range(interval)}")
        for title, sentences in self.sentences:
            lines += ["", f"{title}:", *sentences]
        return lines


def assessment_of(source: str, phase: str, connect: Callable[[], Connection]) -> Assessment:
    """Return the registered assessment.

    Parameters
    ----------
    source
        Path of an assessment document, public address of a challenge, or short name of a challenge.
    phase
        Number or short name of the phase; empty if all phases have the same assessment.
    connect
        Returns the connection of `podium login`, which a short name needs.

    Raises
    ------
    ClientError
        If there is no such assessment.
    """
    document: Any
    if "://" in source:
        document = _public(source, phase)
    elif source.lower().endswith(".json") or Path(source).is_file():
        try:
            document = json.loads(Path(source).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ClientError(f"{source} cannot be read as JSON ({error}).") from error
    else:
        connection = connect()
        content = connection.get(f"challenges/{source}/")
        documents = [
            connection.get(f"{connection.origin}/challenges/{source}/assessment/{number}.json")
            for number in _phases(content, phase)
        ]
        document = _only(documents)
    try:
        return parse(document)
    except AssessmentError as error:
        raise ClientError(f"{source}: {error}") from error


def score_at_home(
    assessment: Assessment,
    references: Path,
    predictions: Mapping[str, Path],
    *,
    cases: Path | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Scored:
    """Score folders of predictions and rank them as the platform does.

    Parameters
    ----------
    assessment
        The registered assessment.
    references
        Folder of references.
    predictions
        Folder of each algorithm, by its name.
    cases
        Table with metadata of the cases. By default ``cases.csv`` in the folder of references or next to it.
    jobs
        Number of processes.
    progress
        Called with the number of finished cases and of all cases.

    Raises
    ------
    ClientError
        If references or predictions cannot be read, or no case has a prediction.
    """
    import pandas as pd

    possible_tables = (references / "cases.csv", references.resolve().parent / "cases.csv")
    table_file = cases or next((path for path in possible_tables if path.is_file()), None)
    metadata = None if table_file is None else read_table(table_file)
    try:
        folders = score_folders(assessment, references, predictions, jobs=jobs, progress=progress)
    except (ReadError, ValueError, OSError) as error:
        raise ClientError(str(error)) from error
    if not folders.has_predictions:
        raise ClientError(f"{_named(predictions)}: {finding('nothing_found', count=folders.cases).sentence}")
    frame = pd.DataFrame(
        [tuple(getattr(row, column) for column in _COLUMNS) for row in folders.rows], columns=list(_COLUMNS)
    )
    frame["outcome"] = frame["outcome"].astype(str)
    try:
        evidence = (
            make_evidence(assessment, folders.blocks, parts=folders.parts, shared=folders.shared)
            if folders.blocks
            else None
        )
        ranking = rank(assessment, frame, cases=metadata, evidence=evidence)
        values = {
            name: summarize(assessment, frame[frame["algorithm"] == name], metadata)["values"] for name in predictions
        }
    except ValueError as error:
        raise ClientError(str(error)) from error
    sentences = [(title, [str(sentence) for sentence in texts]) for title, texts in titled(ranking)]
    return Scored(values, sentences, ranking, folders, folders.findings)


def _named(predictions: Mapping[str, Path]) -> str:
    return ", ".join(str(path) for path in list(predictions.values())[:3])


def _range(score_interval: Mapping[str, Any] | None) -> str:
    if not score_interval or not score_interval.get("interval") or None in score_interval["interval"]:
        return ""
    low, high = score_interval["interval"]
    if (end := exact_end({"score_confidence_interval": score_interval})) is not None:
        words, value, level = end
        # Rounded outwards, so that the bound stays true.
        outwards = math.floor if words == "at least" else math.ceil
        return f" ({words} {outwards(1e4 * value) / 1e4:.4g}, one-sided at {100 * level:g} %)"
    return f" ({100 * score_interval['level']:g} % confidence interval {low:.4g} to {high:.4g})"


def _public(address: str, phase: str) -> Any:
    """Read the assessment from the public address of a challenge, or of the document itself, without a token."""
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise ClientError(f"{address} is no address that begins with https://.")
    origin = f"{parts.scheme}://{parts.netloc}"
    if parts.path.endswith(".json"):
        return _json(address)
    names = [part for part in parts.path.split("/") if part]
    if len(names) < 2 or names[0] != "challenges":
        raise ClientError(f"{address} is no address of a challenge, such as {origin}/challenges/NAME/.")
    content = _json(f"{origin}/api/v1/challenges/{names[1]}/")
    numbers = _phases(content, phase)
    return _only([_json(f"{origin}/challenges/{names[1]}/assessment/{number}.json") for number in numbers])


def _json(address: str) -> Any:
    try:
        answer = requests.get(address, timeout=TIMEOUT, allow_redirects=False)
        if answer.status_code != 200:
            raise ClientError(f"{address} cannot be read (status {answer.status_code}).")
        return answer.json()
    except (requests.RequestException, ValueError) as error:
        raise ClientError(f"{address} cannot be read ({type(error).__name__}).") from error


def _phases(content: Mapping[str, Any], phase: str) -> list[int]:
    rows = content["phases"]
    chosen = [row for row in rows if phase in ("", str(row["id"]), row["slug"], f"{row['task']}/{row['slug']}")]
    if not chosen:
        phases = ", ".join(f"{row['task']}/{row['slug']}" for row in rows) or "none"
        raise ClientError(f"Phase {phase or '(any)'} not found. The phases are {phases}.")
    return [int(row["id"]) for row in chosen]


def _only(documents: list[Any]) -> Any:
    if any(document != documents[0] for document in documents):
        raise ClientError("The phases are assessed differently. Name one with --phase.")
    return documents[0]

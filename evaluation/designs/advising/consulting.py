"""From the answers and the design of a task to what the page of advice shows."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from evaluation import problems
from evaluation.advice import (
    Departure,
    Fingerprint,
    FingerprintError,
    departures,
    illustration,
    next_question,
    parse_fingerprint,
    questions,
    recommend,
)
from evaluation.advice.knowledge import knowledge
from evaluation.advice.pitfalls import Facts, Finding, PredictionScan, ReferenceScan, check, demonstrations_of, picture
from evaluation.advice.pitfalls.kept import described, predictions_from, references_from
from evaluation.catalogue import all_metrics, get
from evaluation.designs.advising.facts import design_facts
from evaluation.designs.answers import Answers
from evaluation.designs.compilation import compile_values
from evaluation.designs.compilation.metrics import meaning, usual_level
from evaluation.designs.compilation.problems import kinds_of
from evaluation.designs.document import Values

_NOTHING: Final = object()
_SOURCES: Final = {
    "fingerprint": "more answers",
    "design": "facts that the form does not ask for",
    "assessment": "a design that can be executed",
    "references": "some references",
    "predictions": "some example predictions",
}


@dataclass(frozen=True)
class Question:
    """A question of the dialogue with its present answer, as the form sends it."""

    id: str
    title: str
    question: str
    why: str
    choices: tuple[tuple[str, str], ...]
    answer: str | None = None
    picture: str = ""
    region: str = ""
    per_class: bool = False
    may_be_unknown: bool = True

    @property
    def answer_words(self) -> str:
        """Label of the answer; "I do not know" if there is none."""
        return next((label for value, label in self.choices if value == self.answer), "I do not know")


@cache
def _ids() -> re.Pattern[str]:
    """Pattern of the ids that are not words: with an underscore, or an abbreviation in lower case."""
    ids = [metric.id for metric in all_metrics() if "_" in metric.id or metric.id == metric.abbreviation.lower()]
    return re.compile(r"\b(" + "|".join(sorted(ids, key=len, reverse=True)) + r")\b")


def readable(text: str) -> str:
    """Name metrics by their abbreviations where a sentence has their ids.

    Examples
    --------
    >>> readable("dsc and hausdorff_percentile are measured")
    'DSC and HD95 are measured'
    """
    return _ids().sub(lambda match: get(match[0]).abbreviation, text)


@dataclass(frozen=True)
class Scanned:
    """Facts from references and example predictions, and the answers that they suggest."""

    references: ReferenceScan
    predictions: tuple[PredictionScan, ...]
    sentences: tuple[str, ...]

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> "Scanned":
        """From what a finished scan keeps."""
        references = references_from(result["references"])
        return cls(references, tuple(map(predictions_from, result["predictions"])), tuple(described(references)))


@dataclass(frozen=True)
class Reasoned:
    """A departure from the recommendation, with the reason that the organizers gave, if they did."""

    departure: Departure
    reason: str

    @property
    def key(self) -> str:
        """Key under which the reason is stored.

        Another departure of the same metric needs another reason.
        """
        return self.departure.words

    @property
    def words(self) -> str:
        """The departure with metrics as people call them."""
        return readable(self.departure.words)


@dataclass(frozen=True)
class Bite:
    """A pitfall that bites, with a picture by our own metrics where there is one."""

    finding: Finding
    words: str = ""
    picture: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def because(self) -> str:
        """Reason why the pitfall applies, with the common names of metrics."""
        return readable(self.finding.because)


@dataclass(frozen=True)
class Advice:
    """Content of the advice page: next question, answers, recommendation, and departures from it."""

    current: Question | None
    answered: tuple[Question, ...]
    recommendation: Mapping[str, Any] | None
    metrics: tuple[Mapping[str, Any], ...]
    departures: tuple[Reasoned, ...]
    pitfalls: tuple[Bite, ...]
    problem: str = ""
    proposals: tuple[Question, ...] = ()
    missing: tuple[tuple[str, int], ...] = ()
    regions: tuple[str, ...] = ()


def fingerprint_of(values: Values, stored: Answers) -> Fingerprint:
    """The fingerprint of a task; the kind of problem follows from its category where that is clear.

    Classes are walked one by one only where an answer differs for one of the regions that the design still has.

    Raises
    ------
    FingerprintError
        For an answer that the recommender does not know.
    """
    document: dict[str, Any] = {"schema": 1, "answers": dict(stored.answers), "choices": dict(stored.choices)}
    region_answers = {name: dict(stored.classes.get(name) or {}) for name in regions_of(values)}
    if any(region_answers.values()):
        document["classes"] = region_answers
    if values.name:
        document["name"] = values.name
    kinds = {kind for kind in kinds_of(values) if kind}
    if len(kinds) == 1 and kinds <= set(knowledge().problems.values()):
        document["problem"] = kinds.pop()
    return parse_fingerprint(document)


def uncovered(values: Values) -> str:
    """Explain why there is no recommendation for a task; empty if there is one.

    The reason is a kind of problem that the published trees do not cover.
    """
    covered = set(knowledge().problems.values())
    beyond = [kind for kind in kinds_of(values) if kind is not None and kind not in covered]
    if not beyond:
        return ""
    return (
        f"The published recommendations of metrics do not cover {problems.get(beyond[0]).title}, so that there is nothing to "
        "derive here. Choose by what an error costs where the results are used, and rank by more than one property."
    )


def regions_of(values: Values) -> tuple[str, ...]:
    """Names of the scored regions or classes."""
    return tuple(dict.fromkeys(str(row["name"]) for row in values.rows("regions") if row.get("name")))


def consult(values: Values, stored: Answers, scanned: Scanned | None = None) -> Advice:
    """Return all content of a task's advice page.

    Parameters
    ----------
    scanned
        Facts read from the references. Omit it for external readers, since it may come from a hidden test set.
    """
    if beyond := uncovered(values):
        return Advice(None, (), None, (), (), (), beyond)
    is_answered = bool(stored.answers or stored.classes or stored.choices)
    compiled = compile_values(values).assessment
    try:
        fingerprint = fingerprint_of(values, stored)
        pending = next_question(fingerprint)
    except FingerprintError as error:
        return Advice(None, (), None, (), (), (), str(error))
    regions = regions_of(values)
    if not is_answered and scanned is None:
        # Nothing was answered, and what is not answered is not “no”: there is nothing to say yet.
        asked = _question(pending[0].id, {}, region=pending[1] or "", regions=regions) if pending else None
        return Advice(asked, (), None, (), (), (), regions=regions if len(regions) > 1 else ())
    recommendation = _recommended(fingerprint) if is_answered else None
    used = _used(values)
    references = scanned.references if scanned else None
    facts = Facts(
        fingerprint=fingerprint,
        assessment=compiled,
        design=design_facts(values, references, instances=fingerprint.category == "InS"),
        references=references,
        predictions=scanned.predictions if scanned else (),
    )
    findings = check(facts)
    return Advice(
        current=_question(pending[0].id, {}, region=pending[1] or "", regions=regions) if pending else None,
        answered=_answered(stored, regions),
        recommendation=recommendation,
        metrics=tuple(_named(entry, used, regions) for entry in recommendation["metrics"]) if recommendation else (),
        departures=reasoned(recommendation, used, stored, is_complete=pending is None),
        pitfalls=tuple(_bite(finding) for finding in findings if finding.state == "bites"),
        proposals=_proposals(scanned, stored, fingerprint),
        missing=_missing(findings),
        regions=regions if len(regions) > 1 else (),
    )


def departures_of(values: Values, stored: Answers) -> tuple[Reasoned, ...]:
    """Return the departures of a task's metrics from the recommendation; empty before any answer.

    The recommendation follows from the answers about the task.
    """
    if uncovered(values) or (not stored.answers and not stored.classes):
        return ()
    try:
        fingerprint = fingerprint_of(values, stored)
        is_complete = next_question(fingerprint) is None
        return reasoned(recommend(fingerprint), _used(values), stored, is_complete=is_complete)
    except FingerprintError:
        return ()


# Departures that hold whatever is answered next: the others may turn out to be none.
_SETTLED: Final = ("ruled_out", "related")


def reasoned(
    recommendation: Mapping[str, Any] | None,
    used: list[dict[str, Any]],
    stored: Answers,
    *,
    is_complete: bool = True,
) -> tuple[Reasoned, ...]:
    """Return departures together with their stored reasons.

    Parameters
    ----------
    is_complete
        Whether every relevant question is answered. Until then, no metric is reported as omitted or not recommended,
        because that would rest on an assumed answer. The same applies to a departure that depends on “I do not know”.
    """
    if not recommendation or not used:
        return ()
    return tuple(
        Reasoned(departure, str(stored.reasons.get(departure.words, "")))
        for departure in departures(recommendation, used)
        if departure.kind != "open" and (is_complete or departure.kind in _SETTLED)
    )


def recommended_rows(advice: Advice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The metric table with every recommended metric that is not in it yet."""
    listed_metrics = {row.get("metric") for row in rows}
    problem = str(advice.recommendation["problem"]) if advice.recommendation else ""
    added = [
        {
            "metric": entry["id"],
            "abbreviation": get(entry["id"]).abbreviation,
            "orientation": get(entry["id"]).direction,
            "level": usual_level(get(entry["id"]), problem, entry["options"]),
            "used_for_ranking": True,
            "implementation": "this platform",
            **({"options": dict(entry["options"])} if entry["options"] else {}),
        }
        for entry in advice.metrics
        if entry["id"] not in listed_metrics
    ]
    return [*rows, *added]


def _recommended(fingerprint: Fingerprint) -> Mapping[str, Any] | None:
    try:
        return recommend(fingerprint)
    except FingerprintError:
        # Without the kind of problem there is no walk yet; the dialogue asks for it first.
        return None


def _named(entry: Mapping[str, Any], used: list[dict[str, Any]], regions: tuple[str, ...]) -> Mapping[str, Any]:
    metric = get(entry["id"])
    some = [name for name in entry.get("classes") or () if name in regions]
    return {
        **entry,
        "label": f"{metric.name} ({metric.abbreviation})",
        "chosen": entry["id"] in {row["id"] for row in used},
        "alternatives": [{**other, "label": get(other["id"]).abbreviation} for other in entry["alternatives"]],
        "only_for": ", ".join(some) if some and len(some) < len(regions) else "",
    }


def _used(values: Values) -> list[dict[str, Any]]:
    used = []
    for row in values.rows("metrics"):
        meant = meaning(row)
        if meant.metric is not None:
            used.append({"id": meant.metric.id, "name": meant.label, "options": dict(meant.options)})
    return used


def _answered(stored: Answers, regions: tuple[str, ...]) -> tuple[Question, ...]:
    region_questions = [
        _question(identity, answers, region=name, regions=regions)
        for name, answers in stored.classes.items()
        if name in regions
        for identity in answers
    ]
    return (*(_question(identity, stored.answers, regions=regions) for identity in stored.answers), *region_questions)


def _proposals(scanned: Scanned | None, stored: Answers, fingerprint: Fingerprint) -> tuple[Question, ...]:
    """Answers that the references suggest and that are not stored, or are stored with another value."""
    if scanned is None:
        return ()
    by_id = {entry["id"]: entry for entry in questions()}
    return tuple(
        _question(identity, scanned.references.proposals)
        for identity, value in scanned.references.proposals.items()
        if fingerprint.problem in by_id[identity]["problems"] and stored.answers.get(identity, _NOTHING) != value
    )


def _missing(findings: list[Finding]) -> tuple[tuple[str, int], ...]:
    """Sources of the facts that are missing to look for more pitfalls, with counts.

    Sources are answers, references and predictions.
    """
    counts: Counter[str] = Counter()
    for finding in findings:
        if finding.state == "unknown":
            source = finding.missing.partition(".")[0]
            counts[_SOURCES.get(source, source)] += 1
    return tuple(counts.items())


@lru_cache(maxsize=256)
def _shown(pitfall: str) -> tuple[str, str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Text, picture and table of the first demonstration of a pitfall.

    Its numbers are computed once per process.
    """
    demonstration = next(iter(demonstrations_of(pitfall)), None)
    if demonstration is None:
        return "", "", (), ()
    values = {(value.metric, value.scene): value for value in demonstration.values()}
    scenes = tuple(scene.name for scene in demonstration.scenes)
    rows = tuple(
        (readable(metric), *(_number(values[metric, scene]) for scene in scenes))
        for metric in dict.fromkeys(metric for metric, _ in values)
    )
    return demonstration.words, picture(demonstration), ("Metric", *scenes), rows


def _number(value: Any) -> str:
    return str(value.outcome) if value.value is None else f"{value.value:.3g}"


def _bite(finding: Finding) -> Bite:
    return Bite(finding, *_shown(finding.pitfall.id))


def _question(
    identity: str, answers: Mapping[str, Any], *, region: str = "", regions: tuple[str, ...] = ()
) -> Question:
    item = next(entry for entry in questions() if entry["id"] == identity)
    return Question(
        id=identity,
        title=item["title"],
        question=item["question"],
        why=item["why"],
        choices=tuple((json.dumps(choice["value"]), choice["label"]) for choice in item["choices"]),
        answer=json.dumps(answers[identity]) if identity in answers else None,
        picture=illustration(identity) or "",
        region=region,
        per_class=not region and item["scope"] == "class" and len(regions) > 1,
        may_be_unknown=not item["must_be_answered"],
    )

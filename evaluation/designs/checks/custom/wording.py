"""Checks for information that texts reveal."""

import re
from collections.abc import Iterator

from evaluation.designs.checks.registry import Subject, register

_WEAK = {
    "metric_justification": re.compile(r"commonly used|popular|standard metric", re.IGNORECASE),
    "case_number_justification": re.compile(r"\bcommon|\busual|\bstandard", re.IGNORECASE),
}
_NETWORK = re.compile(
    r"\b[A-Z0-9][A-Za-z0-9]*(?:-?[A-Za-z0-9]+)*-?Net(?:-?\d+|\+\+|v\d)?\b|\bMask R-CNN\b|\bDeepLab\w*"
)
_RELATION = re.compile(
    r"\b(based on|backbone|encoder|decoder|variant|extends?|extension|called|also known|ensemble|pre-?trained|combin\w+|"
    r"compared|instead of|followed by|modified)\b",
    re.IGNORECASE,
)


def texts_in(value: object) -> Iterator[str]:
    """All texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


@register("weak_justification", reads=("metric_justification", "case_number_justification"))
def weak_justification(subject: Subject) -> str | None:
    text = subject.values.text(subject.check.parameter)
    if not text or len(text.split()) >= 25:
        return None
    match = _WEAK[subject.check.parameter].search(text)
    return f"“{match[0]}” says what others do, not why it fits this aim." if match else None


@register("cohort_gap", reads=("target_cohort", "challenge_cohort"))
def cohort_gap(subject: Subject) -> str | None:
    target, challenge = subject.values.text("target_cohort"), subject.values.text("challenge_cohort")
    if not target or not challenge:
        return None
    same = " ".join(target.casefold().split()) == " ".join(challenge.casefold().split())
    return None if same else ""


@register("refs_present", reads=("references_and_comments",))
def refs_present(subject: Subject) -> str | None:
    if subject.values.entry("references_and_comments").value is not None:
        return None
    entries = [subject.document.challenge, *subject.document.tasks.values()]
    for fields in entries:
        for identity, entry in fields.items():
            for text in (*texts_in(entry.value), entry.details):
                if "[ref" in text or "et al." in text:
                    return f"{subject.catalogue[identity].label} cites a work."
    return None


@register("unique_task_names", reads=("task_name",))
def unique_task_names(subject: Subject) -> str | None:
    task_name = subject.values.text("task_name").casefold()
    names = [values.text("task_name").casefold() for values in subject.document.each_task()]
    return f"Several tasks are called “{subject.values.name}”." if task_name and names.count(task_name) > 1 else None


@register("consistent_names", reads=("method_summary",))
def consistent_names(subject: Subject) -> str | None:
    text = subject.values.text("method_summary")
    names = sorted(set(_NETWORK.findall(text)))
    if len(names) < 2 or _RELATION.search(text):
        return None
    return f"Named are {', '.join(names)}; how are they related?"


@register("title_terms", reads=("report_title", "imaging_modality", "task_category"))
def title_terms(subject: Subject) -> str | None:
    title = subject.values.text("report_title").casefold()
    if not title:
        return None
    missing = [] if "challenge" in title else ["challenge"]
    for parameter in ("imaging_modality", "task_category"):
        labels = [subject.catalogue[parameter].label_of(item) for item in subject.values.get(parameter) or ()]
        if labels and not any(word in title for label in labels for word in _spellings(label)):
            missing.append(labels[0])
    return f"Missing: {', '.join(missing)}." if missing else None


def _spellings(label: str) -> list[str]:
    """A label, its abbreviation in brackets and its first word."""
    plain = re.sub(r"\s*\(.*?\)", "", label)
    inner = re.findall(r"\(([^)]+)\)", label)
    return [word.casefold() for word in (plain, *inner) if word]

"""Checks of a registered design, a method description and a report that need submissions and results."""

import re
from typing import Final

from django.db.models import Max, QuerySet
from django.db.models.fields.json import KT

from challenges.contributions.design_checks import challenge_of
from challenges.models import Challenge
from datastore.test_sets.models import TestCase
from designs.models import Scan
from evaluation.designs.checks import Subject, register
from evaluation.designs.completeness import GATE
from submissions.models import MethodDescription, Run, Submission

# The evaluation package, as the provenance of a run names it.
SOFTWARE: Final = "podium-evaluation"
PASSED: Final = (Submission.State.ACCEPTED, Submission.State.SCORED)
# Names of cases: case_7, p012, s12-04, and numbers such as 0007 in a list; words, sizes and “T1-weighted” are none.
_NAME: Final = re.compile(
    r"\b(?:[A-Za-z]+\w*_\w*\d\w*|[A-Za-z]+[-.]?\d{2,}[\w.-]*|\d{3,}(?=\s*(?:[,;]|$)))", re.MULTILINE
)
_ADDRESS: Final = re.compile(
    r"https?://\S+|\bdoi:\s*10\.\S+|\b10\.\d{4,9}/\S+|\b[\w-]+\.(?:csv|json|txt|tsv|ya?ml|pkl)\b",
    re.IGNORECASE,
)
_FEWEST_NAMES: Final = 2
_MOST_SHOWN: Final = 5


@register("evaluation_hash_unchanged", reads=("evaluation_code_availability",))
def evaluation_hash_unchanged(subject: Subject) -> str | None:
    """Check that one version of the evaluation software computed all results that count in a phase.

    The platform evaluates with its own software, whose version every run records. After an update, either no
    result or every result of a phase is scored again.
    """
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    used: dict[str, set[str]] = {}
    runs = _of_task(Run.objects.filter(counts=True), challenge, subject.values.task_key, "submission__phase__task")
    rows = runs.values_list("submission__phase__name", KT(f"provenance__versions__{SOFTWARE}")).distinct()
    for phase, version in rows:
        if version:
            used.setdefault(phase, set()).add(str(version))
    mixed = [
        f"{phase} by {' and '.join(sorted(versions))}" for phase, versions in sorted(used.items()) if len(versions) > 1
    ]
    return f"Results were computed by several versions: {'; '.join(mixed)}." if mixed else None


@register("sample_submission_valid", reads=("submission_format",))
def sample_submission_valid(subject: Subject) -> str | None:
    """Files in the described format were read here: a submission passed validation, or example predictions were read."""
    design, task = subject.design, subject.values.task_key
    if design is None or task is None:
        return None
    challenge = challenge_of(subject)
    if challenge is not None:
        handed_in = _of_task(Submission.objects.filter(state__in=PASSED), challenge, task, "phase__task")
        if handed_in.exists():
            return None
    scans = Scan.objects.filter(task__design=design, task__key=task, state=Scan.State.DONE, problem="")
    for result in scans.values_list("result", flat=True):
        # A file that cannot be read counts as missing.
        if any(not read.get("missing") for read in (result or {}).get("predictions", ())):
            return None
    return "Neither a submission nor example predictions (under Advice, Read files) have been read here yet."


@register("split_file", reads=("data_split",))
def split_file(subject: Subject) -> str | None:
    """The split names its cases, or a file that does; none of them is a test case."""
    text = subject.values.text("data_split")
    if not text.strip():
        return None
    names = {name.casefold() for name in _NAME.findall(_ADDRESS.sub(" ", text))}
    challenge = challenge_of(subject)
    if challenge is not None and names:
        cases = TestCase.objects.filter(test_set__is_active=True)
        cases = _of_task(cases, challenge, subject.values.task_key, "test_set__phase__task")
        hidden = sorted({name for name in cases.values_list("name", flat=True) if name.casefold() in names})
        if hidden:
            more = f" and {len(hidden) - _MOST_SHOWN} more" if len(hidden) > _MOST_SHOWN else ""
            return f"These are test cases, not training cases: {', '.join(hidden[:_MOST_SHOWN])}{more}."
    if len(names) >= _FEWEST_NAMES or _ADDRESS.search(text):
        return None
    return "The text names no cases and no file that lists them."


@register("algorithm_completeness", reads=("participating_teams",))
def algorithm_completeness(subject: Subject) -> str | None:
    """Every team of the report describes at least nine tenths of what a method description needs."""
    challenge = challenge_of(subject)
    if challenge is None:
        rows = subject.values.rows("participating_teams")
        short = [str(row.get("acronym", "")) for row in rows if not str(row.get("method_description", "")).strip()]
        return f"Without a method description: {', '.join(short)}." if short else None
    scored = _of_task(
        Submission.objects.filter(state=Submission.State.SCORED), challenge, subject.values.task_key, "phase__task"
    )
    teams = dict(scored.values_list("team__name", "team").distinct())
    described = MethodDescription.objects.filter(submission__in=scored).values_list("submission__team")
    best = {team: (filled, total) for team, filled, total in described.annotate(Max("filled"), Max("required"))}
    short = []
    for name, team in sorted(teams.items()):
        filled, total = best.get(team, (0, 0))
        if not total or filled < GATE * total:
            short.append(f"{name} ({filled} of {total})" if total else f"{name} (nothing)")
    return f"Described less than {GATE:.0%}: {', '.join(short)}." if short else None


def _of_task(rows: QuerySet, challenge: Challenge, task: str | None, path: str) -> QuerySet:
    """Rows of a challenge, of one task of the design where one is looked at."""
    rows = rows.filter(**{f"{path}__challenge": challenge})
    return rows if task is None else rows.filter(**{f"{path}__design_key": task})

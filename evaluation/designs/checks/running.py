"""Running the checks of a design and joining their findings with the organizers' answers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Protocol

from evaluation.canonical import sha256
from evaluation.designs.answers import Answers
from evaluation.designs.catalogue import Catalogue, Check, shipped
from evaluation.designs.checks.language import applies, holds, missing, parameters_in
from evaluation.designs.checks.registry import Subject, registered
from evaluation.designs.document import Document, Entry, Values

SEVERITIES: Final = ("error", "warning", "info")
WORDS: Final = {"error": "error", "warning": "warning", "info": "hint"}


class CheckAnswer(Protocol):
    """Organizers' reason for not following a warning; `basis` is the digest of the values that it answers."""

    @property
    def basis(self) -> str: ...
    @property
    def text(self) -> str: ...


class StoredDesign(Protocol):
    """Data stored next to the document of a design.

    Attributes
    ----------
    design
        Passed to the checks that the owner of the design registered.
    """

    @property
    def design(self) -> Any: ...

    def check_answers(self) -> Mapping[tuple[str | None, str], CheckAnswer]:
        """Answers by task and id of the check."""

    def problem_answers(self) -> Mapping[str, Answers]:
        """Return the answers to questions about the problem, by task."""


@dataclass(frozen=True)
class Finding:
    """A check that fails for one task or for the challenge.

    `basis` is the digest of the values that the check read. An answer to the finding is current until these values
    change.
    """

    check: Check
    task: str | None
    detail: str
    basis: str
    # A stored answer has more than the science side asks for.
    answer: Any = None

    @property
    def severity(self) -> str:
        return self.check.severity

    @property
    def word(self) -> str:
        """Label of the severity for pages."""
        return WORDS[self.check.severity]

    @property
    def message(self) -> str:
        return self.check.message

    @property
    def blocks(self) -> bool:
        """True if it prevents the submission of the design."""
        return self.check.severity == "error"

    @property
    def is_answered(self) -> bool:
        """True if the organizers gave a reason for not following the check, for the current values."""
        return self.answer is not None and self.answer.basis == self.basis


def findings(
    document: Document,
    *,
    stored: StoredDesign | None = None,
    phase: str = "draft",
    changed: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
) -> list[Finding]:
    """Run the checks of one point of life and return what does not hold, errors first.

    Parameters
    ----------
    stored
        The stored design; without it, checks of history and neighbours have nothing to look at and no answers are read.
    changed
        Only checks that read one of these parameters.
    tasks
        Only these tasks (and the challenge).
    """
    catalogue = shipped()
    wanted = None if changed is None else set(changed)
    checks = [
        check
        for parameter in catalogue.parameters.values()
        for check in parameter.checks
        if phase in check.phases and (wanted is None or wanted & reads(check))
    ]
    chosen = list(document.tasks) if tasks is None else [key for key in document.tasks if key in set(tasks)]
    views = {key: document.values(key) for key in chosen}
    design = stored.design if stored is not None else None
    open_points = [finding for check in checks for finding in _run(check, document, views, design, catalogue)]
    if stored is not None and open_points:
        open_points = _answered(open_points, stored.check_answers())
    return sorted(open_points, key=lambda finding: SEVERITIES.index(finding.severity))


def check_description(
    entries: Mapping[str, Entry],
    *,
    document: Document,
    task: str | None,
    kind: str,
    phase: str,
    design: Any = None,
) -> list[Finding]:
    """Run the checks of an algorithm description (`kind` ``algorithm``) or a report (``outcome``) over a design.

    With the stored `design`, checks that look at its challenge, teams and runs have something to look at.
    """
    catalogue = shipped()
    parameters = catalogue.algorithm_parameters if kind == "algorithm" else catalogue.outcome_parameters
    below = document.values(task)
    values = Values(below.challenge, {**below.task, **entries}, task)
    description_findings = []
    for parameter in parameters.values():
        for check in parameter.checks:
            if phase in check.phases:
                detail = _detail(check, Subject(values=values, document=document, check=check, design=design))
                if detail is not None:
                    description_findings.append(Finding(check, task, detail, _basis(check, values)))
    return sorted(description_findings, key=lambda finding: SEVERITIES.index(finding.severity))


@cache
def reads(check: Check) -> frozenset[str]:
    """The parameters that a check looks at, its own included."""
    custom_check = registered(check.custom) if check.custom else None
    custom_reads = custom_check.reads if custom_check else ()
    rules = () if check.custom else parameters_in(check.assertion)
    return frozenset({check.parameter, *custom_reads, *rules, *parameters_in(check.when)})


def _run(
    check: Check, document: Document, views: Mapping[str, Values], design: Any, catalogue: Catalogue
) -> Iterator[Finding]:
    per_task = any(catalogue[parameter].is_task for parameter in reads(check) if parameter in catalogue.parameters)
    # A task may say otherwise than the challenge; only where one does is a check of the challenge repeated for it.
    places: dict[str | None, Values] = (
        dict(views.items()) if per_task else {None: document.values(), **_own(check, views)}
    )
    for task, values in places.items():
        subject = Subject(values=values, document=document, check=check, design=design, catalogue=catalogue)
        detail = _detail(check, subject)
        if detail is not None:
            yield Finding(check, task, detail, _basis(check, values))


def _own(check: Check, views: Mapping[str, Values]) -> dict[str | None, Values]:
    return {key: values for key, values in views.items() if any(name in values.task for name in reads(check))}


OF_WHAT_IS_GIVEN: Final = frozenset(
    {
        "acquisition_devices.single",
        "case_definition.hierarchy",
        "context_information_patient.identifying",
        "data_centers.single",
        "number_test_cases.single",
        "number_test_cases.small",
    }
)
"""Checks whose message describes the value of their parameter.

If the value is blank, other checks request it. A new rule has the condition ``"when": {…, "op": "nonempty"}`` instead.
"""


def _detail(check: Check, subject: Subject) -> str | None:
    """Describe the problem that a check finds, possibly with an empty text.

    The result is ``None`` if the check passes or does not apply.
    """
    values = subject.values
    if not applies(check.when, values):
        return None
    if check.id in OF_WHAT_IS_GIVEN and not values.entry(check.parameter).is_filled:
        return None
    if check.custom:
        custom_check = registered(check.custom)
        return custom_check.function(subject) if custom_check else None
    if holds(check.assertion, values, owner=check.parameter):
        return None
    return " ".join(missing(check.assertion, values, owner=check.parameter))


def _basis(check: Check, values: Values) -> str:
    read = {}
    for parameter in sorted(reads(check)):
        entry = values.entry(parameter)
        read[parameter] = [entry.value, entry.details, entry.as_state()]
    return sha256(read)


def _answered(open_points: list[Finding], answers: Mapping[tuple[str | None, str], CheckAnswer]) -> list[Finding]:
    return [replace(finding, answer=answers.get((finding.task, finding.check.id))) for finding in open_points]

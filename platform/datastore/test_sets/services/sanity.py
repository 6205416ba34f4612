"""Checks of the test set in an archive, computed in confined children while the archive is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from confinement.sandbox import Answer, answers
from datastore.test_sets.domain import backgrounds
from datastore.test_sets.services.archives import Ready
from datastore.uploads.storage import child_limits
from evaluation.assessment import Assessment
from evaluation.problems import kind_of
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem
from evaluation.problems.images import LabelImageReferenceRules
from evaluation.test_set_quality.facts import CaseFacts, measure_case
from evaluation.test_set_quality.findings import Finding, by_severity
from evaluation.test_set_quality.sanity import check

MOST_PICTURES: Final = 200
"""Cases with findings of which a picture is drawn."""
MOST_FINDINGS: Final = 2000
"""Findings that are kept; more of them need another archive and not more answers."""

Progress = Callable[[str, int, int], None]


@dataclass
class Checked:
    """Findings about the cases of an archive, with pictures of the cases.

    Attributes
    ----------
    findings
        In the order of the rules.
    total
        Number of findings before the limit `MOST_FINDINGS`.
    pictures
        PNG pictures by case.
    """

    findings: list[Finding] = field(default_factory=list)
    total: int = 0
    pictures: dict[str, bytes] = field(default_factory=dict)


def check_ready(
    ready: Ready, assessment: Assessment, *, beat: Callable[[], None], progress: Progress = lambda *_: None
) -> Checked:
    """Measure all cases of an unpacked archive, and return the findings.

    Parameters
    ----------
    beat
        Called every second while a child works.
    progress
        Receives the step, the number of cases that are done, and the number of all.
    """
    problem = kind_of(assessment)
    references = _label_images(ready, problem)
    images = {} if ready.images is None else {backgrounds.case_of(path): path for path in ready.images.iterdir()}
    numbers_objects = problem.references.labels_number_objects
    measured = [case for case in ready.cases if case in references or case in images]

    def work(case: str, _own: Path) -> object:
        return measure_case(case, references.get(case), images.get(case), instances=numbers_objects).document

    facts, findings = [], []
    for number, answer in enumerate(
        answers(measured, work, limits=child_limits(), reads=[ready.folder], beat=beat), start=1
    ):
        case_facts = _facts(answer)
        if case_facts is None:
            text = f"could not be measured within the limits ({answer.failure or 'unreadable answer'})"
            findings.append(Finding("unreadable", answer.item, text))
        else:
            facts.append(_of_interest(case_facts, has_reference=answer.item in references))
        progress("checking", number, len(measured))
    if images:
        findings += [
            Finding("image_missing", case, path.name) for case, path in references.items() if case not in images
        ]
    allowed = None if numbers_objects or not references else _labels(assessment)
    ordered = by_severity([*findings, *check(facts, allowed_labels=allowed)])
    return Checked(ordered[:MOST_FINDINGS], len(ordered))


def cases_to_draw(findings: Sequence[Finding]) -> list[str]:
    """Return the cases with findings of which pictures are drawn, in the order of the findings."""
    return list(dict.fromkeys(finding.case for finding in findings))[:MOST_PICTURES]


def _label_images(ready: Ready, problem: Problem) -> dict[str, Path]:
    """Return the label images of the scored cases; empty for kinds with other references."""
    if not isinstance(problem, FileProblem) or not isinstance(problem.references, LabelImageReferenceRules):
        return {}
    files = problem.find_references(ready.references)
    return {case: files[case] for case in ready.cases if case in files and case not in ready.decoys}


def _labels(assessment: Assessment) -> set[int] | None:
    return {int(label) for region in assessment.regions for label in region.labels} or None


def _facts(answer: Answer) -> CaseFacts | None:
    """Return what a child measured; None if it failed. What a child returns is not trusted."""
    if answer.failure is not None or not isinstance(answer.value, dict):
        return None
    try:
        facts = CaseFacts.of(answer.value)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return facts if facts.case == answer.item else None


def _of_interest(facts: CaseFacts, *, has_reference: bool) -> CaseFacts:
    """Remove the missing reference of a case that needs none, such as a decoy."""
    if has_reference:
        return facts
    values: dict[str, Any] = dict(facts.document)
    values["problems"] = [problem for problem in facts.problems if problem[0] != "reference_missing"]
    return CaseFacts.of(values)

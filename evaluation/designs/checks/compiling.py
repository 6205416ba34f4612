"""Problems that prevent the execution of a task, each with the parameter that causes it.

Missing information is an error. Complete information that the platform does not execute is only reported: such a
design can be filed, reviewed and registered, and is evaluated elsewhere.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evaluation.canonical import sha256
from evaluation.claims.beforehand import too_few
from evaluation.designs.catalogue import Check
from evaluation.designs.checks.departing import CHECK_ID, READ, departure_findings
from evaluation.designs.checks.running import Finding, StoredDesign, findings
from evaluation.designs.compilation import compile_overall, compile_values
from evaluation.designs.compilation.overall import PARAMETER as OVERALL
from evaluation.designs.compilation.problems import PARAMETER, open_kinds
from evaluation.designs.document import Document

if TYPE_CHECKING:
    from evaluation.designs.compilation.notes import Problem

PREFIX = "compile"
ELSEWHERE = "elsewhere"
OUTSIDE = "Ranked here from values measured outside."
# What the executed assessment is made of; only a change of these can change whether it compiles.
COMPILED = frozenset({
    "task_category", "problem_settings", "regions", "metrics", "ranking_type", "ranking_method", "tie_handling", "aggregation_levels",
    "site_column", "overall_rankings",
    "missing_data_handling", "uncertainty_handling", "uncertainty_settings",
    "number_test_cases",
})  # fmt: skip
PHASES = ("draft", "submission", "change_request", "registration", "launch")


def all_findings(
    document: Document,
    *,
    stored: StoredDesign | None = None,
    phase: str = "draft",
    changed: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
) -> list[Finding]:
    """Return the findings of catalogue checks, compilation and advice together, errors first.

    The parameters are those of `findings`. If a check of the catalogue already reports a parameter as wrong, the
    compilation does not report it again.
    """
    catalogue_findings = findings(document, stored=stored, phase=phase, changed=changed, tasks=tasks)
    if changed is None or READ & set(changed):
        catalogue_findings = [
            *departure_findings(document, stored=stored, phase=phase, tasks=tasks),
            *catalogue_findings,
        ]
    if changed is not None and not COMPILED & set(changed):
        return catalogue_findings
    if phase not in PHASES:
        return catalogue_findings
    blocked_fields = {
        (finding.task, finding.check.parameter)
        for finding in catalogue_findings
        if finding.blocks and finding.check.id != CHECK_ID
    }
    blocking = [
        finding
        for finding in compilation_findings(document, tasks=tasks)
        if (finding.task, finding.check.parameter) not in blocked_fields
    ]
    errors = [finding for finding in catalogue_findings if finding.blocks]
    gaps = [finding for finding in blocking if finding.blocks]
    elsewhere = [finding for finding in blocking if not finding.blocks]
    elsewhere += outside_findings(document, tasks=tasks)
    few = few_cases_findings(document, tasks=tasks)
    open_kind = kind_findings(document, tasks=tasks)
    return [
        *errors,
        *gaps,
        *(finding for finding in catalogue_findings if not finding.blocks),
        *few,
        *open_kind,
        *elsewhere,
    ]


def outside_findings(document: Document, *, tasks: Iterable[str] | None = None) -> list[Finding]:
    """A statement for each task whose metrics the platform does not compute, and whose values it ranks."""
    wanted = set(document.tasks if tasks is None else tasks)
    message = f"{OUTSIDE} The platform does not compute its metrics; organizers bring the values as tables."
    check = Check(
        id=f"{ELSEWHERE}.measured",
        parameter="metrics",
        severity="info",
        message=message,
        assertion={},
        when=None,
        phases=PHASES,
    )
    detail = "It can be submitted, reviewed, registered and launched as it is."
    return [
        Finding(check=check, task=values.task_key, detail=detail, basis=sha256(message))
        for values in document.each_task()
        if values.task_key in wanted and compile_values(values).is_measured_outside
    ]


def kind_findings(document: Document, *, tasks: Iterable[str] | None = None) -> list[Finding]:
    """A question for each task whose category and metrics fit several kinds of problem, and which names none."""
    wanted = set(document.tasks if tasks is None else tasks)
    task_findings = []
    for values in document.each_task():
        kinds = open_kinds(values) if values.task_key in wanted else ()
        if not kinds:
            continue
        usual, *others = [kind.title for kind in kinds]
        message = f"Is it {usual} or {' or '.join(others)}? Category and metrics fit both; name the kind of problem."
        check = Check(
            id=f"{PREFIX}.open_kind",
            parameter=PARAMETER,
            severity="warning",
            message=message if len(kinds) == 2 else message.replace("fit both", "fit all of them"),
            assertion={},
            when=None,
            phases=PHASES,
        )
        detail = f"As long as none is named, it is scored as {usual}."
        task_findings.append(Finding(check=check, task=values.task_key, detail=detail, basis=sha256(message)))
    return task_findings


def few_cases_findings(document: Document, *, tasks: Iterable[str] | None = None) -> list[Finding]:
    """Return a warning for each task with too few test cases to name a winner, regardless of the results."""
    wanted = set(document.tasks if tasks is None else tasks)
    task_findings = []
    for values in document.each_task():
        planned = values.get("number_test_cases")
        if values.task_key not in wanted or not isinstance(planned, int):
            continue
        assessment = compile_values(values).assessment
        sentences = too_few(assessment, planned) if assessment else []
        if not sentences:
            continue
        message = " ".join(sentences)
        check = Check(
            id=f"{PREFIX}.few_cases",
            parameter="number_test_cases",
            severity="warning",
            message=message,
            assertion={},
            when=None,
            phases=PHASES,
        )
        detail = "More are needed in practice; the simulation of the design says how many."
        task_findings.append(Finding(check=check, task=values.task_key, detail=detail, basis=sha256(message)))
    return task_findings


def compilation_findings(document: Document, *, tasks: Iterable[str] | None = None) -> list[Finding]:
    """One error for each gap of each task, or of `tasks` alone, and one statement for what is evaluated elsewhere."""
    wanted = set(document.tasks if tasks is None else tasks)
    task_problems: list[tuple[str | None, Problem]] = [
        (values.task_key, problem)
        for values in document.each_task()
        if values.task_key in wanted
        for problem in compile_values(values).problems
    ]
    if document.values().rows(OVERALL):
        task_problems += [(None, problem) for problem in compile_overall(document)[1]]
    return [
        Finding(
            check=Check(
                id=f"{ELSEWHERE if problem.elsewhere else PREFIX}.{problem.parameter}",
                parameter=problem.parameter,
                severity="info" if problem.elsewhere else "error",
                message=f"Registered here, evaluated elsewhere. {problem.message}"
                if problem.elsewhere
                else problem.message,
                assertion={},
                when=None,
                phases=PHASES,
            ),
            task=task,
            detail="It can be submitted, reviewed and registered as it is."
            if problem.elsewhere
            else "Without it the ranking cannot be executed.",
            basis=sha256(str(problem)),
        )
        for task, problem in task_problems
    ]

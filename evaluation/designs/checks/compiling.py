"""What keeps a task from being executed, as errors beside the parameter where it is mended."""

from collections.abc import Iterable

from evaluation.canonical import sha256
from evaluation.designs.catalogue import Check
from evaluation.designs.checks.departing import CHECK_ID, READ, departure_findings
from evaluation.designs.checks.running import Finding, StoredDesign, findings
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import Document
from evaluation.ranking.uncertainty.needed import units_needed

PREFIX = "compile"
# What the executed assessment is made of; only a change of these can change whether it compiles.
COMPILED = frozenset({
    "task_category", "regions", "metrics", "ranking_type", "ranking_method", "tie_handling", "aggregation_levels",
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
    """Checks of the catalogue, the compilation and the advice together, errors first; parameters as for `findings`.

    Where a check of the catalogue already says that a parameter is wrong, the compilation does not say it again.
    """
    found = findings(document, stored=stored, phase=phase, changed=changed, tasks=tasks)
    if changed is None or READ & set(changed):
        found = [*departure_findings(document, stored=stored, phase=phase, tasks=tasks), *found]
    if changed is not None and not COMPILED & set(changed):
        return found
    if phase not in PHASES:
        return found
    known = {
        (finding.task, finding.check.parameter) for finding in found if finding.blocks and finding.check.id != CHECK_ID
    }
    blocking = [
        finding
        for finding in compilation_findings(document, tasks=tasks)
        if (finding.task, finding.check.parameter) not in known
    ]
    errors = [finding for finding in found if finding.blocks]
    few = few_cases_findings(document, tasks=tasks)
    return [*errors, *blocking, *(finding for finding in found if not finding.blocks), *few]


def few_cases_findings(document: Document, *, tasks: Iterable[str] | None = None) -> list[Finding]:
    """A warning for each task whose test cases are too few to name a winner, however the results turn out."""
    wanted = set(document.tasks if tasks is None else tasks)
    found = []
    for values in document.each_task():
        planned = values.get("number_test_cases")
        if values.task_key not in wanted or not isinstance(planned, int):
            continue
        assessment = compile_values(values).assessment
        needed = max((rule.winner or 0 for rule in units_needed(assessment)), default=0) if assessment else 0
        if planned >= needed:
            continue
        noun = "test case" if planned == 1 else "test cases"
        message = f"With {planned} {noun} no winner can be named, whatever the results are; {needed} are the least."
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
        found.append(Finding(check=check, task=values.task_key, detail=detail, basis=sha256(message)))
    return found


def compilation_findings(document: Document, *, tasks: Iterable[str] | None = None) -> list[Finding]:
    """One error for each problem of each task, or of `tasks` alone."""
    wanted = set(document.tasks if tasks is None else tasks)
    return [
        Finding(
            check=Check(
                id=f"{PREFIX}.{problem.parameter}",
                parameter=problem.parameter,
                severity="error",
                message=problem.message,
                assertion={},
                when=None,
                phases=PHASES,
            ),
            task=values.task_key,
            detail="Without it the ranking cannot be executed.",
            basis=sha256(str(problem)),
        )
        for values in document.each_task()
        if values.task_key in wanted
        for problem in compile_values(values).problems
    ]

"""Text on what was expected of a case, to show next to what was found."""

from collections.abc import Sequence

from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.test_sets import expectation
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from submissions.models import Submission


def expected_words(submission: Submission, cases: Sequence[str]) -> dict[str, str]:
    """Case → file, what participants may know of it, and labels; one query, and what is kept in memory."""
    test_set = TestSet.objects.filter(phase=submission.phase, is_active=True).first()
    if test_set is None:
        return {}
    assessment = submission.phase.assessment
    problem, wanted = kind_of(assessment), expectation(test_set, assessment)
    if not isinstance(problem, FileProblem):
        return {case: f"rows of the case {case}" for case in cases}
    words, chosen = problem.texts.submit_page(assessment, len(wanted.cases)), set(cases)
    usual = problem.usual_ending([case.facts for case in wanted.cases])
    ending = words.ending if usual == problem.suffixes[0] else usual
    allowed = wanted.expected.get("labels")
    labels = [f"labels {', '.join(map(str, sorted({0, *allowed})))}"] if allowed else []
    words_by_case = {}
    for case in wanted.cases:
        if case.name in chosen:
            cells = zip(words.columns, problem.texts.fact_cells(case.facts), strict=False)
            facts = [*(f"{column.lower()} {cell}" for column, cell in cells), *labels]
            words_by_case[case.name] = ": ".join(part for part in (f"{case.name}{ending}", ", ".join(facts)) if part)
    return words_by_case

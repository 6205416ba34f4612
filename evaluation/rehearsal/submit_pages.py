"""Paragraphs of the submit page about the files of a submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import TableProblem

if TYPE_CHECKING:
    from evaluation.rehearsal.sample_sets import SampleTestSet


def submit_page_of(test_set: SampleTestSet, cases: int) -> list[str]:
    """Return what the submit page states about the files, for a test set with a number of cases; text in backticks is code."""
    assessment, problem = test_set.assessment, kind_of(test_set.assessment)
    if isinstance(problem, TableProblem):
        assert test_set.expectation.table is not None
        table = problem.texts.submit_page(test_set.expectation.table, cases)
        paragraphs = [*table.before, f"Columns: {', '.join(table.columns)}", *table.after]
        if table.classes and test_set.expectation.table.classes:
            paragraphs.append(f"{table.classes}: {', '.join(test_set.expectation.table.classes)}. {table.of_classes}")
        return [text.strip() for text in paragraphs]
    if isinstance(problem, FileProblem):
        files = problem.texts.submit_page(assessment, cases)
        terms = (f"{term}: {meaning}" for term, meaning in files.terms)
        return [*files.before, *terms, *files.after]
    return []

"""Cases of a phase, and what it expects of a submission: plain values that a confined child gets, and that the submit page shows.

All of an expectation may be known to participants: case names, grids, allowed labels. Nothing in it comes from what a
reference contains.
"""

from functools import lru_cache

import pandas as pd
from django.db.models import Count, OuterRef, QuerySet, Subquery

from challenges.models import Challenge, Phase
from confinement.limits import TableLimits
from datastore.test_sets.models import Annotation, TestCase, TestSet
from evaluation import problems
from evaluation.admission import Expectation, ExpectedCase, expectation_of
from evaluation.assessment import Assessment
from evaluation.problems import kind_of
from evaluation.problems.tables import TableProblem


def active_test_set(phase: Phase) -> TestSet:
    """Return the version that new runs are scored against.

    Raises
    ------
    TestSet.DoesNotExist
        When the phase has none yet.
    """
    return TestSet.objects.get(phase=phase, is_active=True)


def has_test_set(phase: Phase) -> bool:
    """Return whether the phase can accept submissions at all."""
    return TestSet.objects.filter(phase=phase, is_active=True).exists()


def is_scored_here(phase: Phase) -> bool:
    """Return whether submissions are scored here.

    False if the problem is measured outside, or if sealed cases have no references.
    """
    if kind_of(phase.assessment).is_measured_elsewhere:
        return False
    sealed = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True, is_decoy=False)
    return not sealed.filter(reference_file="").exists()


def case_names(phase: Phase) -> list[str]:
    """Names of the cases of the active test set, in their order."""
    cases = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True)
    return list(cases.order_by("position").values_list("name", flat=True))


def first_cases(challenge: Challenge) -> list[TestCase]:
    """The first scored case of every phase of a challenge that has a test set."""
    cases = TestCase.objects.filter(
        test_set__phase__task__challenge=challenge, test_set__is_active=True, is_decoy=False
    )
    first = TestCase.objects.filter(test_set=OuterRef("test_set"), is_decoy=False).order_by("position")
    cases = cases.filter(pk=Subquery(first.values("pk")[:1]))
    return list(cases.select_related("test_set__phase").order_by("test_set__phase__position"))


def case_metadata_frame(phase: Phase) -> pd.DataFrame:
    """Return the case metadata: a column `case` and one a characteristic, in the order of the cases; without decoys."""
    return _metadata(TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True))


def metadata_frame_of(test_set: TestSet) -> pd.DataFrame:
    """Return the same of one version of a test set, be it active or not."""
    return _metadata(TestCase.objects.filter(test_set=test_set))


def _metadata(cases: QuerySet[TestCase]) -> pd.DataFrame:
    rows = cases.filter(is_decoy=False).order_by("position").values_list("name", "metadata")
    return pd.DataFrame([{"case": name, **metadata} for name, metadata in rows])


def annotators_of(test_set: TestSet) -> list[str]:
    """Return the annotators with references in a version next to the merged ones, in alphabetical order.

    Empty if there is one reference per case.
    """
    rows = Annotation.objects.filter(case__test_set=test_set).order_by("annotator")
    return list(rows.values_list("annotator", flat=True).distinct())


def cases_of_annotators(test_set: TestSet) -> dict[str, int]:
    """Return the number of cases in a version by annotator, in alphabetical order."""
    rows = Annotation.objects.filter(case__test_set=test_set).order_by("annotator").values_list("annotator")
    return dict(sorted(rows.annotate(cases=Count("pk"))))


def deciding_annotator(test_set: TestSet) -> str:
    """Return the annotator whose references are scored if nothing is merged.

    Empty if the references are merged, or are of one annotator only.
    """
    # Here, since pages load no libraries of images.
    from datastore.test_sets.domain.merging import EACH

    # In the order that does not depend on the database, as the archive was read.
    return min(annotators_of(test_set), default="") if test_set.merge_rule in EACH else ""


def needed_bytes(wanted: Expectation) -> int:
    """Return the most bytes that a sensible archive unpacks to: a file a case, and a table where there is one."""
    has_table = wanted.table is not None or wanted.beside is not None
    return sum(case.byte_limit for case in wanted.cases) + (TableLimits().bytes if has_table else 0)


def expectation(test_set: TestSet, assessment: Assessment) -> Expectation:
    """Return what `test_set` expects; its cases are kept in memory, since a sealed test set never changes."""
    cases = _cases(test_set.pk, test_set.manifest_digest, assessment.problem)
    return expectation_of(assessment, cases, test_set.shared)


@lru_cache(maxsize=32)
def _cases(test_set: int, manifest_digest: str, problem_id: str) -> tuple[ExpectedCase, ...]:  # noqa: ARG001 (key)
    problem = problems.get(problem_id)
    rows = TestCase.objects.filter(test_set=test_set).order_by("position").values_list("name", "geometry")
    return tuple(ExpectedCase.of(problem, name, facts) for name, facts in rows)


def has_one_table(assessment: Assessment) -> bool:
    """Return whether references and predictions are each one table for all cases."""
    return isinstance(kind_of(assessment), TableProblem)

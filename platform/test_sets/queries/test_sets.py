"""Cases of a phase."""

import pandas as pd
from django.db.models import Count, OuterRef, QuerySet, Subquery

from challenges.models import Challenge, Phase
from test_sets.models import Annotation, TestCase, TestSet


def active_test_set(phase: Phase) -> TestSet:
    """Return the version that new runs are scored against.

    Raises
    ------
    TestSet.DoesNotExist
        When the phase has none yet.
    """
    return TestSet.objects.get(phase=phase, is_active=True)


def has_test_set(phase: Phase) -> bool:
    """Whether submissions can be taken at all."""
    return TestSet.objects.filter(phase=phase, is_active=True).exists()


def is_scored_here(phase: Phase) -> bool:
    """Whether what teams hand in is scored here: not where somebody measures outside, or sealed cases have no references."""
    if phase.assessment.kind.is_measured_elsewhere:
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
    """Whose references a version holds beside the merged ones, in alphabetical order; none where there is one a case."""
    rows = Annotation.objects.filter(case__test_set=test_set).order_by("annotator")
    return list(rows.values_list("annotator", flat=True).distinct())


def cases_of_annotators(test_set: TestSet) -> dict[str, int]:
    """How many cases of a version each annotator has, in alphabetical order."""
    rows = Annotation.objects.filter(case__test_set=test_set).order_by("annotator").values_list("annotator")
    return dict(sorted(rows.annotate(cases=Count("pk"))))


def deciding_annotator(test_set: TestSet) -> str:
    """Whose references are scored where nothing is merged; empty where they are merged, or of one annotator only."""
    # Here, since pages load no libraries of images.
    from test_sets.domain.merging import EACH

    # In the order that does not depend on the database, as the archive was read.
    return min(annotators_of(test_set), default="") if test_set.merge_rule in EACH else ""

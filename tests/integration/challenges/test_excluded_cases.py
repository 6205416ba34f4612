"""Public exclusion of a wrong case: both rankings stay, and pages, bundle and `verify` report the exclusion."""

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction

from challenges.models import Deviation
from challenges.services import close_phase
from evaluation import bundle
from leaderboards.models import RankingVersion
from leaderboards.services import both_assessments
from tests.integration.challenges.test_both_ways import deviate, page, phase, registered, surroundings

__all__ = ["phase", "registered", "surroundings"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Both rankings are computed from files of results. `leaderboards/test_services.py` stores rankings on both databases."
    ),
]


def first_case(phase):
    return phase.test_sets.get(is_active=True).cases.order_by("position").first().name


def exclude(registered, case, reason="reference_error"):
    return deviate(
        registered, excluded_cases=[{"case": case, "reason": reason, "note": "Two structures were swapped."}]
    )


def test_a_case_excluded_after_submissions_leaves_both_rankings_and_every_page_says_so(registered, phase):
    case = first_case(phase)
    before = RankingVersion.objects.get(phase=phase)
    phase = exclude(registered, case)
    found = both_assessments.comparison(phase)
    registered_way, executed = found.columns
    assert registered_way.version == before
    assert executed.version.cases == before.cases - 1
    assert (registered_way.words, executed.words) == (
        "under the registered assessment, with all cases",
        "under the changed assessment, without 1 case",
    )
    text = page("current").content.decode()
    assert "Test cases that do not count" in text
    assert "The scores of 2 teams were known to the organizers when this change was asked for." in text
    assert "without 1 case" in page("both_ways").content.decode()


def test_both_bundles_verify_and_name_the_other_ranking(registered, phase, tmp_path):
    case = first_case(phase)
    phase = exclude(registered, case)
    close_phase(actor=None, phase=phase)
    versions = list(RankingVersion.objects.filter(phase=phase).order_by("number"))
    notes = {}
    for version in versions:
        file = tmp_path / f"{version.number}.zip"
        file.write_bytes(b"".join(page("bundle", version.number).streaming_content))
        verdict = bundle.verify(file, digest=version.digest)
        assert verdict.same
        notes[version.number] = " ".join(verdict.notes)
    with_all, without = versions[0], versions[-1]
    assert f"with all cases as well: digest {with_all.digest}" in notes[without.number]
    assert (
        "1 case is left out, for every team, because of the data: the reference is wrong (1)." in notes[without.number]
    )
    assert f"without 1 case as well: digest {without.digest}" in notes[with_all.number]


def test_a_case_that_the_test_set_does_not_have_is_refused_by_name(registered, phase):
    with pytest.raises(ValidationError, match="no-such-case"):
        exclude(registered, "no-such-case")


def test_what_was_known_when_a_case_was_taken_out_cannot_be_changed_later(registered, phase):
    phase = exclude(registered, first_case(phase))
    mark = Deviation.objects.get(phase=phase)
    assert mark.teams_scored == 2
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE challenges_deviation SET teams_scored = 0")

"""Names of single cases in rankings: where they are, and the copy for readers who see no results of single cases."""

from types import SimpleNamespace

import pytest

from challenges.models import Phase
from leaderboards.models import RankingVersion
from leaderboards.queries import partial_tables, single_cases

NAMED = "Leaving out the single case quartz_17 would change who is first."
OF_UNIT = "Leaving out a single patient would change who is first: that with quartz_17 and quartz_23."
OTHER = "The resampling range of Ada is rank 1 alone."
TOLD = [
    "Leaving out a single case would change who is first.",
    "Leaving out a single patient would change who is first.",
    OTHER,
]


def reader(*, sees_cases: bool) -> SimpleNamespace:
    return SimpleNamespace(has_perm=lambda name, phase: name == "leaderboards.view_cases" and sees_cases)


def version() -> RankingVersion:
    made = RankingVersion(sentences={"overall": [NAMED, OF_UNIT, OTHER]})
    made._state.fields_cache["phase"] = Phase(announcement="all")
    return made


def test_sentences_name_cases_only_to_readers_of_their_results():
    stored = version()
    told = single_cases.for_reader(reader(sees_cases=False), stored)
    assert told.sentences == {"overall": TOLD}
    assert told.names_cases
    assert stored.sentences == {"overall": [NAMED, OF_UNIT, OTHER]}, "the stored version stays as it is"
    assert single_cases.for_reader(reader(sees_cases=True), stored) is stored


@pytest.mark.parametrize("sees_cases", [False, True])
def test_sentences_of_annotators_and_levels_follow_the_version(monkeypatch, sees_cases):
    stored = version()
    entry = {"key": "level:auto", "file": "f", "title": "", "label": "auto", "cases": 3}
    stored._state.fields_cache["analysis"] = SimpleNamespace(findings={"levels": [entry]})
    table = {"teams": []}
    monkeypatch.setattr(
        partial_tables.names, "read", lambda version, name: {"table": table, "sentences": {"overall": [NAMED]}}
    )
    part = partial_tables.chosen("levels", "level:auto", single_cases.for_reader(reader(sees_cases=sees_cases), stored))
    assert part.sentences == {"overall": [NAMED if sees_cases else TOLD[0]]}


@pytest.mark.parametrize(
    ("entry", "is_named"),
    [
        ({"leave_one_out": {"changed_by": [["quartz_17"]]}}, True),
        ({"leave_one_out": {"changed_by": [[]]}}, False),
        ({"leave_one_out": None}, False),
        ({"inserted": [{"case": "quartz_17", "algorithm": "Ada"}]}, True),
        ({"inserted": []}, False),
    ],
)
def test_documents_that_name_cases_are_detected_wherever_the_names_are(entry, is_named):
    assert single_cases.names_cases({"rankings": [entry], "overall": None}) == is_named
    assert single_cases.names_cases({"rankings": [], "overall": [entry]}) == is_named

"""Tables that are wrong, or meant to do harm: one line a problem with row, column, value and remedy, and nothing counts."""

import pytest
from django.core.exceptions import ValidationError

from challenges.models import Team
from datastore.test_sets.models import TestSet
from submissions.measurements.models import Measurement
from submissions.measurements.services import tables
from submissions.models import Run
from tests.integration.leaderboards.conftest import storage_folder, surroundings
from tests.integration.measurements import outside

__all__ = ["storage_folder", "surroundings"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Tables are refused before a row is written. `test_from_design_to_bundle.py` stores tables on both databases."
    ),
]
HEAD = "algorithm,case,metric,value\n"
RANGE = "'300' lies outside the declared range. SV is declared as from 0 to 255; nothing is clipped."
TABLES = {
    "value outside the range": ("yew,s01,SV,300\n", f"values.csv: row 2, column value: {RANGE}"),
    "no number": (
        "yew,s01,SV,1_000\n",
        "values.csv: row 2, column value: '1_000' is no number. Write a number such as 0.87, and leave the cell empty where there is none.",
    ),
    "infinite": ("yew,s01,time,inf\n", "values.csv: row 2, column value: 'inf' is no number. "),
    "unknown case": (
        "yew,s99,SV,1\n",
        "values.csv: row 2, column case: 's99' is no case of this phase. Take it out, or correct the name: the sealed case list says what counts.",
    ),
    "unknown metric": (
        "yew,s01,dsc,1\n",
        "values.csv: row 2, column metric: 'dsc' is no metric of this phase. Metrics are SV or time.",
    ),
    "unknown team": (
        "fir,s01,SV,1\n",
        "values.csv: row 2, column algorithm: 'fir' is no team of this task. Correct the name, or let the table make teams.",
    ),
    "a value twice": (
        "yew,s01,SV,1\nyew,s01,SV,1\n",
        "values.csv: row 3, column value: a second value of 'yew', 's01', 'SV'. The first stands in row 2.",
    ),
    "too few cells": (
        "yew,s01,SV\n",
        "values.csv: row 2 has 3 cells, and the header has 4. Give every row one cell a column; put quotation marks around text with separators.",
    ),
    "hidden characters": ("yew\u202e,s01,SV,1\n", "values.csv: row 2 has a cell that cannot be shown: "),
}


@pytest.fixture
def phase():
    _, phase, _registered = outside.launched()
    outside.with_cases(phase)
    for name in ("yew", "oak"):
        Team.objects.create(challenge=phase.challenge, name=name, slug=name).tasks.add(phase.task)
    return phase


@pytest.mark.parametrize("name", TABLES)
def test_each_problem_is_one_line_with_its_place_and_remedy(phase, name):
    rows, said = TABLES[name]
    table = outside.brought(phase, HEAD + rows)
    [problem] = table.problems
    assert problem.startswith(said)
    assert "\n" not in problem
    assert not table.may_be_sealed
    with pytest.raises(ValidationError):
        tables.seal(actor=table.brought_by, table=table)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "content", [b"PK\x03\x04" + b"x" * 200, b"\0\0\0", b"", b"a" * 5000, "é,ü\n1,2".encode("latin-1")]
)
def test_what_is_no_table_is_refused_in_one_line(phase, content):
    table = outside.brought(phase, content)
    assert table.state == Measurement.State.REFUSED
    assert len(table.problems) == 1


def test_many_problems_are_listed_and_the_rest_is_counted(phase):
    rows = "".join(f"yew,x{n},SV,1\n" for n in range(200))
    table = outside.brought(phase, HEAD + rows)
    assert len(table.problems) == 51
    assert table.problems[-1] == "values.csv: 150 more problems of these kinds."


def test_a_regions_column_of_a_phase_without_regions_is_named(phase):
    table = outside.brought(phase, "algorithm,case,region,metric,value\nyew,s01,liver,SV,1\n")
    assert table.problems == [
        "values.csv: row 2, column region: 'liver' is no region of this phase. This phase has no regions: leave the column out."
    ]


def test_a_table_for_one_team_holds_no_values_of_another(phase):
    team = Team.objects.get(name="yew")
    table = outside.brought(phase, HEAD + "oak,s01,SV,1\n", team=team)
    assert table.problems == ["values.csv: row 2, column algorithm: 'oak' is not yew. The table is of yew alone."]
    table = outside.brought(phase, "case,SV,time\ns01,1,2\n", team=team)
    assert [(entry["name"], entry["values"], entry["missing"]) for entry in table.preview["teams"]] == [("yew", 2, 22)]


def test_names_of_new_teams_are_those_that_teams_may_have(phase):
    text = HEAD + "=HYPERLINK(1),s01,SV,1\nуеw,s02,SV,1\n"
    table = outside.brought(phase, text, makes_teams=True)
    assert [problem.split(":")[1].strip() for problem in table.problems] == ["row 2", "row 3"]
    assert "begins with a letter or a digit" in table.problems[0]
    assert "looks like" in table.problems[1]
    assert Team.objects.count() == 2


def test_a_registered_rule_for_complete_results_holds_for_tables_too():
    _, phase, _ = outside.launched(challenge={"incomplete_submissions_allowed": "no"})
    outside.with_cases(phase)
    table = outside.brought(phase, outside.values(teams=("yew",)), makes_teams=True)
    assert not phase.incomplete_allowed
    assert table.problems[0].startswith("values.csv: yew lacks 2 of 24 values, the first of them for s12.")


def test_columns_can_be_corrected_where_they_were_read_wrongly(phase):
    text = "who,where,SV\nyew,s01,1\n"
    table = outside.brought(phase, text)
    assert table.problems
    roles = {"who": "algorithm", "where": "case", "SV": "value"}
    tables.confirm_columns(actor=table.brought_by, table=table, roles=roles)
    table = outside.worked(table)
    assert table.problems == []
    assert table.may_be_sealed


def test_a_case_list_lacking_what_the_ranking_groups_by_is_refused_and_values_wait_for_a_list():
    _, phase, _ = outside.launched(aggregation_levels=[{"name": "site", "role": "fixed"}])
    with pytest.raises(ValidationError, match="Upload the case list first"):
        outside.brought(phase, outside.values())
    table = outside.brought(phase, "case,stain\ns01,1\ns01,2\n", kind=Measurement.Kind.CASES)
    assert table.problems == [
        "values.csv: row 1: no column is called 'site'. The registered ranking groups cases by it: add it.",
        "values.csv: row 3, column case: 's01' a second time. It stands in row 2 already.",
    ]
    assert not TestSet.objects.exists()
    outside.with_cases(phase)
    assert TestSet.objects.get().cases.get(name="s01").metadata == {"site": "north", "stain": 1}


def test_a_case_list_may_have_names_alone():
    _, phase, _ = outside.launched()
    table = outside.brought(phase, "case\ns01\ns02\n", kind=Measurement.Kind.CASES)
    assert table.problems == []
    tables.seal(actor=table.brought_by, table=table)
    outside.worked(table)
    assert [case.name for case in TestSet.objects.get().cases.order_by("position")] == ["s01", "s02"]


def test_a_case_list_stays_once_values_were_brought(phase):
    outside.sealed(phase, HEAD + "yew,s01,SV,1\n")
    table = outside.brought(phase, outside.CASES, kind=Measurement.Kind.CASES)
    tables.seal(actor=table.brought_by, table=table)
    table = outside.worked(table)
    assert table.state == Measurement.State.ASKING
    assert "so its list of cases stays" in table.problems[0]


def test_nobody_makes_teams_where_each_person_agrees_to_something_first():
    _, phase, _ = outside.launched(challenge={"data_usage_agreement": "Use the data for research only."})
    outside.with_cases(phase)
    with pytest.raises(ValidationError, match="data usage agreement"):
        outside.brought(phase, outside.values(), makes_teams=True)


def test_values_without_an_origin_and_phases_that_are_scored_here_take_no_table(phase):
    with pytest.raises(ValidationError, match="Say who measured, with what, and when"):
        outside.brought(phase, HEAD + "yew,s01,SV,1\n", origin={"by": "me", "with": " ", "when": "now"})
    _, scored, _ = outside.launched(
        slug="scored",
        challenge={"submission_method": ["evaluation_platform"]},
        task_category=["semantic_segmentation"],
        regions=[{"name": "whole", "labels": ["1"]}],
        metrics=[{"metric": "dsc", "abbreviation": "DSC", "used_for_ranking": True}],
        ranking_method=[
            {"name": "A", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "single_metric"}
        ],
    )
    assert scored.assessment.problem == "semantic_segmentation"
    for kind in Measurement.Kind:
        with pytest.raises(ValidationError, match="the platform scores what teams hand in"):
            outside.brought(scored, outside.values(), kind=kind)

"""The pseudo-code that people read, executed statement by statement, gives what the implementation gives."""

import csv
import json
import math

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking import describe, rank
from evaluation.ranking.procedure.building import procedure_of
from evaluation.ranking.procedure.lines import procedure_lines, ranking_lines, statement_lines
from evaluation.ranking.procedure.statements import Compare, Group, RankCases, Ranking
from evaluation.scoring import score_folders
from tests.procedures.comparing import NotPossibleError, differences, report
from tests.procedures.designs import SCHEMES, random_design
from tests.procedures.interpreter import execute
from tests.sizes import size

BLOCKS = size(5, 12)
DESIGNS_OF_A_BLOCK = 15


@pytest.mark.parametrize("block", range(BLOCKS))
def test_statements_of_random_designs_give_the_scores_and_ranks_of_the_implementation(block):
    compared = 0
    for seed in range(block * DESIGNS_OF_A_BLOCK, (block + 1) * DESIGNS_OF_A_BLOCK):
        try:
            found = differences(seed)
        except NotPossibleError:
            continue
        compared += 1
        assert not found, report(seed)
    assert compared > DESIGNS_OF_A_BLOCK // 3


def test_random_designs_cover_every_scheme_level_and_kind_of_metric():
    seen = set()
    for seed in range(BLOCKS * DESIGNS_OF_A_BLOCK):
        document = random_design(seed).document
        rankings = document["ranking"] if isinstance(document["ranking"], list) else [document["ranking"]]
        kinds = {use.level for use in parse(document).metrics} if _is_possible(document) else set()
        levels = len(document.get("aggregation", {}).get("levels", ["case"]))
        seen |= {(rankings[0]["scheme"], kind) for kind in kinds} | {(rankings[0]["scheme"], levels)}
    assert {(scheme, kind) for scheme in SCHEMES for kind in ("case", "dataset")} <= seen
    assert {(scheme, levels) for scheme in SCHEMES for levels in (1, 2, 3)} <= seen


def _is_possible(document):
    try:
        parse(document)
    except ValueError:
        return False
    return True


def test_different_statements_have_different_lines():
    """Nothing that decides is absent from the pseudo-code."""
    statements, steps = set(), {}
    for seed in range(size(300, 600)):
        document = random_design(seed).document
        if not _is_possible(document):
            continue
        for ranking in procedure_of(parse(document)).rankings:
            statements |= {*ranking.of_cases, *ranking.of_data_set}
            steps |= {repr(step): step for step in ranking.combine or ()}
    assert len(statements) > 100
    assert len(steps) > 100
    lines = {"\n".join(statement_lines(statement)) for statement in statements}
    assert len(lines) == len(statements)
    combined = {
        "\n".join(ranking_lines(Ranking(None, (), None, (), (), (), (step,)))) for step in steps.values() if step.over
    }
    assert len(combined) == sum(bool(step.over) for step in steps.values())


# A design like that of MIDOG: mitotic figures as points, F1 pooled over regions of several tumour types -----------------

HIT = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5}
MIDOG = {
    "problem": "object_detection",
    "settings": {"unit": "um"},
    "metrics": [{"id": "fbeta", "name": "F1", "options": HIT}],
    "aggregation": {"levels": ["case", "patient", {"name": "tumour_type", "role": "fixed"}], "operator": "mean"},
    "uncertainty": {"bootstrap": 0},
}
TEAMS = {"falcon": 2.0, "heron": 5.0, "owl": 9.0}


def write(folder, rows, columns):
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "objects.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return folder


@pytest.fixture
def midog(tmp_path):
    chance = np.random.default_rng(8)
    cases = [f"region_{number:02d}" for number in range(14)]
    facts = {
        "patient": {case: f"patient_{index // 2}" for index, case in enumerate(cases)},
        "tumour_type": {case: ("breast", "lung", "skin")[index // 2 % 3] for index, case in enumerate(cases)},
    }
    truth = {case: chance.uniform(0, 3000, (int(chance.integers(0, 25)), 2)) for case in cases}
    references = write(tmp_path / "references", [(c, *place) for c in cases for place in truth[c]], ("case", "x", "y"))
    lines = ["case,patient,tumour_type", *(f"{c},{facts['patient'][c]},{facts['tumour_type'][c]}" for c in cases)]
    (references / "cases.csv").write_text("\n".join(lines) + "\n")
    found, folders = {}, {}
    for team, distance in TEAMS.items():
        found[team] = {
            case: [
                (*(place + chance.normal(0, distance, 2)), round(chance.uniform(0.2, 1), 3)) for place in truth[case]
            ]
            + [(*chance.uniform(0, 3000, 2), round(chance.uniform(), 3)) for _ in range(int(chance.integers(0, 6)))]
            for case in cases
        }
        rows = [(case, *row) for case in cases for row in found[team][case]]
        folders[team] = write(tmp_path / team, rows, ("case", "x", "y", "score"))
    return cases, facts, truth, found, references, folders


def pooled_f1(measure, truth, found):
    """F1 from the options of the statement alone: points in the order of their confidence take the nearest free reference."""
    options = dict(measure.options)
    assert (options["scale"], options["assignment"]) == ("dataset", "greedy_by_score")
    assert options["localization_criterion"] == "loc_center_distance"
    hits = surplus = missed = 0
    for case, places in truth.items():
        free = list(map(tuple, places))
        counted = sorted((row for row in found[case] if row[2] >= options["score_threshold"]), key=lambda row: -row[2])
        for x, y, _ in counted:
            nearest = min(free, key=lambda place: math.dist(place, (x, y)), default=None)
            if nearest is not None and math.dist(nearest, (x, y)) <= options["localization_threshold"]:
                free.remove(nearest)
                hits += 1
            else:
                surplus += 1
        missed += len(free)
    square = options["beta"] ** 2
    return (1 + square) * hits / ((1 + square) * hits + square * missed + surplus)


def test_pooled_detection_executes_the_options_that_are_stated_and_no_group(midog):
    cases, facts, truth, found, references, folders = midog
    assessment = parse(MIDOG)
    procedure = procedure_of(assessment)
    [measure] = procedure.measures
    rows = [
        {"task": "", "algorithm": team, "case": "", "region": "", "metric": "F1", "value": pooled_f1(measure, truth, found[team]),
         "outcome": "ok", "flag": "", "image_diagonal": None}
        for team in TEAMS
    ]  # fmt: skip
    scored = score_folders(assessment, references, folders)
    values = {row.algorithm: row.value for row in scored.rows}
    assert {row["algorithm"]: pytest.approx(row["value"], rel=1e-12) for row in rows} == values

    table = pd.DataFrame([row._asdict() if hasattr(row, "_asdict") else vars(row) for row in scored.rows])
    meta = pd.DataFrame({"case": cases, **{name: list(cells.values()) for name, cells in facts.items()}})
    document = rank(assessment, table, cases=meta)
    tables, _ = execute(procedure, rows, facts)
    by_statements = tables[None, "", "F1", ""]
    for row in document["rankings"][0]["algorithms"]:
        score, place = by_statements[row["name"]]
        assert float(score) == pytest.approx(row["score"], rel=1e-9)
        assert place == row["rank"]


def test_the_public_rule_of_a_pooled_metric_names_no_mean_over_groups():
    rules = describe(parse(MIDOG))
    assert "F1 is computed from all cases together: no mean over patients or tumour_types is taken." in rules
    assert not any("Before" in sentence for sentence in rules)
    lines = procedure_lines(procedure_of(parse(MIDOG)))
    assert not any("for every patient" in line or "tumour_type" in line for line in lines)


def test_a_metric_that_averages_over_patients_itself_is_not_said_to_take_no_mean():
    document = json.loads(json.dumps(MIDOG))
    document["metrics"][0]["options"]["scale"] = "patient"
    rules = " ".join(describe(parse(document)))
    assert "no mean over" not in rules
    assert "scale = each patient" in rules


def test_beside_a_metric_of_cases_groups_are_of_that_metric_alone():
    metrics = [*MIDOG["metrics"], {"id": "sensitivity", "options": {**HIT, "scale": "image"}}]
    rules = " ".join(describe(parse({**MIDOG, "metrics": metrics})))
    assert "each patient and then the mean over the patients of each tumour_type is taken, for Sens." in rules
    assert "F1 is computed from all cases together" in rules


def test_ranks_are_aggregated_along_the_levels_after_cases_are_ranked():
    document = {
        "problem": "external",
        "metrics": [{"id": "quality", "direction": "higher", "policy": {"missing": 0}}],
        "aggregation": {"levels": ["case", "patient"]},
        "ranking": {"scheme": "rank_then_aggregate"},
    }
    [ranking] = procedure_of(parse(document)).rankings
    assert [type(statement) for statement in ranking.of_cases[:2]] == [RankCases, Group]
    assert "Before the score, the mean over the ranks of the cases of each patient is taken." in describe(
        parse(document)
    )


def test_tests_compare_the_outermost_levels_that_are_a_sample():
    document = {
        "problem": "external",
        "metrics": [{"id": "quality", "direction": "higher", "policy": {"missing": 0}}],
        "aggregation": {"levels": ["case", "patient", {"name": "site", "role": "fixed"}]},
        "ranking": {"scheme": "test_then_rank"},
    }
    [ranking] = procedure_of(parse(document)).rankings
    assert [type(statement) for statement in ranking.of_cases[:2]] == [Group, Compare]
    assert ranking.of_cases[1].unit == "patient"
    rules = " ".join(describe(parse(document)))
    assert "on the same patients" in rules
    assert "of each site" not in rules

"""FeTS, MSD and RobustMIS from the files of their designs: registered, launched, results brought as tables, ranked as published."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from challenges.models import Phase
from challenges.services import close_phase, launch
from designs import services as designs
from designs.services.examples import example_document
from evaluation.assessment import parse
from evaluation.assessment.presets import preset
from evaluation.designs.starting_points import starting_point
from evaluation.ranking import rank
from leaderboards.models import OverallRanking
from registry.services import register
from submissions.models import Submission
from submissions.queries.counting import counting
from tests.integration.challenges import world
from tests.integration.challenges.brought import bring, hidden_cases, ranked
from tests.integration.challenges.test_both_ways import surroundings

__all__ = ["surroundings"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Published ranks are computed again. `test_launch.py` and `test_both_ways.py` launch and rank on both databases."
    ),
]

FOLDER = Path(__file__).resolve().parents[2] / "unit/evaluation/ranking_examples"
FEDERATED = json.loads((FOLDER / "synthetic_federated_expected.json").read_text())
TASKS = json.loads((FOLDER.parent / "federation/federated_examples.json").read_text())["tasks"]
METRICS = {"DSC": "dsc", "HD95": "hausdorff_percentile"}
FEW_SAMPLES = {"bootstrap": 20, "seed": 1}
# What the literature does not say, and a challenge on the platform has to: when and how often is submitted.
IN_OPERATION = {"submission_method": ["docker_container"], "max_submissions": 1, "counted_submission_rule": "only_one", "incomplete_submissions_allowed": "yes_penalized"}  # fmt: skip
SCHEDULE = [
    {**entry, "phase": "Final phase"}
    for entry in world.schedule()
    if entry.get("phase") == "Final phase" or entry["event"] == "results_release"
]


def launched(data, slug):
    """Import a document, register it, and launch the challenge; returns its test phases by the name of the task."""
    data["challenge"] |= {"challenge_schedule": SCHEDULE, **IN_OPERATION}
    owner = world.person(f"olga-{slug}")
    design, problems = designs.import_design(actor=owner, title=slug, data=data, slug=slug, lenient=True)
    assert problems == []
    version = register(design_version=designs.freeze_version(actor=owner, design=design, name="Accepted"), actor=owner)
    challenge = launch(actor=owner, registration=version.registration, slug=slug)
    phases = Phase.objects.filter(task__challenge=challenge).select_related("task__challenge")
    return {phase.task.name: phase for phase in phases}


def places(entry):
    return {algorithm["name"]: (algorithm["score"], algorithm["rank"]) for algorithm in entry["algorithms"]}


# --- FeTS ----------------------------------------------------------------------------------------------------------
def federation():
    table = pd.read_csv(FOLDER / "synthetic_federated_cases.csv")
    return table.rename(columns={"submission": "algorithm"}).assign(
        metric=table["metric"].map(METRICS), outcome=table["status"], image_diagonal=373.13
    )


def without_sites(*sites):
    table = federation()
    cases = sorted(set(table[table["site"].isin(sites)]["case"]))
    return {"excluded_cases": [{"case": case, "reason": "site_failure"} for case in cases]}


WITHOUT_SITE_4 = without_sites("site_4")
NO_RERANK = {
    "combine": {
        "steps": [
            {"over": ["metric", "region"], "operator": "mean", "rerank": False},
            {"over": ["site"], "operator": "mean", "rerank": False},
        ]
    }
}
POLICIES = {
    "P0_all_sites_worst_rank": ({}, {}),
    "P0_all_sites_worst_rank_no_rerank": (NO_RERANK, {}),
    "P0_all_sites_missing_rank_is_max_plus_1": ({"missing_rank": "toolkit"}, {}),
    "P0_all_sites_missing_share_minimum_rank_of_tied_block": ({"missing_rank": "shared_last"}, {}),
    "P1_drop_site_fault_site_4": ({}, WITHOUT_SITE_4),
    "P2_drop_all_incomplete_runs_sites_3_and_4": ({}, without_sites("site_3", "site_4")),
    "P1_weighted_by_cases": ({"site_weight": "cases"}, WITHOUT_SITE_4),
    "P1_weighted_by_sqrt_cases": ({"site_weight": "square_root_of_cases"}, WITHOUT_SITE_4),
    "P1_rerank_also_at_site_level": ({"site_rerank": True}, WITHOUT_SITE_4),
    # Of all 45 cases, alg_e answered 33: too few to be ranked finally by this rule.
    "P1_without_alg_e": ({}, {**WITHOUT_SITE_4, "least_share": 0.75}),
}


@pytest.mark.parametrize("policy", FEDERATED["policies"])
def test_fets_runs_from_its_design_under_every_policy_of_the_synthetic_federation(policy):
    row, task = POLICIES[policy]
    data = example_document("fets")
    own = data["tasks"][0]
    own["ranking_method"] = [{**own["ranking_method"][0], **row}]
    own["uncertainty_settings"] |= FEW_SAMPLES
    task = dict(task)
    if (share := task.pop("least_share", None)) is not None:
        data["challenge"]["phase_settings"] = [{"phase": "Final phase", "least_share": share}]
    own |= task
    (phase,) = launched(data, "fets").values()
    table = federation()
    cases = table[["case", "site"]].drop_duplicates()
    hidden_cases(phase, {case: {"site": site} for case, site in cases.itertuples(index=False)})
    bring(phase, table)
    close_phase(actor=None, phase=phase)
    if policy == "P1_without_alg_e":
        words = counting(Submission.objects.get(team__name="alg_e")).words
        assert words == "The final ranking leaves it out: it has answers to less than 75% of the cases."
    wanted = FEDERATED["policies"][policy]
    found = places(ranked(phase)["overall"])
    assert set(found) == set(wanted["final_rank"])
    for name, (score, place) in found.items():
        assert score == pytest.approx(wanted["final_score"][name], abs=1e-6)
        assert place == wanted["final_rank"][name]


# --- MSD -----------------------------------------------------------------------------------------------------------
ORGANS = {"Liver": ["Liver", "Liver tumour"], "Spleen": ["Spleen"], "Heart": ["Left atrium"]}


def decathlon(**overall):
    """The design of MSD, a task for each data set, with what its source leaves open filled by its published scheme."""
    data = example_document("msd")
    point = starting_point("msd")
    tolerances = {
        organ: float(value)
        for task in data["tasks"]
        for organ, value in re.findall(r"([A-Z][A-Za-z ]+?) (\d+)", task["metrics"][1]["parameters"])
    }
    zero = {"policy": dict.fromkeys(("both_empty", "ref_empty", "pred_empty", "degenerate", "missing"), 0)}
    tasks = []
    for organ, regions in ORGANS.items():
        dsc, nsd = data["tasks"][0]["metrics"]
        tasks.append({
            **data["tasks"][0],
            "task_name": organ,
            "regions": [{"name": name, "labels": [str(label)]} for label, name in enumerate(regions, 1)],
            "metrics": [
                {**dsc, **zero},
                {**nsd, **zero, "parameters": f"tolerance {tolerances[organ]:g} mm"},
            ],
            **point.task,
            "uncertainty_settings": FEW_SAMPLES,
        })  # fmt: skip
    rows = [{**point.challenge["overall_rankings"][0], **overall}]
    return {"challenge": {**data["challenge"], "overall_rankings": rows}, "tasks": tasks}


def generated(regions, seed, algorithms=("A", "B", "C", "D"), cases=24):
    """Values of algorithms that differ little, with an exact tie now and then and a missing case."""
    draw = np.random.default_rng(seed)
    rows = [
        (name, f"case-{case:02d}", region, metric, round(float(draw.beta(8 + index, 3)), 2), "ok", 300.0)
        for index, name in enumerate(algorithms)
        for case in range(cases)
        for region in regions
        for metric in ("dsc", "nsd")
    ]
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    table = pd.DataFrame(rows, columns=columns)
    lost = (table["algorithm"] == algorithms[-1]) & (table["case"] == "case-05")
    return table.assign(value=table["value"].mask(lost), outcome=table["outcome"].mask(lost, "missing"))


def test_msd_is_combined_over_its_tasks_like_the_preset():
    phases = launched(decathlon(), "msd")
    assert set(phases) == set(ORGANS)
    tables = {organ: generated(regions, seed) for seed, (organ, regions) in enumerate(ORGANS.items())}
    for organ, phase in phases.items():
        hidden_cases(phase, {case: {} for case in sorted(set(tables[organ]["case"]))})
        bring(phase, tables[organ])
        ranked(phase)
    found = places(OverallRanking.objects.last().document["overall"])
    # The same by the preset's scheme over one long table, in which each metric and region of a task is a task.
    scheme = preset("msd")["ranking"]
    step = {**scheme["combine"], "over": ["task"]}
    long = pd.concat(
        [
            table.assign(task=organ + "/" + table["region"] + "/" + table["metric"])[["algorithm", "case", "task", "value"]]
            for organ, table in tables.items()
        ]
    )  # fmt: skip
    assessment = parse({
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        "ranking": {**scheme, "combine": step},
    })  # fmt: skip
    assert found == places(rank(assessment, long, bootstrap=0)["overall"])


@pytest.mark.parametrize("order", ["all_together", "within_task_first"])
def test_tasks_are_combined_as_registered_and_as_the_worked_example_says(order):
    data = decathlon(order=order, fractional=False, ties="standard_competition")
    del data["tasks"][2]
    for task, ranks in zip(data["tasks"], TASKS["ranks"].values(), strict=True):
        regions = [{"name": f"r{index}", "labels": [str(index + 1)]} for index in range(len(ranks["A"]))]
        task |= {"regions": regions, "metrics": task["metrics"][:1]}
        task["ranking_method"] = [{"name": "Mean", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}]  # fmt: skip
    phases = launched(data, "worked")
    for phase, ranks in zip(phases.values(), TASKS["ranks"].values(), strict=True):
        rows = [
            (name, f"case-{case}", f"r{index}", "dsc", 0.9 - 0.1 * place + 0.001 * case, "ok", 100.0)
            for name, own in ranks.items()
            for index, place in enumerate(own)
            for case in range(12)
        ]
        columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
        table = pd.DataFrame(rows, columns=columns)
        hidden_cases(phase, {case: {} for case in sorted(set(table["case"]))})
        bring(phase, table)
        ranked(phase)
    found = OverallRanking.objects.last().document["overall"]["algorithms"]
    assert {algorithm["name"]: algorithm["score"] for algorithm in found} == TASKS[order]


# --- RobustMIS -----------------------------------------------------------------------------------------------------
def test_robustmis_ranks_accuracy_and_robustness_apart_like_the_preset():
    data = example_document("robustmis")
    data["tasks"] = [
        {
            **data["tasks"][0],
            **starting_point("robustmis").task,
            "regions": [{"name": "instrument", "labels": ["1"]}],
            "uncertainty_settings": FEW_SAMPLES,
        }
    ]
    (phase,) = launched(data, "robustmis").values()
    table = generated(["instrument"], seed=7, cases=60)
    hidden_cases(phase, {case: {} for case in sorted(set(table["case"]))})
    bring(phase, table)
    wanted = rank(parse(preset("robustmis")), table, bootstrap=0)["rankings"]
    found = ranked(phase)["rankings"]
    assert [(entry["name"], entry["metric"]) for entry in found] == [
        (entry["name"], entry["metric"]) for entry in wanted
    ]
    assert [places(entry) for entry in found] == [places(entry) for entry in wanted]

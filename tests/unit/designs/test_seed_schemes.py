"""The schemes of FeTS, MSD, RobustMIS, BraTS and the ranking toolkit, written as rows of a design, rank as published."""

import json
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.assessment.presets import preset
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_overall, compile_values
from evaluation.designs.document import from_json
from evaluation.designs.starting_points import starting_point, starting_points
from evaluation.federation import pool, summarise
from evaluation.ranking import rank
from evaluation.ranking.overall import TaskResults, rank_over_tasks

FOLDER = Path(__file__).resolve().parents[1] / "evaluation/ranking_examples"
FEDERATED = json.loads((FOLDER / "synthetic_federated_expected.json").read_text())
METRICS = {"DSC": "dsc", "HD95": "hausdorff_percentile"}
ZERO = {"both_empty": 0, "ref_empty": 0, "pred_empty": 0, "degenerate": 0, "missing": 0}
FETS = {
    "task_name": "Brain tumour segmentation",
    "task_category": ["semantic_segmentation"],
    "regions": [
        {"name": "WT", "labels": ["1", "2", "4"]},
        {"name": "TC", "labels": ["1", "4"]},
        {"name": "ET", "labels": ["4"]},
    ],
    "metrics": [
        {"metric": "dsc", "policy": {"both_empty": 1, "ref_empty": 0, "pred_empty": 0}, "used_for_ranking": True},
        {
            "metric": "hausdorff_percentile",
            "options": {"percentile": 95},
            "policy": {"both_empty": 0, "ref_empty": 373.15, "pred_empty": 373.15},
            "used_for_ranking": True,
        },
    ],
    "ranking_type": "single_ranking",
}
EXAMPLES = [point.id for point in starting_points() if point.id.startswith("example_")]
DECATHLON = {
    "task_category": ["semantic_segmentation"],
    "regions": [{"name": "organ", "labels": ["1"]}, {"name": "tumour", "labels": ["2"]}],
    "metrics": [
        {"metric": "dsc", "policy": ZERO, "used_for_ranking": True},
        {"metric": "nsd", "options": {"tolerance": 1}, "policy": ZERO, "used_for_ranking": True},
    ],
    "ranking_type": "single_ranking",
}
INSTRUMENTS = {
    "task_name": "Binary segmentation",
    "task_category": ["semantic_segmentation"],
    "regions": [{"name": "instrument", "labels": ["1"]}],
    "metrics": [
        {"metric": "dsc", "policy": ZERO, "used_for_ranking": True},
        {"metric": "nsd", "options": {"tolerance": 13}, "policy": ZERO, "used_for_ranking": True},
    ],
    "ranking_type": "multiple_rankings",
}


def design(*tasks, scheme, **challenge):
    """A document with the parameters of a starting point in each task."""
    point = starting_point(scheme)
    document, problems = from_json(
        {
            "challenge": {**point.challenge, **challenge},
            "tasks": [{"task_name": f"Task {number}", **task, **point.task} for number, task in enumerate(tasks, 1)],
        },
        catalogue=shipped(),
    )
    assert problems == []
    return document


def compiled(*tasks, scheme, **challenge):
    compilation = compile_values(design(*tasks, scheme=scheme, **challenge).values("task-1"))
    assert compilation.problems == ()
    return compilation.assessment


def rankings_of(assessment):
    found = assessment.document["ranking"]
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("point", starting_points(), ids=lambda point: point.id)
def test_every_starting_point_names_its_source_and_compiles(point):
    assert point.citation
    if point.id in EXAMPLES:
        assert compiled({}, {}, scheme=point.id)
        return
    task = INSTRUMENTS if point.id == "robustmis" else FETS
    assert compiled(task, task, scheme=point.id)


@pytest.mark.parametrize("scheme", EXAMPLES)
def test_an_example_assessment_is_a_starting_point(scheme):
    path = Path(__file__).parents[3] / f"examples/assessments/{scheme.removeprefix('example_')}.json"
    example = json.loads(path.read_text())
    point, wanted, assessment = starting_point(scheme), parse(example["assessment"]), compiled({}, scheme=scheme)
    assert (point.title, point.citation) == (example["title"], example["citations"][0])
    assert point.about.startswith(example["about"])
    assert assessment.problem == wanted.problem
    assert assessment.settings == wanted.settings
    assert assessment.regions == wanted.regions
    assert [(use.id, use.options, use.policy) for use in assessment.metrics] == [
        (use.id, use.options, use.policy) for use in wanted.metrics
    ]
    for ranking, published in zip(rankings_of(assessment), rankings_of(wanted), strict=True):
        if any(use.level == "case" for use in wanted.metrics):
            assert ranking["scheme"] == published["scheme"]
        weights = [(step["weights"] or {}).get("metric") for step in published["combine"] or ()]
        assert [sorted(each.values()) for each in weights if each] == [
            sorted(step["weights"]["metric"].values()) for step in ranking["combine"] or () if step["weights"]
        ]


def test_fets_compiles_to_the_published_scheme():
    assessment, wanted = compiled(FETS, scheme="fets"), parse(preset("fets"))
    assert rankings_of(assessment) == rankings_of(wanted)
    assert assessment.document["uncertainty"]["strata"] == wanted.document["uncertainty"]["strata"] == ["site"]
    assert assessment.document["metrics"] == wanted.document["metrics"]


def test_the_example_design_of_fets_compiles_to_the_published_scheme():
    text = resources.files("evaluation.designs.examples").joinpath("fets.json").read_text(encoding="utf-8")
    document, problems = from_json(json.loads(text), catalogue=shipped())
    assert problems == []
    compilation = compile_values(document.values("task-1"))
    assert compilation.problems == compilation.assumptions == ()
    written, wanted = compilation.assessment.document, parse(preset("fets")).document
    for key in ("problem", "regions", "metrics", "aggregation", "ranking", "uncertainty"):
        assert written[key] == wanted[key]


@pytest.mark.parametrize(
    ("policy", "changes", "sites"),
    [
        ("P0_all_sites_worst_rank", {}, None),
        ("P0_all_sites_missing_rank_is_max_plus_1", {"missing_rank": "toolkit"}, None),
        ("P0_all_sites_missing_share_minimum_rank_of_tied_block", {"missing_rank": "shared_last"}, None),
        ("P1_drop_site_fault_site_4", {}, ("site_1", "site_2", "site_3")),
        ("P2_drop_all_incomplete_runs_sites_3_and_4", {}, ("site_1", "site_2")),
        ("P1_weighted_by_cases", {"site_weight": "cases"}, ("site_1", "site_2", "site_3")),
        ("P1_weighted_by_sqrt_cases", {"site_weight": "square_root_of_cases"}, ("site_1", "site_2", "site_3")),
        ("P1_rerank_also_at_site_level", {"site_rerank": True}, ("site_1", "site_2", "site_3")),
        (
            "P0_all_sites_worst_rank_no_rerank",
            {
                "combine": {
                    "steps": [
                        {"over": ["metric", "region"], "operator": "mean", "rerank": False},
                        {"over": ["site"], "operator": "mean", "rerank": False},
                    ]
                }
            },
            None,
        ),
    ],
)
def test_a_registered_row_reproduces_the_synthetic_federation(policy, changes, sites):
    task = dict(FETS)
    point = starting_point("fets")
    row = {**point.task["ranking_method"][0], **changes}
    document, problems = from_json(
        {"challenge": {}, "tasks": [{**task, **point.task, "ranking_method": [row]}]}, catalogue=shipped()
    )
    assert problems == []
    table = pd.read_csv(FOLDER / "synthetic_federated_cases.csv")
    table = table if sites is None else table[table["site"].isin(sites)]
    results = table.rename(columns={"submission": "algorithm"}).assign(
        metric=table["metric"].map(METRICS), outcome=table["status"], image_diagonal=373.13
    )
    cases = table[["case", "site"]].drop_duplicates()
    assessment = compile_values(document.values("task-1")).assessment
    central = rank(assessment, results, cases=cases, bootstrap=0)["overall"]
    at_sites = [
        summarise(assessment, rows.drop(columns="site"), site=str(site), minimum=2, replicates=200)
        for site, rows in results.groupby("site")
    ]
    pooled = pool(assessment, at_sites, allow_test=True, bootstrap=0)["overall"]
    wanted = FEDERATED["policies"][policy]
    for algorithm in [*central["algorithms"], *pooled["algorithms"]]:
        assert algorithm["score"] == pytest.approx(wanted["final_score"][algorithm["name"]], abs=1e-6)
        assert algorithm["rank"] == wanted["final_rank"][algorithm["name"]]


def test_robustmis_compiles_to_the_published_scheme():
    assert rankings_of(compiled(INSTRUMENTS, scheme="robustmis")) == rankings_of(parse(preset("robustmis")))


def test_msd_compiles_to_the_published_scheme_and_its_step_over_tasks():
    document = design({**DECATHLON, "task_name": "Liver"}, {**DECATHLON, "task_name": "Brain"}, scheme="msd")
    wanted = rankings_of(parse(preset("msd")))[0]
    for key in ("task-1", "task-2"):
        own = rankings_of(compile_values(document.values(key)).assessment)[0]
        assert {**own, "combine": None} == {**wanted, "combine": None}
    (overall,), problems = compile_overall(document)
    assert problems == ()
    step = wanted["combine"][0]
    assert [{**step, "weights": None}] == [{**found, "weights": None} for found in overall.steps]


TASKS = {
    "T1": {"A": [1, 1, 1], "B": [2, 2, 2], "C": [3, 3, 3]},
    "T2": {"A": [3], "B": [1], "C": [2]},
}


def task_results(name, ranks, algorithms="ABC"):
    """Values whose ranks are those of the worked example of the reference."""
    regions = [f"r{index}" for index in range(len(ranks["A"]))]
    rows = [
        (algorithm, f"case-{case}", region, "dsc", 1 - rank_ * 0.1 - case * 0.001, "ok", 100.0)
        for algorithm in algorithms
        for region, rank_ in zip(regions, ranks[algorithm], strict=True)
        for case in range(20)
    ]
    assessment = parse({
        "problem": "semantic_segmentation",
        "regions": [{"name": region, "labels": [index + 1]} for index, region in enumerate(regions)],
        "metrics": [{"id": "dsc"}],
    })  # fmt: skip
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    return TaskResults(name, assessment, pd.DataFrame(rows, columns=columns))


@pytest.mark.parametrize(
    ("order", "scores"),
    [
        ("all_together", {"A": 1.5, "B": 1.75, "C": 2.75}),
        ("within_task_first", {"A": 2.0, "B": 1.5, "C": 2.5}),
    ],
)
def test_tasks_are_combined_in_the_registered_order_and_no_other(order, scores):
    row = {"name": "All", "order": order, "ties": "standard_competition", "absent": "refuse", "fractional": False}
    document = design(
        {**DECATHLON, "task_name": "T1"}, {**DECATHLON, "task_name": "T2"}, scheme="msd", overall_rankings=[row]
    )
    (overall,), _ = compile_overall(document)
    tasks = [task_results(name, ranks) for name, ranks in TASKS.items()]
    found = rank_over_tasks(tasks, overall.steps, name="All", bootstrap=50)["overall"]
    assert {algorithm["name"]: algorithm["score"] for algorithm in found["algorithms"]} == scores
    assert all(algorithm["rank_interval"] for algorithm in found["algorithms"])


@pytest.mark.parametrize(("absent", "ranked"), [("last", "ABC"), ("not_ranked", "AB")])
def test_who_lacks_a_task_gets_what_is_registered(absent, ranked):
    tasks = [task_results("T1", TASKS["T1"]), task_results("T2", TASKS["T2"], "AB")]
    steps = [{"over": ["metric", "region", "task"], "operator": "mean", "rerank": True}]
    found = rank_over_tasks(tasks, steps, absent=absent, bootstrap=0)
    assert sorted(algorithm["name"] for algorithm in found["overall"]["algorithms"]) == list(ranked)
    if absent == "last":
        assert found["overall"]["algorithms"][-1]["name"] == "C"
    else:
        assert found["left_out"] == [{"name": "C", "lacks": ["T2"]}]
    with pytest.raises(ValueError, match="C lacks T2"):
        rank_over_tasks(tasks, steps, absent="refuse", bootstrap=0)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"order": None}, "the order is not stated"),
        ({"tasks": ["Spleen"]}, "there is no task Spleen"),
        ({"tasks": ["T1"]}, "needs two tasks"),
        ({"ranking": "robustness"}, "has no ranking called “robustness”"),
        ({"weights": {"T1": 1}}, "the weights name each of the tasks: T1, T2"),
        ({"weights": {"T1": 1, "T2": -1}}, "a positive number"),
    ],
)
def test_what_a_ranking_over_tasks_lacks_is_said(row, words):
    full = {"name": "All", "order": "all_together", "ties": "dense", "absent": "last", **row}
    document = design(
        {**DECATHLON, "task_name": "T1"}, {**DECATHLON, "task_name": "T2"}, scheme="msd",
        overall_rankings=[{key: value for key, value in full.items() if value is not None}],
    )  # fmt: skip
    plans, problems = compile_overall(document)
    assert plans == ()
    assert words in str(problems[0])


def test_steps_of_an_assessment_can_be_written_exactly():
    steps = [
        {"over": ["region"], "operator": "median", "rerank": True},
        {"over": ["metric"], "operator": "mean", "rerank": False, "weights": {"dsc": 2, "nsd": 1}},
    ]
    row = {"name": "R", "scheme": "case_based", "operator": "mean", "combine": {"steps": steps}}
    document, problems = from_json(
        {
            "challenge": {},
            "tasks": [
                {
                    **DECATHLON,
                    "tie_handling": "dense",
                    "missing_data_handling": "worst_rank",
                    "ranking_method": [row],
                }
            ],
        },
        catalogue=shipped(),
    )
    assert problems == []
    compilation = compile_values(document.values("task-1"))
    assert compilation.problems == ()
    combine = rankings_of(compilation.assessment)[0]["combine"]
    assert [step["over"] for step in combine] == [["region"], ["metric"]]
    assert combine[1]["weights"] == {"metric": {"dsc": 2.0, "nsd": 1.0}}
    assert combine[0]["operator"] == "median"

"""Costs of runs, from their tables: values of cases, and how far repeated executions agree."""

from typing import Any

import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.assessment.costs import METRICS, CostError, declared, worst_of
from evaluation.claims.costs import FRONT, Plane
from evaluation.ranking import rank
from evaluation.running.efficiency import agreement, check_measured, costs_of
from evaluation.running.table import RunRow, read_runs, runs_table, write_runs

LIMITS = {"case_seconds": 90, "start_seconds": 10, "memory_mib": 1024, "cpus": 2, "gpus": 1, "gpu_memory_mib": 2048}


def runs(seconds: dict[str, float | None], **more: Any) -> pd.DataFrame:
    return runs_table(
        RunRow(
            case,
            "b",
            1,
            "ok" if value is not None else "time_exceeded",
            wall_seconds=value if value is not None else 100.0,
            **{"peak_memory_mib": 50, **more},
        )
        for case, value in seconds.items()
    )


def assessment_of(*names: str, step: float = 0.0, **more: Any) -> Any:
    """A segmentation that ranks costs alone, and reports what it is for."""
    return parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "whole", "labels": [1]}],
            "metrics": [{"id": "dsc"}, *declared(names, LIMITS, step=step)],
            "ranking": {"metrics": [own.label for own in METRICS if own.id in names]},
            "uncertainty": {"bootstrap": 20, "seed": 1},
            **more,
        }
    )


def results_of(tables: dict[str, pd.DataFrame], assessment: Any) -> pd.DataFrame:
    found = {name: costs_of([table], assessment.by_run) for name, table in tables.items()}
    rows = [
        {"algorithm": name, "case": case, "region": "", "metric": metric, "value": value, "outcome": outcome}
        for name, costs in found.items()
        for (case, metric), (value, outcome) in costs.items()
    ]
    quality = [
        {"algorithm": name, "case": case, "region": "whole", "metric": "dsc", "value": 0.5, "outcome": "ok"}
        for name in tables
        for case in ("case_1", "case_2")
    ]
    return pd.DataFrame([*rows, *quality])


def test_a_case_that_failed_counts_as_the_most_that_the_registered_limits_allow() -> None:
    worst = {own.id: worst_of(own, LIMITS) for own in METRICS}

    assert worst == {
        "run_wall_time": 100,
        "run_cpu_time": 200,
        "run_peak_memory": 1024,
        "run_gpu_time": 100,
        "run_gpu_peak_memory": 2048,
        "run_energy": None,
    }
    assert [own.id for own in METRICS if not own.can_be_registered] == ["run_gpu_peak_memory", "run_energy"]


@pytest.mark.parametrize(
    ("name", "limits", "options", "says"),
    [
        ("run_energy", LIMITS, {}, r"Energy \(run_energy\) is not measured here"),
        ("run_gpu_peak_memory", LIMITS, {}, "is not measured here"),
        ("run_gpu_time", {**LIMITS, "gpus": 0}, {}, "needs a registered limit on the number of GPUs"),
        ("run_peak_memory", {**LIMITS, "memory_mib": None}, {}, "needs a registered limit on the memory of a start"),
        ("run_wall_time", LIMITS, {"exclusive": False}, "nothing else on its cores"),
        ("run_speed", LIMITS, {}, "known are run_wall_time"),
    ],
)
def test_costs_that_cannot_be_ranked_are_refused(name: str, limits: dict, options: dict, says: str) -> None:
    with pytest.raises(CostError, match=says):
        declared([name], limits, **options)


def test_failing_is_never_cheaper_than_finishing() -> None:
    tables = {
        "slow": runs({"case_1": 90, "case_2": 95}),
        "quick": runs({"case_1": 10, "case_2": 12}),
        "quick but fails": runs({"case_1": 1, "case_2": None}),
        "fails": runs({"case_1": None, "case_2": None}),
    }
    assessment = assessment_of("run_wall_time")

    document = rank(assessment, results_of(tables, assessment))

    ranked = [(own["name"], own["score"]) for own in document["rankings"][0]["algorithms"]]
    assert ranked == [("quick", 11), ("quick but fails", 50.5), ("slow", 92.5), ("fails", 100)]


def test_a_clock_that_runs_over_the_limit_makes_nobody_worse_than_failing() -> None:
    [use] = assessment_of("run_wall_time").by_run

    costs = costs_of([runs({"case_1": 100.7})], [use])

    assert costs["case_1", "Wall time"] == (100.0, "ok")


def test_memory_below_what_can_be_measured_counts_as_the_least_that_can() -> None:
    [use] = assessment_of("run_peak_memory").by_run

    costs = costs_of([runs({"case_1": 1.0, "case_2": None}, peak_memory_mib=None)], [use])

    assert costs == {("case_1", "Peak memory"): (16.0, "ok"), ("case_2", "Peak memory"): (None, "missing")}


def test_a_valid_case_that_was_not_measured_is_no_failed_one() -> None:
    [use] = assessment_of("run_cpu_time").by_run

    with pytest.raises(CostError, match="Processor time of 1 case was not measured when the algorithm was run"):
        costs_of([runs({"case_1": 1.0, "case_2": None})], [use])


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "Wall time is measured where algorithms are run here, and to this phase predictions are handed in"),
        ({**LIMITS, "exclusive": False}, "comparable only on one class of machine"),
        (
            {**LIMITS, "exclusive": True, "case_seconds": 100},
            "Wall time: a failed case counts as 100 s, and one that is finished may cost 110",
        ),
    ],
)
def test_a_phase_ranks_no_costs_that_it_does_not_measure_or_that_failing_would_beat(limits, message) -> None:
    assessment = assessment_of("run_wall_time")

    check_measured(assessment, {**LIMITS, "exclusive": True})
    with pytest.raises(CostError, match=message):
        check_measured(assessment, limits)


def test_memory_needs_no_machine_of_its_own() -> None:
    check_measured(assessment_of("run_peak_memory"), {**LIMITS, "exclusive": False})


def test_a_table_of_runs_that_was_stored_gives_the_same_costs(tmp_path) -> None:
    uses = assessment_of("run_wall_time", "run_peak_memory").by_run
    table = runs({"case_1": 1.25, "case_2": None, "case_3": 3.5})
    write_runs(table, tmp_path / "runs.parquet")

    assert costs_of([read_runs(tmp_path / "runs.parquet")], uses) == costs_of([table], uses)


def test_repeated_executions_give_the_median_and_say_how_far_they_agree() -> None:
    tables = [runs({"case_1": value, "case_2": 10}) for value in (10.0, 11.0, 30.0)]

    costs = costs_of(tables, assessment_of("run_wall_time").by_run)
    found = agreement(tables, "run_wall_time")

    assert [value for value, _ in costs.values()] == [11, 10]
    assert found is not None
    assert (found.executions, found.cases) == (3, 2)
    assert found.widest == pytest.approx(20 / 11)
    assert found.spread == pytest.approx(10 / 11)
    # Means of both cases: 10, 10.5 and 20.
    assert found.of_means == pytest.approx(10 / 10.5)
    assert agreement(tables[:1], "run_wall_time") is None


def test_what_a_failed_case_took_says_nothing_of_agreement() -> None:
    failed_at_the_limit = [runs({"case_1": 10.0, "case_2": None}), runs({"case_1": 12.0, "case_2": None})]

    found = agreement(failed_at_the_limit, "run_wall_time")

    assert found is not None
    assert found.cases == 1
    assert agreement([runs({"case_1": None}), runs({"case_1": None})], "run_wall_time") is None


def test_values_are_rounded_down_to_whole_steps_so_that_noise_makes_no_ranks() -> None:
    [use] = assessment_of("run_wall_time", step=0.1).by_run

    values = [costs_of([runs({"case_1": value})], [use])["case_1", "Wall time"][0] for value in (0.3, 0.39, 10.15)]

    assert values == [0.3, 0.3, 10.1]


def test_the_worked_example_of_the_page_about_costs() -> None:
    limits = {"case_seconds": 60, "start_seconds": 20, "memory_mib": 4096, "cpus": 2}
    costs = declared(["run_wall_time", "run_cpu_time", "run_peak_memory"], limits, step=0.5)
    assert [own["worst"] for own in costs] == [80, 160, 4096]
    document = {
        "schema": 1,
        "problem": "semantic_segmentation",
        "regions": [{"name": "whole", "labels": [1]}],
        "metrics": [{"id": "dsc"}, costs[0]],
        "ranking": [{"name": "quality", "metrics": ["dsc"]}, {"name": "speed", "metrics": ["Wall time"]}],
        "uncertainty": {"bootstrap": 20, "seed": 1},
    }
    assessment = parse(document)
    taken = {
        "swift": (0.71, [3.2, 3.9, 4.4, 5.0]),
        "careful": (0.86, [11.9, 12.0, 12.6, 14.2]),
        "brittle": (0.80, [1.1, 1.2, 1.0, None]),
    }
    rows = []
    for name, (dsc, seconds) in taken.items():
        cases = {f"case_{number}": value for number, value in enumerate(seconds, 1)}
        own = costs_of([runs(cases)], assessment.by_run)
        for case, value in cases.items():
            outcome = "missing" if value is None else "ok"
            rows.append((name, case, "whole", "dsc", None if value is None else dsc, outcome))
            rows.append((name, case, "", "Wall time", *own[case, "Wall time"]))
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])

    entries = {entry["name"]: entry for entry in rank(assessment, results)["rankings"]}

    scores = {name: [(own["name"], own["score"]) for own in entry["algorithms"]] for name, entry in entries.items()}
    assert scores == {
        "quality": [("careful", 0.86), ("swift", 0.71), ("brittle", 0.6)],
        "speed": [("swift", 3.875), ("careful", 12.5), ("brittle", 20.75)],
    }
    plane = Plane({name: (dict(scores["quality"])[name], dict(scores["speed"])[name]) for name in taken}, higher=True)
    assert FRONT.all(plane)[0] == (
        "swift and careful are beaten by none; the other algorithm is beaten by one of these, which is at least as good by both, "
        "and better by at least one."
    )

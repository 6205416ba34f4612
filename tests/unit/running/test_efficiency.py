"""Costs of runs as metrics: declared, ranked, compared between repeated executions."""

import pandas as pd
import pytest

from evaluation import rank
from evaluation.running.efficiency import METRICS, CostError, agreement, cost_rows, declared, worst_of
from evaluation.running.table import RunRow, runs_table
from evaluation.scoring import read_results

LIMITS = {"case_seconds": 100, "memory_bytes": 2**30, "cpus": 2, "gpus": 1, "gpu_memory_bytes": 2**31}


def runs(seconds: dict[str, float | None]) -> pd.DataFrame:
    return runs_table(
        RunRow(
            case,
            "b",
            1,
            "ok" if value is not None else "time_exceeded",
            wall_seconds=value if value is not None else 100.0,
            peak_memory_mib=50,
        )
        for case, value in seconds.items()
    )


def test_every_cost_has_the_registered_limit_as_its_worst_value_where_there_is_one() -> None:
    worst = {own.id: worst_of(own, LIMITS) for own in METRICS}

    assert worst == {
        "run_wall_time": 100,
        "run_cpu_time": 200,
        "run_peak_memory": 1024,
        "run_gpu_time": 100,
        "run_gpu_peak_memory": 2048,
        "run_energy": None,
    }


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("run_energy", {}, "needs a registered limit"),
        ("run_wall_time", {"exclusive": False}, "nothing else on its cores"),
        ("run_speed", {}, "known are run_wall_time"),
    ],
)
def test_costs_that_cannot_be_ranked_are_refused(name: str, options: dict, says: str) -> None:
    with pytest.raises(CostError, match=says):
        declared([name], LIMITS, **options)


def test_failing_is_never_cheaper_than_finishing(tmp_path) -> None:
    tables = {
        "slow": runs({"case_1": 90, "case_2": 95}),
        "quick": runs({"case_1": 10, "case_2": 12}),
        "quick but fails": runs({"case_1": 1, "case_2": None}),
        "fails": runs({"case_1": None, "case_2": None}),
    }
    rows = [row for name, table in tables.items() for row in cost_rows(name, [table], ["run_wall_time"])]
    pd.DataFrame(rows).assign(image_diagonal="").to_csv(tmp_path / "costs.csv", index=False)
    assessment = {
        "schema": 1,
        "problem": "external",
        "metrics": declared(["run_wall_time"], LIMITS),
        "aggregation": {"levels": ["case"], "operator": "mean"},
        "ranking": {"scheme": "aggregate_then_rank", "operator": "mean"},
        "uncertainty": {"bootstrap": 20, "seed": 1},
    }

    document = rank(assessment, read_results(tmp_path / "costs.csv"))

    ranked = [(own["name"], own["score"]) for own in document["rankings"][0]["algorithms"]]
    assert ranked == [("quick", 11), ("quick but fails", 50.5), ("slow", 92.5), ("fails", 100)]


def test_repeated_executions_give_the_median_and_say_how_far_they_agree() -> None:
    tables = [runs({"case_1": value, "case_2": 10}) for value in (10.0, 11.0, 30.0)]

    [first, second] = cost_rows("a", tables, ["run_wall_time"])
    found = agreement(tables, "run_wall_time")

    assert (first["value"], second["value"]) == (11, 10)
    assert found is not None
    assert (found.executions, found.cases) == (3, 2)
    assert found.widest == pytest.approx(20 / 11)
    assert found.spread == pytest.approx(10 / 11)
    assert agreement(tables[:1], "run_wall_time") is None


def test_what_a_failed_case_took_says_nothing_of_agreement() -> None:
    failed_at_the_limit = [runs({"case_1": 10.0, "case_2": None}), runs({"case_1": 12.0, "case_2": None})]

    found = agreement(failed_at_the_limit, "run_wall_time")

    assert found is not None
    assert found.cases == 1
    assert agreement([runs({"case_1": None}), runs({"case_1": None})], "run_wall_time") is None


def test_a_tolerance_makes_noise_equal() -> None:
    rows = [
        cost_rows("a", [runs({"case_1": value})], ["run_wall_time"], tolerance=0.5)[0]["value"]
        for value in (10.1, 10.4)
    ]

    assert rows == [10, 10]

"""The map of pairs shows what the rank sets rest on, and marks where Wilcoxon's test contradicts the order."""

import numpy as np
import pytest

from evaluation.claims.resamples import crosses
from evaluation.figures import better_map, significance_map
from tests.unit.evaluation.uncertainty.boards import ranked

GENERATOR = np.random.default_rng(3)
STEADY = 0.80 + 0.01 * GENERATOR.random(40)
# Better than the steady one in 37 of 40 cases, and worse on average by three failures.
BRILLIANT = np.where(np.arange(40) < 3, 0.0, STEADY + 0.02)
POOR = STEADY - 0.2
NAMES = ("brilliant", "poor", "steady")


@pytest.fixture(scope="module")
def document():
    values = {"brilliant": BRILLIANT, "poor": POOR, "steady": STEADY}
    return ranked(np.column_stack([values[name] for name in NAMES]), NAMES)[1]


def test_cells_are_the_matrix_of_the_document(document):
    entry = document["rankings"][0]
    heatmap = better_map(document, metric="value")["data"][0]
    for winner in range(3):
        for loser in range(3):
            cell = heatmap["z"][loser][winner]
            assert cell is None if winner == loser else cell == int(entry["shown_better"][winner][loser])


def test_pair_that_the_test_orders_against_the_ranking_is_marked_in_both_maps_and_explained(document):
    entry = document["rankings"][0]
    names = [row["name"] for row in entry["algorithms"]]
    ((low, high, why),) = crosses(entry)
    assert (names[low], names[high]) == ("brilliant", "steady")
    assert why.startswith(
        "brilliant is usually better than steady case by case, steady on average: a few bad cases of brilliant decide ("
    )
    for figure in (better_map(document, metric="value"), significance_map(document)):
        (marks,) = [trace for trace in figure["data"] if trace.get("marker", {}).get("symbol") == "x"]
        assert (marks["x"], marks["y"], marks["text"]) == ([low], [high], [why])


def test_a_median_that_the_test_contradicts_is_marked_without_blaming_a_few_bad_cases():
    """More than half of the cases favour one algorithm and the test favours the other.

    For challenge 80,002,200 no map could be plotted.
    """
    often = np.where(np.arange(40) < 21, 0.011, -0.3)
    values = np.column_stack([STEADY + often, STEADY, STEADY - 0.4])
    values[:21, 1] = values[:21, 0] - 0.001
    scheme = {"scheme": "aggregate_then_rank", "operator": "median"}
    entry = ranked(values, ("often", "steady", "poor"), ranking=scheme)[1]["rankings"][0]
    assert [row["name"] for row in entry["algorithms"]] == ["often", "steady", "poor"]
    ((low, high, why),) = crosses(entry)
    assert (low, high) == (1, 0)
    assert why.startswith(
        "steady is significantly better than often case by case (one-sided Wilcoxon signed rank test, adjusted by Holm’s method: p = "
    )
    assert why.endswith(", and ranks lower by the score that is registered.")
    assert better_map(ranked(values, ("often", "steady", "poor"), ranking=scheme)[1], metric="value")["data"]


def test_without_statements_there_is_no_map():
    _, few = ranked([[0.9, 0.8, 0.7], [0.7, 0.6, 0.5], [0.4, 0.3, 0.2]], ["a", "b", "c"])
    with pytest.raises(ValueError, match="compares no pairs"):
        better_map(few, metric="value")

"""The map of pairs shows what the rank sets rest on, and marks where Wilcoxon's test contradicts the order."""

import numpy as np
import pytest

from evaluation.figures import better_map, significance_map
from evaluation.figures.significance import contradictions
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
    ((low, high, why),) = contradictions(entry)
    assert (names[low], names[high]) == ("brilliant", "steady")
    assert why.startswith(
        "brilliant is usually better than steady case by case, steady on average: a few bad cases of brilliant decide."
    )
    for figure in (better_map(document, metric="value"), significance_map(document)):
        (crosses,) = [trace for trace in figure["data"] if trace.get("marker", {}).get("symbol") == "x"]
        assert (crosses["x"], crosses["y"], crosses["text"]) == ([low], [high], [why])


def test_without_statements_there_is_no_map():
    _, few = ranked([[0.9, 0.8, 0.7], [0.7, 0.6, 0.5], [0.4, 0.3, 0.2]], ["a", "b", "c"])
    with pytest.raises(ValueError, match="compares no pairs"):
        better_map(few, metric="value")

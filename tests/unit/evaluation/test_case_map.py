"""The map of cases puts the hardest case on top and the best algorithm on the left."""

import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.figures.cases import case_map
from evaluation.ranking import rank
from evaluation.ranking.raw import raw_values

VALUES = {"good": [0.9, 0.2, 0.8], "bad": [0.7, 0.1, 0.6]}


def drawn(direction: str) -> dict:
    assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": direction}]})
    table = pd.DataFrame(
        [
            {"algorithm": name, "case": f"c{case}", "value": value}
            for name, values in VALUES.items()
            for case, value in enumerate(values)
        ]
    )
    document = rank(assessment, table, bootstrap=10)
    return case_map(document, raw_values(assessment, table)[0])


@pytest.mark.parametrize(("direction", "hardest", "best"), [("higher", "c1", "good"), ("lower", "c0", "bad")])
def test_hardest_case_is_the_top_row_and_the_winner_the_left_column(direction, hardest, best):
    figure = drawn(direction)
    axis = figure["layout"]["yaxis"]
    assert axis["ticktext"][axis["tickvals"].index(2)] == hardest
    assert figure["layout"]["xaxis"]["ticktext"][0].startswith(best)


def test_cells_hold_the_values():
    assert drawn("higher")["data"][0]["z"] == [[0.9, 0.7], [0.8, 0.6], [0.2, 0.1]]


def test_bad_is_dark_whatever_the_direction():
    assert drawn("higher")["data"][0]["colorscale"][0][1] == drawn("lower")["data"][0]["colorscale"][-1][1]

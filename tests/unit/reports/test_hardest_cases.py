"""A table of the worst cases names a case only if no unnamed case is equally bad."""

from reports.exposure.domain.words import Names
from reports.services.benchmark import _worst


def entry(*values):
    return {
        "metric": "dsc",
        "region": "",
        "task": "",
        "direction": "higher",
        "algorithms": ["a", "b"],
        "cases": [f"case-{number}" for number in range(len(values))],
        "values": [list(of_case) for of_case in values],
    }


def cases(*values):
    return [row["case"] for row in _worst(entry(*values), Names({}))]


def test_where_everybody_solves_every_case_none_is_among_the_worst():
    assert cases((1.0, 1.0), (1.0, 1.0), (1.0, 1.0)) == []


def test_cases_that_are_worse_than_all_others_are():
    assert cases((1.0, 1.0), (0.2, 0.4), (1.0, 1.0)) == ["case-1"]

"""The worst cases shown to a team include a case only if no unlisted case is equally bad."""

from types import SimpleNamespace

from submissions.views.submissions import _worst


def worst(*ranks):
    lines = [SimpleNamespace(case=f"case-{at}", note="", cells=[], mean_rank=rank) for at, rank in enumerate(ranks)]
    return [line["case"] for line in _worst({"lines": lines, "columns": []}, None)]


def test_where_all_cases_are_alike_none_is_among_the_worst():
    assert worst(2.5, 2.5, 2.5, 2.5) == []


def test_the_three_that_are_worse_than_all_others_are():
    assert worst(5.0, 4.0, 3.0, 2.0, 1.0) == ["case-0", "case-1", "case-2"]


def test_one_that_is_alone_at_the_end_is_the_worst():
    assert worst(5.0, 2.0, 2.0, 2.0) == ["case-0"]

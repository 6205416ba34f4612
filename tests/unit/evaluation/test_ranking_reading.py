"""Reading a ranking document: the selected entry, positions, variation, and the format of shares."""

from __future__ import annotations

import pytest

from evaluation.ranking.reading import (
    Facts,
    entries,
    is_combined,
    label,
    listed,
    main_entry,
    names,
    of_hundred,
    overall,
    percent,
    select,
)


def entry(**keys):
    return {"name": None, "task": None, "metric": "dsc", "region": "liver", **keys}


LIVER, TUMOUR, DISTANCE = entry(), entry(region="tumour"), entry(metric="assd", task="t2")
ALL, BY_CASES = {"over": ["metric"], "name": None}, {"over": ["metric"], "name": "by cases"}
SINGLE = {"rankings": [LIVER, TUMOUR, DISTANCE], "overall": ALL}
SEVERAL = {**SINGLE, "overall": [ALL, BY_CASES]}
NONE = {**SINGLE, "overall": None}


@pytest.mark.parametrize(
    ("document", "wanted", "found"),
    [
        (SINGLE, {}, ALL),
        (SEVERAL, {}, ALL),
        (SEVERAL, {"name": "by cases"}, BY_CASES),
        (NONE, {}, LIVER),
        (NONE, {"task": "t2"}, DISTANCE),
        (SINGLE, {"metric": "dsc"}, LIVER),
        (SINGLE, {"region": "tumour"}, TUMOUR),
        (SINGLE, {"metric": "assd"}, DISTANCE),
        (SINGLE, {"metric": "dsc", "region": "tumour"}, TUMOUR),
    ],
)
def test_the_first_entry_that_matches_all_that_is_asked_for_is_meant(document, wanted, found):
    assert select(document, **wanted) is found


@pytest.mark.parametrize(
    ("document", "wanted", "said"),
    [
        (SINGLE, {"metric": "iou"}, "metric 'iou'"),
        (SINGLE, {"metric": "assd", "region": "tumour"}, "metric 'assd', region 'tumour'"),
        (SINGLE, {"task": "t2"}, "task 't2'"),  # with an overall ranking, that of one metric has to be named
        (SEVERAL, {"name": "by hand"}, "name 'by hand'"),
        ({"rankings": [], "overall": []}, {}, "overall ranking"),
    ],
)
def test_what_the_document_does_not_hold_is_named(document, wanted, said):
    with pytest.raises(LookupError, match=f"the document has no ranking for {said}$"):
        select(document, **wanted)


def test_overall_rankings_are_none_one_or_several():
    assert overall(NONE) == overall({"rankings": []}) == overall({"overall": []}) == []
    assert overall(SINGLE) == [ALL]
    assert overall(SEVERAL) == [ALL, BY_CASES]
    assert entries(SINGLE) == [LIVER, TUMOUR, DISTANCE]
    assert main_entry(SEVERAL) is ALL
    assert main_entry(NONE) is LIVER


def test_a_ranking_is_combined_if_it_is_over_something_or_of_no_metric():
    assert [is_combined(one) for one in (LIVER, ALL, {}, {"metric": "dsc", "over": ["region"]})] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (LIVER, "dsc, liver"),
        (DISTANCE, "t2, assd, liver"),
        (ALL, "overall"),
        (BY_CASES, "by cases, overall"),
        ({"over": ["region"], "name": "n", "task": "t", "metric": "dsc", "region": None}, "n, t, dsc, overall"),
    ],
)
def test_a_heading_names_what_a_ranking_is_about(given, said):
    assert label(given) == said


def row(name, reach=False, score=0.5, **keys):
    return {"name": name, "within_reach": reach, "score": score, **keys}


def board(*rows, **keys):
    return {
        "algorithms": list(rows),
        "winners": ["a"],
        "winner": {"reason": "all_tie", "alpha": 0.05},
        "sensitivity": {"head_to_head": ["c"]},
        "warnings": [],
        "scheme": "aggregate_then_rank",
        "sets": {"method": "sign_flips"},
        **keys,
    }


def test_facts_of_a_board_are_read_from_its_entry():
    facts = Facts(board(row("a", reach=True), row("b", reach=True), row("c")))
    assert names(facts.entry) == facts.names == ["a", "b", "c"]
    assert (facts.first, facts.others) == ("a", 2)
    assert (facts.winners, facts.reason, facts.against) == (["a"], "all_tie", ["c"])
    assert facts.reach == ["b"]
    assert (facts.unit, facts.units) == ("case", "cases")
    assert facts.so_far == ""
    assert Facts(facts.entry, closed=False).so_far == " so far"


def test_what_varies_is_named_as_the_document_says():
    facts = Facts(board(row("a")), {"resampling": {"unit": "biopsy"}})
    assert (facts.unit, facts.units) == ("biopsy", "biopsies")
    assert [facts.counted(number) for number in (0, 1, 2)] == ["0 biopsies", "1 biopsy", "2 biopsies"]
    assert Facts(board(row("a")), {}).counted(1) == "1 case"


def test_the_stratum_with_the_fewest_units_is_found_among_the_warnings():
    few = [{"code": "stratum_few", "units": units} for units in (4, 2, 3)]
    facts = Facts(board(row("a"), warnings=[{"code": "ties", "units": 1}, *few]))
    assert facts.stratum is few[1]


@pytest.mark.parametrize(
    ("over", "tasks", "several"),
    [
        (["task"], ["t1", "t2"], True),
        (["task"], ["t1", "t1"], False),
        (["metric"], ["t1", "t2"], False),
        (None, ["t1", "t2"], False),
    ],
)
def test_a_ranking_is_of_several_tasks_if_it_is_over_tasks_and_there_are_several(over, tasks, several):
    combined = {"name": "n"} if over is None else {"name": "n", "over": over}
    document = {"rankings": [*(entry(name="n", task=task) for task in tasks), entry(name="other", task="t3")]}
    assert Facts(combined, document).several_tasks is several
    assert not Facts(combined).several_tasks


def same(change=None, of=("a", "b"), document=None, **keys):
    """Return whether the results of some algorithms are proven the same on a board with a change.

    Without the change, the three algorithms of the board never differ.
    """
    given = board(row("a"), row("b"), row("c"), p_own=[[None, 1, 1], [1, None, 1], [1, 1, None]], **keys)
    if change:
        change(given)
    return Facts(given, document).same_results(of)


def test_sums_that_never_differ_whichever_signs_are_flipped_are_of_the_same_values():
    assert same()
    assert same(of=("a", "b", "c"))


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0), (0, 2), (2, 1)])
def test_one_direction_in_which_two_differ_once_is_enough_for_them_not_to_be_the_same(first, second):
    def differ(given):
        given["p_own"][first][second] = 0.5

    assert not same(differ, of=("a", "b", "c"))
    assert same(differ, of=("a", "b")) == (2 in (first, second))


def test_different_scores_are_not_of_the_same_values():
    def differ(given):
        given["algorithms"][1]["score"] = 0.6

    assert not same(differ)
    assert same(differ, of=("a", "c"))


def without_p_values(given):
    given["p_own"] = None


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        (without_p_values, {}),
        (None, {"sets": {"method": "bootstrap"}}),
        (None, {"scheme": "test_then_rank"}),
        (None, {"document": {"resampling": {"unit": "patient"}}}),
    ],
)
def test_without_flips_of_single_cases_and_in_contests_nothing_is_proven(change, keys):
    assert not same(change, **keys)


@pytest.mark.parametrize(
    ("scheme", "warnings", "proven"),
    [
        ("aggregate_then_rank", [], True),
        ("aggregate_then_rank", [{"code": "ties"}], True),
        ("aggregate_then_rank", [{"code": "failures_left_out"}], False),
        ("rank_then_aggregate", [], False),
    ],
)
@pytest.mark.parametrize("whose", [0, 1])
def test_missing_cases_that_are_left_out_or_ranked_last_may_hide_a_difference(scheme, warnings, proven, whose):
    def miss(given):
        given["algorithms"][whose]["missing"] = 2

    assert same(miss, scheme=scheme, warnings=warnings) is proven
    assert same(scheme=scheme, warnings=warnings)

    def miss_elsewhere(given):
        given["algorithms"][2]["missing"] = 2

    assert same(miss_elsewhere, scheme=scheme, warnings=warnings)


def member(p, **keys):
    return entry(**board(row("a"), row("b")), p_own=[[None, p], [p, None]], **keys)


def test_results_are_the_same_over_all_if_they_are_in_every_ranking_that_is_combined():
    alike, apart = member(1, name="n"), member(0.5, name="n")
    combined = {"over": ["region"], "name": "n", "metric": "dsc"}
    assert Facts(combined, {"rankings": [alike, alike]}).same_results(["a", "b"])
    assert not Facts(combined, {"rankings": [alike, apart]}).same_results(["a", "b"])
    elsewhere = [{**apart, "metric": "iou"}, {**apart, "name": "m"}]
    assert Facts(combined, {"rankings": [alike, *elsewhere]}).same_results(["a", "b"])
    assert not Facts(combined, {"rankings": elsewhere}).same_results(["a", "b"])
    assert not Facts(combined).same_results(["a", "b"])


def test_up_to_three_names_are_listed():
    assert [listed(list("abcd")[:count]) for count in (1, 2, 3, 4)] == ["a", "a and b", "a, b and c", "4 others"]
    assert listed(["a", "b"], "or") == "a or b"


@pytest.mark.parametrize(
    ("share", "digits", "written"),
    [
        (0.0, 0, "0 %"),
        (1e-9, 0, "under 1 %"),
        (0.005, 0, "under 1 %"),
        (0.0051, 0, "1 %"),
        (0.5, 0, "50 %"),
        (0.1, 0, "10 %"),
        (0.994, 0, "99 %"),
        (0.995, 0, "over 99 %"),
        (0.9999, 0, "over 99 %"),
        (1.0, 0, "100 %"),
        (0.0487, 1, "4.9 %"),
        (0.05, 1, "5 %"),
        (0.1, 1, "10 %"),
        (0.9963, 1, "99.6 %"),
        (0.0042, 1, "0.4 %"),
        (0.12345, 2, "12.35 %"),
        (0.0003, 1, "0.03 %"),
        (0.99996, 1, "99.996 %"),
        (0.0, 1, "0 %"),
        (1.0, 1, "100 %"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_all(share, digits, written):
    assert percent(share, digits) == written
    assert percent(0.25) == "25 %"


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "fewer than 5 of 100"),
        (0.02, "fewer than 5 of 100"),
        (0.03, "about 5 of 100"),
        (0.62, "about 60 of 100"),
        (0.63, "about 65 of 100"),
        (0.97, "about 95 of 100"),
        (0.98, "more than 95 of 100"),
        (1.0, "more than 95 of 100"),
    ],
)
def test_an_estimated_share_is_said_to_the_nearest_five_of_a_hundred(share, said):
    assert of_hundred(share) == said

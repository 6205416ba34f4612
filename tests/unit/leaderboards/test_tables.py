"""The contents of a leaderboard follow from the ranking document alone, before any template."""

import pytest

from evaluation import boards
from evaluation.boards.axis import axis_of
from evaluation.boards.page import Method
from evaluation.boards.words import number, span
from leaderboards.domain.board_files import csv_rows
from tests.integration.leaderboards import examples

COLUMNS = (
    "rank", "low", "high", "set_low", "set_high", "within_reach", "letters", "share", "score", "score_low", "score_high",
)  # fmt: skip


def ranked(*algorithms: tuple) -> list[dict]:
    return [
        {
            "name": name,
            "score": score,
            "rank": rank,
            "rank_set": list(ranks),
            "rank_interval": list(drawn),
            "score_interval": list(scores),
            "share_first": share,
            "within_reach": ranks[0] == 1,
            "letters": letters,
            "difference_from_first": None
            if position == 0
            else {"estimate": 0.1, "interval": [0.0, 0.2], "verdict": "undecided"},
            "failure": {"failed": int(name == "Dora"), "of": 10, "upper": 0.394 if name == "Dora" else 0.259},
            "rank_if_one_more_failed": 5,
            "missing": int(name == "Dora"),
        }
        for position, (name, score, rank, ranks, drawn, scores, share, letters) in enumerate(algorithms)
    ]


def certain(algorithms: list[dict], *, named: bool = False, reason: str | None = None) -> dict:
    """Return the statements of an entry of schema 2 about all of its algorithms together."""
    best = [row["name"] for row in algorithms if row["rank"] == 1]
    return {
        "algorithms": algorithms,
        "winners": best,
        "winner": {
            "named": named,
            "algorithm": best[0] if named else None,
            "alpha": 0.05,
            "reason": "shown" if named else reason or ("tie" if len(best) > 1 else "not_shown"),
        },
        "verdict": "clear" if named else "open",
        "first_again": 0.52 if len(best) == 1 else None,
        "shown_better": [[False] * len(algorithms) for _ in algorithms],
        "p_own": [[None] * len(algorithms) for _ in algorithms],
        "sets": {
            "method": "draws",
            "level": 0.95,
            "units": 10,
            "units_needed": {"sets": 7, "winner": 7},
            "reason": reason,
            "flips": None,
        },
        "margin": None,
        "left_out": {},
        "sensitivity": {"teams": [], "head_to_head": [], "duplicates": [], "without_duplicates": None},
        "warnings": [],
    }


DOCUMENT = {
    "resampling": {"unit": "case"},
    "rankings": [
        {
            "metric": "dsc",
            "region": "whole",
            "task": None,
            "score_direction": "higher",
            "cases": 10,
            **certain(
                ranked(
                    ("Ada", 0.9, 1, (1, 3), (1, 2), (0.88, 0.92), 0.7, "a"),
                    ("Eve", 0.9, 1, (1, 3), (1, 2), (0.88, 0.92), 0.7, "a"),
                    ("Ben", 0.89, 3, (1, 3), (1, 3), (0.87, 0.91), 0.3, "a"),
                    ("Cleo", 0.7, 4, (4, 5), (4, 4), (0.66, 0.74), 0.0, "b"),
                    ("Dora", 0.5, 5, (4, 5), (5, 5), (0.4, 0.6), 0.0, "b"),
                )
            ),
        },
        {
            "metric": "hausdorff_percentile",
            "region": "whole",
            "task": None,
            "score_direction": "lower",
            "cases": 10,
            **certain(
                ranked(
                    ("Ben", 1.1, 1, (1, 1), (1, 1), (1.0, 1.2), 1.0, "a"),
                    ("Ada", 1.2, 2, (2, 3), (2, 2), (1.1, 1.3), 0.0, "b"),
                    ("Eve", 1.2, 2, (2, 3), (2, 2), (1.1, 1.3), 0.0, "b"),
                    ("Cleo", 3.0, 4, (4, 5), (4, 4), (2.9, 3.1), 0.0, "c"),
                    ("Dora", 11.0, 5, (4, 5), (5, 5), (9.0, 12.0), 0.0, "c"),
                ),
                named=True,
            ),
        },
    ],
    "overall": {
        "cases": 10,
        **certain(
            ranked(
                ("Ada", 1.5, 1, (1, 3), (1, 2), (1.0, 2.0), 0.6, "a"),
                ("Eve", 1.5, 1, (1, 3), (1, 2), (1.0, 2.0), 0.6, "a"),
                ("Ben", 2.0, 3, (1, 4), (1, 3), (1.0, 2.5), 0.4, "ab"),
                ("Cleo", 4.0, 4, (3, 5), (4, 4), (4.0, 4.0), 0.0, "bc"),
                ("Dora", 5.0, 5, (4, 5), (5, 5), (5.0, 5.0), 0.0, "c"),
            )
        ),
    },
}


SILENT = {"verdict": None, "sets": {"reason": "not_resampled"}}
"""Fields required to show a stored ranking that contains no statement of certainty."""
ENTRIES = {
    "Ada": {"submissions": 3, "handed_in": "2026-03-02T10:00:00+00:00", "marks": ["organizer"]},
    "Dora": {"submissions": 2, "handed_in": "2026-03-01T10:00:00+00:00", "marks": ["late"]},
}


@pytest.fixture
def table() -> dict:
    return boards.build(DOCUMENT, examples.assessment(), identical=[["Eve", "Ada"]], entries=ENTRIES)


def test_page_opens_with_the_overall_ranking_and_every_metric_beside_it(table):
    board = boards.board(table)
    assert board.order["key"] == "overall"
    assert [(column.title, column.region) for column in board.columns] == [("DSC", "whole"), ("HD95", "whole")]
    assert [row.team for row in board.rows] == ["Ada", "Eve", "Ben", "Cleo", "Dora"]
    assert [cell.value for cell in board.rows[0].cells] == ["0.900", "1.20"]


def test_rank_never_stands_without_its_set_letters_resampling_range_and_share_of_first_places(table):
    row = boards.board(table).rows[2]
    assert (row.rank_text, row.set_text, row.letters) == ("3", "1–4", "ab")
    assert (row.interval_text, row.share_text) == ("1–3", "40 %")


def test_failures_stand_with_the_bound_of_their_rate_and_the_rank_after_one_more(table):
    row = boards.board(table).rows[-1]
    assert (row.failure_text, row.failure_bound_text) == ("1 of 10", "up to 39.4 %")
    assert row.after_failure_text == "one more: rank 5"


def test_board_says_when_cases_are_too_few_for_rank_sets(table):
    assert boards.board(table).legend(0, failures=False)[0].startswith("Rank set: the ranks that a team can have")
    entry = {**DOCUMENT["overall"], **certain(DOCUMENT["overall"]["algorithms"], reason="too_few_units")}
    few = boards.build({**DOCUMENT, "overall": entry}, examples.assessment())
    assert (
        boards.board(few)
        .legend(0, failures=False)[0]
        .startswith("Rank set: too few cases to say. It contains every rank, and every row has the amber bar.")
    )


def test_headline_says_so_far_until_no_result_can_come_any_more(table):
    sentences = ["Ada and Eve share first place; it is open who is best.", "And more."]
    order = table["orders"][0]
    assert boards.spoken(order, sentences, closed=True) == sentences
    assert boards.spoken(order, sentences, closed=False) == [
        "Ada and Eve share first place so far; it is open who is best.",
        "And more.",
    ]


def test_teams_within_reach_stand_with_the_first(table):
    assert boards.board(table).front == ("Ada", "Eve", "Ben")


def test_clear_winner_stands_alone(table):
    assert boards.board(table, by="hausdorff_percentile/whole").front == ("Ben",)


def test_identical_results_are_an_exact_tie(table):
    board = boards.board(table)
    assert board.ties == (("Ada", "Eve"),)
    assert {row.team: row.identical_to for row in board.rows if row.identical_to} == {"Ada": ("Eve",), "Eve": ("Ada",)}


def test_missing_cases_stand_beside_the_rank(table):
    rows = {row.team: (row.present, row.cases) for row in boards.board(table).rows}
    assert rows["Dora"] == (9, 10)
    assert rows["Ada"] == (10, 10)


def test_ranking_by_one_metric_changes_rank_interval_and_share(table):
    board = boards.board(table, by="hausdorff_percentile/whole")
    first = board.rows[0]
    assert (first.team, first.rank_text, first.interval_text, first.share_text, first.score) == (
        "Ben",
        "1",
        "1",
        "100 %",
        "1.10",
    )


def test_sorting_by_a_column_keeps_the_ranks(table):
    board = boards.board(table, sort="-hausdorff_percentile/whole")
    assert board.rows[0].team == "Dora"
    assert board.rows[-1].team == "Ben"
    assert board.rows[-1].rank_text == "3"


def test_sorting_by_name_both_ways(table):
    assert [row.team for row in boards.board(table, sort="team").rows] == ["Ada", "Ben", "Cleo", "Dora", "Eve"]
    assert [row.team for row in boards.board(table, sort="-team").rows] == ["Eve", "Dora", "Cleo", "Ben", "Ada"]


def test_filter_finds_part_of_a_name_whatever_its_case(table):
    assert [row.team for row in boards.board(table, search="dO").rows] == ["Dora"]


@pytest.mark.parametrize("asked", [{"by": "nothing"}, {"sort": "nothing"}, {"region": "nothing"}])
def test_unknown_choice_falls_back_to_the_default(table, asked):
    assert [row.team for row in boards.board(table, **asked).rows] == ["Ada", "Eve", "Ben", "Cleo", "Dora"]


def test_row_reads_as_a_sentence(table):
    assert boards.board(table).rows[-1].sentence == (
        "Dora: rank 5, rank set 4 to 5, letter c, between 5 and 5 in 95 % of resamples, first in 0 % of them, "
        "a later submission came after the end and is not ranked."
    )


def test_marks_say_what_they_mean_and_what_the_team_says_about_its_method_adds_one(table):
    methods = {"Ada": Method("/methods/ada/", uses_extra_data=True)}
    first = boards.board(table, methods=methods).rows[0]
    assert [mark.label for mark in first.marks] == ["organizers’ team", "extra data"]
    assert first.method == "/methods/ada/"
    assert first.entry_text == "3 tries, 2 Mar 26"


def test_any_column_sorts_both_ways_and_teams_without_a_value_stay_in_the_list(table):
    for key in ("rank", "set", "low", "share", "score", "missing", "submissions", "handed_in", "dsc/whole"):
        names = [row.team for row in boards.board(table, sort=key).rows]
        assert sorted(names) == table["teams"]
        assert [row.team for row in boards.board(table, sort=f"-{key}").rows] != names
    for sort, first in (("submissions", "Dora"), ("-submissions", "Ada")):
        assert boards.board(table, sort=sort).rows[0].team == first


def test_verdict_of_the_ranking_document_stands_on_the_board_in_words(table):
    assert boards.board(table).verdict == "no clear leader"
    assert boards.board(table, by="hausdorff_percentile/whole").verdict == "a winner was named by an earlier rule"


def test_distances_without_a_spacing_are_not_called_millimetres():
    built = boards.build(DOCUMENT, examples.assessment(), length_unit="pixels")
    assert [column.unit for column in boards.board(built).columns] == [None, "pixels"]


def test_own_team_is_marked(table):
    assert [row.team for row in boards.board(table, own_team="Ben").rows if row.own] == ["Ben"]


def test_many_columns_are_shown_one_region_at_a_time():
    orders = [
        {"key": "overall", "label": "Overall", "metric": None, "ranking": None, "statistic": "mean rank", "decimals": 2}
        | {key: [1.0] for key in boards.COLUMNS}
        | SILENT
    ]
    for metric in "abc":
        for region in ("x", "y", "z"):
            orders.append(
                orders[0]
                | {
                    "key": f"{metric}/{region}",
                    "metric": metric,
                    "title": metric,
                    "region": region,
                    "unit": None,
                    "higher": True,
                }
            )
    table = {"cases": 1, "interval": 0.95, "teams": ["Ada"], "missing": [0], "identical": [], "orders": orders}
    board = boards.board(table, region="y")
    assert [column.key for column in board.columns] == ["a/y", "b/y", "c/y"]
    assert [choice.key for choice in board.choices if choice.chosen] == ["a/y", "b/y", "c/y"]
    assert len(board.choices) == 9  # all that count can be chosen
    chosen = boards.board(table, columns=["c/x", "a/z", "nothing"])
    assert [column.key for column in chosen.columns] == ["a/z", "c/x"]


def test_file_has_a_row_a_team_and_every_order(table):
    head, *rows = csv_rows(table)
    assert [row[0] for row in rows] == ["Ada", "Eve", "Ben", "Cleo", "Dora"]
    assert head[:6] == ["team", "cases", "missing", "submissions", "handed_in", "marks"]
    assert head[6:9] == ["method", "deviations", "overall:rank"]
    assert rows[0][3:6] == [3, "2026-03-02T10:00:00+00:00", "organizer"]
    assert rows[0][head.index("hausdorff_percentile/whole:score")] == 1.2


def test_name_that_a_spreadsheet_would_compute_is_defused(table):
    table["teams"][table["teams"].index("Ada")] = "=HYPERLINK(1)"
    names = [row[0] for row in csv_rows(table)]
    assert "'=HYPERLINK(1)" in names


def large_table(teams: int) -> dict:
    numbers = [float(rank) for rank in range(1, teams + 1)]
    order = {
        "key": "overall",
        "label": "Overall",
        "metric": None,
        "ranking": None,
        "statistic": "mean rank",
        "decimals": 2,
    }
    order |= dict.fromkeys(boards.COLUMNS, numbers) | SILENT
    names = [f"team-{number:03d}" for number in range(1, teams + 1)]
    return {"cases": 1, "interval": 0.95, "teams": names, "missing": [0] * teams, "identical": [], "orders": [order]}


@pytest.mark.parametrize(
    ("page", "first", "last"), [(1, 1, 80), (2, 81, 160), (3, 161, 230), (99, 161, 230), (0, 1, 80)]
)
def test_eighty_teams_stand_on_a_page(page, first, last):
    board = boards.board(large_table(230), page=page)
    assert (board.rows[0].team, board.rows[-1].team) == (f"team-{first:03d}", f"team-{last:03d}")
    assert (board.first, board.last, board.found, list(board.pages)) == (first, last, 230, [1, 2, 3])


def test_search_looks_through_all_pages():
    assert [row.team for row in boards.board(large_table(230), search="team-22").rows][:2] == ["team-220", "team-221"]


def test_columns_show_ranks_with_their_sets_on_a_switch(table):
    scores, ranks = boards.board(table), boards.board(table, shows="ranks")
    assert (scores.shows, ranks.shows, boards.board(table, shows="nonsense").shows) == ("scores", "ranks", "scores")
    order = next(entry for entry in table["orders"] if entry["key"] == ranks.columns[0].key)
    for row in ranks.rows:
        index = table["teams"].index(row.team)
        assert row.cells[0].value == number(order["rank"][index])
        assert row.cells[0].interval == span(order["set_low"][index], order["set_high"][index])
    assert [row.cells[0].best for row in scores.rows] == [row.cells[0].best for row in ranks.rows]


@pytest.mark.parametrize("teams", [1, 2, 11, 50, 1000])
def test_axis_holds_every_rank_set_and_few_round_ranks(teams):
    spans = [(rank, max(rank - 3, 1), min(rank + 5, teams), None, None) for rank in range(1, min(teams, 100) + 1)]
    axis = axis_of(spans, teams=teams, band=(1, min(4, teams)))
    for span_ in spans:
        places = [axis.at(value) for value in span_ if value is not None]
        assert all(0 <= place <= 100 for place in places)
        if teams > 1:
            assert places[1] <= places[0] <= places[2]
    assert len(axis.ticks) <= 8
    assert axis.ticks[0] == 1
    # Of a thousand teams the page shows a hundred, and the axis is theirs.
    assert axis.last == min(teams, 105)


def test_band_is_what_the_sets_of_all_first_teams_span(table):
    order = table["orders"][0]
    ranks = [rank for rank in order["rank"] if rank is not None]
    sets = [
        (low, high)
        for rank, low, high in zip(order["rank"], order["set_low"], order["set_high"], strict=True)
        if rank == min(ranks) and low is not None
    ]
    band = boards.board(table).axis.band
    assert band == ((min(low for low, _ in sets), max(high for _, high in sets)) if sets else None)


@pytest.mark.parametrize("known", ["all", "some", "none"])
def test_one_kind_of_score_interval_is_shown_for_all_teams_of_a_board(table, known):
    document = {**DOCUMENT, "rankings": [dict(entry) for entry in DOCUMENT["rankings"]]}
    entry = document["rankings"][0]
    count = {"all": len(entry["algorithms"]), "some": 1, "none": 0}[known]
    confidence = {"interval": [-7.0, 7.0], "method": "hall_and_t", "level": 0.95}
    entry["algorithms"] = [
        {**row, "score_confidence_interval": confidence if position < count else None}
        for position, row in enumerate(entry["algorithms"])
    ]
    built = boards.build(document, examples.assessment())
    order = next(order for order in built["orders"] if order["metric"] is not None)
    before = next(one for one in table["orders"] if one["key"] == order["key"])
    assert order["score_interval_kind"] == ("confidence" if known == "all" else "resampling")
    assert order["score_low"] == ([-7.0] * len(built["teams"]) if known == "all" else before["score_low"])
    assert built["orders"][0]["score_interval_kind"] == "resampling"  # ranks of several metrics

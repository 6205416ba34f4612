"""Differences from the leader and numbers about the lead: on pages, in files, for documents of schemas 2 and 3."""

import copy
import json
import re
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from evaluation import boards, figures
from evaluation.boards.differences import MOST_ROWS, differences_of, level_of, texts_of, verdicts_in
from evaluation.boards.effects import effects_of
from evaluation.figures.differences import DifferenceRow, difference_forest, difference_svg
from evaluation.figures.outward import outward
from evaluation.figures.publication import printed
from evaluation.ranking.evaluate import CLUSTER_COLUMNS, plain_column
from evaluation.rounding import MINUS
from leaderboards.domain.board_files import csv_rows
from leaderboards.templatetags.leaderboards import difference_forest as drawn_on_a_board
from tests.integration.leaderboards import examples
from tests.unit.leaderboards.test_tables import DOCUMENT

LEAD = {
    "lead": {"over": "Eve", "estimate": 0.0243, "interval": [0.0063, 0.0412], "level": 0.95},
    "break_even_failure_rate": {
        "rate": 0.0079, "estimate": 0.027, "over": "Eve", "cost": 0.84, "failed": 0, "of": 60, "upper": 0.04871,
    },
    "false_claim_probability": {
        "better": 0.97, "equivalent": 0.0, "worse": 0.03, "method": "shrunken_draws", "with_one_unseen_failure": 0.384,
    },
    "fewest_cases_to_unseat": {"units": 3, "algorithm": "Eve", "is_exact": True},
    "cases_to_settle": [
        {"algorithm": "Dora", "estimate": None, "interval": [213, None]},
        {"algorithm": "Eve", "estimate": 576, "interval": [64, 1605]},
    ],
    "cases_to_confirm": 207,
}  # fmt: skip


def of_schema_3(**changes) -> dict:
    """Return the document of the tests with the keys of schema 3 in its first ranking."""
    document = copy.deepcopy(DOCUMENT)
    entry = document["rankings"][0]
    entry["algorithms"][1]["rank"] = 2
    entry["winner"] = {"named": True, "algorithm": "Ada", "alpha": 0.05, "reason": "shown"}
    intervals = [(0.0243, [0.0063, 0.0412], "better"), (0.1, [-0.02, 0.2], "undecided"), (0.2, None, "undecided")]
    for algorithm, (estimate, interval, verdict) in zip(
        entry["algorithms"][1:], [*intervals, intervals[0]], strict=True
    ):
        algorithm["difference_from_first"] = {
            "estimate": estimate, "interval": interval, "level": 0.95, "verdict": verdict,
        }  # fmt: skip
    entry.update({"verdict": "significant", **LEAD, **changes})
    return document


@pytest.fixture
def table() -> dict:
    return boards.build(of_schema_3(), examples.assessment())


@pytest.fixture
def stored_before() -> dict:
    """A table as it was stored from a document of schema 2."""
    table = boards.build(DOCUMENT, examples.assessment())
    for order in table["orders"]:
        for key in (*boards.EFFECTS, "difference_level"):
            del order[key]
    return table


def test_a_row_shows_its_difference_and_the_leader_is_named(table):
    rows = boards.board(table, by="dsc/whole").rows
    assert [(row.team, row.difference_text, row.difference_interval_text) for row in rows] == [
        ("Ada", "leader", ""),
        ("Eve", "0.024", "0.006 to 0.042"),
        ("Ben", "0.10", f"{MINUS}0.02 to 0.20"),
        ("Cleo", "0.20", ""),
        ("Dora", "0.024", "0.006 to 0.042"),
    ]


def test_the_difference_sorts_both_ways_with_the_leader_at_zero(table):
    names = [row.team for row in boards.board(table, by="dsc/whole", sort="difference").rows]
    assert names[0] == "Ada"
    assert names[-1] == "Cleo"
    backwards = [row.team for row in boards.board(table, by="dsc/whole", sort="-difference").rows]
    assert backwards[0] == "Cleo"
    assert "difference" in {choice.key for choice in boards.board(table, by="dsc/whole").sorts}


def test_the_tooltip_states_the_level_of_the_intervals(table, stored_before):
    text = boards.board(table, by="dsc/whole").difference_help
    assert (
        "The approximate 95 % intervals apply together if failures are as frequent as observed, except lower ends above 0"
        in text
    )
    levels = [level_of(one, one["orders"][1]) for one in (table, stored_before)]
    assert levels == [0.95, 0.95]
    low = boards.build(of_schema_3(), examples.assessment())
    low["orders"][1]["difference_level"] = [None, 0.9, 0.9, 0.9, 0.9]
    assert "The approximate 90 % intervals" in boards.board(low, by="dsc/whole").difference_help


@pytest.mark.parametrize("low", [0.0004, 1e-7, 0.0099, 0.0100001, -0.00001, 0.0])
@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_rounding_widens_and_never_moves_an_end_across_zero_or_the_margin(low, margin):
    texts = outward(0.02, (low, 0.0412), margin=margin)
    shown_low, shown_high = (Decimal(end.replace(MINUS, "-")) for end in (texts.low, texts.high))
    assert shown_low <= Decimal(str(low))
    assert shown_high >= Decimal("0.0412")
    assert (float(shown_low) > margin) == (low > margin)
    assert (float(shown_low) > 0) == (low > 0)


def test_the_numbers_about_the_lead_are_terms_with_values_and_help(table):
    effects = {effect.key: effect for effect in boards.board(table, by="dsc/whole").effects}
    assert tuple(effects) == boards.EFFECTS
    assert effects["lead"].term == "Lead over Eve"
    assert effects["lead"].value == "0.024 (0.006 to 0.042)"
    assert effects["break_even_failure_rate"].value == "0.7 %"
    assert effects["break_even_failure_rate"].details == ("0 of 60 failed, 4.9 % possible",)
    assert effects["false_claim_probability"].value == "3 %"
    assert effects["false_claim_probability"].details == (
        "better 97 %, equivalent 0 %, worse 3 %, if failures are as frequent as observed",
        "cautious p-value with one unseen failure: 0.39 (one-sided, Bayesian bootstrap, unadjusted)",
    )
    assert effects["fewest_cases_to_unseat"].value == "3 cases"
    assert effects["cases_to_settle"].value == "580 (64 to 1,700)"
    assert effects["cases_to_settle"].details == (
        "against Eve", "more than 10,000 (210 to more than 10,000) against Dora",
    )  # fmt: skip
    assert effects["cases_to_confirm"].value == "at least 207"
    assert all(effect.help.endswith(".") and effect.anchor for effect in effects.values())


@pytest.mark.parametrize("key", boards.EFFECTS)
def test_a_number_that_is_not_known_is_left_out(key):
    table = boards.build(of_schema_3(**{key: None}), examples.assessment())
    found = [effect.key for effect in boards.board(table, by="dsc/whole").effects]
    assert found == [name for name in boards.EFFECTS if name != key]


def test_bounds_and_the_unit_of_draws_are_named():
    document = of_schema_3(
        fewest_cases_to_unseat={"units": 1, "algorithm": "Eve", "is_exact": False},
        cases_to_settle=[{"algorithm": f"T{n}", "estimate": None, "interval": [None, None]} for n in range(5)],
        break_even_failure_rate={**LEAD["break_even_failure_rate"], "rate": 0.0},
        lead={**LEAD["lead"], "interval": None},
    )
    document["resampling"] = {"unit": "patient"}
    table = boards.build(document, examples.assessment())
    effects = {effect.key: effect for effect in boards.board(table, by="dsc/whole").effects}
    assert effects["lead"].value == "0.024"
    assert effects["break_even_failure_rate"].value == "none"
    assert effects["fewest_cases_to_unseat"].value == "at most 1 patient"
    assert effects["cases_to_settle"].term == "Patients to settle"
    assert effects["cases_to_settle"].value == "more than 10,000"
    assert effects["cases_to_settle"].details[-1] == "and 2 more in the table (CSV)"


def test_tables_of_schema_2_are_shown_without_what_they_lack(stored_before):
    board = boards.board(stored_before, by="hausdorff_percentile/whole")
    assert board.verdict_word == "clear"
    assert board.verdict == boards.VERDICTS["clear"]
    assert board.effects == ()
    assert board.differences is not None
    assert board.differences.unit == "mm"
    head, first, *_ = csv_rows(stored_before)
    row = dict(zip(head, first, strict=True))
    assert row["hausdorff_percentile/whole:verdict"] == "clear"
    assert row["hausdorff_percentile/whole:difference_level"] is None
    assert row["dsc/whole:lead"] is None


def test_a_significant_winner_by_draws_is_called_approximate(table):
    assert boards.board(table, by="dsc/whole").verdict_word == "significant (approximately)"
    table["orders"][1]["sets"]["method"] = "sign_flips"
    assert boards.board(table, by="dsc/whole").verdict_word == "significant"
    assert set(boards.VERDICTS) == {"confirmed", "significant", "clear", "leaning", "open"}


def test_the_file_has_verdict_differences_and_lead_of_every_order(table):
    head, *rows = csv_rows(table)
    cells = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    eve = {
        name.removeprefix("dsc/whole:"): cell for name, cell in cells["Eve"].items() if name.startswith("dsc/whole:")
    }
    expected = {
        "verdict": "significant", "winner": "Ada", "winner_reason": "shown", "difference_from_first": 0.0243,
        "difference_low": 0.0063, "difference_high": 0.0412, "difference_level": 0.95, "lead": 0.0243, "lead_low": 0.0063,
        "lead_high": 0.0412, "lead_over": "Eve", "break_even_failure_rate": 0.0079,
        "break_even_failure_rate_estimate": 0.027, "false_claim_probability_better": 0.97,
        "false_claim_probability_with_one_unseen_failure": 0.384, "fewest_cases_to_unseat": 3, "cases_to_settle": 576,
        "cases_to_settle_low": 64, "cases_to_settle_high": 1605, "cases_to_confirm": 207,
    }  # fmt: skip
    assert {name: eve[name] for name in expected} == expected
    assert cells["Ada"]["dsc/whole:cases_to_settle"] is None
    assert cells["Dora"]["dsc/whole:cases_to_settle_high"] is None
    table["orders"][1]["lead"]["over"] = "=cmd()"
    head, first, *_ = csv_rows(table)
    assert first[head.index("dsc/whole:lead_over")] == "'=cmd()"


def test_a_combination_of_a_single_metric_shows_the_differences_of_that_metric(table):
    overall, single = table["orders"][:2]
    one = {**table, "orders": [{**overall, "rank": single["rank"], "difference": [None] * 5}, single]}
    board = boards.board(one)
    assert board.order["key"] == "overall"
    assert board.rows[1].difference_interval_text == "0.006 to 0.042"
    assert [effect.key for effect in board.effects] == list(boards.EFFECTS)
    # A margin belongs to the metric, and the combination has none: the two can disagree.
    assert boards.board({**one, "orders": [one["orders"][0], {**single, "margin": 0.01}]}).differences is None
    assert boards.board({**table, "orders": [one["orders"][0], *table["orders"][1:]]}).differences is None


def test_a_figure_has_at_most_thirty_rows_and_counts_the_others(table):
    order = table["orders"][1]
    count = 45
    many = {**table, "teams": [f"team-{n:02d}" for n in range(count)], "orders": []}
    stretched = {
        key: [value[min(index, 1)] for index in range(count)] if isinstance(value, list) and len(value) == 5 else value
        for key, value in order.items()
    } | {"rank": [float(n + 1) for n in range(count)]}
    found = differences_of(many, stretched)
    assert (found.leader, len(found.rows), found.others) == ("team-00", MOST_ROWS, count - MOST_ROWS)
    assert [verdict for verdict, _ in verdicts_in(found)] == ["undecided"]
    assert texts_of(stretched, 0) is None


def test_the_drawing_is_accessible_escapes_names_and_shows_zero_and_margin(table):
    order = table["orders"][1] | {"margin": 0.01}
    attack = "<script>&\"'"
    renamed = {**table, "teams": [attack, *table["teams"][1:]], "orders": [order]}
    html = drawn_on_a_board(boards.board(renamed))
    assert "<script>" not in html
    root = ET.fromstring(html)
    svg = root.find("svg")
    assert svg.get("role") == "img"
    labels = {child.get("id"): child.text for child in svg if child.tag in ("title", "desc")}
    assert set(svg.get("aria-labelledby").split()) == set(labels)
    assert attack in labels["differences-title"]
    assert "table" in labels["differences-text"]
    assert len(svg.findall("g")) == len(table["teams"])
    assert len([line for line in svg.findall("line") if "zero" in line.get("class")]) == 1
    assert svg.find("rect").get("class") == "differences__margin"
    assert {words.text for words in svg.findall("text")} >= {"← leader worse", "leader better →"}
    for number in re.findall(r'(?:x|x1|x2|cx)="([\d.-]+)%"', html):
        assert 0 <= float(number) <= 100
    # A strict policy of contents allows no styles in the page.
    assert "style=" not in html


def test_a_single_tie_can_be_drawn():
    row = DifferenceRow("Eve", 0.0, None, None, "undecided", "0.000")
    assert "Eve" in difference_svg([row], margin=None, unit="mm", label="L", description="D")


@pytest.mark.parametrize("margin", [None, 0.01])
def test_the_figure_of_a_report_has_the_intervals_of_the_document_and_can_be_printed(margin):
    figure = difference_forest(of_schema_3(margin=margin), metric="dsc", region="whole", unit="mm")
    points = {
        text.split(":")[0]: (x, x - minus, x + plus)
        for trace in figure["data"]
        if "error_x" in trace
        for text, x, plus, minus in zip(
            trace["text"], trace["x"], trace["error_x"]["array"], trace["error_x"]["arrayminus"], strict=True
        )
    }
    assert points["Eve"] == pytest.approx((0.0243, 0.0063, 0.0412))
    assert points["Cleo"] == pytest.approx((0.2, 0.2, 0.2))
    assert figure["layout"]["yaxis"]["ticktext"] == ["Ada", "Eve", "Ben", "Cleo", "Dora"]
    assert "mm" in figure["layout"]["xaxis"]["title"]["text"]
    assert any(trace.get("fill") for trace in figure["data"]) == (margin is not None)
    both = printed(figure, description="Differences")
    assert both.svg.startswith(b"<?xml")
    assert both.png.startswith(b"\x89PNG")


def test_a_long_figure_says_how_many_are_missing_and_a_ranking_without_differences_has_none():
    document = of_schema_3()
    entry = document["rankings"][0]
    entry["algorithms"] += [{**entry["algorithms"][-1], "name": f"team-{n}"} for n in range(40)]
    figure = figures.difference_forest(document, metric="dsc", region="whole")
    assert figure["remarks"] == ["and 15 more in the table"]
    for algorithm in entry["algorithms"]:
        algorithm["difference_from_first"] = None
    assert difference_forest(document, metric="dsc", region="whole") is None


def test_effects_of_an_order_without_any_are_empty():
    assert effects_of({"rank": [1.0]}, ["Ada"]) == ()


def test_no_example_has_a_column_that_looks_like_undeclared_clusters():
    """Example boards can name winners: their cases are told apart by no column of patients or sites."""
    root = Path(__file__).parents[3] / "examples"
    tables = sorted(root.glob("*/cases.csv"))
    assert len(tables) >= 5
    for path in tables:
        columns = path.read_text("utf-8").splitlines()[0].split(",")
        assessment = json.loads((path.parent / "challenge.json").read_text("utf-8"))["assessment"]
        declared = {*assessment.get("uncertainty", {}).get("independent_of", ())}
        levels = assessment.get("aggregation", {}).get("levels", ())
        declared |= {level if isinstance(level, str) else level["name"] for level in levels}
        assert not [name for name in columns if plain_column(name) in CLUSTER_COLUMNS and name not in declared], path

"""A row of the table is written without a template; what people wrote stays text in it."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.utils.html import strip_tags

from evaluation.boards.axis import Axis
from evaluation.boards.page import Cell, Mark, Row
from evaluation.figures.outward import Texts
from leaderboards.templatetags.leaderboards import board_row

BOARD = SimpleNamespace(
    order={"statistic": "mean"}, axis=Axis(1, 3, (1, 2, 3), None), tells_draws=True, differences=object()
)
ROW = Row(
    team="Ada", rank=1.0, low=1.0, high=2.0, share=0.9, score="0.91", cells=(Cell("DSC", "0.91", "0.88 to 0.93", best=True),),
    missing=0, cases=22, reported=(), in_front=True, identical_to=(), own=False, level="95 %", letters="a", set_low=1, set_high=2,
    failed=1, failed_of=22, failure_upper=0.2, from_leader=Texts("0.024", "0.006", "0.042"),
)  # fmt: skip
ATTACK = "<img src=x onerror='a()'>\"&"


def said(row, **more):
    return strip_tags(re.sub(r"<(/?td|/?th|small|svg)[^>]*>", " ", board_row(row, BOARD, tells_failures=True, **more)))


@pytest.mark.parametrize(
    "written",
    [
        {"team": ATTACK},
        {"identical_to": (ATTACK,)},
        {"marks": (Mark(ATTACK, ATTACK),)},
        {"outcomes": ATTACK},
        {"method": ATTACK},
        {"score": ATTACK},
        {"letters": ATTACK},
        {"from_leader": Texts(ATTACK, ATTACK, ATTACK)},
    ],
    ids=lambda written: next(iter(written)),
)
def test_texts_of_people_are_no_html(written):
    html = board_row(replace(ROW, **written), BOARD, tells_failures=True)
    assert "<img" not in html
    assert "&lt;img src=x onerror=&#x27;a()&#x27;&gt;&quot;&amp;" in html
    assert html.count('"') % 2 == 0


def test_a_row_says_all_that_is_known_of_a_team():
    text = said(replace(ROW, missing=2, identical_to=("Eve",), outcomes="2 cases ended in time-out"))
    for part in (
        "Ada",
        "first in 90 %",
        "0.91",
        "0.88 to 0.93",
        "1 of 22",
        "up to 20 %",
        "20 of 22",
        "0.024",
        "0.006 to 0.042",
        "2 cases ended in time-out",
    ):
        assert part in text


def test_what_is_not_known_is_a_dash_and_no_zero():
    text = said(
        replace(
            ROW,
            low=None,
            high=None,
            share=None,
            set_low=None,
            set_high=None,
            failed=None,
            failed_of=None,
            from_leader=None,
        )
    )
    assert text.count("–") >= 4
    assert "first in" not in text


def test_rows_of_ones_own_team_and_of_those_in_front_stand_out():
    assert board_row(replace(ROW, own=True), BOARD, tells_failures=False).startswith(
        '<tr class="is-group is-own" id="own">'
    )
    assert board_row(replace(ROW, in_front=False), BOARD, tells_failures=False).startswith("<tr><td")


def test_a_board_without_differences_has_no_column_of_them():
    without = SimpleNamespace(**{**vars(BOARD), "differences": None})
    assert "board__difference" not in board_row(ROW, without, tells_failures=False)
    assert 'data-label="Difference from the leader"' in board_row(ROW, BOARD, tells_failures=False)

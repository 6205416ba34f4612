"""Small inline figures with a text alternative and correct positions."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.template import Context, Template

from web.templatetags.podium import bytesize, interval_strip, moment, rank_histogram, sparkbar


def coordinates(svg, tag, css_class, attribute):
    root = ET.fromstring(svg)
    return [float(e.get(attribute)) for e in root.iter() if e.tag == tag and css_class in e.get("class", "").split()]


def test_an_interval_is_named_in_words():
    svg = interval_strip(1, 3, 2, 13, median=1.5)
    assert ET.fromstring(svg).get("role") == "img"
    assert ET.fromstring(svg).get("aria-label") == "Rank 2 of 13, resampling range 1 to 3, median 1.5"


def test_rank_one_lies_at_the_left_end_and_the_last_rank_at_the_right():
    first = coordinates(interval_strip(1, 1, 1, 5), "circle", "interval-strip__rank", "cx")
    last = coordinates(interval_strip(5, 5, 5, 5), "circle", "interval-strip__rank", "cx")
    middle = coordinates(interval_strip(3, 3, 3, 5), "circle", "interval-strip__rank", "cx")
    assert first[0] < middle[0] < last[0]
    assert middle[0] == pytest.approx((first[0] + last[0]) / 2)


def test_the_caps_of_an_interval_stand_at_its_ends():
    svg = interval_strip(2, 4, 3, 5)
    ends = coordinates(svg, "line", "interval-strip__cap", "x1")
    alone = [coordinates(interval_strip(k, k, k, 5), "circle", "interval-strip__rank", "cx")[0] for k in (2, 4)]
    assert ends == alone


@pytest.mark.parametrize(("n", "ticks"), [(1, 1), (13, 13), (200, 20)])
def test_many_algorithms_do_not_turn_the_axis_into_a_bar_of_ticks(n, ticks):
    assert interval_strip(1, 1, 1, n).count("interval-strip__tick") == ticks


def test_an_absent_interval_draws_nothing():
    assert interval_strip(None, None, 1, 5) == ""


def test_a_name_is_escaped():
    html = Template('{% load podium %}{% icon "retry" label=label %}').render(Context({"label": '"><script>'}))
    assert "<script>" not in html


def test_the_tallest_bar_belongs_to_the_most_frequent_rank():
    svg = rank_histogram([100, 700, 200], 2)
    heights = coordinates(svg, "rect", "rank-histogram__bar", "height")
    assert heights[1] == max(heights)
    assert len(coordinates(svg, "rect", "rank-histogram__bar--rank", "height")) == 1
    assert (
        ET.fromstring(svg).get("aria-label")
        == "Ranks in 1000 resamples: rank 2 in 70 %, rank 3 in 20 %, rank 1 in 10 %"
    )


def test_ranks_that_never_occurred_have_no_bar():
    assert len(coordinates(rank_histogram([0, 5, 0], 2), "rect", "rank-histogram__bar", "height")) == 1
    assert rank_histogram([0, 0, 0]) == ""


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.612, "61 %"), (1.0, "100 %"), (0.9996, "more than 99 %"), (0.0004, "less than 1 %"), (0.0, "0 %")],
)
def test_a_share_is_never_rounded_to_always_or_never(share, text):
    assert re.sub(r"<[^>]+>", "", sparkbar(share)) == text.replace("<", "&lt;")


def test_figures_carry_no_style_attribute():
    for svg in (interval_strip(1, 2, 1, 4), rank_histogram([3, 1], 1), sparkbar(0.5)):
        assert "style" not in svg


def test_a_moment_is_shown_in_utc_and_kept_exactly():
    from datetime import datetime, timedelta, timezone

    shown = moment(datetime(2026, 3, 2, 1, 59, tzinfo=timezone(timedelta(hours=2))))
    assert "1 March 2026, 23:59 UTC" in shown
    assert 'datetime="2026-03-01T23:59:00+00:00"' in shown


def test_sizes_are_decimal():
    assert bytesize(1_000_000) == "1.0 MB"

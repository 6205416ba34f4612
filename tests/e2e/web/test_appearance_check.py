"""The check of appearances detects each kind of fault and reports nothing for a correct page."""

import pytest

from tests.e2e.helpers.appearance import faults

pytestmark = pytest.mark.browser
STYLE = """
body { margin: 8px; color: #111; background: #fff; font: 16px/1.2 sans-serif; }
.card { padding: 8px; border: 1px solid #888; }
.low { height: 10px; overflow: hidden; }
.narrow { width: 30px; white-space: nowrap; }
.up { margin-top: -18px; }
.mark { fill: #0b5b67; }
.pale { fill: #eee; }
.hole { height: 60px; background: #eee; }
"""
SOUND = """<h1>Title</h1><p class="card">Text <b>bold</b> and more text<br>in two lines</p>
<svg width="40" height="20" viewBox="0 0 40 20"><circle class="mark" cx="9" cy="9" r="8"/></svg>
<div style="width:60px;overflow-x:auto"><table><tr><td>wider</td><td>than</td><td>its</td><td>box</td></tr></table></div>
<div style="width:40px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap">a long name of a file</div>"""
FAULTY = {
    "class": '<p class="never-styled">Text</p>',
    "size": '<svg class="mark" width="3000" height="20"><rect class="mark" width="9" height="9"/></svg>',
    "clipped": '<p class="low">Text in a box that is too low</p>',
    "box": '<p class="card narrow">A text that is much wider than its box</p>',
    "overlap": '<p>The first line</p><p class="up" style="margin-top:-34px">The second line</p>',
    "contrast": '<svg width="40" height="20"><rect class="pale" width="30" height="9"/></svg>',
    "empty": '<div class="hole"></div>',
}


def shown(page, body):
    page.set_content(f"<!doctype html><html><head><style>{STYLE}</style></head><body>{body}</body></html>")
    return faults(page)


def test_a_page_that_looks_right_has_no_faults(page):
    assert shown(page, SOUND) == []


@pytest.mark.parametrize("kind", FAULTY)
def test_a_fault_is_found_with_its_element(page, kind):
    found = shown(page, SOUND + FAULTY[kind])
    assert {fault.kind for fault in found} == {kind}


def test_marks_without_a_rule_are_black_on_a_dark_ground(page):
    found = shown(
        page, '<main style="background:#14181b"><svg width="99" height="99"><rect width="9" height="99"/></svg></main>'
    )
    assert [fault.kind for fault in found] == ["contrast"]


@pytest.mark.parametrize(
    "heading", ["<h2></h2>", "<p></p>", "<ul><li></li></ul>", "<section></section>", '<a href="/"></a>']
)
def test_a_named_element_without_content_is_empty(page, heading):
    assert "empty" in {fault.kind for fault in shown(page, SOUND + heading)}

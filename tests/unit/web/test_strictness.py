"""Nothing in templates or scripts needs more than the content security policy allows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("template", TEMPLATES, ids=named)
def test_a_template_has_no_inline_style_script_or_handler(template):
    text = re.sub(r"{#.*?#}", "", template.read_text("utf-8"))
    assert not re.search(r"<[^>]*\sstyle\s*=", text), "style attribute"
    assert "<style" not in text
    assert not re.search(r"<[a-z][^>]*\son[a-z]+\s*=", text), "event handler attribute"
    assert not re.search(r"hx-on\b|hx-vals=[\"']js:|href=[\"']javascript:", text)
    for attributes in re.findall(r"<script\b([^>]*)>", text):
        assert "src=" in attributes or 'type="application/json"' in attributes, "inline script"


@pytest.mark.parametrize("template", TEMPLATES, ids=named)
def test_a_template_asks_for_nothing_from_elsewhere(template):
    text = template.read_text("utf-8")
    assert not re.search(r"<(script|img|link|iframe)\b[^>]*(src|href)=[\"'](https?:)?//", text)


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_a_script_never_evaluates_text_or_writes_style_attributes(script):
    text = script.read_text("utf-8")
    assert not re.search(
        r"\beval\(|new Function\(|setAttribute\(\s*[\"']style[\"']|document\.write|insertAdjacentHTML|innerHTML", text
    )


def test_html_is_told_to_htmx_without_eval_and_inline_styles():
    base = (ROOT / "templates/base.html").read_text("utf-8")
    assert '"allowEval": false' in base
    assert '"includeIndicatorStyles": false' in base

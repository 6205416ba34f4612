"""The style sheets of all pages are one file where files are collected, and the same files elsewhere."""

import shutil
from pathlib import Path

from django.template import Context, Template

from web.static_storage import JOINED, STYLE_SHEETS, JoiningStorage

STATIC = Path(__file__).parents[3] / "static"


def test_the_whole_holds_every_part_in_its_order(tmp_path):
    for folder in ("css", "vendor/source-sans-3", "vendor/source-serif-4"):
        shutil.copytree(STATIC / folder, tmp_path / folder)
    storage = JoiningStorage(location=tmp_path, base_url="/static/")
    names = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*") if path.is_file()]
    list(storage.post_process({name: (storage, name) for name in names}))
    whole = (tmp_path / JOINED).read_text("utf-8")
    places = [whole.index((STATIC / f"css/{name}.css").read_text("utf-8")) for name in STYLE_SHEETS]
    assert places == sorted(places)
    # Fonts are named by their content, as in the parts.
    assert "source-sans-3-latin-wght-normal.woff2" not in (tmp_path / storage.hashed_files[JOINED]).read_text("utf-8")


def test_a_page_links_every_part_where_nothing_was_joined():
    page = Template("{% load podium %}{% style_sheets %}").render(Context())
    assert page.count('<link rel="stylesheet"') == len(STYLE_SHEETS)
    assert [page.index(f"css/{name}.css") for name in STYLE_SHEETS] == sorted(
        page.index(f"css/{name}.css") for name in STYLE_SHEETS
    )

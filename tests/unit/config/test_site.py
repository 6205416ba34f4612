"""The static site contains every page of the help, resolves every link and loads nothing from elsewhere."""

import re

import pytest

from docs.make_site import stage, write_site
from web import manual

ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?https?://""")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Every page, built with all links checked, without the references of modules and operations."""
    folder = tmp_path_factory.mktemp("site") / "site"
    write_site(folder, pages_only=True)
    return folder


def test_every_page_of_the_help_is_in_the_contents(site):
    contents = (site / "index.html").read_text("utf-8")
    for part, names in manual.PARTS.items():
        assert part in contents
        for name in names:
            assert (site / f"{name}.html").is_file(), name
            assert f'href="{name}.html"' in contents, name


def test_pages_load_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(manual.NAMES)
    assert not [path.name for path in pages if ELSEWHERE.search(path.read_text("utf-8"))]


def test_links_to_files_that_the_site_lacks_become_text_and_code_stays(tmp_path):
    stage(tmp_path)
    text = (tmp_path / "index.md").read_text("utf-8")
    assert "[docs/participants.md](participants.md)" in text
    assert "licensed under Apache-2.0;" in text
    assert "[CHANGELOG.md](CHANGELOG.md)" in text
    guide = (tmp_path / "guides" / "add-a-metric.md").read_text("utf-8")
    assert guide.count("```") == (manual.folder() / "guides" / "add-a-metric.md").read_text("utf-8").count("```")

"""Releases agree: headings of the changelog, versions in the history of the code, tags, and kept databases."""

import re
import subprocess
from collections.abc import Iterable
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

import evaluation
from tests import releases

ROOT = Path(__file__).resolve().parents[3]
PLACE = "evaluation/version.py"
EARLIER_PLACE = "evaluation/__init__.py"
"""File that defined the version up to 0.2.0."""
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
RELEASE = re.compile(r"(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})")
VERSION = re.compile(r'^[+]?__version__ = "(.*)"$', re.MULTILINE)


def git(root: Path, *arguments: str) -> str:
    """Return the output of git; empty outside of a repository."""
    command = ["git", "-c", "safe.directory=*", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def is_complete(root: Path) -> bool:
    """Return whether a folder is a repository with its history."""
    return git(root, "rev-parse", "--is-shallow-repository") == "false"


def wrong_headings(text: str, today: date) -> list[str]:
    """Return headings of a changelog that are no release, or a release in the wrong place."""
    headings = HEADING.findall(text)
    releases_first = headings[1:] if headings[:1] == ["Unreleased"] else headings
    wrong = [heading for heading in releases_first if not RELEASE.fullmatch(heading)]
    dated = [
        (tuple(map(int, found[1].split("."))), date.fromisoformat(found[2]), found[0])
        for heading in releases_first
        if (found := RELEASE.fullmatch(heading))
    ]
    wrong += [heading for _, day, heading in dated if day > today]
    wrong += [
        heading for (newer, later, _), (older, earlier, heading) in pairwise(dated) if newer <= older or later < earlier
    ]
    return wrong


def versions_of(text: str) -> list[str]:
    return [found[1] for heading in HEADING.findall(text) if (found := RELEASE.fullmatch(heading))]


def unknown_versions(root: Path, versions: Iterable[str]) -> list[str]:
    """Return versions that the code never had; none without the history."""
    if not is_complete(root):
        return []
    history = git(root, "log", "--format=", "--patch", "-G__version__", "--", PLACE, EARLIER_PLACE)
    known = {*VERSION.findall(history), *VERSION.findall((root / PLACE).read_text("utf-8"))}
    return [version for version in versions if version not in known]


def wrong_tags(root: Path, versions: Iterable[str]) -> list[str]:
    """Return tags of releases whose commit has another version, or that have no heading. A clone without tags has none."""
    wrong = []
    for tag in git(root, "tag", "--list", "v[0-9]*").split():
        at_tag = [
            version
            for place in (PLACE, EARLIER_PLACE)
            for version in VERSION.findall(git(root, "show", f"{tag}:{place}"))
        ]
        if at_tag != [tag.removeprefix("v")] or tag.removeprefix("v") not in versions:
            wrong.append(tag)
    return wrong


CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_headings_of_the_changelog_are_releases_in_order() -> None:
    assert wrong_headings(CHANGELOG, datetime.now(UTC).date()) == []
    assert versions_of(CHANGELOG)[0] == evaluation.__version__


def test_every_heading_is_a_version_that_the_code_had() -> None:
    assert unknown_versions(ROOT, versions_of(CHANGELOG)) == []


def test_every_tag_has_its_version_and_its_heading() -> None:
    assert wrong_tags(ROOT, versions_of(CHANGELOG)) == []


def test_every_kept_database_belongs_to_a_version_of_the_changelog() -> None:
    assert set(releases.versions()) <= {*versions_of(CHANGELOG)}


@pytest.mark.parametrize(
    ("headings", "wrong"),
    [
        (["Unreleased", "0.2.0 - 2026-11-23", "0.1.0 - 2026-11-01"], []),
        (["0.2.0 - 2026-11-23"], []),
        (["0.2.0 - 2026-11-23", "Unreleased"], ["Unreleased"]),
        (["0.2.0"], ["0.2.0"]),
        (["0.2.0 - 2027-11-23"], ["0.2.0 - 2027-11-23"]),
        (["0.2.0 - 2026-11-23", "0.10.0 - 2026-11-01"], ["0.10.0 - 2026-11-01"]),
        (["0.2.0 - 2026-11-01", "0.1.0 - 2026-11-23"], ["0.1.0 - 2026-11-23"]),
        (["0.2.0 - 2026-11-23", "0.2.0 - 2026-11-23"], ["0.2.0 - 2026-11-23"]),
    ],
)
def test_wrong_headings_are_detected(headings: list[str], wrong: list[str]) -> None:
    text = "\n".join(f"## {heading}\n### Added\n- A line.\n" for heading in headings)
    assert wrong_headings(text, date(2026, 12, 1)) == wrong


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the versions 0.1.0 and 0.2.0, of which the first has a tag."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / PLACE).parent.mkdir()
    for version, place in (("0.1.0", EARLIER_PLACE), ("0.2.0", PLACE)):
        (tmp_path / place).write_text(f'"""Package."""\n\n__version__ = "{version}"\n')
        git(tmp_path, "add", place)
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", version)
        if version == "0.1.0":
            git(tmp_path, "tag", "v0.1.0")
    return tmp_path


def test_a_version_that_the_code_never_had_is_detected(repository: Path) -> None:
    assert unknown_versions(repository, ["0.3.0", "0.2.0", "0.1.0"]) == ["0.3.0"]


def test_a_clone_without_history_and_tags_has_nothing_to_compare(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", "--no-tags", repository.as_uri(), str(shallow))
    assert not is_complete(shallow)
    assert unknown_versions(shallow, ["0.2.0", "0.1.0"]) == []
    assert wrong_tags(shallow, ["0.2.0"]) == []


def test_a_tag_needs_the_version_of_its_commit_and_a_heading(repository: Path) -> None:
    assert wrong_tags(repository, ["0.2.0", "0.1.0"]) == []
    assert wrong_tags(repository, ["0.2.0"]) == ["v0.1.0"]
    git(repository, "tag", "v0.3.0")
    assert wrong_tags(repository, ["0.3.0", "0.2.0", "0.1.0"]) == ["v0.3.0"]


def test_each_change_is_one_line_of_at_most_twenty_words() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("- ") and len(line[2:].split()) > 20] == []
    # A change does not continue on a second line.
    assert [line for line in lines if line.startswith("  ")] == []

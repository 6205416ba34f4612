"""The documentation of settings and dependencies matches the code."""

import re
import subprocess

from django.conf import settings

ROOT = settings.ROOT


def test_every_variable_that_the_settings_read_is_documented_and_no_other():
    source = "".join(part.read_text() for part in (ROOT / "platform/config/settings").glob("*.py"))
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z0-9_]+)"', source)) | {"PORT", "HOST"}
    table = (ROOT / "docs" / "operators" / "settings.md").read_text().partition("## In docker-compose.yml")[0]
    documented = {
        name for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert documented == read


def required(file):
    lines = (ROOT / file).read_text().splitlines()
    return {re.split(r"[\[<>=]", line)[0].lower() for line in lines if line and not line.startswith(("#", "-"))}


def test_every_dependency_has_its_line_and_every_line_its_dependency():
    table = (ROOT / "docs" / "dependencies.md").read_text()
    named = {
        name.lower()
        for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", row)
    }
    wanted = required("requirements.in") | required("requirements-test.in")
    assert wanted - named == set()
    assert named - wanted == set()


def test_the_lock_pins_every_requirement_with_hashes():
    for lock, source in (("requirements.txt", "requirements.in"), ("requirements-test.txt", "requirements-test.in")):
        text = (ROOT / lock).read_text()
        pinned = {name.lower() for name in re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==", text, re.MULTILINE)}
        assert required(source) <= pinned
        assert text.count("--hash=sha256:") >= len(pinned)


def test_links_between_documents_lead_somewhere():
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for document in documents:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_guide_for_contributors_describes_every_guide_in_one_sentence():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    described = re.findall(r"^- \[[^]]+\]\(docs/guides/([^)]+)\): [^.]+\.$", text, re.MULTILINE)
    guides = sorted(path.name for path in (ROOT / "docs" / "guides").glob("*.md"))
    assert sorted(described) == guides, "CONTRIBUTING.md: one line “- [Title](docs/guides/FILE): sentence.” per guide"


def test_make_help_lists_every_target_in_a_group():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    targets = re.findall(r"^([a-z-]+):(?!=)", makefile, re.MULTILINE)
    assert sorted(targets) == sorted(phony.split())
    command = ["make", "--no-print-directory", "help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    groups = {
        part.split("\n", 1)[0]: re.findall(r"^  make (\S+) +[A-Z].*\.$", part, re.MULTILINE)
        for part in shown.strip().split("\n\n")
    }
    assert all(groups.values())
    assert len(groups) == makefile.count("##@ ") - 1
    listed = [target for group in groups.values() for target in group]
    # One shows this list, the other is a part of `run`.
    assert sorted(listed) == sorted(set(targets) - {"help", "linux"})


def test_picture_and_table_of_packages_show_the_layers_that_are_checked():
    from docs.make_apps_picture import PICTURE, drawing, packages

    assert PICTURE.read_text("utf-8") == drawing(), "run python -m docs.make_apps_picture"
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \|", page[: page.index("Inside an app the same layers")], re.MULTILINE)
    assert rows == [
        name
        for package, apps in reversed(packages().items())
        for name in (package, *(f"{package}.{app}" for app in apps))
    ]

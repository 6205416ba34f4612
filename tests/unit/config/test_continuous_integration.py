"""The planning of the suite: what it skips, what `CI=true` demands, and that the published workflow can pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import run

WORKFLOW = run.ROOT / ".github" / "workflows" / "test.yml"
NOBODY = 65534
# Loads the module as the user of the tests, since another user may not reach the interpreter, then gives up all rights.
UNPRIVILEGED = f"""
import os, sys
from tests import run
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid({NOBODY}, {NOBODY}, {NOBODY})
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
assert os.geteuid() != 0
sys.exit(run.main("plan"))
"""


@pytest.fixture
def machine(monkeypatch):
    """A machine on which a set of requirements is missing."""

    def lacking(*names: str, **environment: str) -> None:
        for variable in ("CI", "PODIUM_CI_WITHOUT"):
            monkeypatch.delenv(variable, raising=False)
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        table = {
            name: run.Requirement(entry.tests, lambda name=name: "its parts" if name in names else "")
            for name, entry in run.REQUIREMENTS.items()
        }
        monkeypatch.setattr(run, "REQUIREMENTS", table)

    return lacking


def planned(capsys) -> tuple[int, str]:
    code = run.main("plan")
    return code, capsys.readouterr().out


def legs(text: str) -> set[str]:
    return {line.removeprefix("runs: ") for line in text.splitlines() if line.startswith("runs: ")}


def test_what_is_missing_is_named_as_skipped(machine, capsys):
    machine("browser", "redis")
    code, text = planned(capsys)
    assert code == 0
    assert "skipped: the browser tests (browser is missing: its parts)" in text
    assert "skipped: the integration tests on PostgreSQL and Redis (redis is missing: its parts)" in text
    assert not any("browser" in leg or "PostgreSQL" in leg for leg in legs(text))
    assert "real containers" in legs(text)


def test_in_continuous_integration_it_is_an_error(machine, capsys):
    machine("browser", CI="true")
    code, text = planned(capsys)
    assert code == 1
    assert "the browser tests (browser is missing: its parts)" in text
    assert legs(text) == set()


def test_except_what_is_listed(machine, capsys):
    machine("browser", "containers", CI="true", PODIUM_CI_WITHOUT="browser, containers")
    code, text = planned(capsys)
    assert code == 0
    assert "skipped: the browser tests (browser is listed in PODIUM_CI_WITHOUT)" in text
    assert "real containers" not in legs(text)
    assert run.is_demanded("composition")
    assert not run.is_demanded("browser")


def test_what_is_listed_is_skipped_also_where_it_is_there(machine, capsys):
    machine(CI="true", PODIUM_CI_WITHOUT="composition,postgresql")
    code, text = planned(capsys)
    assert code == 0
    assert not any("compose" in leg or "PostgreSQL" in leg for leg in legs(text))
    assert "real processes and browser, embedded default" in legs(text)


def test_an_unknown_name_is_refused(machine, capsys):
    machine(CI="true", PODIUM_CI_WITHOUT="browser,podman")
    code, text = planned(capsys)
    assert code == 2
    assert "PODIUM_CI_WITHOUT contains podman" in text
    assert "browser, postgresql, redis, containers, composition" in text


def test_every_name_is_documented():
    text = (run.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in run.REQUIREMENTS)


def test_an_unprivileged_runner_lacks_nothing_that_the_workflow_demands(tmp_path: Path):
    """The runner image has Google Chrome and no right to be root; the workflow's environment does the rest."""
    job = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["test"]
    assert job["env"]["CI"] == "true"
    browser = tmp_path / "google-chrome"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    tmp_path.chmod(0o755)
    for folder in list(tmp_path.parents)[:2]:
        folder.chmod(folder.stat().st_mode | 0o011)
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "PYTHONPATH": str(run.ROOT),
        **{name: str(value) for name, value in job["env"].items()},
    }
    asked = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED], cwd=run.ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert "real processes and browser, PostgreSQL + Redis" in legs(asked.stdout)
    skipped = [line for line in asked.stdout.splitlines() if line.startswith("skipped")]
    assert all("listed in PODIUM_CI_WITHOUT" in line for line in skipped), skipped

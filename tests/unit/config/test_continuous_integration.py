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
sys.exit(run.main("plan", only=[sys.argv[1]], shard=sys.argv[2]))
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
    assert "browser, postgresql, redis, containers, slurm, composition" in text


def test_every_name_is_documented():
    text = (run.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in run.REQUIREMENTS)


def jobs() -> dict[str, dict]:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]


SHARES = [(entry["part"], entry["shard"]) for entry in jobs()["test"]["strategy"]["matrix"]["include"]]
"""Parts and shards of the jobs."""
AS_ROOT = {"containers", "slurm", "composition"}
SECONDS = {
    "lint": 276, "migrations": 13, "embedded": 2331, "integration": 512, "browser": 1067, "browser-services": 539,
}  # fmt: skip
"""Durations of the parts on two cores, measured on 29 November 2026."""
SETUP = 120
"""Seconds before the first test: installation of packages, and migration of a database."""


@pytest.mark.parametrize(("part", "shard"), SHARES)
def test_an_unprivileged_runner_lacks_nothing_that_the_workflow_demands(part: str, shard: str, tmp_path: Path):
    """The runner image has Google Chrome and no right to be root; the workflow's environment does the rest."""
    job = jobs()["test"]
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
        [sys.executable, "-c", UNPRIVILEGED, part, shard],
        cwd=run.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert any(f"shard {shard[0]} of {shard[-1]}" in leg for leg in legs(asked.stdout)), asked.stdout
    skipped = [line for line in asked.stdout.splitlines() if line.startswith("skipped")]
    assert all("listed in PODIUM_CI_WITHOUT" in line for line in skipped), skipped


def test_every_job_runs_its_share():
    assert jobs()["test"]["steps"][-1]["run"] == "make test ONLY=${{ matrix.part }} SHARD=${{ matrix.shard }}"
    assert jobs()["lint"]["steps"][-1]["run"] == 'make test ONLY="lint migrations"'


def test_the_jobs_together_run_every_part_that_needs_no_root_completely():
    count = {part: int(shard.partition("/")[2]) for part, shard in SHARES}
    assert sorted(SHARES) == sorted((part, f"{i}/{n}") for part, n in count.items() for i in range(1, n + 1))
    assert {"lint", "migrations", *count} == set(run.PARTS) - AS_ROOT
    assert set(jobs()["test"]["env"]["PODIUM_CI_WITHOUT"].split(",")) == AS_ROOT


def test_no_job_takes_longer_than_ten_minutes_by_estimate():
    estimates = {part: SECONDS[part] / int(shard.partition("/")[2]) + SETUP for part, shard in SHARES}
    estimates["lint"] = SECONDS["lint"] + SECONDS["migrations"] + SETUP
    assert {part: seconds for part, seconds in estimates.items() if seconds > 600} == {}


def complete() -> run.Plan:
    return run.plan(browser=True, services=True, engine=True, composition=True)


def test_every_leg_belongs_to_a_part():
    assert list(dict.fromkeys(leg.part for leg in complete().legs if leg not in complete().first)) == list(run.PARTS)


@pytest.mark.parametrize("part", sorted({part for part, _ in SHARES}))
def test_the_shards_of_a_part_contain_each_file_once(part: str):
    (leg,) = [leg for leg in complete().legs if leg.part == part]
    files = {file for folder in run.folders_of(leg) for file in folder.rglob("*.py")}
    names = {file.relative_to(run.ROOT).as_posix() for file in files}
    count = max(int(shard.partition("/")[2]) for name, shard in SHARES if name == part)
    remaining = []
    for number in range(1, count + 1):
        shard = run.sharded(leg, number, count)
        assert shard.command == [*leg.command, "-p", "tests.sharding"]
        ignored = {file.relative_to(run.ROOT).as_posix() for file in shard.ignored}
        assert ignored <= names
        remaining.append(names - ignored)
    assert sum(map(len, remaining)) == len(names)
    assert set.union(*remaining) == names
    tests = [sum(name.rpartition("/")[2].startswith("test_") for name in shard) for shard in remaining]
    assert max(tests) <= 1.1 * min(tests) + 1


def test_marked_files_are_spread_over_the_shards():
    (leg,) = [leg for leg in complete().legs if leg.part == "browser-services"]
    files = [file for folder in run.folders_of(leg) for file in folder.rglob("test_*.py")]
    marked = [
        sum("mark.services" in file.read_text("utf-8") for file in shard if file in files)
        for shard in run.dealt(files, 2)
    ]
    assert min(marked) > 0
    assert max(marked) - min(marked) <= 1


def test_pytest_collects_each_test_in_exactly_one_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A small project with doctests, a package, and tests of different sizes."""
    (tmp_path / "checks" / "inner").mkdir(parents=True)
    (tmp_path / "checks" / "inner" / "__init__.py").write_text('"""\n>>> 1\n1\n"""\n')
    for number in range(7):
        tests = "".join(f"def test_{index}(): pass\n" for index in range(number + 1))
        folder = tmp_path / "checks" / ("inner" if number % 2 else "")
        (folder / f"test_n{number}.py").write_text(tests)
    root = run.ROOT
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    leg = run.Leg("small", [sys.executable, "-m", "pytest", "-q", "--collect-only", "--doctest-modules", "checks"])
    leg.env["PYTHONPATH"] = str(root)

    def collected(one: run.Leg) -> list[str]:
        _, out = one._run(one.name, one.command)
        return [line for line in out.splitlines() if "::" in line]

    shards = [collected(run.sharded(leg, number, 3)) for number in (1, 2, 3)]
    assert sorted(test for shard in shards for test in shard) == sorted(collected(leg))
    assert all(shards)


def test_a_module_with_doctests_is_collected_without_the_others():
    """A circular import hides a module from a shard, and `--doctest-ignore-import-errors` hides the circle."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--collect-only", "platform/api/parsers.py"]
    ran = subprocess.run(command, cwd=run.ROOT, capture_output=True, text=True, check=False)
    assert "api.parsers.levels" in ran.stdout, ran.stdout


@pytest.mark.parametrize(
    ("only", "shard", "message"),
    [
        (["embedded"], "3/2", "3/2 is no shard."),
        (["embedded"], "0/2", "0/2 is no shard."),
        (["lint"], "1/2", "lint has no test files"),
        (["containers"], "", "containers cannot run here"),
    ],
)
def test_a_share_that_does_not_exist_is_refused(machine, capsys, only, shard, message):
    machine("containers", CI="true", PODIUM_CI_WITHOUT="containers")
    assert run.main("plan", only=only, shard=shard) == 2
    assert message in capsys.readouterr().out


def test_a_share_prepares_only_the_databases_of_its_tests(machine, capsys):
    machine()
    for only, first in (
        (["lint"], []),
        (["embedded"], ["SQLite"]),
        (["integration", "browser"], ["SQLite", "PostgreSQL"]),
    ):
        assert run.main("plan", only=only) == 0
        prepared = [leg for leg in capsys.readouterr().out.splitlines() if "migrated database" in leg]
        assert [leg.rpartition(", ")[2] for leg in prepared] == first

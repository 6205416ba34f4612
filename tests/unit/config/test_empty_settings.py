"""A variable that is set and empty is refused with its name, wherever it is read."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from evaluation.environment import EMPTY_IS_UNSET, EmptySettingError, setting
from tests.sources import nodes

ROOT: Path = settings.ROOT
SOURCES = ("platform", "evaluation", "confinement", "client")
OTHERS = {
    "DJANGO_SETTINGS_MODULE": "set by the programs of the platform themselves",
    "DOCKER_HOST": "passed on to docker as it is",
    "XDG_RUNTIME_DIR": "passed on to podman as it is",
    "PATH": "passed on to programs as it is",
    "KUBERNETES_SERVICE_HOST": "set by Kubernetes in every pod",
    "KUBERNETES_SERVICE_PORT": "set by Kubernetes in every pod",
}
"""Variables that are no settings of Podium, and why they are read or written without `setting`."""


def read_names(text: str) -> Iterator[tuple[str, bool]]:
    """Return each variable that a module reads, and whether an empty value is refused there."""
    for node in nodes(text):
        is_read = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_environment(node.value)
        if is_read and isinstance(node.slice, ast.Constant):
            yield str(node.slice.value), False
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        name, function = node.args[0].value, node.func
        if not isinstance(name, str) or not name.isupper():
            continue
        if isinstance(function, ast.Attribute) and (_is_environment(function.value) or function.attr == "getenv"):
            yield name, False
        elif (
            isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "env"
        ) or getattr(function, "id", getattr(function, "attr", "")) in ("setting", "_setting", "variable"):
            yield name, True


def _is_environment(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "environ"


def all_names() -> dict[str, bool]:
    paths = [ROOT / "manage.py", *(path for source in SOURCES for path in sorted((ROOT / source).rglob("*.py")))]
    found: dict[str, bool] = {}
    for path in paths:
        for name, refused in read_names(path.read_text(encoding="utf-8")):
            found[name] = refused and found.get(name, True)
    return found


def of_the_settings() -> list[str]:
    parts = sorted((ROOT / "platform" / "config" / "settings").glob("*.py"))
    return sorted({name for part in parts for name, _ in read_names(part.read_text(encoding="utf-8"))})


def test_every_variable_is_read_where_an_empty_one_is_refused():
    unguarded = {name for name, refused in all_names().items() if not refused}
    assert unguarded - OTHERS.keys() == set()
    assert OTHERS.keys() - all_names().keys() == set()


READ_ALL = """
import json, os, sys
answers = {}
for name in json.loads(sys.argv[1]):
    for module in [module for module in sys.modules if module.startswith("config")]:
        del sys.modules[module]
    before = os.environ.get(name)
    os.environ[name] = ""
    try:
        import config.settings
        answers[name] = ""
    except Exception as error:
        answers[name] = f"{type(error).__name__}: {error}"
    if before is None:
        del os.environ[name]
    else:
        os.environ[name] = before
print(json.dumps(answers))
"""


def test_every_setting_that_is_empty_is_refused_with_its_name(tmp_path):
    names = of_the_settings()
    assert len(names) > 70
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = {
        **inherited,
        "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}",
        "PODIUM_DATA": str(tmp_path / "data"),
        # What is read only beside other settings is read.
        "DATABASE_URL": "postgres://podium:x@db:5432/podium",
        "PODIUM_S3_BUCKET": "podium",
    }
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, json.dumps(names)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    refused = {
        name: f"ImproperlyConfigured: {name} is set and empty. Give it a value, or remove it from the environment and from .env."
        for name in names
        if name not in EMPTY_IS_UNSET
    }
    assert {name: answers[name] for name in refused} == refused
    assert {"DATABASE_URL", "REDIS_URL"} <= set(refused)


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL"])
def test_an_embedded_service_is_chosen_by_a_word_and_not_by_nothing(name):
    assert setting(name, {name: "embedded"}) is None
    assert setting(name, {name: "redis://somewhere"}) == "redis://somewhere"
    with pytest.raises(EmptySettingError, match=f"{name} is set and empty"):
        setting(name, {name: ""})
    assert setting("PODIUM_DATA", {"PODIUM_DATA": "embedded"}) == "embedded"


def test_a_data_folder_that_is_empty_leaves_the_folder_of_the_code_as_it_is(tmp_path):
    place = tmp_path / "code"
    place.mkdir(mode=0o755)
    environment = {**os.environ, "PODIUM_DATA": "", "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "PODIUM_DATA is set and empty" in done.stderr
    assert place.stat().st_mode & 0o777 == 0o755
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("name", ["PODIUM_URL", "PODIUM_TOKEN", "PODIUM_CONFIG"])
def test_the_command_refuses_an_empty_variable(monkeypatch, capsys, name):
    from podium_client.cli import main

    monkeypatch.setenv(name, "")
    assert main(["login", "https://podium.example.org"] if name == "PODIUM_TOKEN" else ["status", "1"]) != 0
    assert f"{name} is set and empty" in capsys.readouterr().err


def test_the_makefile_refuses_an_empty_interpreter():
    done = subprocess.run(
        ["make", "--dry-run", "linux", "PYTHON="], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "PYTHON is set and empty" in done.stderr


def test_the_exceptions_are_documented_with_their_reasons():
    page = (ROOT / "docs" / "operators" / "settings.md").read_text(encoding="utf-8")
    section = page.partition("### Empty values")[2].partition("\n## ")[0].replace("\n  ", " ")
    for name, reason in EMPTY_IS_UNSET.items():
        assert f"- `{name}`: {reason}" in section


def test_spaces_are_no_value():
    with pytest.raises(EmptySettingError, match="SECRET_KEY is set and empty"):
        setting("SECRET_KEY", {"SECRET_KEY": " \t"})

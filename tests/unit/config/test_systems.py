"""Supported systems: the platform on Linux, the science side and the command everywhere."""

import ast
import os
import shutil
import subprocess
import sys

import pytest
from django.conf import settings

from tests.sources import parsed

ONLY_POSIX = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
SENTENCE = "Podium's workers need Linux, and this is darwin."


@pytest.fixture
def elsewhere(tmp_path):
    """Environment in which Python believes that it runs on another system."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.platform = 'darwin'\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def test_running_the_platform_elsewhere_is_refused_before_anything_is_loaded(elsewhere):
    command = [
        sys.executable,
        "-c",
        "import runpy, sys; sys.argv = ['manage.py', 'run']; sys.modules['django'] = None;",
    ]
    command[-1] += "runpy.run_path('manage.py', run_name='__main__')"
    result = subprocess.run(command, cwd=settings.ROOT, env=elsewhere, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith(SENTENCE)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not there")
def test_make_run_elsewhere_installs_nothing(elsewhere, tmp_path):
    command = ["make", "run", f"PYTHON={sys.executable}", f"VENV={tmp_path / 'venv'}"]
    result = subprocess.run(command, cwd=settings.ROOT, env=elsewhere, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert result.stderr.startswith(SENTENCE)
    assert not (tmp_path / "venv").exists()


def without_optional_imports(tree):
    """Yield the nodes of a module, without those of a ``try`` that an ``except ImportError`` ends."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Try) and any(
            isinstance(handler.type, ast.Name) and handler.type.id == "ImportError" for handler in node.handlers
        ):
            continue
        yield node
        yield from without_optional_imports(node)


def imported(path):
    for node in without_optional_imports(parsed(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("folder", ["evaluation", "client"])
def test_what_works_everywhere_imports_nothing_that_only_posix_has(folder):
    modules = sorted((settings.ROOT / folder).rglob("*.py"))
    assert modules
    assert {str(path): names for path in modules if (names := ONLY_POSIX & set(imported(path)))} == {}

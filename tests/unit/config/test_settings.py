"""Secure unless told otherwise."""

import json
import os
import stat
import subprocess
import sys

import pytest
from django.conf import settings


def run(*command, **environment):
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PODIUM_", "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DEBUG"))
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=settings.ROOT,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def manage(*arguments, **environment):
    return run("manage.py", *arguments, **environment)


def asked(code, **environment):
    """What a process that reads the settings, and loads no application, says."""
    place = os.pathsep.join([str(settings.ROOT / "platform"), str(settings.ROOT)])
    told = {"PYTHONPATH": place, "DJANGO_SETTINGS_MODULE": "config.settings", **environment}
    result = run("-c", code, **told)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_deployment_check_is_clean_in_production_settings(tmp_path):
    result = manage("check", "--deploy", "--fail-level", "INFO", PODIUM_DATA=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "no issues (0 silenced)" in result.stdout


def test_the_secret_key_is_made_once_and_readable_by_its_owner_only(tmp_path):
    code = "from django.conf import settings; print(settings.SECRET_KEY)"
    first, second = (asked(code, PODIUM_DATA=str(tmp_path)) for _ in range(2))
    assert first == second
    assert len(first.strip()) > 60
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_example_mode_with_its_printed_passwords_is_refused_behind_tls(tmp_path):
    result = manage("check", PODIUM_DATA=str(tmp_path), PODIUM_EXAMPLE_MODE="1")
    assert result.returncode != 0
    assert "PODIUM_EXAMPLE_MODE" in result.stderr


def test_debug_is_off_unless_asked():
    assert settings.DEBUG is False


@pytest.mark.django_db
def test_pages_come_with_a_strict_content_security_policy(client):
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy


def test_sqlite_is_set_up_for_several_processes(tmp_path):
    code = (
        "import json; from django.db import connection; c = connection.cursor();"
        "ask = lambda p: c.execute(f'PRAGMA {p}').fetchone()[0];"
        "print(json.dumps([ask('journal_mode'), ask('foreign_keys'), ask('busy_timeout'),"
        " connection.settings_dict['OPTIONS']['transaction_mode']]))"
    )
    shown = asked(code, PODIUM_DATA=str(tmp_path))
    assert json.loads(shown) == ["wal", 1, 20000, "IMMEDIATE"]


def test_the_folder_named_platform_does_not_hide_the_standard_library():
    import platform

    assert platform.system()
    assert not (settings.ROOT / "platform" / "__init__.py").exists()

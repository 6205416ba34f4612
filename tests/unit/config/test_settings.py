"""Settings are secure by default."""

import json
import os
import stat
import subprocess
import sys

import pytest
from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from web.secret import kept_secret, private_folder


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
    """Return the output of a process that reads the settings and loads no application."""
    place = os.pathsep.join([str(settings.ROOT / "platform"), str(settings.ROOT)])
    told = {"PYTHONPATH": place, "DJANGO_SETTINGS_MODULE": "config.settings", **environment}
    result = run("-c", code, **told)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_deployment_check_is_clean_in_production_settings(tmp_path):
    address = "https://podium.example.org"
    result = manage("check", "--deploy", "--fail-level", "INFO", PODIUM_DATA=str(tmp_path), PODIUM_ADDRESS=address)
    assert result.returncode == 0, result.stderr
    assert "no issues (0 silenced)" in result.stdout


def test_an_address_that_leads_nowhere_is_refused_before_anything_is_migrated(tmp_path):
    """The address of an installation that names none, checked in this process: loading all applications takes seconds."""
    code = "from django.conf import settings; print(settings.PODIUM_TLS, settings.PODIUM_ADDRESS)"
    has_tls, address = asked(code, PODIUM_DATA=str(tmp_path)).split()
    assert has_tls == "True"
    with override_settings(PODIUM_TLS=True, PODIUM_ADDRESS=address):
        found = checks.run_checks(tags=[checks.Tags.security], include_deployment_checks=True, databases=[])
    [refusal] = [message for message in found if "mails and citations would lead nowhere" in message.msg]
    assert refusal.is_serious(checks.ERROR)


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


def test_an_existing_data_folder_with_loose_rights_is_tightened_and_the_log_says_so(tmp_path):
    loose = tmp_path / "data"
    loose.mkdir()
    loose.chmod(0o755)
    (loose / "secret.key").write_text("known to everybody on this machine, since anybody could read it")
    (loose / "secret.key").chmod(0o644)
    code = "from django.conf import settings; settings.SECRET_KEY"
    first = run("-c", code, PYTHONPATH="platform:.", DJANGO_SETTINGS_MODULE="config.settings", PODIUM_DATA=str(loose))
    assert first.returncode == 0, first.stderr
    assert stat.S_IMODE(loose.stat().st_mode) == 0o700
    assert stat.S_IMODE((loose / "secret.key").stat().st_mode) == 0o600
    assert f"Rights of {loose} tightened from 0755 to 0700" in first.stderr
    assert f"Rights of {loose / 'secret.key'} tightened from 0644 to 0600" in first.stderr
    again = run("-c", code, PYTHONPATH="platform:.", DJANGO_SETTINGS_MODULE="config.settings", PODIUM_DATA=str(loose))
    assert "tightened" not in again.stderr


@pytest.mark.parametrize("name", ["", "secret.key"])
def test_a_data_folder_or_key_of_another_user_is_refused_with_the_remedy(tmp_path, monkeypatch, name):
    (tmp_path / "secret.key").write_text("a secret of somebody else")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(
        ImproperlyConfigured, match=f"belongs to the user with the number {owner}.*chown -R {owner + 1}"
    ):
        kept_secret(tmp_path / name) if name else private_folder(tmp_path)


def test_the_key_of_references_is_tightened_as_well(tmp_path):
    key = tmp_path / "references.key"
    key.write_text("AGE-SECRET-KEY-1")
    key.chmod(0o640)
    assert kept_secret(key) == "AGE-SECRET-KEY-1"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("environment", "value"),
    [
        ({}, "False"),
        ({"DATABASE_URL": "postgres://podium:x@db:5432/podium"}, "True"),
        ({"DATABASE_URL": "postgres://podium:x@db:5432/podium", "PODIUM_TLS": "0"}, "False"),
        ({"DATABASE_URL": "postgres://podium:x@db:5432/podium", "PODIUM_STAFF_SECOND_FACTOR": "0"}, "False"),
        ({"PODIUM_STAFF_SECOND_FACTOR": "1"}, "True"),
    ],
)
def test_staff_need_a_second_factor_unless_the_installation_is_the_embedded_one(tmp_path, environment, value):
    code = "from django.conf import settings; print(settings.PODIUM_STAFF_SECOND_FACTOR)"
    assert asked(code, PODIUM_DATA=str(tmp_path), **environment).strip() == value


def test_a_number_of_proxies_below_zero_is_refused(tmp_path):
    result = manage("check", PODIUM_DATA=str(tmp_path), PODIUM_TRUSTED_PROXIES="-1")
    assert result.returncode != 0
    assert "number of proxies before the web process" in result.stderr

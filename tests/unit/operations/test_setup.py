"""`manage.py setup` writes what docker-compose.yml reads, once, for its owner only."""

import re
import stat
from io import StringIO

import pytest
from django.conf import settings as project
from django.core.management import CommandError, call_command

from operations.domain.environment import AnswerError, Answers, checked

GIVEN = {
    "address": "https://podium.example.org",
    "admin_email": "ada@example.org",
    "email_url": "smtp+tls://user:word@mail.example.org:587",
    "sender": "podium@example.org",
    "prefix": "mic",
    "publisher": "The Society",
    "tls": "internal",
}


def setup(folder, **changed):
    out = StringIO()
    call_command("setup", folder=folder, **{**GIVEN, **changed}, stdout=out)
    return out.getvalue()


def values(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_both_files_are_written_for_their_owner_only(tmp_path):
    said = setup(tmp_path)

    for name in (".env", "references.env"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert "PODIUM_REGISTRY_PREFIX: stands in every identifier" in said


def test_every_variable_that_compose_demands_is_there(tmp_path):
    setup(tmp_path)
    demanded = set(re.findall(r"\$\{(\w+):\?", (project.ROOT / "docker-compose.yml").read_text()))

    assert demanded <= set(values(tmp_path / ".env"))
    assert values(tmp_path / "references.env")["PODIUM_REFERENCE_KEY"].startswith("AGE-SECRET-KEY-1")


def test_the_key_of_the_references_is_not_where_everybody_reads(tmp_path):
    setup(tmp_path)

    assert "AGE-SECRET-KEY" not in (tmp_path / ".env").read_text()


def test_secrets_are_random_and_long(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    setup(tmp_path / "a")
    setup(tmp_path / "b")
    first, second = values(tmp_path / "a" / ".env"), values(tmp_path / "b" / ".env")

    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "PODIUM_S3_SECRET_KEY"):
        assert first[name] != second[name]
        assert len(first[name]) >= 40


@pytest.mark.parametrize("there", [".env", "references.env"])
def test_what_is_there_is_never_written_over(tmp_path, there):
    (tmp_path / there).write_text("mine")

    with pytest.raises(CommandError, match="left as it is"):
        setup(tmp_path)
    assert (tmp_path / there).read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("address", "http://podium.example.org", "https://"),
        ("address", "https://podium.example.org/path", "without a path"),
        ("address", "https://localhost", "host name"),
        ("admin_email", "ada", "administrator"),
        ("sender", "Podium <x@y>", "sender"),
        ("email_url", "mail.example.org", "smtp"),
        ("prefix", "MIC", "small letters"),
        ("tls", "yes", "internal or own"),
        ("publisher", 'The "Society"', "cannot hold"),
        ("publisher", "a$b", "cannot hold"),
    ],
)
def test_an_answer_that_cannot_be_a_setting_is_refused_with_the_reason(name, value, said):
    with pytest.raises(AnswerError, match=said):
        checked(Answers(**{**GIVEN, name: value}))


def test_without_a_terminal_what_is_missing_is_named(tmp_path):
    with pytest.raises(CommandError, match="--sender is missing"):
        setup(tmp_path, sender=None)

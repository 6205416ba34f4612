"""Roles of PostgreSQL: the work of web, workers and scoring images under their roles, and what each role cannot do."""

import fcntl
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction

from accounts.models import User
from core.audit.models import Entry
from executions.judging.models import Judgement, Trial
from executions.judging.services import judging, trying
from executions.services import hosts
from leaderboards.services import rankings
from operations.domain.database_roles import ROLES, variable
from operations.services import heartbeats
from operations.services.database_roles import name_of
from submissions.models import Submission
from submissions.services import scoring, validation
from tests.integration.judging.conftest import engine, world
from tests.integration.judging.world import IMAGE, dice
from tests.integration.submissions.world import predictions

__all__ = ["engine", "world"]
pytestmark = pytest.mark.django_db(transaction=True)
PASSWORDS = {role: f"a password of {role}" for role in ROLES}
LOCK = Path(tempfile.gettempdir()) / "podium-tests-database-roles.lock"


@pytest.fixture(autouse=True)
def roles(db, monkeypatch) -> None:
    """The roles with their rights in the database of this test."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no roles")
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
        if not cursor.fetchone()[0]:
            pytest.skip("the user of DATABASE_URL may not create roles: ALTER ROLE … CREATEROLE")
    for role, password in PASSWORDS.items():
        monkeypatch.setenv(variable(role), password)
    # Roles belong to the server, and other processes of the suite use the same one.
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call_command("database_roles")


@contextmanager
def signed_in(role: str) -> Iterator[None]:
    """Let all connections of this process use a role and its password."""
    before = {key: connection.settings_dict[key] for key in ("USER", "PASSWORD")}
    if before["PASSWORD"] == PASSWORDS[role]:
        yield  # The act is part of another one under this role.
        return
    connection.close()
    connection.settings_dict.update(USER=name_of(role), PASSWORD=PASSWORDS[role])
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


def under(role: str, act: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function, signed in with a role."""

    @wraps(act)
    def acting(*args: Any, **options: Any) -> Any:
        with signed_in(role):
            return act(*args, **options)

    return acting


@pytest.fixture
def separate(monkeypatch, world) -> None:
    """Let every piece of work run under the role of its service in `docker-compose.yml`."""
    for module, names, role in (
        (judging, ("judge_next",), "judge"),
        (trying, ("try_scorer",), "judge"),
        (validation, ("validate",), "worker"),
        (scoring, ("score_next_chunk", "finish_run"), "worker"),
        (rankings, ("rank_phase",), "worker"),
    ):
        for name in names:
            monkeypatch.setattr(module, name, under(role, getattr(module, name)))


def run(role: str, sql: str) -> list[tuple[Any, ...]]:
    """Execute a statement under a role and return its rows."""
    with signed_in(role), connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


def is_refused(role: str, sql: str) -> bool:
    """Return whether PostgreSQL refuses a statement for lack of rights; only reading statements are executed."""
    reads, creates = (sql.startswith(word) for word in ("SELECT", "CREATE"))
    try:
        run(role, sql if reads or creates else f"EXPLAIN {sql}")
    except ProgrammingError as error:
        if not isinstance(error.__cause__, psycopg2.errors.InsufficientPrivilege):
            raise
        return True
    return False


def test_a_submission_goes_from_the_upload_to_the_ranking_under_separate_roles(world, separate):
    world.image()
    submission = world.hand_in(predictions())

    assert submission.state == Submission.State.SCORED, submission.reason
    assert submission.runs.get(counts=True).provenance["scorer"]["image"] == IMAGE
    rankings.request_ranking(world.phase.pk)
    assert rankings.rank_phase(phase_id=world.phase.pk) is not None
    acts = set(Entry.objects.values_list("act", flat=True))
    assert {"scorer_tried", "run_scored"} <= acts


def test_a_scoring_image_that_fails_for_good_ends_the_run_under_separate_roles(world, engine, separate):
    world.image()
    engine.script = dice("exit status")
    submission = world.hand_in(predictions())
    Judgement.objects.update(due_at=None)
    world.work()

    submission.refresh_from_db()
    assert submission.state == Submission.State.FAILED
    assert "exit status 4" in submission.runs.get().log
    assert "no rows that can be used" in Judgement.objects.get().cause


def test_the_role_of_scoring_images_reports_its_machine_and_begins_missing_trials(world, engine):
    world.image(is_tried=False)
    Trial.objects.all().delete()
    with signed_in("judge"):
        hosts.tell()
        hosts.sweep_leftovers()
        heartbeats.beat(queue="judge")
        trying.begin_missing_trials(phase=world.phase)
    assert Trial.objects.count() == 1


@pytest.mark.parametrize(
    "table",
    [
        *("accounts_user", "accounts_accesstoken", "account_emailaddress", "mfa_authenticator", "django_session"),
        *(
            "challenges_team",
            "challenges_member",
            "challenges_organizer",
            "leaderboards_standing",
            "registry_registration",
        ),
        *("reviews_review", "runners_runner", "submissions_submission", "submissions_run", "webhooks_webhook"),
        *("notifications_email", "federation_site", "people_invitation", "designs_design", "django_migrations"),
    ],
)
def test_the_role_of_scoring_images_reads_nothing_else(table):
    assert is_refused("judge", f"SELECT * FROM {table}")


@pytest.mark.parametrize(
    "table",
    [
        *(
            "accounts_accesstoken",
            "mfa_authenticator",
            "django_session",
            "django_admin_log",
            "socialaccount_socialtoken",
        ),
        *("reviews_review", "reviews_answer", "reviews_reviewcomment", "reviews_discussionentry", "reviews_sentreview"),
    ],
)
def test_the_role_of_workers_reads_neither_secrets_of_people_nor_reviews(table):
    assert is_refused("worker", f"SELECT * FROM {table}")
    assert not is_refused("web", f"SELECT * FROM {table}")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE own (id int)",
        "CREATE ROLE other",
        "UPDATE audit_entry SET act = 'other'",
        "DELETE FROM audit_entry",
        "DELETE FROM audit_sealing",
        "DELETE FROM django_migrations",
    ],
)
def test_no_role_changes_tables_roles_migrations_or_the_audit_log(role, statement):
    assert is_refused(role, statement)


@pytest.mark.parametrize("table", ["accounts_user", "submissions_submission", "audit_head"])
def test_the_role_of_backups_reads_everything_and_writes_nothing(table):
    assert not is_refused("backup", f"SELECT * FROM {table}")
    for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET id = id"):
        assert is_refused("backup", statement)


@pytest.mark.parametrize("role", ["backup", "web"])
def test_a_program_copies_the_whole_database_with_these_roles(role, tmp_path, world):
    from operations.services import databases

    with signed_in(role):
        databases.dump(tmp_path / "copy")
    done = subprocess.run(["pg_restore", "--list", tmp_path / "copy"], capture_output=True, text=True, check=True)
    assert "TABLE DATA public accounts_user" in done.stdout
    assert "ACL" not in done.stdout  # The server of a restore may have no such roles.


def test_rights_that_a_role_should_not_have_are_taken_back():
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT SELECT ON accounts_user TO {connection.ops.quote_name(name_of('judge'))}")
    assert not is_refused("judge", "SELECT * FROM accounts_user")
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call_command("database_roles")
    assert is_refused("judge", "SELECT * FROM accounts_user")


def test_missing_passwords_are_named(monkeypatch):
    monkeypatch.setenv("POSTGRES_JUDGE_PASSWORD", "")
    with pytest.raises(CommandError, match="POSTGRES_JUDGE_PASSWORD"):
        call_command("database_roles")


def test_only_the_owner_of_the_tables_grants_rights():
    with signed_in("web"), pytest.raises(CommandError, match="does not own the table"):
        call_command("database_roles")


def test_web_creates_accounts_and_deletes_them(world):
    with signed_in("web"), transaction.atomic():
        User.objects.create_user("nora", "nora@example.org", "a long password").delete()

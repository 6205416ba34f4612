"""Values that are changed in the database, without the platform, are reported with model, row and field."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from typing import Any

import pytest
from celery import current_app
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Model
from django.test import override_settings

from accounts.models import User
from challenges.models import Phase, Team
from core.audit import hooks
from core.audit.models import Entry
from core.audit.services import VALUES, record, values_of
from core.audit.services.proving import prove
from core.audit.services.sealing import ADOPTED, all_rows, append, digests_of, part
from core.audit.transactions import seal_now, unit
from datastore.test_sets.models import TestCase
from leaderboards.models import RankingVersion
from registry.services.verifying import ledger_problems
from submissions.models import MethodDescription
from tests import emptying
from tests.integration.audit import world as worlds

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The settings under which the world stores files."""
    folder = tmp_path_factory.mktemp("manipulations")
    private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": folder / "storage", "base_url": None, "allow_overwrite": True},
    }
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    return {
        "STORAGES": {"default": private, "private": private, "staticfiles": plain},
        "PODIUM_SCRATCH": folder / "scratch",
        "PODIUM_DISK_RESERVE_BYTES": 0,
    }


@pytest.fixture(autouse=True)
def private_files(settings, files):
    """Storage of the world in place of one for each test."""
    for name, value in files.items():
        setattr(settings, name, value)


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory, files):
    """A platform in use, in which every row is sealed.

    It is committed once for all tests of this file, as rows are sealed before a commit. Each test is rolled back.
    """
    current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
    with override_settings(**files), django_db_blocker.unblock():
        try:
            yield worlds.build(tmp_path_factory.mktemp("world"))
        finally:
            emptying.empty(connection)
            current_app.conf.update(task_always_eager=False, task_eager_propagates=False)


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is done inside, dropped triggers included."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def without_triggers(table: str) -> None:
    """Take away what keeps the rows of a table, as the owner of the database can."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
        else:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE {connection.ops.quote_name(table)} DISABLE TRIGGER USER")


def write(row: Model, field_name: str, value: Any) -> None:
    """Set one column of one row by SQL."""
    opts, quote = row._meta, connection.ops.quote_name
    field = opts.get_field(field_name)
    without_triggers(opts.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {quote(opts.db_table)} SET {quote(field.column)} = %s WHERE {quote(opts.pk.column)} = %s",
            [
                field.get_db_prep_save(value, connection),
                opts.pk.get_db_prep_value(row.pk, connection),
            ],
        )
        assert cursor.rowcount == 1


def other(value: Any, field: Any) -> Any:
    """Return another value of the same kind."""
    kind = (field.target_field if field.is_relation else field).get_internal_type()
    if kind == "UUIDField":
        return "00000000-0000-4000-8000-000000000000"
    if value is None:
        return {"DateTimeField": "2026-01-01T00:00:00Z", "DateField": "2026-01-01"}.get(kind, 1)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, date):
        return value + timedelta(days=1)
    if isinstance(value, dict):
        return {**value, "added": 1}
    if isinstance(value, list):
        return [*value, "added"]
    return f"x{value[1:]}" if not value.startswith("x") else f"y{value[1:]}"


def swapped_names(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table of a ranking with its first two teams exchanged."""
    copied = json.loads(json.dumps(table))
    copied["teams"][:2] = reversed(copied["teams"][:2])
    return copied


def other_row(label: str, key: object) -> object:
    """Return the key of another row of a model: a database refuses a key that does not exist."""
    return apps.get_model(label)._base_manager.exclude(pk=key).order_by("pk").values_list("pk", flat=True)[0]


# Model, field, and how the value is changed; without it, to any other value.
CHANGES: list[tuple[str, str, Callable[[Any], Any] | None]] = [
    ("leaderboards.rankingversion", "table", swapped_names),
    ("leaderboards.rankingversion", "sentences", None),
    ("leaderboards.rankingversion", "inputs", None),
    ("leaderboards.rankingversion", "seed", None),
    ("leaderboards.rankingversion", "bootstrap", None),
    ("leaderboards.rankingversion", "assessment_digest", None),
    ("leaderboards.rankingversion", "document_name", None),
    ("leaderboards.standing", "version", lambda value: other_row("leaderboards.rankingversion", value)),
    ("leaderboards.standing", "since", None),
    ("leaderboards.standing", "changes", None),
    ("leaderboards.analysis", "figures", None),
    ("leaderboards.analysis", "sentences", None),
    ("leaderboards.analysis", "findings", None),
    ("challenges.phase", "opens_at", None),
    ("challenges.phase", "closes_at", None),
    ("challenges.phase", "submissions_per_day", None),
    ("challenges.phase", "submissions_in_total", None),
    ("challenges.phase", "assessment_document", None),
    ("challenges.phase", "leaderboard", lambda now: "public" if now == "sealed" else "sealed"),
    ("challenges.phase", "results", lambda now: "cases" if now == "none" else "none"),
    ("challenges.challenge", "title", None),
    ("challenges.challenge", "rules_text", None),
    ("challenges.challenge", "is_public", None),
    ("challenges.projection", "digest", None),
    ("challenges.terms", "agreement", None),
    ("challenges.terms", "team_size", None),
    ("challenges.team", "name", None),
    ("challenges.team", "standing", lambda _: "no_award"),
    ("challenges.team", "standing_reason", None),
    ("challenges.member", "role", None),
    ("test_sets.testset", "manifest_digest", None),
    ("test_sets.testset", "sealed_at", None),
    ("test_sets.testcase", "reference_sha256", None),
    ("submissions.submission", "is_late", None),
    ("submissions.submission", "is_chosen", None),
    ("submissions.submission", "created_at", None),
    ("submissions.run", "counts", None),
    ("submissions.run", "summary", None),
    ("submissions.run", "result_digest", None),
    ("submissions.run", "result_file", None),
    ("submissions.methoddescription", "entries", None),
    ("reviews.decision", "letter", None),
    ("reviews.decision", "outcome", None),
    ("reviews.sentreview", "score", None),
    ("registry.listing", "name", None),
    ("registry.listing", "abstract", None),
    ("registry.facet", "label", None),
    ("registry.registrationversion", "canonical", None),
    ("registry.registration", "state", None),
    ("accounts.user", "is_superuser", None),
    ("accounts.user", "is_staff", None),
    ("accounts.user", "email", None),
    ("challenges.organizer", "role", None),
]


# What a person with write access to the database can append to the chains after a change, and the fields of `CHANGES`
# that are not reported then, each with the reason. docs/operators/records.md states both lists as limits: only
# timestamps of a third party and backups detect these changes.
BY_PEOPLE = "nothing else in the database states what the person decided"
BY_PEOPLE_HERE = "a challenge without a registered design is edited by its organizers"
UNREPORTED: dict[str, dict[str, str]] = {
    "a sealing without an act": {
        "accounts.user email": "the pages for addresses write it without an act",
    },
    "a sealing with an act of the past": {},
    "a sealing and an act": {
        "accounts.user email": "the pages for addresses write it without an act",
        "accounts.user is_staff": BY_PEOPLE,
        "accounts.user is_superuser": BY_PEOPLE,
        "challenges.challenge is_public": BY_PEOPLE,
        "challenges.challenge rules_text": BY_PEOPLE_HERE,
        "challenges.challenge title": BY_PEOPLE_HERE,
        "challenges.member role": BY_PEOPLE,
        "challenges.organizer role": BY_PEOPLE,
        "challenges.team name": BY_PEOPLE,
        "challenges.team standing": BY_PEOPLE,
        "challenges.team standing_reason": BY_PEOPLE,
        "registry.registration state": BY_PEOPLE,
        "submissions.methoddescription entries": BY_PEOPLE,
        "test_sets.testcase reference_sha256": "its test set is reported instead; see the test below",
        "submissions.submission is_chosen": BY_PEOPLE,
        "submissions.run counts": "the act that scores a later run of the submission changes it as well",
    },
}


def without_an_act(_label: str, _column: str, _row: Model) -> None:
    """Name no entry of the audit log."""


def act_of_the_past(label: str, column: str, _row: Model) -> Entry:
    """Return an entry of the audit log whose act writes the column."""
    entries = Entry.objects.order_by("-sequence")
    return entries.filter(act__in=hooks.writers_of(label).get(column, [])).first() or entries[1]


def forged_act(label: str, column: str, row: Model) -> Entry:
    """Append an entry of the act that writes the column, with the facts of a true one and the digest of the new value."""
    acts = hooks.writers_of(label).get(column) or {"profile_updated"}
    true = Entry.objects.filter(act__in=acts).order_by("-sequence").first()
    facts = dict(true.facts) if true else {}
    if VALUES in facts or hooks.attested_columns(label):
        facts[VALUES] = values_of(row, fields=[column])
    act = true.act if true else min(acts)
    return record(actor=None, act=act, subject=row, scope=true.scope if true else "", facts=facts)


FORGERIES = {
    "a sealing without an act": without_an_act,
    "a sealing with an act of the past": act_of_the_past,
    "a sealing and an act": forged_act,
}


def forge(label: str, key: str, column: str, entry: Callable[[str, str, Model], Entry | None]) -> None:
    """Append a sealing of the present value, linked as the platform links it."""
    model = apps.get_model(label)
    rows = all_rows(model).filter(pk=key)
    forged = part(model, [column], dict(digests_of(model, [column], rows)))
    append("request POST challenges:detail by user 1", [forged], entry=entry(label, column, rows.get()))


@pytest.mark.parametrize("kind", FORGERIES)
def test_every_change_with_a_forged_sealing_is_reported_or_listed(world, kind):
    with undone():
        changes = change_all()
        for label, key, column in sorted(changes):
            forge(label, key, column, FORGERIES[kind])
        proof = prove()
    assert proof.broken == []
    found = changes & {(item.model, item.key, name) for item in proof.differences for name in item.columns}
    # The facets of a registration are compared together.
    facets = {item.key for item in proof.differences if item.columns == ("facets",)}
    found |= {
        (label, key, column)
        for label, key, column in changes
        if label == "registry.facet" and str(apps.get_model(label)._base_manager.get(pk=key).registration_id) in facets
    }
    print(f"{kind}: {len(found)} of {len(CHANGES)} reported")
    unreported = {f"{label} {column.removesuffix('_id')}" for label, _, column in changes - found}
    assert unreported == set(UNREPORTED[kind])


def test_registered_challenges_and_rankings_are_computed_again(world):
    """These values differ from their source, regardless of the sealings and acts that are appended."""
    challenge = world.changes.challenge
    phase = Phase.objects.filter(task__challenge=challenge).order_by("pk").first()
    version = RankingVersion.objects.order_by("pk").last()
    changed = [
        (challenge, "title", "Another title"),
        (challenge, "rules_text", "Other rules"),
        (phase.task, "name", "Another task"),
        (phase, "opens_at", phase.opens_at - timedelta(days=3)),
        (phase, "closes_at", phase.closes_at + timedelta(days=3)),
        (phase, "submissions_per_day", 99),
        (phase, "assessment_document", {**phase.assessment_document, "added": 1}),
        (phase, "assessment_digest", "f" * 64),
        (version, "table", swapped_names(version.table)),
        (version, "sentences", {"added": ["A sentence."]}),
        (version, "seed", version.seed + 1),
        (version, "inputs_digest", "f" * 64),
        (version, "assessment_digest", "f" * 64),
    ]
    for row, name, value in changed:
        with undone():
            write(row, name, value)
            forge(row._meta.label_lower, str(row.pk), name, forged_act)
            derived = {
                (item.model, item.key, column)
                for item in prove().differences
                if item.is_derived
                for column in item.columns
            }
        assert (row._meta.label_lower, str(row.pk), name) in derived, name


def test_a_forged_digest_of_a_reference_is_reported_with_its_test_set(world):
    with undone():
        case = TestCase.objects.order_by("pk").last()
        write(case, "reference_sha256", "f" * 64)
        forge("test_sets.testcase", str(case.pk), "reference_sha256", forged_act)
        (problem,) = ledger_problems()
    assert problem.startswith(f"Test set number {case.test_set_id}: what is stored does not have the digest")


def test_rows_that_are_added_or_removed_with_a_forged_sealing_are_reported(world):
    blocks = world.blocks
    columns = hooks.sealed_fields("challenges.team")
    with undone():
        added = Team.objects.create(challenge=blocks.challenge, name="New", slug="new")
        append("task x", [part(Team, columns, dict(digests_of(Team, columns, all_rows(Team).filter(pk=added.pk))))])
        (problem,) = prove().problems
        assert f"challenges.team {added.pk}: sealing" in problem
        assert "belongs to no act of the audit log, but only acts write this" in problem
    with undone():
        described = MethodDescription.objects.get()
        MethodDescription.objects.filter(pk=described.pk).delete()
        append("task x", [part(MethodDescription, [], {str(described.pk): None})])
        (problem,) = prove().problems
        assert f"submissions.methoddescription {described.pk}: sealing" in problem


@pytest.mark.parametrize("origin", [f"{ADOPTED} 2026-11-29", "migration", "command migrate"])
def test_a_forged_adoption_is_reported_and_an_operator_resolves_it(world, origin):
    ada = world.blocks.ada
    with undone():
        write(ada, "is_superuser", True)
        append(origin, [part(User, ["is_superuser"], dict(digests_of(User, ["is_superuser"], all_rows(User))))])
        (problem,) = [text for text in prove().problems if f"accounts.user {ada.pk}," in text]
        assert "belongs to no act" in problem
        call_command("verify_records", adopt="A test.")
        call_command("verify_records")
        # An adoption of the past does not cover later sealings.
        write(ada, "is_superuser", False)
        adoption = Entry.objects.get(act="records_adopted")
        append(
            origin,
            [part(User, ["is_superuser"], dict(digests_of(User, ["is_superuser"], all_rows(User))))],
            entry=adoption,
        )
        assert f"names entry {adoption.sequence} of the audit log, which was sealed before" in str(prove().problems)


def test_every_value_that_is_changed_by_sql_is_reported_with_its_row_and_field(world):
    assert prove().problems == []
    with undone():  # all in one: comparing takes longer than changing
        changes = change_all()
        differences = prove().differences
        # The platform saves the same rows completely, as a form does that changes one other field.
        with unit("test"):
            for label, key in sorted({(label, key) for label, key, _ in changes}):
                apps.get_model(label)._base_manager.get(pk=key).save_base()
            seal_now()
        differences_after_saving = prove().differences
    found = changes & reported(differences) & reported(differences_after_saving)
    print(f"{len(CHANGES)} changes by SQL, {len(found)} reported before and after a save")  # read by `tests.attack`
    assert len(changes) == len(CHANGES)
    assert reported(differences) == changes
    assert changes - reported(differences_after_saving) == set()
    assert prove().problems == []


def change_all():
    """Make all changes; returns model, key and column of each."""
    changes = set()
    for label, name, changed in CHANGES:
        model = apps.get_model(label)
        # The last row: the first ranking had one team only.
        row = model._base_manager.order_by("pk").last()
        assert row is not None, label
        field = model._meta.get_field(name)
        if name == "standing":  # never without a reason, says a constraint
            write(row, "standing_reason", "A reason.")
        value = field.value_from_object(row)
        write(row, name, changed(value) if changed else other(value, field))
        changes.add((label, str(row.pk), field.attname))
    return changes


def reported(differences):
    return {(item.model, item.key, name) for item in differences if not item.is_derived for name in item.columns}


def test_only_what_bypasses_the_platform_is_reported(world, capsys):
    """One world for all: it takes longer to make than what is looked at."""
    worlds.go_on(world)
    proof = prove()
    assert proof.problems == []
    assert proof.rows > 200
    call_command("verify_records")
    _a_queryset_outside_an_act(world)
    _rows_added_or_removed(world)
    _every_sealed_field()
    with undone():
        write(world.blocks.ada, "is_superuser", True)
        with pytest.raises(CommandError, match="1 difference"):
            call_command("verify_records")
    problem = f"accounts.user {world.blocks.ada.pk}, is_superuser: the value was changed without an act"
    assert problem in capsys.readouterr().err


def _a_queryset_outside_an_act(world):
    with undone():
        Team.objects.filter(pk=world.blocks.adas.pk).update(name="Bo's")
        (difference,) = prove().differences
    place = (difference.model, difference.key, difference.columns)
    assert place == ("challenges.team", str(world.blocks.adas.pk), ("name",))
    assert difference.sealing > 0


def _rows_added_or_removed(world):
    with undone():
        added = Team.objects.create(challenge=world.blocks.challenge, name="New", slug="new")
        assert prove().problems == [f"challenges.team {added.pk}: the row was added without an act."]
    with undone():
        described = MethodDescription.objects.get()
        MethodDescription.objects.filter(pk=described.pk).delete()
        (problem,) = prove().problems
        assert problem.startswith(f"submissions.methoddescription {described.pk}: the row was removed without an act.")


def _every_sealed_field():
    """A new field is compared as soon as its model has a row here, without an entry in a list."""
    changed: set[tuple[str, str, str]] = set()
    with undone():
        for model in hooks.sealed_models():
            label = model._meta.label_lower
            row = model._base_manager.order_by("pk").first()
            fields = [] if row is None else [model._meta.get_field(name) for name in hooks.sealed_fields(label)]
            for field in fields:
                value = other(field.value_from_object(row), field)
                # A constraint of the table may refuse this one value.
                with suppress(IntegrityError, DataError), transaction.atomic():
                    write(row, field.name, value)
                    changed.add((label, str(row.pk), field.attname))
        found = {(item.model, item.key, column) for item in prove().differences for column in item.columns}
    assert len({label for label, _, _ in changed}) >= 45
    assert len(changed) > 350
    assert changed - found == set()

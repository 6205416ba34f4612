"""Rights of the roles of PostgreSQL, by the models of the platform."""

from django.apps import apps

from operations.domain.database_roles import (
    APPEND_ONLY,
    HIDDEN_FROM_WORKERS,
    MIGRATIONS,
    RIGHTS_OF_JUDGE,
    ROLES,
    rights,
)

TABLES = {model._meta.db_table: model._meta.app_label for model in apps.get_models(include_auto_created=True)}
SIGN_IN = {"account", "admin", "mfa", "sessions", "socialaccount"}


def test_every_named_table_is_one_of_the_platform():
    assert HIDDEN_FROM_WORKERS | APPEND_ONLY | RIGHTS_OF_JUDGE.keys() <= TABLES.keys()


def test_a_new_table_of_signing_in_is_hidden_from_workers():
    assert {table for table, app in TABLES.items() if app in SIGN_IN} <= HIDDEN_FROM_WORKERS


def test_each_role_has_exactly_the_documented_rights():
    granted = {role: dict(rights(role, [*TABLES, MIGRATIONS])) for role in ROLES}
    assert granted["backup"] == dict.fromkeys([*TABLES, MIGRATIONS], ("SELECT",))
    assert granted["judge"] == RIGHTS_OF_JUDGE
    assert granted["web"].keys() - granted["worker"].keys() == HIDDEN_FROM_WORKERS
    for role in ("web", "worker"):
        assert granted[role][MIGRATIONS] == ("SELECT",)
        assert granted[role]["audit_entry"] == granted[role]["audit_sealing"] == ("SELECT", "INSERT")
        assert granted[role]["submissions_submission"] == ("SELECT", "INSERT", "UPDATE", "DELETE")


def test_scoring_images_run_without_tables_of_people():
    people = {"accounts", "account", "people", "notifications", "reviews", "runners", "submissions", "leaderboards"}
    assert not {TABLES[table] for table in RIGHTS_OF_JUDGE} & (people | SIGN_IN)

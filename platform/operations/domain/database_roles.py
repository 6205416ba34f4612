"""Roles of PostgreSQL for the processes of an installation, and what each can read and write.

The owner of the tables only migrates. No other role can change the structure of the database, the table of migrations, or
entries of the audit log. `WEB` reads and writes everything else. `WORKER` cannot read what signs people in, or the
contents of reviews. `JUDGE` starts programs of organizers and has the rights that it needs, table by table.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

WEB, WORKER, JUDGE, BACKUP = ROLES = ("web", "worker", "judge", "backup")
"""Roles in addition to the owner, by the end of their names."""
READ, ADD = ("SELECT",), ("SELECT", "INSERT")
ALL = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPEND_ONLY: Final = frozenset({"audit_entry", "audit_sealing"})
"""Tables to which every role can only add rows."""
MIGRATIONS: Final = "django_migrations"
HIDDEN_FROM_WORKERS: Final = frozenset(
    {
        *("account_emailaddress", "account_emailconfirmation", "accounts_accesstoken", "mfa_authenticator"),
        *("django_admin_log", "django_session"),
        *("socialaccount_socialaccount", "socialaccount_socialapp", "socialaccount_socialtoken"),
        *("reviews_answer", "reviews_discussionentry", "reviews_mailtext", "reviews_review", "reviews_reviewcomment"),
        *("reviews_reviewthread", "reviews_sentreview"),
    }
)
"""Tables that workers cannot read, except the worker of e-mails and periodic tasks, which has the role `WEB`."""
RIGHTS_OF_JUDGE: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            *("challenges_challenge", "challenges_phase", "challenges_task", "django_content_type"),
            *("executions_archiveblob", "executions_batch", "executions_blob"),
            *("test_sets_annotation", "test_sets_testcase", "test_sets_testset"),
        ),
        READ,
    ),
    **dict.fromkeys(APPEND_ONLY, ADD),
    **dict.fromkeys(("audit_head", "audit_sealinghead", "judging_judgement"), (*READ, "UPDATE")),
    # The right to update one column is the right to lock a row.
    "executions_algorithmarchive": (*READ, "UPDATE (lease_until)"),
    "judging_trial": (*ADD, "UPDATE"),
    **dict.fromkeys(("executions_runhost", "operations_heartbeat"), ALL),
}
"""Table → what the role `JUDGE` may do with it. It may do nothing with other tables."""


def variable(role: str) -> str:
    """Return the name of the environment variable with the password of a role."""
    return f"POSTGRES_{role.upper()}_PASSWORD"


def rights(role: str, tables: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each table with what a role may do with it; tables that it cannot use are left out.

    Parameters
    ----------
    tables
        Names of all tables of the database.
    """
    for table in sorted(tables):
        if granted := _rights(role, table):
            yield table, granted


def _rights(role: str, table: str) -> tuple[str, ...]:
    if role == JUDGE:
        return RIGHTS_OF_JUDGE.get(table, ())
    if role == BACKUP or table == MIGRATIONS:
        return READ
    if role == WORKER and table in HIDDEN_FROM_WORKERS:
        return ()
    return ADD if table in APPEND_ONLY else ALL

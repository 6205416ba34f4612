"""The dates, limits and states of phases have one source; the fields behind them are read by few modules."""

import ast
import re
from pathlib import Path

from django.conf import settings

from tests.sources import parsed

PLATFORM, TEMPLATES = Path(settings.ROOT, "platform"), Path(settings.ROOT, "templates")
FIELDS = {"opens_at", "closes_at", "closed_at", "admits_from", "submissions_per_day", "submissions_in_total", "is_held"}
COMPUTED = {"starts_at", "ends_at", "revealed_from", "stays_open", "reveals_at"}
# Modules that make phases from the registered design, close them, or compare what is registered with what happened.
ALLOWED = {
    *(
        "challenges/models/challenges.py",
        "challenges/queries/deviations.py",
        "challenges/queries/planning.py",
        "challenges/queries/schedule_changes.py",
        "challenges/queries/timetable.py",
        "challenges/contributions/rehearsals.py",
    ),
    *("challenges/services/challenges.py", "challenges/services/launching.py", "challenges/templatetags/phases.py"),
    *("reports/exposure/queries/facts.py", "submissions/queries/quotas.py"),
}
# Facts of a report, which have fields of the same names; a multipart upload, an invitation and a thread that are closed, and roles that a person has.
OTHERS = {
    *(
        "reports/exposure/services/lines.py",
        "reports/exposure/services/questions.py",
        "reports/services/items/logged.py",
    ),
    *(
        "registry/views/records.py",
        "accounts/conversations/models.py",
        "accounts/conversations/services.py",
        "accounts/people/tables.py",
        "accounts/notifications/queries.py",
    ),
    *("registry/drift/domain/comparing.py", "registry/changes/models.py", "accounts/people/models.py"),
}


def test_only_a_few_modules_read_the_fields_behind_the_timetable():
    found = {}
    for path in PLATFORM.rglob("*.py"):
        name = path.relative_to(PLATFORM).as_posix()
        if "migrations" in name or name in ALLOWED | OTHERS:
            continue
        tree = parsed(path.read_text(encoding="utf-8"))
        read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & FIELDS
        if read:
            found[name] = sorted(read)
    assert found == {}


def test_no_template_shows_a_date_or_limit_of_a_phase_by_itself():
    shown = re.compile(rf"{{[{{%][^}}]*phase\.({'|'.join(FIELDS | COMPUTED)})\b[^}}]*[}}%]}}")
    found = {}
    for path in TEMPLATES.rglob("*.html"):
        name = path.relative_to(TEMPLATES).as_posix()
        # The launch page shows a plan: the registered dates of phases that do not exist yet.
        if name == "challenges/launch.html":
            continue
        tags = [match[0] for match in shown.finditer(path.read_text(encoding="utf-8"))]
        if outputs := [tag for tag in tags if not re.match(r"{% (if|elif)\b", tag)]:
            found[name] = outputs
    assert found == {}

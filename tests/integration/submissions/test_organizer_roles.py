"""Every address below `organize/` for every role: managers do their work, moderators and administrators see no reference."""

import pytest

from accounts.models import User
from challenges.models import Organizer
from datastore.test_sets import urls as test_set_urls
from submissions import urls as submission_urls
from submissions.results import urls as result_urls
from tests.integration.submissions.world import World, predictions, zipped

urlpatterns = [*submission_urls.urlpatterns, *result_urls.urlpatterns, *test_set_urls.urlpatterns]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "The queries are the same for each role. `test_overview.py` opens these pages on both databases."
    ),
]

ROLES = ("visitor", "stranger", "team", "moderator", "manager", "owner", "staff", "administrator")
HIDDEN = (302, 404, 404, 404)
SEEN = (*HIDDEN, 200, 200, 404, 200)
DONE = (*HIDDEN, 302, 302, 404, 302)
# "Nobody but named organizers can download": administering the platform is not enough.
NAMED = (*HIDDEN, 200, 200, 404, 404)
# Owners seal; a refusal is a message on the page that they are sent back to.
OWNED = (*HIDDEN, 403, 302, 404, 302)
GET = {
    "monitor": NAMED,
    "work": SEEN,
    "days_json": SEEN,
    "days_csv": SEEN,
    "probing_csv": SEEN,
    "failed_csv": SEEN,
    "export": SEEN,
    "organize": SEEN,
    "submissions_csv": SEEN,
    "archive": SEEN,
    "organize_results_csv": SEEN,
    "test_sets": SEEN,
    "test_set_archives": SEEN,
    "decoys_csv": SEEN,
    "reference_access_csv": SEEN,
    "test_set_csv": SEEN,
    "test_set_template": SEEN,
    "organized_case": SEEN,
}
POST = {
    "repeat_many": DONE,
    "repeat": DONE,
    "reference": NAMED,
    "undo_sealing": OWNED,
}
# What needs an archive under way: `tests/integration/test_sets/test_received_archives.py` and `test_findings.py` have
# roles and protocol.
ELSEWHERE = {
    *("test_set_uploads", "test_set_upload", "seal_archive", "discard_archive", "archive_preview"),
    *("archive_findings", "accept_findings", "finding_picture"),
    *("overlaps", "overlap_picture"),  # test_overlaps.py
}


def test_every_role_at_every_address_of_organizers(client, world: World, workers):
    submission = world.upload(zipped(predictions()))
    person = {name: User.objects.create_user(name, f"{name}@example.org", "x") for name in ("stranger", "staff")}
    for role in (Organizer.Role.MODERATOR, Organizer.Role.MANAGER):
        person[role] = User.objects.create_user(role, f"{role}@example.org", "x")
        Organizer.objects.create(challenge=world.challenge, user=person[role], role=role)
    person["staff"].is_staff = True
    person["staff"].save()
    person["administrator"] = User.objects.create_superuser("root", "root@example.org", "x")
    person |= {"team": world.ada, "owner": world.organizer}
    values = {"pk": str(submission.pk), "phase": str(world.phase.pk), "version": "1", "case": "case_001"}
    found, wanted = {}, {}
    for place, role in enumerate(ROLES):
        client.logout()
        if role in person:
            client.force_login(person[role])
        for method, table in (("get", GET), ("post", POST)):
            for name, row in table.items():
                route = next(str(pattern.pattern) for pattern in urlpatterns if pattern.name == name)
                for key, value in values.items():
                    for kind in ("uuid", "int", "str"):
                        route = route.replace(f"<{kind}:{key}>", value)
                data = {"which": "failed"} if name == "repeat_many" else {}
                answer = getattr(client, method)(f"/challenges/blocks/{route}", data)
                if answer.streaming:  # the client has closed all others
                    answer.close()
                found[role, name], wanted[role, name] = answer.status_code, row[place]
    assert found == wanted


def test_every_address_of_organizers_is_in_a_table():
    named = {pattern.name for pattern in urlpatterns if str(pattern.pattern).startswith("organize/")}
    assert named == GET.keys() | POST.keys() | ELSEWHERE

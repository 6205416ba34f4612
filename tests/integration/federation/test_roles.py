"""Every address of sites for every role; a site has no account, and the code of its invitation opens its page alone."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from challenges.models import Challenge, Organizer
from challenges.services import close_phase
from evaluation.federation.envelope import fingerprint
from federation.models import Federation, Site
from federation.services import federations
from federation.services.sites import leave_out
from federation.urls import urlpatterns
from tests.integration.federation import world
from tests.integration.federation.sender import Sender

pytestmark = pytest.mark.django_db(transaction=True)
ROLES = ("visitor", "stranger", "moderator", "staff", "manager", "owner", "administrator")
SEEN = (302, 404, 404, 404, 200, 200, 200)
# A refusal is a message on the page that they are sent back to, or stands in the form.
DONE = (302, 404, 404, 404, 302, 302, 302)
ASKED = (302, 404, 404, 404, 422, 422, 422)
ALL = (200,) * 7
ORGANIZERS = {
    "organize": ("get", SEEN, {}),
    "open": ("post", ASKED, {}),
    "invite": ("post", ASKED, {}),
    "algorithm": ("post", ASKED, {}),
    "public_cases": ("post", ASKED, {}),
    "release": ("post", DONE, {}),
    "carried": ("post", ASKED, {}),
    "act": ("post", DONE, {"act": "take_back"}),
}
EVERYBODY = {"sites": ALL, "invitation": ALL, "invitation_file": ALL, "package_file": ALL, "receipts_file": ALL}
# No algorithm of this package has an image to carry.
EVERYBODY["image_file"] = (404,) * 7


@pytest.fixture
def centre(workers):
    built = world.build(algorithms=("a", "b", "c"))
    federations.release_package(actor=built.organizer, federation=built.federation)
    Sender(built, "north").ready()
    return built


def people(centre):
    found = {name: User.objects.create_user(name, f"{name}@example.org", "x") for name in ("stranger", "staff")}
    for role in (Organizer.Role.MODERATOR, Organizer.Role.MANAGER):
        found[role] = User.objects.create_user(role, f"{role}@example.org", "x")
        Organizer.objects.create(challenge=centre.challenge, user=found[role], role=role)
    found["staff"].is_staff = True
    found["staff"].save()
    found["administrator"] = User.objects.create_superuser("root", "root@example.org", "x")
    return found | {"owner": centre.organizer}


def address(centre, name):
    route = next(str(pattern.pattern) for pattern in urlpatterns if pattern.name == name)
    values = {"<int:federation>": centre.federation.pk, "<str:site>": "north", "<str:code>": centre.codes["north"]}
    values["<str:name>"] = "a"
    for key, value in values.items():
        route = route.replace(key, str(value))
    return f"/challenges/hippo/{route}"


def test_every_role_at_every_address(centre):
    known, found, wanted = people(centre), {}, {}
    table = {**ORGANIZERS, **{name: ("get", row, {}) for name, row in EVERYBODY.items()}}
    for place, role in enumerate(ROLES):
        client = Client()
        if role in known:
            client.force_login(known[role])
        for name, (method, row, data) in table.items():
            answer = getattr(client, method)(address(centre, name), data)
            answer.close()
            found[role, name], wanted[role, name] = answer.status_code, row[place]
    assert found == wanted
    assert {pattern.name for pattern in urlpatterns} == set(table)


def test_a_wrong_code_and_an_ended_invitation_open_nothing(centre):
    for name in ("invitation", "invitation_file", "package_file", "receipts_file"):
        path = address(centre, name).replace(centre.codes["north"], "0" * 32)
        assert Client().get(path).status_code == 404


def test_what_is_carried_is_read_only_by_a_page_whose_code_is_known_and_only_from_its_own_form(centre):
    """The code in the address is checked before the body of a stranger's form is read.

    The order matters because checking a form reads its body.
    """
    path = address(centre, "invitation")
    client = Client(enforce_csrf_checks=True)
    body = {"file": SimpleUploadedFile("messages.json", b"{}")}
    assert client.post(path.replace(centre.codes["north"], "0" * 32), body).status_code == 404
    assert client.post(path, {"file": SimpleUploadedFile("messages.json", b"{}")}).status_code == 403
    assert Client().post(path, {"file": SimpleUploadedFile("messages.json", b"{}")}).status_code == 422


def test_the_page_of_a_site_shows_its_steps_and_no_other_page_learns_its_address(centre):
    answer = Client().get(address(centre, "invitation"))
    text = answer.content.decode()
    assert text.count("stepper__title") == 9
    assert "tested and ready" in text
    assert answer["Referrer-Policy"] == "same-origin"
    assert "north" not in Client().get("/sitemap.xml").content.decode()


def test_a_challenge_that_is_not_public_has_no_public_sites(centre):
    Challenge.objects.update(is_public=False)
    client = Client()
    assert client.get("/challenges/hippo/sites/").status_code == 404
    assert client.get(f"/api/v1/sites/{centre.federation.identifier}/").status_code == 404
    assert client.get(address(centre, "invitation")).status_code == 200


def test_an_organizer_invites_confirms_and_releases_in_the_browser(workers):
    centre = world.build(algorithms=())
    client = Client()
    client.force_login(centre.organizer)
    root = f"/challenges/hippo/organize/sites/{centre.federation.pk}"
    for name in ("a", "b"):
        assert client.post(f"{root}/algorithms/", {"algorithm-name": name}).status_code == 302
    archive = SimpleUploadedFile("public.zip", b"PK\x03\x04 what is in it, sites look at")
    assert client.post(f"{root}/public-cases/", {"public-archive": archive}).status_code == 302
    assert client.post(f"{root}/package/").status_code == 302
    package = Federation.objects.get().packages.get()
    assert [entry["name"] for entry in package.document["algorithms"]] == ["a", "b"]
    assert package.document["dry_run"]["size"] == 33
    client.post(f"{root}/invite/", {"invite-name": "north", "invite-contact": "ada@hospital.example"})
    page = client.get("/challenges/hippo/organize/sites/").content.decode()
    code = page.split("/sites/invitation/")[1].split("/")[0]
    assert code not in client.get("/challenges/hippo/organize/sites/").content.decode()  # shown once
    centre.codes["north"] = code
    sender = Sender(centre, "north")
    sender.register(confirm=False)
    wrong = client.post(f"{root}/north/", {"act": "confirm", "fingerprint": "0000 0000 0000 0000 0000"}, follow=True)
    assert "other digits" in wrong.content.decode()
    right = client.post(f"{root}/north/", {"act": "confirm", "fingerprint": fingerprint(sender.public)}, follow=True)
    assert "is confirmed" in right.content.decode()


def test_what_is_shown_over_sites_waits_for_the_end(centre):
    Sender(centre, "south").sent()
    client = Client()
    before = client.get("/challenges/hippo/leaderboard/final/sites/")
    assert b"At each site" not in before.content
    told = json.dumps(client.get(f"/api/v1/sites/{centre.federation.identifier}/").json())
    assert "mean" not in told.replace("means", "")
    Sender(centre, "west").sent()
    leave_out(actor=centre.organizer, site=Site.objects.get(name="north"), reason="it moved")
    close_phase(actor=centre.organizer, phase=centre.phase)
    for path in ("sites/", "v/1/sites/"):
        text = client.get(f"/challenges/hippo/leaderboard/final/{path}").content.decode()
        assert "At each site" in text
        assert "it moved" in text

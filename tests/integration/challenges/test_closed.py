"""Closed challenges: who sees them, on which way people enter, and what a registration under embargo shows."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from challenges.models import Admission, Challenge, Phase
from challenges.services import GateShutError, join_with_team, launch, open_submissions
from challenges.services import access as services
from core.audit.models import Entry
from evaluation.canonical import sha256
from registry.models import Facet, Listing, Registration
from registry.services import add_version, end_embargo
from tests.integration.challenges import world

pytestmark = pytest.mark.django_db
PROVIDER = {
    "id": "uni",
    "name": "University",
    "server": "https://sso.example.org",
    "institution": ["eduperson_scoped_affiliation", "hd"],
}
SECRETS = ("Hippocampus Segmentation", "hippocampus-segmentation", "Fully automatic")


def signed_in(user) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def registered():
    return world.registered(is_embargoed=True)


@pytest.fixture
def closed(registered):
    return launch(actor=registered.owner, registration=registered.registration, is_closed=True)


@pytest.fixture
def outsiders(closed):
    """A visitor, a signed-in stranger, and a member of another, public challenge."""
    other = world.registered(slug="other")
    public = launch(actor=other.owner, registration=other.registration)
    member = world.person("member-elsewhere")
    join_with_team(user=member, challenge=public, team_name="Elsewhere")
    return {"visitor": None, "stranger": world.person("stranger"), "member": member}


def addresses_of(challenge: Challenge) -> set[str]:
    """Return every address whose only argument is the challenge, or the challenge and a phase."""
    phase = Phase.objects.filter(task__challenge=challenge).first()
    key = f"{phase.task.slug}.{phase.slug}"
    others = {"phase": [phase.pk, key], "pk": [1], "version": [1], "kind": ["logo"], "name": ["blob"], "number": [1]}
    others |= {"page": ["faq"], "identifier": [phase.pk], "ending": ["csv"], "key": [key], "token": ["x"]}
    addresses = set()
    for prefix, resolver in get_resolver().namespace_dict.values():
        for name in [key for key in resolver.reverse_dict if isinstance(key, str)]:
            for possibilities, *_ in resolver.reverse_dict.getlist(name):
                for pattern, parameters in possibilities:
                    if "slug" not in parameters or not set(parameters) <= {"slug", *others}:
                        continue
                    if not f"{prefix}{pattern}".startswith(("challenges/", "api/v1/challenges/")):
                        continue
                    values = {"slug": [challenge.slug], **{n: others[n] for n in parameters if n != "slug"}}
                    for second in values.get(next((n for n in parameters if n != "slug"), ""), [None]):
                        chosen = {n: v[0] for n, v in values.items()}
                        if second is not None:
                            chosen[next(n for n in parameters if n != "slug")] = second
                        addresses.add(f"/{prefix}{pattern}" % chosen)
    return addresses


def test_outsiders_get_the_answer_of_a_challenge_that_does_not_exist(closed, outsiders):
    addresses = addresses_of(closed)
    assert len(addresses) >= 60
    for role, person in outsiders.items():
        client = signed_in(person)
        methods = [client.get] if role == "stranger" else [client.get, client.post]
        for address in sorted(addresses):
            absent = address.replace(closed.slug, "absent-challenge")
            for method in methods:
                answer, control = method(address), method(absent)
                assert answer.status_code == control.status_code, address
                assert answer.status_code in {302, 401, 403, 404, 405, 412, 415}, address
                content = answer.content.decode(errors="replace")
                assert not [secret for secret in SECRETS if secret in content], address


def test_no_list_of_outsiders_contains_a_trace(closed, outsiders):
    identifier = closed.projection.registration.identifier
    pages = [
        "/",
        "/challenges/",
        "/challenges/challenges.csv",
        "/challenges/?q=hippocampus",
        "/sitemap.xml",
        "/robots.txt",
    ]
    pages += [
        "/registry/?q=segmentation",
        "/registry/export.csv",
        "/registry/export.json?documents=1",
        "/registry/feed.atom",
    ]
    pages += ["/registry/statistics/", "/registry/statistics/coverage.csv", "/api/v1/challenges/", "/api/v1/registry/"]
    other = Challenge.objects.exclude(pk=closed.pk).get()
    for person in outsiders.values():
        client = signed_in(person)
        for page in pages:
            answer = client.get(page, follow=True)
            content = b"".join(answer.streaming_content) if answer.streaming else answer.content
            text = content.decode(errors="replace")
            assert closed.slug not in text, page
            if page.startswith("/registry") and "export" not in page and "feed" not in page:
                continue
            assert identifier not in text, page
        assert other.slug in client.get("/api/v1/challenges/").content.decode()
    assert not Listing.objects.filter(registration__identifier=identifier).exists()
    assert not Facet.objects.filter(registration__identifier=identifier).exists()


def test_the_address_of_a_closed_challenge_cannot_be_guessed_or_tested(closed, registered):
    second = world.registered(slug="second")
    launched = launch(actor=second.owner, registration=second.registration, slug=closed.slug.rsplit("-", 1)[0])
    assert launched.is_public
    assert closed.slug.startswith(f"{registered.registration.slug}-")
    assert registered.registration.slug == registered.registration.identifier.lower()


def test_an_embargo_shows_identifier_dates_and_digests_only(registered, outsiders):
    registration = registered.registration
    version = registration.versions.get()
    for person in outsiders.values():
        client = signed_in(person)
        page = client.get(f"/registry/{registration.identifier}/").content.decode()
        assert version.digest in page
        assert "under embargo" in page
        assert not [secret for secret in (*SECRETS, registered.owner.display_name) if secret in page]
        assert registration.identifier in client.get("/registry/").content.decode()
        parts = ("versions/", "compare/", "comments/", "badge.svg", "history.csv", "v1.0/", "v1.0.json", "v1.0.pdf")
        parts += ("v1.0/citation.bib", "v1.0/datacite.json", "v1.0/datacite.xml", "drift/", "changes/")
        for part in parts:
            status = client.get(f"/registry/{registration.identifier}/{part}").status_code
            assert status == 404 or (person is None and status == 302 and part == "drift/"), part
        for part in ("", "versions/", "versions/1.0/", "differences/", "history/"):
            assert client.get(f"/api/v1/registry/{registration.identifier}/{part}").status_code == 404, part
        entries = client.get("/api/v1/registry/embargoed/").json()
        assert [set(entry) for entry in entries] == [{"identifier", "version", "registered_at", "sha256"}]
        assert entries[0]["sha256"] == version.digest
        assert client.post(f"/registry/{registration.identifier}/publish/").status_code in {302, 404}
    registration.refresh_from_db()
    assert registration.is_embargoed


def test_the_end_of_an_embargo_publishes_what_the_digest_promised(registered):
    registration = registered.registration
    promised = registration.versions.get().digest
    owner = signed_in(registered.owner)
    assert "End the embargo" in owner.get(f"/registry/{registration.identifier}/").content.decode()
    assert owner.post(f"/registry/{registration.identifier}/publish/").status_code == 302
    visitor = Client()
    document = visitor.get(f"/registry/{registration.identifier}/v1.0.json").json()
    assert sha256(document) == promised
    assert "Registered under embargo" in visitor.get(f"/registry/{registration.identifier}/").content.decode()
    assert Listing.objects.filter(registration=registration).exists()
    entry = Entry.objects.get(act="registration_embargo_ended")
    assert entry.facts["digests"] == {"1.0": promised}
    end_embargo(registration=registration, actor=registered.owner)
    assert Entry.objects.filter(act="registration_embargo_ended").count() == 1


def test_versions_under_embargo_are_in_no_feed(registered):
    data = registered.registration.versions.get().document
    data["tasks"][0]["tie_handling"] = "shared"
    add_version(registration=registered.registration, actor=registered.owner, level="minor", note="Ties", document=data)
    assert "Ties" not in Client().get("/registry/feed.atom").content.decode()


def test_a_design_under_embargo_has_no_comment_period():
    with pytest.raises(ValidationError, match="no comment period"):
        world.registered(is_embargoed=True, comment_until=timezone.now() + timedelta(days=3))


def test_a_link_admits_a_person_until_it_is_withdrawn(closed, registered):
    person = world.person("invited")
    client = signed_in(person)
    link, token = services.create_link(actor=registered.owner, challenge=closed, label="Course", days=7)
    address = reverse("challenges:enter", args=[closed.slug, token])
    assert Client().get(address).status_code == 302
    assert client.get(closed.get_absolute_url()).status_code == 404
    assert closed.title in client.get(address).content.decode()
    assert not Admission.objects.exists()
    assert client.post(address).url == closed.get_absolute_url()
    assert client.get(closed.get_absolute_url()).status_code == 200
    assert "members only" in client.get("/challenges/").content.decode()
    assert client.get(f"/api/v1/challenges/{closed.slug}/").status_code == 200
    assert client.get(f"/registry/{closed.projection.registration.identifier}/v1.0.json").status_code == 200
    services.withdraw_link(actor=registered.owner, link=link)
    assert client.get(closed.get_absolute_url()).status_code == 404
    assert client.get(address).status_code == 404
    acts = ("access_link_created", "access_link_used", "access_link_withdrawn")
    assert list(Entry.objects.filter(act__in=acts).order_by("sequence").values_list("act", flat=True)) == list(acts)


def test_a_link_works_for_its_challenge_and_its_time_only(closed, registered):
    other = world.registered(slug="another")
    second = launch(actor=other.owner, registration=other.registration, is_closed=True)
    client = signed_in(world.person("late"))
    link, token = services.create_link(actor=registered.owner, challenge=closed, label="Course", days=7)
    assert client.get(reverse("challenges:enter", args=[second.slug, token])).status_code == 404
    type(link).objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for secret in (token, "x"):
        assert client.post(reverse("challenges:enter", args=[closed.slug, secret])).status_code == 404
    assert not Admission.objects.exists()
    assert token not in str(list(type(link).objects.values()))


@pytest.mark.parametrize(
    ("address", "verified", "status"),
    [
        ("ann@uni.example.org", True, 200),
        ("ann@UNI.example.org", True, 200),
        ("ann@uni.example.org", False, 404),
        ("ann@evil-uni.example.org", True, 404),
        ("ann@sub.uni.example.org", True, 404),
        ("ann@uni.example.org.evil.example", True, 404),
    ],
)
def test_a_domain_admits_verified_addresses_only(closed, registered, address, verified, status):
    person = world.person("ann")
    person.email = address
    person.save()
    EmailAddress.objects.create(user=person, email=address.lower(), verified=verified, primary=True)
    services.add_rule(actor=registered.owner, challenge=closed, kind="domain", value="uni.example.org")
    assert signed_in(person).get(closed.get_absolute_url()).status_code == status


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"userinfo": {"eduperson_scoped_affiliation": ["member@uni.example.org"]}}, 200),
        ({"id_token": {"hd": "Uni.example.org"}}, 200),
        ({"userinfo": {"eduperson_scoped_affiliation": ["alum@uni.example.org"]}}, 404),
        ({"userinfo": {"organization": "uni.example.org"}}, 404),
        ({"hd": "uni.example.org"}, 404),
        ({"userinfo": {"hd": {"value": "uni.example.org"}}}, 404),
    ],
)
def test_an_institution_admits_by_claims_that_the_operator_named(closed, registered, settings, data, status):
    settings.PODIUM_SIGN_IN = [PROVIDER]
    person = world.person("ann")
    account = SocialAccount.objects.create(user=person, provider="uni", uid="1", extra_data=data)
    services.add_rule(actor=registered.owner, challenge=closed, kind="institution", value="uni.example.org")
    assert signed_in(person).get(closed.get_absolute_url()).status_code == status
    settings.PODIUM_SIGN_IN = []
    assert signed_in(person).get(closed.get_absolute_url()).status_code == 404
    settings.PODIUM_SIGN_IN = [PROVIDER]
    SocialAccount.objects.filter(pk=account.pk).update(last_login=timezone.now() - timedelta(days=366))
    assert signed_in(person).get(closed.get_absolute_url()).status_code == 404


def test_members_keep_access_when_a_domain_is_removed(closed, registered):
    person = world.person("ann")
    EmailAddress.objects.create(user=person, email="ann@uni.example.org", verified=True)
    rule = services.add_rule(actor=registered.owner, challenge=closed, kind="domain", value="uni.example.org")
    join_with_team(user=person, challenge=closed, team_name="Annes")
    services.remove_rule(actor=registered.owner, rule=rule)
    client = signed_in(person)
    assert client.get(closed.get_absolute_url()).status_code == 200
    assert person.has_perm("challenges.submit_to_challenge", closed)


def test_a_public_challenge_cannot_be_closed_and_an_opened_one_not_again(closed, registered):
    with pytest.raises(GateShutError, match="under embargo"):
        services.open_to_public(actor=registered.owner, challenge=closed)
    end_embargo(registration=closed.projection.registration, actor=registered.owner)
    opened = services.open_to_public(actor=registered.owner, challenge=closed)
    assert opened.is_public
    assert Client().get(opened.get_absolute_url()).status_code == 200
    with pytest.raises(ValidationError, match="Other people have read it"):
        services.close_to_public(actor=registered.owner, challenge=opened)
    with pytest.raises(ValidationError, match="Only closed challenges"):
        services.create_link(actor=registered.owner, challenge=opened, label="Late", days=1)


def test_an_embargo_keeps_a_challenge_from_being_public(registered):
    with pytest.raises(GateShutError, match="under embargo"), transaction.atomic():
        launch(actor=registered.owner, registration=registered.registration)
    assert not Challenge.objects.exists()


def test_a_challenge_that_is_not_open_yet_shows_itself_to_organizers_only(registered):
    closed = launch(actor=registered.owner, registration=registered.registration, is_closed=True)
    closed.projection.opened_at = None
    closed.projection.save()
    person = world.person("ann")
    EmailAddress.objects.create(user=person, email="ann@uni.example.org", verified=True)
    services.add_rule(actor=registered.owner, challenge=closed, kind="domain", value="uni.example.org")
    _, token = services.create_link(actor=registered.owner, challenge=closed, label="Course", days=7)
    client = signed_in(person)
    assert client.get(closed.get_absolute_url()).status_code == 404
    assert client.get(reverse("challenges:enter", args=[closed.slug, token])).status_code == 404
    open_submissions(actor=registered.owner, challenge=closed)
    closed.refresh_from_db()
    assert (closed.is_public, closed.is_closed) == (False, True)
    assert client.get(closed.get_absolute_url()).status_code == 200


def test_the_database_refuses_a_closed_challenge_that_is_public(closed):
    with pytest.raises(IntegrityError), transaction.atomic():
        Challenge.objects.filter(pk=closed.pk).update(is_public=True)


def test_organizers_set_access_on_the_page_and_through_the_api(closed, registered):
    client = signed_in(registered.owner)
    page = f"/challenges/{closed.slug}/organize/access/"
    content = client.post(page, {"label": "Course", "days": "7"}).content.decode()
    assert "Copy the new link now" in content
    assert f"/challenges/{closed.slug}/enter/" not in client.get(page).content.decode()
    client.post(f"{page}rules/", {"kind": "domain", "value": "@UNI.example.org"})
    assert "uni.example.org" in client.get(page).content.decode()
    assert (
        "Enter a domain" in client.post(f"{page}rules/", {"kind": "domain", "value": "x"}, follow=True).content.decode()
    )
    base = f"/api/v1/challenges/{closed.slug}/access/"
    state = client.get(base).json()
    assert (state["audience"], state["is_open"], len(state["links"]), len(state["rules"])) == ("closed", True, 1, 1)
    made = client.post(f"{base}links/", {"label": "API"}, content_type="application/json").json()
    invited = signed_in(world.person("api-guest"))
    token = made["address"].rstrip("/").rsplit("/", 1)[1]
    entered = invited.post(
        f"/api/v1/challenges/{closed.slug}/enter/", {"token": token}, content_type="application/json"
    )
    assert entered.status_code == 200
    assert invited.get(f"{base}").status_code == 404
    assert client.delete(f"{base}links/{made['id']}/").status_code == 200
    assert client.delete(f"{base}rules/{state['rules'][0]['id']}/").status_code == 200
    refused = client.post(base, {"audience": "public"}, content_type="application/json")
    assert refused.status_code == 400
    assert "under embargo" in refused.content.decode()
    assert Registration.objects.get(pk=registered.registration.pk).is_embargoed


def test_members_change_nothing_about_the_access(closed, registered):
    link, token = services.create_link(actor=registered.owner, challenge=closed, label="Course", days=7)
    rule = services.add_rule(actor=registered.owner, challenge=closed, kind="domain", value="uni.example.org")
    guest = world.person("guest")
    services.enter(user=guest, slug=closed.slug, token=token)
    client = signed_in(guest)
    assert client.get(f"/challenges/{closed.slug}/").status_code == 200
    base = f"/challenges/{closed.slug}/organize/access/"
    for address in ("", "audience/", f"links/{link.pk}/", "rules/", f"rules/{rule.pk}/"):
        assert (
            client.post(base + address, {"audience": "public", "kind": "domain", "value": "x.org"}).status_code == 404
        )
    closed.refresh_from_db()
    assert closed.is_closed
    assert (closed.access_rules.count(), closed.access_links.get().withdrawn_at) == (1, None)

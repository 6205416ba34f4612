"""Permissions of every role × every address × the states of a filing; knowing an address grants no access."""

import pytest
from django.urls import get_resolver

from reviews.urls import urlpatterns
from tests.integration.reviews.conftest import ROLES
from tests.unit.reviews.world import vary

pytestmark = pytest.mark.django_db

OPEN, GO, HIDDEN, FORBIDDEN, SIGN_IN, UNAUTHORIZED = 200, 302, 404, 403, 302, 401
EVERYBODY = dict.fromkeys(ROLES, OPEN)
CHAIRS = {**dict.fromkeys(ROLES, FORBIDDEN), "anonymous": SIGN_IN, "chair": OPEN, "administrator": OPEN}
SIGNED_IN = {**EVERYBODY, "anonymous": SIGN_IN}
INSIDERS = {**dict.fromkeys(ROLES, HIDDEN), "anonymous": SIGN_IN}


def only(row, **answers):
    return {**row, **{role.replace("_", " "): answer for role, answer in answers.items()}}


EVERY_PART = only(INSIDERS, owner=OPEN, editor=OPEN, reviewer=OPEN, chair=OPEN, administrator=OPEN)
REVIEWER = only(INSIDERS, reviewer=OPEN)
# GET of every address, while the filing is under review and unless a state below says otherwise.
PAGES = {
    "calls": EVERYBODY,
    "create": only(
        {**dict.fromkeys(ROLES, FORBIDDEN), "anonymous": SIGN_IN}, administrator=OPEN
    ),  # the group "chairs" is tested below
    "mine": SIGNED_IN,
    "invitation": dict.fromkeys(ROLES, HIDDEN),  # a token that was never given
    "call": EVERYBODY,
    "settings": CHAIRS,
    "questions": CHAIRS,
    "question": CHAIRS,
    "mails": CHAIRS,
    "mail": CHAIRS,
    "people": CHAIRS,
    "people_csv": CHAIRS,
    "reviewer": only(CHAIRS, reviewer=OPEN),
    "assignments": CHAIRS,
    "letters": CHAIRS,
    "remind": CHAIRS,
    "automatic_state": CHAIRS,
    "matrix": CHAIRS,
    "matrix_csv": CHAIRS,
    "bids": only({**dict.fromkeys(ROLES, FORBIDDEN), "anonymous": SIGN_IN}, reviewer=OPEN, other_reviewer=OPEN),
    "file": SIGNED_IN,
    "filing": only(EVERY_PART, reviewer=GO),
    "decide": only(INSIDERS, owner=FORBIDDEN, editor=FORBIDDEN, reviewer=FORBIDDEN, chair=OPEN, administrator=OPEN),
    "rehearsal": EVERY_PART,
    "revision": only(INSIDERS, owner=GO, editor=GO, reviewer=FORBIDDEN, chair=FORBIDDEN, administrator=FORBIDDEN),
    "changes": EVERY_PART,
    "points": EVERY_PART,
    "export": EVERY_PART,
    "review": REVIEWER,
    "verdict": REVIEWER,
    "review_section": REVIEWER,
}
# POST, refused before it does anything: with empty data nothing changes but what is named here.
ACTS = {
    "message": only(CHAIRS, chair=GO, administrator=GO),
    "chairs": only(CHAIRS, chair=GO, administrator=GO),
    "invite": only(CHAIRS, chair=GO, administrator=GO),
    "close_invitation": only(CHAIRS, chair=HIDDEN, administrator=HIDDEN),
    "automatic": only(CHAIRS, chair=GO, administrator=GO),
    "assign": only(INSIDERS, owner=FORBIDDEN, editor=FORBIDDEN, reviewer=FORBIDDEN, chair=HIDDEN, administrator=HIDDEN),
    "start": only(INSIDERS, owner=FORBIDDEN, editor=FORBIDDEN, reviewer=FORBIDDEN, chair=GO, administrator=GO),
    "withdraw": only(INSIDERS, owner=GO, editor=FORBIDDEN, reviewer=FORBIDDEN, chair=GO, administrator=GO),
    "reply": only(INSIDERS, owner=HIDDEN, editor=HIDDEN, reviewer=HIDDEN, chair=HIDDEN, administrator=HIDDEN),
    "discuss": only(INSIDERS, owner=FORBIDDEN, editor=FORBIDDEN, reviewer=FORBIDDEN, chair=GO, administrator=GO),
    "conflict": only(INSIDERS, reviewer=GO),
    "save_verdict": {**dict.fromkeys(ROLES, HIDDEN), "anonymous": UNAUTHORIZED, "reviewer": OPEN},
    "send": only(INSIDERS, reviewer=GO),
    "save_answer": {**dict.fromkeys(ROLES, HIDDEN), "anonymous": UNAUTHORIZED, "reviewer": OPEN},
}
# Who may raise a point; with empty data none is raised.
POINTS = only(INSIDERS, owner=FORBIDDEN, editor=FORBIDDEN, reviewer=GO, chair=GO, administrator=GO)


def address(world, name):
    """The path of a name, with places of this world filled in."""
    values = {
        "slug": world.call.slug,
        "number": world.filing.number,
        "pk": {
            "question": world.call.questions.filter(section="general").first().pk,
            "save_answer": world.call.questions.filter(section="general").first().pk,
            "reviewer": world.panel["r1"].pk,
        }.get(name, 0),
        "kind": "reject",
        "token": "guessed",
        "key": "mission",
        "ending": "json",
    }
    pattern = next(entry for entry in urlpatterns if entry.name == name)
    wanted = pattern.pattern.converters
    path = get_resolver("reviews.urls").reverse(name, **{key: values[key] for key in wanted})
    return f"/calls/{path}{'?outcome=reject' if name == 'decide' else ''}"


def test_every_address_is_in_the_tables():
    assert {entry.name for entry in urlpatterns} == set(PAGES) | set(ACTS)


@pytest.mark.parametrize(
    ("anonymity", "roles"), [("double", ROLES), ("single", ("owner", "reviewer")), ("open", ("owner", "reviewer"))]
)
def test_every_role_at_every_address(client, people, world, anonymity, roles):
    vary(world, anonymity=anonymity)
    world.under_review()
    accounts = people(world)
    found, wanted = {}, {}
    for role in roles:
        client.logout()
        if accounts[role] is not None:
            client.force_login(accounts[role])
        for name, row in PAGES.items():
            found[role, name] = client.get(address(world, name)).status_code
            wanted[role, name] = row[role]
        for name in ("questions", "mails"):
            found[role, name, "csv"] = client.get(f"{address(world, name)}?format=csv").status_code
            wanted[role, name, "csv"] = PAGES[name][role]
        for name, row in {**ACTS, "points": POINTS}.items():
            if name == "conflict" and role == "reviewer":
                continue  # empty data keep the review; tested with the reviewers' walk
            found[role, "POST", name] = client.post(address(world, name)).status_code
            wanted[role, "POST", name] = row[role]
    assert found == wanted
    world.filing.refresh_from_db()
    assert world.filing.state == "under_review"
    assert world.filing.transitions.count() == 2


@pytest.mark.parametrize("state", ["submitted", "revision_required", "withdrawn"])
def test_pages_of_a_filing_in_its_other_states(client, people, world, state):
    if state == "revision_required":
        world.revision_required()
    else:
        world.file()
        world.assign()
    if state == "withdrawn":
        from reviews.services.filing import withdraw

        withdraw(actor=world.owner, filing=world.filing, reason="no data")
    accounts = people(world)
    found, wanted = {}, {}
    for role in ROLES:
        client.logout()
        if accounts[role] is not None:
            client.force_login(accounts[role])
        for name in ("filing", "changes", "points", "export", "review", "verdict", "review_section", "revision"):
            found[role, name] = client.get(address(world, name)).status_code
            wanted[role, name] = PAGES[name][role]
        if state == "revision_required" and role in ("owner", "editor"):
            wanted[role, "revision"] = OPEN
    assert found == wanted


def test_a_call_that_is_not_published_is_hidden_from_all_but_its_own(client, people, world):
    world.file()
    accounts = people(world)
    type(world.call).objects.filter(pk=world.call.pk).update(is_public=False)
    found = {}
    for role in ROLES:
        client.logout()
        if accounts[role] is not None:
            client.force_login(accounts[role])
        found[role] = client.get(world.call.get_absolute_url()).status_code
        listed = f'href="{world.call.get_absolute_url()}"' in client.get("/calls/").content.decode()
        assert listed == (found[role] == OPEN), role
    inside = ("reviewer", "other reviewer", "chair", "administrator")
    assert found == {role: OPEN if role in inside else HIDDEN for role in ROLES}


def test_a_chair_has_no_part_in_the_review_of_an_own_design(client, world):
    world.under_review()
    world.send("r1", summary="Quite good")
    world.design.collaborators.create(user=world.chair, role="editor")
    client.force_login(world.chair)
    page = client.get(world.filing.get_absolute_url()).content.decode()
    assert "Reviewername" not in page
    assert "Quite good" not in page
    for name in ("matrix", "matrix_csv", "assignments"):
        assert "Hippocampus, spring" not in client.get(address(world, name)).content.decode()
    for name in ("decide", "assign", "start"):
        assert client.post(address(world, name)).status_code == FORBIDDEN


def test_the_group_of_chairs_makes_calls(client, world):
    from django.contrib.auth.models import Group

    stranger = world.panel["r1"].user
    stranger.groups.add(Group.objects.get_or_create(name="chairs")[0])
    client.force_login(stranger)
    assert client.get("/calls/new/").status_code == OPEN


@pytest.mark.parametrize(("anonymity", "reads"), [("open", OPEN), ("single", HIDDEN), ("double", HIDDEN)])
def test_reviewers_read_the_pages_of_the_design_only_where_all_know_each_other(client, world, anonymity, reads):
    vary(world, anonymity=anonymity)
    world.under_review()
    client.force_login(world.panel["r1"].user)
    for path in ("", "versions/", "checks/", "export.pdf", "export.json", "compare/"):
        assert client.get(f"/designs/{world.design.slug}/{path}").status_code == reads, path
    client.force_login(world.chair)
    assert client.get(f"/designs/{world.design.slug}/").status_code == OPEN
    client.force_login(world.panel["r3"].user)
    assert client.get(f"/designs/{world.design.slug}/").status_code == HIDDEN

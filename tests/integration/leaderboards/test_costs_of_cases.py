"""Run costs of single hidden cases: visible only to the named organizers, wherever single cases are shown."""

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from itertools import chain
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase
from datastore.test_sets.models import TestCase
from datastore.uploads.storage import load_json
from evaluation.analyses import catalogue
from submissions.models import Submission
from tests.integration.leaderboards import costs_world, world
from tests.integration.leaderboards.conftest import storages_in
from tests.integration.leaderboards.costs_world import tells_a_cost
from tests.sizes import size

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Visibility of values in stored files. `leaderboards/test_permissions.py` reads rankings on both databases."
    ),
]

PEOPLE = ("anonymous", "stranger", "member", "other", "staff", "moderator", "root", "organizer")
OUTSIDERS = PEOPLE[:-1]
LOOKERS_ON = ("anonymous", "member", "root")
"""Viewers who request every address.

They are a visitor, the participant who sees most, and the administrator of the platform.
"""
PHASES = ("open", "sealed", "revealed")
EVERY_PAIR = tuple((person, phase) for person in OUTSIDERS for phase in PHASES)
PAIRS = size(
    tuple(
        (person, phase)
        for place, person in enumerate(OUTSIDERS)
        for phase in (PHASES if person in ("member", "root") else (PHASES[place % len(PHASES)],))
    ),
    EVERY_PAIR,
)
"""Viewers and phases; in the short form, each viewer who sees little has one phase."""
VIEWS = tuple(tab.name for tab in catalogue.TABS)


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, storage_folder):
    """One world for all tests of this file; what a test changes is rolled back behind it."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        made = costs_world.build()
        # A second submission of the first team, to be compared with its first one.
        for phase in made.phases.values():
            costs_world.add_run(
                made, phase, made.teams["Ada"], phase.assessment, level=0.85, more=costs_world.MORE["again"]
            )
        yield made
        transaction.set_rollback(True)


def client_of(built: world.World, person: str) -> Client:
    client = Client()
    if person != "anonymous":
        client.force_login(built.people[person])
    return client


def submissions_of(built: world.World, phase: str) -> list[Submission]:
    return list(Submission.objects.filter(phase=built.phases[phase]).order_by("team__name", "number"))


def of_ranking(phase: str) -> Iterator[str]:
    """Yield every address of a ranking, its tabs and groups, without its figures."""
    page = reverse("leaderboards:current", args=["liver", phase])
    yield page
    yield reverse("leaderboards:embed", args=["liver", phase])
    yield reverse("leaderboards:history", args=["liver", phase])
    for view in VIEWS:
        yield f"{page}?view={view}&by=Wall+time"
    yield f"{page}?view=all"
    for name in ("document", "table_csv", "table_json", "hardest_csv", "results_csv", "bundle"):
        yield reverse(f"leaderboards:{name}", args=["liver", phase, 1])
    for name in ("table_csv", "table_json"):
        yield reverse(f"leaderboards:{name}", args=["liver", phase, 1]) + "?group=site:north"
    yield f"{page}?group=site:north"
    yield f"{page}?group=site:north&by=Wall+time"
    yield reverse("api:ranking", args=["liver", phase])
    yield reverse("api:ranking", args=["liver", phase]) + "?group=site:north"


def of_figures(phase: str) -> Iterator[str]:
    """Yield the address of each figure of a ranking in two orders."""
    for picture in catalogue.PICTURES:
        for order in ("Wall+time", "overall"):
            yield reverse("leaderboards:figure", args=["liver", phase, 1, picture.name]) + f"?by={order}"


def of_submissions(built: world.World, phase: str) -> Iterator[str]:
    """Yield every address of the submissions of a phase."""
    rows = submissions_of(built, phase)
    for row in rows:
        for name in ("detail", "status", "results_csv"):
            yield reverse(f"submissions:{name}", args=["liver", row.pk])
        yield reverse("results:case", args=["liver", row.pk, world.CASES[0]])
        yield reverse("results:objects_csv", args=["liver", row.pk])
        yield reverse("api:submission-detail", args=[row.pk])
        yield reverse("api:submission-results", args=[row.pk])
    for name in ("compare", "compare_csv"):
        yield reverse(f"results:{name}", args=["liver"]) + f"?before={rows[0].pk}&after={rows[1].pk}"
    for name in ("history", "history_csv"):
        yield reverse(f"results:{name}", args=["liver"])
    yield reverse("results:organized_case", args=["liver", world.CASES[0]]) + f"?phase={built.phases[phase].pk}"
    yield reverse("results:organize_results_csv", args=["liver", built.phases[phase].pk])
    yield reverse("results:export", args=["liver"])


def text(response) -> str:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(archive.read(name).decode(errors="replace") for name in archive.namelist())
    return content.decode(errors="replace")


def told(client: Client, addresses: Iterator[str]) -> tuple[list[str], int]:
    """Addresses whose answers hold what a single case took, and how many were answered at all."""
    found, answered = [], 0
    for address in addresses:
        response = client.get(address)
        answered += response.status_code == 200
        if tells_a_cost(text(response)):
            found.append(address)
    return found, answered


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("person", LOOKERS_ON)
def test_nobody_else_is_told_what_a_single_case_took_by_a_ranking(built, person, phase):
    found, answered = told(client_of(built, person), of_ranking(phase))

    assert not found
    assert answered > (0 if phase == "sealed" else 10)


@pytest.mark.full_size("test_each_figure_that_contains_a_cost_is_refused")
@pytest.mark.parametrize("phase", PHASES)
def test_no_figure_tells_the_participant_who_sees_most(built, phase):
    found, answered = told(client_of(built, "member"), of_figures(phase))

    assert not found
    assert bool(answered) is (phase != "sealed")


def telling_figures(built: world.World, phase: str) -> list[str]:
    """Return the addresses of the stored figures that contain the cost of a single case.

    A page shows a stored figure as it is, so that no other figure can tell one.
    """
    stored = built.phases[phase].rankings.get(number=1).analysis.figures
    return [
        reverse("leaderboards:figure", args=["liver", phase, 1, name]) + "?" + urlencode({"by": order})
        for name, orders in stored.items()
        for order, reference in orders.items()
        if tells_a_cost(json.dumps(load_json(reference)))
    ]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("person", LOOKERS_ON)
def test_each_figure_that_contains_a_cost_is_refused(built, person, phase):
    telling = telling_figures(built, phase)
    found, answered = told(client_of(built, person), iter(telling))

    assert telling
    assert not found
    assert not answered


@pytest.mark.parametrize(("person", "phase"), PAIRS)
def test_nobody_else_is_told_it_by_a_submission(built, person, phase):
    found, answered = told(client_of(built, person), of_submissions(built, phase))

    assert not found
    assert answered or person in ("anonymous", "stranger", "staff", "moderator")


def test_named_organizers_are_told(built):
    client = client_of(built, "organizer")
    figures = [address for address in of_figures("revealed") if "/dots.json" in address or size(False, True)]
    by_ranking, _ = told(client, chain(of_ranking("revealed"), figures))
    by_submissions, _ = told(client, of_submissions(built, "revealed"))

    names = [
        reverse(f"leaderboards:{name}", args=["liver", "revealed", 1])
        for name in ("results_csv", "bundle", "hardest_csv")
    ]
    assert set(names) <= set(by_ranking)
    assert any("/figures/dots.json?by=Wall+time" in address for address in by_ranking)
    first = submissions_of(built, "revealed")[0]
    assert reverse("submissions:detail", args=["liver", first.pk]) in by_submissions
    assert reverse("submissions:results_csv", args=["liver", first.pk]) in by_submissions
    assert reverse("results:case", args=["liver", first.pk, world.CASES[0]]) in by_submissions
    assert reverse("api:submission-results", args=[first.pk]) in by_submissions
    assert reverse("results:export", args=["liver"]) in by_submissions


def test_what_else_single_cases_tell_is_told_as_before(built):
    client = client_of(built, "member")
    own = submissions_of(built, "open")[0]
    page = text(client.get(reverse("submissions:detail", args=["liver", own.pk])))
    assert "case-00" in page
    assert "Costs of single cases (Wall time) are not shown" in page
    table = client.get(reverse("submissions:results_csv", args=["liver", own.pk]))
    assert "dsc" in text(table)
    assert "Wall time" not in text(table)
    assert "Podium-Digest" not in table

    closed = reverse("leaderboards:results_csv", args=["liver", "revealed", 1])
    assert "dsc" in text(client_of(built, "anonymous").get(closed))
    dots = reverse("leaderboards:figure", args=["liver", "revealed", 1, "dots"])
    assert client_of(built, "anonymous").get(dots, {"by": "dsc/whole"}).status_code == 200


@pytest.mark.parametrize(
    ("person", "offered"), [("anonymous", False), ("member", False), ("root", False), ("organizer", True)]
)
def test_the_page_of_a_ranking_offers_the_bundle_to_whom_it_is_open_and_says_why_not_to_others(built, person, offered):
    page = text(client_of(built, person).get(reverse("leaderboards:current", args=["liver", "revealed"])))

    assert ("bundle.zip" in page) is offered
    assert ("Costs of single cases (Wall time) are not shown" in page) is not offered
    assert "reveal the class of every case" not in page


@pytest.mark.parametrize("person", ["anonymous", "member", "root"])
def test_aggregates_are_told_to_whoever_sees_the_ranking(built, person):
    """Of ten cases whose mean is known."""
    client = client_of(built, person)
    page = text(client.get(reverse("leaderboards:current", args=["liver", "open"])))
    mean = sum(costs_world.SECONDS) / 10

    assert f"{mean:.2f}" in page
    assert (
        client.get(
            reverse("leaderboards:figure", args=["liver", "open", 1, "quality-and-wall-time"]), {"by": "dsc/whole"}
        ).status_code
        == 200
    )


@pytest.mark.parametrize("name", [picture.name for picture in catalogue.PICTURES if picture.shows_cases])
def test_figures_of_single_cases_and_of_groups_are_refused_where_costs_enter(built, name):
    drawn = built.phases["revealed"].rankings.get(number=1).analysis.figures.get(name, {})
    outside, organizer = client_of(built, "member"), client_of(built, "organizer")
    for order in ("Wall time", "overall"):
        address = reverse("leaderboards:figure", args=["liver", "revealed", 1, name])
        assert outside.get(address, {"by": order}).status_code == 403
        assert organizer.get(address, {"by": order}).status_code == (200 if order in drawn else 404)


def test_a_group_of_cases_has_no_column_of_costs_and_no_order_that_they_enter(built):
    def orders(person):
        address = reverse("leaderboards:table_json", args=["liver", "revealed", 1])
        return {
            order["key"] for order in client_of(built, person).get(address, {"group": "site:north"}).json()["orders"]
        }

    assert orders("member") == {"dsc/whole", "hausdorff_percentile/whole"}
    assert orders("organizer") == {"overall", "dsc/whole", "hausdorff_percentile/whole", "Wall time"}


@pytest.mark.parametrize("person", ["anonymous", "member", "other"])
def test_what_is_kept_is_told_when_the_references_are(built, person):
    with transaction.atomic():
        Phase.objects.filter(pk=built.phases["revealed"].pk).update(reveals_cases=True)
        names = [reverse(f"leaderboards:{name}", args=["liver", "revealed", 1]) for name in ("results_csv", "bundle")]
        by_ranking, _ = told(client_of(built, person), iter(names))
        transaction.set_rollback(True)

    assert by_ranking == names


def test_that_the_references_are_to_be_shown_opens_nothing_before_the_end(built):
    with transaction.atomic():
        Phase.objects.filter(pk=built.phases["open"].pk).update(reveals_cases=True)
        found, _ = told(client_of(built, "member"), of_submissions(built, "open"))
        transaction.set_rollback(True)

    assert not found


def test_a_later_release_keeps_it_until_then(built):
    with transaction.atomic():
        later = timezone.now() + timedelta(days=1)
        Phase.objects.filter(pk=built.phases["revealed"].pk).update(reveals_cases=True, reveals_at=later)
        found, _ = told(client_of(built, "member"), of_submissions(built, "revealed"))
        transaction.set_rollback(True)

    assert not found


def test_a_dry_run_on_public_cases_tells_everything(built):
    with transaction.atomic():
        Phase.objects.filter(pk=built.phases["open"].pk).update(is_dry_run=True)
        open_cases, _ = told(client_of(built, "member"), of_submissions(built, "open"))
        # Unless another phase holds the same references hidden.
        TestCase.objects.filter(test_set__phase=built.phases["open"]).update(reference_sha256="a" * 64)
        TestCase.objects.filter(test_set__phase=built.phases["sealed"]).update(reference_sha256="a" * 64)
        shared, _ = told(client_of(built, "member"), of_submissions(built, "open"))
        transaction.set_rollback(True)

    assert open_cases
    assert not shared


def test_a_ranking_of_before_an_assessment_without_costs_keeps_them_too(built):
    """Earlier rankings and results contain costs, even if a later version of the design ranks without them."""
    from tests.integration.leaderboards import examples

    phase = built.phases["revealed"]
    with transaction.atomic():
        plain = examples.assessment()
        Phase.objects.filter(pk=phase.pk).update(
            assessment_document=dict(plain.document), assessment_digest=plain.digest
        )
        client = client_of(built, "member")
        names = ("results_csv", "bundle", "hardest_csv")
        found, _ = told(
            client, iter([reverse(f"leaderboards:{name}", args=["liver", "revealed", 1]) for name in names])
        )
        own = submissions_of(built, "revealed")[0]
        table = text(client.get(reverse("submissions:results_csv", args=["liver", own.pk])))
        transaction.set_rollback(True)

    assert not found
    assert not tells_a_cost(table)

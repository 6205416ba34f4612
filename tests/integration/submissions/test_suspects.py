"""Suspect references after a ranking: the search, who sees what of it, blinded answers, and what follows from them."""

import json
from pathlib import Path

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from accounts.models import User
from challenges.models import Member, Organizer, Phase
from core.audit.models import Entry
from datastore.test_sets import vault
from datastore.test_sets.models import CaseReport
from leaderboards.models import SuspectReader, SuspectReading, SuspectSearch
from leaderboards.queries import suspects as queries
from leaderboards.services import rankings, suspect_readings, suspects
from reports.exposure.queries.audience import Audience
from reports.exposure.queries.facts import collect
from reports.exposure.services.lines import SUSPECTS, About
from tests.integration.submissions.world import SHAPE, World, build, nifti, zipped

pytestmark = pytest.mark.django_db(transaction=True)

CASES = tuple(f"case_{number:02}" for number in range(22))
WRONG = CASES[7]
PAGE = "/challenges/blocks/leaderboard/first/suspects/"
SECRETS = ("Ada's", "Bo's")


def ellipsoid(random: np.random.Generator, middle: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Draw a body of two labels with a slightly irregular outline."""
    grid = np.stack(np.meshgrid(*(np.arange(length) for length in SHAPE), indexing="ij"), axis=-1)
    inside = (((grid - middle) / radii) ** 2).sum(axis=-1) + random.normal(0, 0.05, SHAPE) < 1
    return np.where(inside, np.where(grid[..., 0] < middle[0], 1, 2), 0).astype(np.uint8)


def made() -> tuple[dict[str, np.ndarray], list[dict[str, np.ndarray]]]:
    """Return references, of which one is shifted, and the predictions of two algorithms."""
    random = np.random.default_rng(5)
    references, predictions = {}, [{}, {}]
    for case in CASES:
        middle, radii = random.uniform(4, 6, 3) - (0, 0.5, 1.5), random.uniform(2.2, 3.2, 3)
        references[case] = ellipsoid(random, middle, radii)
        for algorithm in predictions:
            algorithm[case] = ellipsoid(random, middle + random.normal(0, 0.15, 3), radii)
    references[WRONG] = np.roll(references[WRONG], 4, axis=0)
    return references, predictions


def exclude(world: World, case: str) -> None:
    """Withdraw the consent to the use of a case."""
    document = world.phase.assessment_document | {
        "exclusions": {"cases": [{"case": case, "reason": "consent_withdrawn"}]}
    }
    Phase.objects.filter(pk=world.phase.pk).update(assessment_document=document)
    world.phase = Phase.objects.get(pk=world.phase.pk)


@pytest.fixture
def searched(db, tmp_path: Path, workers) -> World:
    """A phase with two ranked algorithms and one wrong reference, after the search."""
    references, predictions = made()
    world = build(tmp_path / "references", references=references)
    for team, algorithm in zip((world.adas, world.bos), predictions, strict=True):
        world.upload(zipped({f"{case}.nii.gz": nifti(labels) for case, labels in algorithm.items()}), team=team)
    rankings.request_ranking(world.phase.pk)
    rankings.rank_phase(phase_id=world.phase.pk)
    search = SuspectSearch.objects.get(phase=world.phase)
    assert (search.requested, search.computed) == (1, 0)  # it waits for further rankings
    SuspectSearch.objects.update(due_at=None)
    assert suspects.search(phase_id=world.phase.pk)
    return world


def test_a_wrong_reference_is_found_read_without_names_and_reported(client, searched: World):
    search = queries.search_of(searched.phase)
    assert (search.note, search.cases, search.algorithms, search.computed) == ("", len(CASES), 2, 1)
    first = search.suspects.first()
    assert (first.case, first.listed) == (WRONG, True)
    assert search.suspects.count() == 3  # a tenth of the cases
    # Every view shows the reference and is encrypted.
    plan = queries.views_of(first.folder)
    assert {layer["name"] for layer in plan["layers"]} == {"image", "prediction", "reference"}
    # The viewer begins at the largest disagreement.
    starts = [strip["slices"][strip["start"]] for strip in plan["strips"]]
    assert starts == list(reversed(first.place))
    client.force_login(searched.organizer)
    page = client.get(PAGE).content.decode()
    assert f"1 of {len(CASES)} references is suspect" in page
    assert "Without any wrong reference" in page
    assert not any(name in page for name in SECRETS)
    reading = client.get(f"{PAGE}{WRONG}/").content.decode()
    assert not any(name in reading for name in SECRETS)
    assert "0.9" not in reading.split("<main", 1)[1]
    viewer = client.get(f"{PAGE}{WRONG}/viewer.json")
    assert not any(name in viewer.content.decode() for name in SECRETS)
    sheet = json.loads(viewer.content)["strips"][0]["sheets"]["reference"]
    assert client.get(sheet).content.startswith(b"\x89PNG")
    assert client.get(f"{PAGE}{WRONG}/views/picture/").content.startswith(b"\x89PNG")
    assert Entry.objects.filter(act="reference_seen", actor=searched.organizer).count() == 3
    # Nothing is reported before it was read.
    with pytest.raises(ValidationError, match="must first answer"):
        suspect_readings.report(actor=searched.organizer, search=search, case=WRONG)
    client.post(f"{PAGE}{WRONG}/", {"answer": "nonsense"})
    assert not SuspectReading.objects.exists()
    client.post(f"{PAGE}{WRONG}/", {"answer": "reference", "note": "Shifted by four voxels."})
    page = client.get(PAGE).content.decode()
    assert "Reference wrong: 1" in page
    assert "Shifted by four voxels." in page
    answer = client.post(PAGE, {"act": "report", "case": WRONG})
    report = CaseReport.objects.get()
    assert answer["Location"].endswith(f"/cases/reports/#report-{report.pk}")
    assert (report.case, report.category, report.state) == (WRONG, "reference", "confirmed")
    facts = collect(searched.challenge, audience=Audience.ORGANIZERS)
    [line] = SUSPECTS.all(About(facts, facts.phases[0]))
    assert f"First: 1 of {len(CASES)} references is suspect" in line
    assert line.endswith("blinded readers examined 1 case: reference wrong 1")
    # The public reads no number before the results are released.
    assert collect(searched.challenge, audience=Audience.PUBLIC).phases[0].suspects == {}


def test_a_suspect_reference_is_for_organizers_and_invited_readers(client, searched: World):
    make = User.objects.create_user
    people = {"anonymous": None, "team": searched.ada, "owner": searched.organizer, "stranger": make("eve")}
    people["administrator"] = make("root", is_staff=True, is_superuser=True)
    for role in (Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        people[str(role)] = make(str(role))
        Organizer.objects.create(challenge=searched.challenge, user=people[str(role)], role=role)
    people["reader"] = make("rita", "rita@example.org")
    for person, problem in ((searched.ada, "in a team"), (searched.organizer, "is an organizer")):
        with pytest.raises(ValidationError, match=problem):
            suspect_readings.invite_reader(actor=searched.organizer, phase=searched.phase, person=person)
    client.force_login(searched.organizer)
    unknown = client.post(PAGE, {"act": "invite", "person": "unknown"}, follow=True).content.decode()
    assert "No account has this user name or e-mail address." in unknown
    make("rita@example.org")  # who takes an address for a user name does not get the invitation
    client.post(PAGE, {"act": "invite", "person": "Rita@example.org"})
    reader = SuspectReader.objects.get()
    found = {}
    places = (PAGE, f"{PAGE}{WRONG}/", f"{PAGE}{WRONG}/viewer.json", f"{PAGE}{WRONG}/views/reference-z/")
    for role, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        answers = [client.get(place) for place in places]
        answers += [
            client.post(f"{PAGE}{WRONG}/", {"answer": "x"}),
            client.post(PAGE, {"act": "invite", "person": "eve"}),
        ]
        found[role] = tuple(answer.status_code for answer in answers)
        if role not in ("owner", str(Organizer.Role.MANAGER), "reader"):
            assert WRONG.encode() not in answers[0].content  # the other addresses contain the name
        SuspectReader.objects.exclude(pk=reader.pk).delete()
    hidden, shown = (404,) * 6, (200, 200, 200, 200, 302, 302)
    assert found == {
        "anonymous": (302,) * 6,
        "team": hidden,
        "stranger": hidden,
        "administrator": hidden,
        "moderator": hidden,
        "owner": shown,
        "manager": shown,
        # An invited reader goes from case to case and sees no list.
        "reader": (302, 200, 200, 200, 302, 404),
    }
    # A case that is not offered does not exist for anybody.
    client.force_login(people["reader"])
    assert client.get(f"{PAGE}case_99/").status_code == 404
    offered = list(queries.search_of(searched.phase).suspects.values_list("case", flat=True))
    for _ in offered:
        client.post(client.get(PAGE)["Location"], {"answer": "both"})
    assert b"No case to read" in client.get(PAGE).content
    assert set(SuspectReading.objects.values_list("case", flat=True)) == set(offered)
    # Who joins a team, or is removed, reads nothing any more.
    member = Member.objects.create(
        challenge=searched.challenge, team=searched.adas, user=people["reader"], role=Member.Role.MEMBER
    )
    assert client.get(f"{PAGE}{WRONG}/").status_code == 404
    member.delete()
    assert client.get(f"{PAGE}{WRONG}/").status_code == 200
    suspect_readings.remove_reader(actor=searched.organizer, phase=searched.phase, reader=reader.pk)
    assert client.get(f"{PAGE}{WRONG}/").status_code == 404


def test_of_a_case_without_consent_readers_see_nothing_and_the_next_search_has_none(client, searched: World):
    reader = User.objects.create_user("rita")
    suspect_readings.invite_reader(actor=searched.organizer, phase=searched.phase, person=reader)
    exclude(searched, WRONG)
    found = {}
    for person in (reader, searched.organizer):
        client.force_login(person)
        places = (f"{PAGE}{WRONG}/", f"{PAGE}{WRONG}/viewer.json", f"{PAGE}{WRONG}/views/reference-z/")
        found[person.username] = [client.get(place).status_code for place in places]
    assert found == {"rita": [404] * 3, searched.organizer.username: [200] * 3}
    assert WRONG not in [row.case for row in queries.to_read(queries.search_of(searched.phase), reader)]
    suspects.request(searched.phase)
    SuspectSearch.objects.update(due_at=None)
    assert suspects.search(phase_id=searched.phase.pk)
    assert not queries.search_of(searched.phase).suspects.filter(case=WRONG).exists()


def test_a_search_without_a_result_gives_reports_no_numbers(searched: World):
    assert queries.numbers_of([searched.phase])[searched.phase.pk]["suspects"] == 1
    SuspectSearch.objects.update(note="There is no ranking of predictions that were submitted here.")
    assert queries.numbers_of([searched.phase]) == {}


def test_a_later_search_replaces_the_views_and_keeps_the_answers(searched: World):
    search = queries.search_of(searched.phase)
    suspect_readings.answer(reader=searched.organizer, search=search, case=WRONG, choice="reference")
    before = search.suspects.first().folder
    suspects.request(searched.phase)
    SuspectSearch.objects.update(due_at=None)
    assert suspects.search(phase_id=searched.phase.pk)
    search = queries.search_of(searched.phase)
    assert search.suspects.first().folder != before
    assert queries.views_of(before) is None
    assert queries.views_of(search.suspects.first().folder) is not None
    assert queries.answers_by_case(search)[WRONG].total == 1
    assert not suspects.search(phase_id=searched.phase.pk)  # nothing is left to do


def test_a_phase_with_few_cases_is_not_searched(world: World):
    suspects.request(world.phase)
    assert not SuspectSearch.objects.exists()


def test_names_of_views_are_those_of_encrypted_files():
    assert queries.view_name("suspects/1/2/3", "plan.json").endswith(vault.SUFFIX)

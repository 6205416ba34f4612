"""Reports of a case: submitted, answered, and resolved by a public change that excludes the case."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from accounts.models import User
from accounts.notifications.models import Notification
from challenges.models import Member
from datastore.test_sets.models import CaseReport
from datastore.test_sets.services import case_reports
from registry.changes.queries.documents import proposals
from registry.models import Registration
from registry.queries import current_version
from reviews.models import Assignment, Filing, Reviewer
from tests.integration.challenges.test_both_ways import phase, registered, surroundings
from tests.integration.challenges.test_excluded_cases import first_case
from tests.unit.reviews.world import make_call

__all__ = ["phase", "registered", "surroundings"]
pytestmark = pytest.mark.django_db
PAGE = "/challenges/liver/cases/reports/"


@pytest.fixture
def people(registered, phase):
    ada = User.objects.get(username="ada")
    team = phase.challenge.teams.get(name="Ada")
    if not Member.objects.filter(team=team, user=ada).exists():
        Member.objects.create(team=team, challenge=phase.challenge, user=ada)
    return {
        "anonymous": None,
        "stranger": User.objects.create_user("stella", "stella@example.org", "a long password"),
        "participant": ada,
        "organizer": registered.owner,
        "administrator": User.objects.create_superuser("root", "root@example.org", "a long password"),
    }


def signed_in(person):
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def reported(phase, person, **more):
    facts = {"case": first_case(phase), "category": "reference", "text": "Left and right are swapped."} | more
    return case_reports.report_case(user=person, phase=phase, **facts)


def test_a_report_is_read_by_organizers_and_its_author_and_counted_for_everybody(phase, people):
    case = first_case(phase)
    sent = {"phase": phase.pk, "case": case, "category": "reference", "text": "Left and right are swapped."}
    assert signed_in(people["participant"]).post(PAGE, sent).status_code == 302
    pages = {role: signed_in(person).get(PAGE).content.decode() for role, person in people.items()}
    readers = {role for role, text in pages.items() if "Left and right are swapped." in text}
    assert readers == {"participant", "organizer", "administrator"}
    assert {role for role, text in pages.items() if case in text} == readers
    assert all("The reference looks wrong" in text for text in pages.values())
    assert Notification.objects.filter(user=people["organizer"], kind="case_reported").count() == 1
    assert signed_in(people["participant"]).post(PAGE, sent).status_code == 422
    assert signed_in(people["stranger"]).post(PAGE, sent).status_code == 403
    assert CaseReport.objects.count() == 1


def test_who_reviewed_the_design_reports_too_and_who_reviewed_another_does_not(registered, phase, people):
    reviewer, other = (
        User.objects.create_user(name, f"{name}@example.org", "a long password") for name in ("rolf", "ruth")
    )
    call = make_call(registered.owner)
    filing = Filing.objects.create(
        call=call, design=registered.design, number=1, title="H", state=Filing.State.ACCEPTED
    )
    Registration.objects.filter(pk=registered.registration.pk).update(filing=filing)
    for person in (reviewer, other):
        Reviewer.objects.create(call=call, user=person)
    place = Reviewer.objects.get(user=reviewer)
    Assignment.objects.create(filing=filing, reviewer=place, label=1, assigned_by=registered.owner)
    sent = {"phase": phase.pk, "case": first_case(phase), "category": "reference", "text": "Another structure."}
    assert signed_in(reviewer).post(PAGE, sent).status_code == 302
    assert signed_in(other).post(PAGE, sent).status_code == 403
    assert CaseReport.objects.get().user == reviewer


def test_the_answer_reaches_who_reported_and_nobody_else_answers(phase, people):
    report = reported(phase, people["participant"])
    answer = {"state": "confirmed", "answer": "You are right."}
    codes = {
        role: signed_in(person).post(f"{PAGE}{report.pk}/answer/", answer).status_code
        for role, person in people.items()
    }
    assert codes == {
        "anonymous": 302,
        "stranger": 404,
        "participant": 404,
        "organizer": 302,
        "administrator": 302,
    }
    report.refresh_from_db()
    assert (report.state, report.answer) == ("confirmed", "You are right.")
    assert "You are right." in signed_in(people["participant"]).get(PAGE).content.decode()
    assert Notification.objects.filter(user=people["participant"], kind="case_report_answered").exists()
    with pytest.raises(ValidationError, match="Write an answer"):
        case_reports.answer_report(actor=people["organizer"], report=report, state="dismissed", answer=" ")


def test_a_case_that_is_not_asked_for_cannot_be_reported(phase, people):
    with pytest.raises(ValidationError, match="does not ask for a case"):
        reported(phase, people["participant"], case="no-such-case")


def test_a_confirmed_report_becomes_a_proposed_change_and_changes_nothing_by_itself(registered, phase, people):
    report = reported(phase, people["participant"])
    organizer = signed_in(people["organizer"])
    before = phase.assessment_digest
    organizer.post(f"{PAGE}{report.pk}/exclude/")
    assert not [entry for entry in changed(registered) if entry.parameter.id == "excluded_cases"]
    case_reports.answer_report(actor=people["organizer"], report=report, state="confirmed", answer="Swapped indeed.")
    response = organizer.post(f"{PAGE}{report.pk}/exclude/")
    assert response["Location"].endswith(f"/registry/{registered.registration.identifier}/changes/new/")
    [proposal] = [entry for entry in changed(registered) if entry.parameter.id == "excluded_cases"]
    assert proposal.parameter.change_class == "critical"
    phase.refresh_from_db()
    assert phase.assessment_digest == before
    assert signed_in(people["participant"]).post(f"{PAGE}{report.pk}/exclude/").status_code == 404


def changed(registered):
    return proposals(registered.registration, current_version(registered.registration))

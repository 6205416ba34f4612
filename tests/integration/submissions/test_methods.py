"""Method descriptions: 41 parameters of the catalogue, completeness, copies, and who reads what when."""

import pytest
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Phase
from challenges.services.participation import set_terms
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Entry, State
from submissions import hooks
from submissions.domain.method_entries import from_json, missing, share
from submissions.models import MethodDescription, Submission
from submissions.queries import counted_runs
from submissions.queries.methods import described_teams, lacking_facts, methods_of
from submissions.services.messages import remind_phase
from submissions.services.methods import describe
from tests.integration.submissions.world import World, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)


def everything(**more):
    """Return a description in which every required parameter has an entry."""
    entries = {
        name: Entry(state=State.NONE_DECLARED) for name, p in shipped().algorithm_parameters.items() if p.required
    }
    return entries | {name: Entry(value=value, state=State.PROVIDED) for name, value in more.items()}


@pytest.fixture
def submission(world: World) -> Submission:
    return world.upload(zipped(predictions()))


def address(submission, rest="submissions/{}/method/"):
    return f"/challenges/blocks/{rest.format(submission.pk)}"


def close(world):
    world.phase.closed_at = timezone.now()
    world.phase.save()


def test_the_form_asks_for_all_parameters_and_stores_what_is_typed(client, world, submission):
    client.force_login(world.ada)
    page = client.get(address(submission)).content.decode()
    known = shipped().algorithm_parameters
    assert len(known) == 41
    assert all(f'id="m-{name}"' in page for name in known)
    answers = {
        "motivation:value": "It works.",
        "optimizer:value": "",
        "optimizer:state": "none_declared",
        "loss_function:value": "typed before it was withheld",
        "loss_function:state": str(State.EMBARGOED),
        "manual_intervention:value": "true",
        "interaction_level:value": "fully_automatic",
        "number_of_model_parameters:value": "31000000",
        "data_augmentation:row.0.method": "rotation",
        "data_augmentation:row.0.probability": "0.5",
        "data_augmentation:row.1.method": "",
    }
    assert client.post(address(submission), answers).status_code == 302
    stored = MethodDescription.objects.get()
    entries = from_json(stored.entries)
    assert entries["motivation"].value == "It works."
    assert entries["optimizer"].state is State.NONE_DECLARED
    assert entries["loss_function"].state is State.EMBARGOED
    assert "typed before" not in str(stored.entries)
    assert entries["manual_intervention"].value is True
    assert entries["data_augmentation"].value == [{"method": "rotation", "probability": 0.5}]
    assert entries["number_of_model_parameters"].value == 31_000_000
    assert stored.filled == share(entries).filled == 6
    assert not stored.is_complete
    assert {p.id for p in missing(entries)} >= {"architecture_base", "training_duration"}
    page = client.get(address(submission)).content.decode()
    assert "6 of 27 needed answers" in page
    assert "It works." in page


def test_what_cannot_be_read_is_named_and_nothing_is_lost(client, world, submission):
    client.force_login(world.ada)
    page = client.post(
        address(submission), {"number_of_model_parameters:value": "many", "motivation:value": "Typed text"}
    ).content.decode()
    assert "Saved, except 1 answer that cannot be read" in page
    assert 'value="many"' in page
    assert "Typed text" in page
    assert from_json(MethodDescription.objects.get().entries) == {
        "motivation": Entry(value="Typed text", state=State.PROVIDED)
    }


def test_one_cell_that_cannot_be_read_discards_nothing_else(client, world, submission):
    client.force_login(world.ada)
    describe(actor=world.ada, submission=submission, entries=everything(number_of_model_parameters=31_000_000))
    answer = client.post(
        address(submission),
        {
            "motivation:value": "It works.",
            "number_of_model_parameters:value": "many",
            "data_augmentation:row.0.method": "rotation",
            "data_augmentation:row.0.probability": "0.5",
            "data_augmentation:row.1.method": "flip",
            "data_augmentation:row.1.probability": "often",
        },
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    notice = page.split('role="alert"')[1].split("</div>")[0]
    assert "Number of model parameters" in notice
    assert "Data augmentation" in notice
    assert "row 2" in notice
    assert 'value="often"' in page
    entries = from_json(MethodDescription.objects.get().entries)
    assert entries["motivation"].value == "It works."
    # What was stored before stays; of the table only the cell is missing.
    assert entries["number_of_model_parameters"].value == 31_000_000
    assert [set(row) for row in entries["data_augmentation"].value] == [{"method", "probability"}, {"method"}]


FACTS = ["method_summary", "architecture_base"]
SHORT = {"method_summary": "A U-Net.", "architecture_base": "U-Net"}


def short(**more):
    return {name: Entry(value=value, state=State.PROVIDED) for name, value in (SHORT | more).items()}


def test_organizers_choose_the_facts_that_the_final_ranking_needs(client, world, workers):
    Phase.objects.update(results=Phase.Results.CASES, requires_method=True, method_facts=FACTS)
    first, second = world.upload(zipped(predictions())), world.upload(zipped(predictions(2)), team=world.bos)
    describe(actor=world.ada, submission=first, entries=short())
    describe(actor=world.bo, submission=second, entries={"method_summary": Entry(value="x", state=State.PROVIDED)})
    world.phase.refresh_from_db()
    close(world)
    assert [run.submission.team for run in counted_runs(world.phase)] == [world.adas]
    assert [(team, facts) for team, facts in lacking_facts(world.phase)] == [(world.bos, ["Basic architecture"])]
    client.force_login(world.organizer)
    page = client.get("/challenges/blocks/organize/work/").content.decode()
    assert "open answers: Basic architecture" in page
    client.force_login(world.bo)
    form = client.get(address(second)).content.decode()
    assert "1 of 2 needed answers" in form
    assert '<a href="#m-architecture_base">Basic architecture</a>' in form
    assert '<a href="#m-optimizer">' not in form


@pytest.mark.parametrize(
    ("link", "entries", "described"),
    [
        ("publication", {"reference_publication": "https://arxiv.org/abs/2401.00001"}, True),
        ("publication", {"reference_publication": "doi 10.1038/s41592-023-02151-z"}, True),
        ("publication", {"reference_publication": "our next paper"}, False),
        ("publication", {"code_url": "https://example.org/code"}, False),
        ("repository", {"code_url": "https://example.org/code"}, True),
        ("either", {"code_url": "https://example.org/code"}, True),
        ("", {"code_url": "https://example.org/code"}, False),
    ],
)
def test_a_link_suffices_where_the_organizers_allow_it(client, world, submission, link, entries, described):
    Phase.objects.update(requires_method=True, method_facts=FACTS, method_link=link)
    stated = {name: Entry(value=value, state=State.PROVIDED) for name, value in entries.items()}
    describe(actor=world.ada, submission=submission, entries=stated)
    world.phase.refresh_from_db()
    assert (world.adas.pk in described_teams(world.phase)) is described
    client.force_login(world.ada)
    form = client.get(address(submission)).content.decode()
    assert ("Complete by a link" in form) is described
    assert ("replaces them" in form) is bool(link)


def test_a_team_is_notified_which_answers_are_missing(world, workers):
    submission = world.upload(zipped(predictions()))
    Phase.objects.update(requires_method=True, method_facts=FACTS, method_link="publication")
    describe(actor=world.ada, submission=submission, entries={"method_summary": Entry(value="x", state=State.PROVIDED)})
    remind_phase(world.phase.pk)
    text = Notification.objects.get(user=world.ada, kind="method_missing").text
    assert "Missing answers: Basic architecture." in text
    assert "A link to a paper or preprint replaces them." in text


def test_the_next_submission_starts_from_the_last_description(client, world, submission):
    describe(actor=world.ada, submission=submission, entries=everything(motivation="First idea", submission_number=1))
    second = world.upload(zipped(predictions(2)))
    client.force_login(world.ada)
    page = client.get(address(second)).content.decode()
    assert "Copied from submission 1" in page
    assert "First idea" in page
    assert 'name="submission_number:value" value="2"' in page
    assert MethodDescription.objects.count() == 1
    # Who begins with a newer one and describes the older afterwards does not begin anew either.
    MethodDescription.objects.update(submission=second)
    assert "Copied from submission 2" in client.get(address(submission)).content.decode()


def test_who_reads_a_description_when(client, world, submission, django_user_model):
    entries = everything(
        consent_result_publication="under_team_name",
        team_members=[{"name": "Ada Secret", "affiliation": "x"}],
        motivation="Open motive",
    )
    describe(actor=world.ada, submission=submission, entries=entries)
    page = address(submission, "methods/{}/")
    for closed in (False, True):
        if closed:
            close(world)
        for person in (None, world.bo, world.ada, world.organizer):
            client.logout()
            if person:
                client.force_login(person)
            insider = person in (world.ada, world.organizer)
            answer = client.get(page)
            assert answer.status_code == (200 if insider or closed else 404)
            if answer.status_code == 200:
                assert "Open motive" in answer.content.decode()
                assert ("Ada Secret" in answer.content.decode()) == insider
    assert list(methods_of([submission.pk])) == [submission.pk]


@pytest.mark.parametrize(("consent", "status", "named"), [("not_public", 404, None), ("anonymously", 200, False)])
def test_consent_decides(client, world, submission, consent, status, named):
    describe(actor=world.ada, submission=submission, entries=everything(consent_result_publication=consent))
    close(world)
    answer = client.get(address(submission, "methods/{}/"))
    assert answer.status_code == status
    if named is not None:
        main = answer.content.decode().split("<main")[1].split("</main")[0]
        assert "Ada&#x27;s" not in main
        assert "An anonymous team" in main


def test_only_the_team_describes(client, world, submission):
    for person in (world.bo, world.organizer):
        client.force_login(person)
        assert client.get(address(submission)).status_code == 404
        assert client.post(address(submission), {"motivation:value": "x"}).status_code == 404
    client.logout()
    assert client.get(address(submission)).status_code == 302
    assert not MethodDescription.objects.exists()


def test_the_final_ranking_waits_for_descriptions_where_the_terms_say_so(world, workers, monkeypatch):
    Phase.objects.update(results=Phase.Results.CASES)
    first = world.upload(zipped(predictions()))
    world.upload(zipped(predictions(2)), team=world.bos)
    asked = []
    monkeypatch.setattr(hooks, "run_scored", [asked.append])
    assert len(counted_runs(world.phase)) == 2
    set_terms(
        actor=world.organizer,
        challenge=world.challenge,
        agreement="",
        requires_approval=False,
        team_size=None,
        requires_method=True,
    )
    assert len(counted_runs(world.phase)) == 2  # the phase is open
    close(world)
    assert counted_runs(world.phase) == []
    first.phase.refresh_from_db()
    describe(actor=world.ada, submission=first, entries=everything(motivation="x"))
    assert [run.submission.team for run in counted_runs(world.phase)] == [world.adas]
    assert asked == [world.phase.pk]

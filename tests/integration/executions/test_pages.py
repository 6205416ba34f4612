"""Visibility and actions for algorithms and runs: a team, another team, organizers and strangers."""

import pytest
from django.urls import reverse

from accounts.models import User
from challenges.models import Organizer
from core.audit.models import Entry
from executions.models import Batch, Execution, RunHost
from executions.services import hosts
from submissions.models import Submission
from tests.integration.executions.world import add_phase, execution_of, run_all
from tests.integration.submissions.world import CASES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Pages are read. `test_running.py` runs algorithms on both databases."),
]
SECRET = "intensity of the third voxel: 117"


def ran(world, engine, **more):
    """A submission whose program printed something and failed at one case."""
    count = iter(range(100))

    def script(work):
        work.log(f"{SECRET}\nall is well\n".encode())
        for case in work.cases:
            if next(count) == 1:
                work.exit(3)
            work.copy(case)

    engine.script = script
    image = world.image(**more)
    engine.held.append(image.digest)
    submission = world.hand_in(image, **more)
    run_all()
    return execution_of(submission)


def page(client, user, name, *args):
    client.force_login(user)
    return client.get(reverse(f"executions:{name}", args=args))


def downloaded(client, user, execution):
    response = page(client, user, "predictions", "blocks", execution.pk)
    response.close()
    return response.status_code


def test_the_submit_page_shows_limits_and_takes_what_is_ready(world, engine, client):
    image = world.image()
    client.force_login(world.ada)
    address = reverse("submissions:submit", args=["blocks"])
    text = client.get(address).content.decode()
    assert "Submit an algorithm" in text
    assert "20 s a case and 0 s to start" in text
    assert "interface.json" in text
    assert image.digest[:19] in text
    response = client.post(address, {"phase": world.phase.pk, "image": image.pk, "hand_in": "1"})
    submission = Submission.objects.get()
    assert response["Location"] == submission.get_absolute_url()
    shown = client.get(submission.get_absolute_url()).content.decode()
    assert "Waiting to be run" in shown
    assert "Run of the algorithm" in shown


def test_once_images_are_checked_the_choice_among_them_is_renewed_and_not_before(world, engine, client):
    image = world.image()
    client.force_login(world.ada)
    address = reverse("submissions:submit", args=["blocks"])
    renewed = 'id="hand-in-choice" hx-swap-oob="true"'
    assert renewed in client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert renewed not in client.get(address).content.decode()
    image.state, image.digest = image.State.CHECKING, ""
    image.save()
    # Who is choosing another one is not disturbed every two seconds.
    assert renewed not in client.get(address, headers={"HX-Request": "true"}).content.decode()


def test_without_an_engine_nothing_is_offered_and_the_page_says_why(world, client):
    world.image()
    client.force_login(world.ada)
    address = reverse("submissions:submit", args=["blocks"])
    text = client.get(address).content.decode()
    assert "This installation cannot run containers: no worker with a container engine has reported." in text
    assert 'id="archive-form"' not in text
    response = client.post(address, {"phase": world.phase.pk, "image": world.image().pk, "hand_in": "1"})
    assert response.status_code == 422
    assert not Submission.objects.exists()
    RunHost.objects.create(name="far", problem="R3 (memory is bounded): 512 MiB were taken of 64.")
    assert "R3 (memory is bounded)" in client.get(address).content.decode()


def test_healthz_says_how_runs_stand(world, engine, client):
    assert client.get("/healthz").json()["runs"] == {"ok": True, "detail": "one machine ready"}
    RunHost.objects.all().delete()
    runs = client.get("/healthz").json()["runs"]
    assert runs == {"ok": True, "detail": "off: no worker with a container engine has reported"}


def test_of_hidden_cases_a_team_is_told_numbers_and_nothing_that_was_printed(world, engine, client):
    execution = ran(world, engine)
    text = page(client, world.ada, "execution", "blocks", execution.pk).content.decode()
    assert "1 of 4 missing: 1 crashed" in text
    assert SECRET not in text
    assert not any(case in text for case in CASES)
    assert "exit status 3" not in text
    for name, more in (("log", [0]), ("runs_csv", []), ("predictions", [])):
        assert page(client, world.ada, name, "blocks", execution.pk, *more).status_code == 404
    # The same holds of the page of the submission, also once it is scored.
    submission = Submission.objects.get()
    shown = client.get(submission.get_absolute_url()).content.decode()
    assert "1 of 4 missing: 1 crashed" in shown
    assert not any(case in shown for case in CASES)


def test_organizers_see_cases_and_read_a_log_after_a_click_that_is_noted(world, engine, client):
    execution = ran(world, engine)
    text = page(client, world.organizer, "execution", "blocks", execution.pk).content.decode()
    assert all(case in text for case in CASES)
    assert SECRET not in text
    address = reverse("executions:log", args=["blocks", execution.pk, 0])
    asked = client.get(address).content.decode()
    assert "This program has seen hidden images" in asked
    assert SECRET not in asked
    assert not Entry.objects.filter(act="log_read").exists()
    assert SECRET in client.post(address).content.decode()
    entry = Entry.objects.get(act="log_read")
    assert entry.actor_id == world.organizer.pk
    assert entry.facts["batch"] == 0


def test_a_released_log_is_what_the_organizer_left_of_it_and_stands_in_the_audit_log(world, engine, client):
    execution = ran(world, engine)
    address = reverse("executions:release", args=["blocks", execution.pk, 0])
    client.force_login(world.organizer)
    client.post(address, {"text": "all is better"})
    assert not Entry.objects.filter(act="log_released").exists()
    client.post(address, {"text": "[one line left out]\nall is well"})
    entry = Entry.objects.get(act="log_released")
    assert len(entry.facts["digest"]) == 64
    told = page(client, world.ada, "log", "blocks", execution.pk, 0).content.decode()
    assert "all is well" in told
    assert SECRET not in told
    assert page(client, world.bo, "log", "blocks", execution.pk, 0).status_code == 404


@pytest.mark.parametrize(
    ("who", "sees", "reads"),
    [
        ("ada", 200, 404),
        ("bo", 404, 404),
        ("olga", 200, 200),
        ("moderator", 404, 404),
        ("stranger", 404, 404),
        ("root", 200, 404),
    ],
)
def test_who_sees_a_run_and_its_hidden_log(world, engine, client, who, sees, reads):
    execution = ran(world, engine)
    for name in ("moderator", "stranger"):
        User.objects.create_user(name, f"{name}@example.org", "a long password")
    User.objects.create_superuser("root", "root@example.org", "a long password")
    Organizer.objects.create(
        challenge=world.challenge, user=User.objects.get(username="moderator"), role=Organizer.Role.MODERATOR
    )
    user = User.objects.get(username=who)
    assert page(client, user, "execution", "blocks", execution.pk).status_code == sees
    assert page(client, user, "log", "blocks", execution.pk, 0).status_code == reads
    assert downloaded(client, user, execution) == reads
    release = client.post(reverse("executions:release", args=["blocks", execution.pk, 0]), {"text": "all is well"})
    assert release.status_code == (302 if reads == 200 else 404)


def test_on_a_dry_run_the_team_sees_names_logs_and_outputs(world, engine, client, tmp_path):
    dry = add_phase(
        world.organizer, world.phase.task, tmp_path, "dry", is_dry_run=True, results="cases", leaderboard="public"
    )
    world.phase = dry
    execution = ran(world, engine)
    assert execution.is_on_public_cases
    text = page(client, world.ada, "execution", "blocks", execution.pk).content.decode()
    assert all(case in text for case in CASES)
    assert "exit status 3" in text
    assert SECRET in page(client, world.ada, "log", "blocks", execution.pk, 0).content.decode()
    assert downloaded(client, world.ada, execution) == 200
    assert b"wall_seconds" in page(client, world.ada, "runs_csv", "blocks", execution.pk).content
    assert page(client, world.bo, "log", "blocks", execution.pk, 0).status_code == 404


@pytest.mark.parametrize(
    ("mib", "told"), [(64, "median 64 MiB, most 64 MiB"), (3, "less than 16 MiB, or not measured")]
)
def test_memory_is_told_or_why_it_is_not(world, engine, client, tmp_path, mib, told):
    world.phase = add_phase(
        world.organizer, world.phase.task, tmp_path, "dry", is_dry_run=True, results="cases", leaderboard="public"
    )

    def script(work):
        work.memory_bytes = mib * 1024**2
        for case in work.cases:
            work.copy(case)
        work.sleep(0.2)

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    text = page(client, world.ada, "execution", "blocks", execution_of(submission).pk).content.decode()
    assert f"<dt>Peak memory</dt><dd>{told}</dd>" in text
    assert ("–: less than 16 MiB, or not measured." in text) == (mib == 3)


def test_the_page_of_a_submission_tells_the_size_of_the_image_and_not_of_what_it_wrote(world, engine, client):
    image = world.image()
    image.size = 1_234_567
    image.save()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    client.force_login(world.ada)
    before = client.get(submission.get_absolute_url()).content.decode()
    run_all()
    after = client.get(submission.get_absolute_url()).content.decode()
    for text in (before, after):
        assert "<span>image.tar</span>" in text
        assert "image.tar, 1.2 MB" in text


def test_a_ranked_phase_takes_what_has_run_in_a_dry_run_before(world, engine, client, tmp_path):
    ranked = world.phase
    dry = add_phase(
        world.organizer, ranked.task, tmp_path, "dry", is_dry_run=True, results="cases", leaderboard="public"
    )
    image, other = world.image(), world.image(digit="b")
    engine.held += [image.digest, other.digest]
    client.force_login(world.ada)
    address = reverse("submissions:submit", args=["blocks"])
    response = client.post(address, {"phase": ranked.pk, "image": image.pk, "hand_in": "1"})
    assert "This algorithm has not run in Dry yet" in response.content.decode()
    client.post(address, {"phase": dry.pk, "image": image.pk, "hand_in": "1"})
    run_all()
    assert client.post(address, {"phase": ranked.pk, "image": image.pk, "hand_in": "1"}).status_code == 302
    assert client.post(address, {"phase": ranked.pk, "image": other.pk, "hand_in": "1"}).status_code == 422


def test_a_team_stops_its_own_run_and_organizers_say_why(world, engine, client):
    image = world.image()
    submission = world.hand_in(image)
    stop = reverse("executions:stop", args=["blocks", execution_of(submission).pk])
    client.force_login(world.bo)
    assert client.post(stop).status_code == 404
    client.force_login(world.organizer)
    client.post(stop)
    assert execution_of(submission).state == Execution.State.QUEUED
    client.post(stop, {"reason": "it runs for days"})
    assert execution_of(submission).reason == "The organizers stopped it: it runs for days"
    submission.refresh_from_db()
    assert (submission.state, submission.reason) == ("withdrawn", "The organizers stopped it: it runs for days")
    assert not Batch.objects.filter(state__in=Batch.OPEN).exists()


def test_interface_json_is_offered_as_the_container_gets_it_without_cases(world, engine, client):
    client.force_login(world.ada)
    document = client.get(reverse("executions:interface", args=["blocks", world.phase.pk])).json()
    assert document["interface"] == "podium-exec-1"
    assert document["inputs"] == [{"socket": "image", "file": "image.nii.gz", "kind": "image"}]
    assert document["outputs"][0]["file"] == "prediction.nii.gz"
    assert document["cases"] == []
    assert document["limits"]["memory_bytes"] == 64 * 1024**2


def test_pages_ask_the_database_the_same_however_many_cases_there_are(
    world, engine, client, django_assert_max_num_queries
):
    execution = ran(world, engine)
    page(client, world.organizer, "execution", "blocks", execution.pk)
    with django_assert_max_num_queries(26):
        page(client, world.organizer, "execution", "blocks", execution.pk)


def test_this_machine_is_told_of_with_what_it_offers(world, engine):
    hosts.tell()
    host = RunHost.objects.get()
    assert host.is_ready
    assert host.slots["cpus"] >= 1

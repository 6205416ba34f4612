"""A runner as the attacker: each test is a line of `docs/operators/threats.md`."""

import uuid
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from accounts.services import issue_token
from api.runners import views as runner_views
from core.audit.models import Entry
from executions.models import Batch, CaseOutcome, Execution, RunHost
from executions.runners.models import Runner, RunnerRun
from executions.runners.services import issuing
from tests.integration.executions.world import execution_of
from tests.integration.runners.attacks import Peer, manifest_of
from tests.integration.runners.world import conclude_all, image_of, issued
from tests.integration.submissions.world import CASES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("The interface is tested. Its queries are those of a worker."),
]


@pytest.fixture(autouse=True)
def _no_earlier_requests():
    cache.clear()


@pytest.fixture
def peer(world, client):
    """A runner of the installation that has reported."""
    _, secret = issued(world)
    own = Peer(client, secret)
    assert own.report().json()["is_ready"]
    return own


@pytest.fixture
def other(world, client):
    """A second runner of the installation."""
    _, secret = issued(world, name="gpu-2")
    own = Peer(client, secret)
    own.report()
    return own


@pytest.fixture
def submission(world, tmp_path):
    return world.hand_in(image_of(world, tmp_path))


def addresses(claimed):
    entries = [*claimed["image"]["parts"], *claimed["cases"], *([claimed["weights"]] if claimed["weights"] else [])]
    return [entry["address"] for entry in entries]


def content_of(claimed, client):
    response = client.get(claimed["cases"][0]["address"])
    return b"".join(response.streaming_content)


def returned(peer, claimed, content):
    """Deliver a run as an honest runner does."""
    assert peer.send(claimed["run"], content).status_code == 200
    assert peer.measure(claimed["run"]).status_code == 204
    return peer.finish(claimed["run"], manifest_of(claimed, content))


# --- A stolen token ---------------------------------------------------------------------------------------------------
def test_a_token_opens_nothing_but_the_interface_of_runners(world, client, peer, submission):
    runner_paths = {pattern.name for pattern in _api() if str(pattern.pattern).startswith("runner/")}
    assert len(runner_paths) == 9
    for name, args in (
        ("api:me", []),
        ("api:submission-list", []),
        ("api:submission-detail", [submission.pk]),
        ("api:design-list", []),
        ("api:analyses", []),
        ("api:files", []),
    ):
        response = client.get(reverse(name, args=args), headers=peer.headers)
        assert response.status_code in (401, 403, 404, 405), name
    for page in ("runners:installation", "accounts:profile", "notifications:inbox"):
        assert client.get(reverse(page), headers=peer.headers).status_code == 302
    assert client.get("/metrics", headers=peer.headers).status_code == 404


def _api():
    resolver = next(entry for entry in get_resolver().url_patterns if getattr(entry, "app_name", "") == "api")
    return [pattern for pattern in resolver.url_patterns if isinstance(pattern, URLPattern) and pattern.name]


def test_no_other_token_opens_the_interface_of_runners(world, client, peer):
    _, secret = issue_token(user=world.organizer, name="mine", scopes=["read", "submit"], days=7)
    stranger = Peer(client, secret)
    assert stranger.claim().status_code == stranger.report().status_code == 401
    client.force_login(world.organizer)
    assert client.post("/api/v1/runner/runs/", {"key": str(uuid.uuid4())}).status_code == 401


def test_with_a_stolen_token_only_inputs_of_its_own_runs_are_readable(world, client, peer, other, submission):
    claimed = peer.claimed()
    assert b"".join(client.get(claimed["cases"][0]["address"]).streaming_content)
    for method, path in (
        ("get", ""),
        ("get", "outputs/"),
        ("post", "heartbeat/"),
        ("post", "release/"),
        ("post", "finish/"),
        ("put", "measurements/"),
    ):
        content = None if method == "get" else {"manifest": [], "step": "", "reason": ""}
        answer = other.ask(method, f"runs/{claimed['run']}/{path}", content)
        assert answer.status_code == 409, path
        unknown = other.ask(method, f"runs/{uuid.uuid4()}/{path}", content)
        assert unknown.json()["code"] == answer.json()["code"] == "lease_ended"
    assert Batch.objects.get(runner_runs=claimed["run"]).state == Batch.State.RUNNING


def test_what_a_runner_is_told_names_no_team_no_case_and_no_place_of_a_file(world, client, peer, submission):
    answer = peer.claim()
    text = answer.content.decode()
    execution = execution_of(submission)
    secrets = [world.adas.name, world.ada.email, *CASES, world.challenge.slug, str(submission.pk), str(execution.pk)]
    secrets += [case.reference_sha256 for case in world.test_set.cases.all()]
    secrets += [file for case in world.test_set.cases.all() for file in (case.image_file, case.reference_file)]
    secrets += [execution.key, "algorithms/blobs"]
    assert not [secret for secret in secrets if secret and secret in text]


def test_an_address_ends_with_the_lease_and_fits_no_other_file(world, client, peer, submission):
    claimed = peer.claimed()
    [*image, case] = addresses(claimed)
    assert client.get(case).status_code == 200
    token = urlsplit(case).path.split("/")[-2]
    assert client.get(case.replace(token, token[:-2] + "xx")).status_code == 403
    assert client.get(case.replace(token, urlsplit(image[0]).path.split("/")[-2][:-1])).status_code == 403
    Batch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    for address in addresses(claimed):
        response = client.get(address)
        assert response.status_code == 403
        assert response.json()["code"] == "address"


def test_an_input_is_resumed_where_it_broke_off(world, client, peer, submission):
    claimed = peer.claimed()
    entry = claimed["cases"][0]
    whole = content_of(claimed, client)
    assert len(whole) == entry["size"]
    rest = client.get(entry["address"], headers={"Range": "bytes=10-"})
    assert (rest.status_code, b"".join(rest.streaming_content)) == (206, whole[10:])
    assert client.get(entry["address"], headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


def test_a_revoked_token_ends_its_runs_and_addresses_at_once(world, client, peer, other, submission):
    claimed = peer.claimed()
    issuing.revoke(runner=Runner.objects.get(name="gpu-1"), actor=world.organizer)
    assert client.get(addresses(claimed)[-1]).status_code == 403
    assert peer.send(claimed["run"], b"x").status_code == 401
    assert peer.claim().status_code == 401


def test_a_runner_of_one_challenge_claims_nothing_of_another(world, client, submission):
    from challenges.services import create_challenge

    own = create_challenge(
        actor=world.organizer, organizers=[world.organizer], slug="own", title="Own", summary="Own.", is_public=True
    )
    _, secret = issued(world, challenge=own)
    peer = Peer(client, secret)
    peer.report()
    assert peer.claim().status_code == 204


# --- Lies -------------------------------------------------------------------------------------------------------------
def test_a_runner_that_lies_about_guarantees_or_protocol_gets_no_work(world, client, submission):
    _, secret = issued(world)
    peer = Peer(client, secret)
    assert peer.claim().json()["code"] == "no_report"
    content = {"protocol": 1, "version": "1", "holds": {"R1": True}, "hardware": {"cpus": 1, "memory_mib": 100}}
    assert not peer.ask("put", "", content).json()["is_ready"]
    answer = peer.claim()
    assert (answer.status_code, answer.json()["code"]) == (409, "not_ready")
    assert peer.ask("put", "", content | {"protocol": 2}).json()["code"] == "protocol"
    assert not RunnerRun.objects.exists()


def test_a_runner_that_changes_its_hardware_gets_no_work(world, client, peer, submission):
    assert not peer.report(cpus=128, host_class="x86_64, Faster, 128 cores").json()["is_ready"]
    assert peer.claim().json()["code"] == "not_ready"
    assert Entry.objects.filter(act="runner_refused").count() == 1


@pytest.mark.parametrize(
    "slots", [{"cpus": 0}, {"cpus": 1e9}, {"memory_mib": -1}, {"gpus": ["a", "a"]}, {"gpus": ["x"] * 65}]
)
def test_hardware_that_no_machine_has_is_refused(world, client, slots):
    _, secret = issued(world)
    assert Peer(client, secret).report(**slots).status_code == 400
    assert not RunHost.objects.exists()


def test_a_runner_cannot_choose_the_class_of_machine_that_was_stated_for_it(world, client):
    _, secret = issued(world, hardware_class="A100, node type 3")
    Peer(client, secret).report(host_class="whatever is compared")
    assert RunHost.objects.get().slots["host_class"] == "A100, node type 3"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"wall_seconds": 9999.0}, "cannot have run for 9999 s"),
        ({"cpu_seconds": 9999.0}, "cannot have used 9999 s"),
        ({"wall_seconds": -1}, "wall_seconds is -1"),
        ({"wall_seconds": None}, "wall_seconds must be a number"),
        ({"exit_code": 4096}, "exit_code"),
        ({"timed": "yes"}, "timed must be true or false"),
        ({"log": {"first": "%%", "last": "", "size": 0, "lines": 0}}, "log must be base64"),
        ({"started_at": "2026-01-01"}, "started_at needs a time zone"),
    ],
)
def test_measurements_that_cannot_be_are_refused(peer, submission, values, words):
    claimed = peer.claimed()
    answer = peer.measure(claimed["run"], **values)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert RunnerRun.objects.get().measurements == {}


# --- Outputs ----------------------------------------------------------------------------------------------------------
def test_outputs_of_another_run_are_refused(world, client, peer, other, submission):
    mine, theirs = peer.claimed(), other.claimed()
    content = content_of(theirs, client)
    peer.send(mine["run"], content)
    peer.measure(mine["run"])
    answer = peer.finish(mine["run"], manifest_of(theirs, content))
    assert answer.status_code == 422
    assert "is no case of this run" in answer.json()["detail"]
    assert returned(other, theirs, content).json() == {"state": "returned"}
    conclude_all()
    assert CaseOutcome.objects.get().outcome == "ok"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"case": "case-1"}, "is no case of this run"),
        ({"case": "../other"}, "is no case of this run"),
        ({"file": "other.nii.gz"}, "is no output of this run"),
        ({"name": "../../etc/passwd"}, "cannot be the name"),
        ({"size": 10**12}, "The manifest of run"),
        ({"size": -1}, "must be a number of bytes"),
        ({"sha256": "zz"}, "64 hexadecimal digits"),
        ({"extra": 1}, "cannot be read"),
    ],
)
def test_outputs_of_cases_that_it_did_not_get_are_refused(world, client, peer, submission, change, words):
    claimed = peer.claimed()
    content = content_of(claimed, client)
    peer.send(claimed["run"], content)
    peer.measure(claimed["run"])
    answer = peer.finish(claimed["run"], manifest_of(claimed, content, **change))
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert peer.finish(claimed["run"], []).status_code == 422
    assert Batch.objects.get(runner_runs=claimed["run"]).state == Batch.State.RUNNING


def test_outputs_that_differ_from_their_digest_repeat_the_batch_and_change_nothing(world, client, peer, submission):
    claimed = peer.claimed()
    content = content_of(claimed, client)
    peer.send(claimed["run"], content)
    peer.measure(claimed["run"])
    peer.finish(claimed["run"], manifest_of(claimed, content, sha256="0" * 64))
    conclude_all()
    run = RunnerRun.objects.get()
    assert run.state == "faulty"
    assert run.batch.state == Batch.State.WAITING
    assert not CaseOutcome.objects.exists()


def test_a_hostile_output_is_an_outcome_of_its_case_alone(world, client, peer, submission):
    claimed = peer.claimed()
    returned(peer, claimed, b"\x1f\x8b" + b"\0" * 5000)
    conclude_all()
    assert CaseOutcome.objects.get().outcome == "invalid_output"


def test_outputs_are_bounded_and_pieces_have_their_place_and_digest(world, client, peer, submission, settings):
    claimed = peer.claimed()
    run = claimed["run"]
    assert peer.send(run, b"abc", digest="0" * 64).json()["code"] == "digest"
    assert peer.send(run, b"abc").json() == {"received": 3}
    assert peer.send(run, b"abc").json()["code"] == "offset"
    assert peer.send(run, b"def", offset=9).json()["code"] == "offset"
    assert peer.send(run, b"x", offset=claimed["order"]["limits"]["output_bytes"]).status_code == 413
    settings.PODIUM_UPLOAD_CHUNK_BYTES = 10
    assert peer.send(run, b"x" * 11, offset=3).status_code == 413
    assert peer.ask("get", f"runs/{run}/outputs/").json() == {"received": 3}


# --- Replays, silence, floods -----------------------------------------------------------------------------------------
def test_a_replayed_claim_gives_the_same_run_and_a_replayed_end_changes_nothing(world, client, peer, submission):
    key = uuid.uuid4()
    first, second = peer.claim(key).json(), peer.claim(key).json()
    assert first["run"] == second["run"]
    assert RunnerRun.objects.count() == 1
    content = content_of(first, client)
    assert returned(peer, first, content).json() == {"state": "returned"}
    assert peer.finish(first["run"], []).json() == {"state": "returned"}
    assert peer.send(first["run"], b"x", offset=len(content)).json()["code"] == "lease_ended"
    conclude_all()
    assert peer.finish(first["run"], []).json() == {"state": "done"}
    assert conclude_all() == 0
    assert CaseOutcome.objects.count() == 1
    assert peer.claim(key).json()["code"] == "lease_ended"


def test_the_late_result_of_a_silent_runner_is_refused_and_another_one_finishes(world, client, peer, other, submission):
    late = peer.claimed()
    content = content_of(late, client)
    peer.send(late["run"], content)
    peer.measure(late["run"])
    Batch.objects.filter(runner_runs=late["run"]).update(lease_until=timezone.now() - timedelta(seconds=1))
    again = other.claimed()
    assert again["order"]["cases"] == late["order"]["cases"]
    assert again["order"]["attempt"] == 2
    assert peer.finish(late["run"], manifest_of(late, content)).json()["code"] == "lease_ended"
    assert peer.ask("post", f"runs/{late['run']}/heartbeat/", {}).json()["code"] == "lease_ended"
    returned(other, again, content)
    conclude_all()
    assert CaseOutcome.objects.get().row["attempt"] == 2
    assert peer.claimed()["order"]["cases"] != late["order"]["cases"]
    assert RunnerRun.objects.get(pk=late["run"]).state == "lost"


def test_a_cancelled_run_ends_at_the_next_sign_of_life(world, client, peer, submission):
    from executions.services import executing

    claimed = peer.claimed()
    executing.cancel(execution=execution_of(submission), actor=world.ada)
    assert peer.ask("post", f"runs/{claimed['run']}/heartbeat/", {}).status_code == 409
    assert peer.claim().status_code == 204
    assert RunnerRun.objects.get().state == "released"


def test_a_runner_that_loses_what_it_claims_ends_no_execution(world, client, peer, other, submission):
    for _ in range(3):
        peer.claimed()
        Batch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert peer.claim().json()["code"] == "paused"
    assert not Execution.objects.filter(state=Execution.State.FAILED).exists()
    assert max(Batch.objects.values_list("attempts", flat=True)) == 1
    assert other.claim().status_code == 201


def test_a_runner_holds_no_more_runs_than_it_may(world, client, peer, submission):
    peer.claimed()
    assert peer.claim().json()["code"] == "concurrency"


def test_a_flood_is_refused_and_others_are_served(world, client, peer, other, submission, monkeypatch):
    monkeypatch.setattr(runner_views.RunnerRate, "rate", "20/min")
    answers = [peer.claim().status_code for _ in range(30)]
    assert answers[0] == 201
    assert answers[-1] == 429
    assert other.claim().status_code == 201


def test_guessing_tokens_is_limited_by_address(world, client, monkeypatch):
    monkeypatch.setattr(runner_views.UnknownRunnerRate, "rate", "10/min")
    guesses = [Peer(client, f"{issuing.PREFIX}{number}").claim().status_code for number in range(15)]
    assert (guesses[0], guesses[-1]) == (401, 429)

"""Four sites from the invitation to the board, as real processes against a real server.

One works through the network and goes away in between, one has no network and is carried by files, one is tampered with, one
is too small.
"""

import base64
import json
import shutil
from datetime import datetime

import pandas as pd
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from challenges.services import close_phase
from core.audit.models import Entry
from core.audit.services import broken_links
from datastore.uploads.storage import load_json
from evaluation.assessment import parse
from evaluation.cli.inputs import read_results
from evaluation.federation.envelope import load_key, new_key, sign
from evaluation.ranking import rank
from federation.models import Refused, SignedMessage, Site
from federation.queries.standing import standings
from federation.services import federations
from federation.services.sites import leave_out
from leaderboards.models import RankingVersion
from tests.integration.federation import world

# Some forty processes, each of which loads what scores; a busy machine takes its time.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(1200),
    pytest.mark.any_database("Sites are processes without a database."),
]


@pytest.fixture
def centre(tmp_path, workers):
    built = world.build()
    (tmp_path / "assessment.json").write_text(json.dumps(world.ASSESSMENT))
    archive = world.public_cases(tmp_path / "public", tmp_path / "assessment.json")
    file = SimpleUploadedFile("public.zip", archive.read_bytes())
    federation = federations.keep_dry_run(actor=built.organizer, federation=built.federation, file=file)
    federations.release_package(actor=built.organizer, federation=federation)
    for name in world.SIZES:
        built.invite(name)
    return built


def states(centre):
    return {row.site.name: row.state for row in standings(centre.federation)}


def join(centre, hospital, server):
    hospital.home.mkdir(parents=True)
    address = f"{server}{centre.page(hospital.name)}"
    said = hospital.podium(
        "join", address, hospital.folder, "--confirmed-by", "Dr. Ada Site", "--yes", "--country", "DE"
    )
    assert said.returncode == 0, said.stdout + said.stderr
    centre.confirm(hospital.name, hospital.fingerprint())


def test_four_sites(centre, live_server, settings, tmp_path):
    settings.PODIUM_ADDRESS = live_server.url
    assert set(states(centre).values()) == {"invited"}
    hospitals = {name: world.Hospital(name, tmp_path / name) for name in world.SIZES}

    # North: through the network; it goes away in the middle of scoring and comes back.
    north = hospitals["north"]
    join(centre, north, live_server.url)
    assert states(centre)["north"] == "confirmed"
    assert "5 algorithms" in north.done("fetch")
    north.fill()
    assert "the same values" in north.done("check")
    assert "Sealed 26 cases" in north.done("seal")
    north.done("send")
    assert states(centre)["north"] == "tested"
    assert seconds_until_ready(north) < 15 * 60
    assert "4 algorithms are left" in north.done("run", "--algorithm", "unet-a")
    north.done("send")
    assert states(centre)["north"] == "running"
    scored = (north.folder / "results" / "unet-a.csv").stat().st_mtime_ns
    assert "All algorithms are scored" in north.done("run")
    assert (north.folder / "results" / "unet-a.csv").stat().st_mtime_ns == scored
    preview = north.done("summary")
    digest = preview.split("digest       ")[1].splitlines()[0]
    unread = north.podium("send")
    assert unread.returncode == 2
    assert "give --digest" in unread.stderr
    assert "accepted" in north.done("send", "--digest", digest)
    assert states(centre)["north"] == "sent"

    # East: no network at all; files are carried through the page of its invitation.
    east = world.Hospital("east", tmp_path / "east", online=False)
    east.home.mkdir()
    carrier = Client()
    page = centre.page("east")
    (east.home / "invitation.json").write_bytes(carrier.get(f"{page}invitation.json").content)
    east.done("join", east.home / "invitation.json", east.folder, "--confirmed-by", "Dr. Eve", "--yes")
    east.done("send", "--output", east.home / "1.json")
    carry(carrier, page, east.home / "1.json")
    assert carrier.get(f"{page}package.zip").status_code == 403
    centre.confirm("east", east.fingerprint())
    (east.home / "package.zip").write_bytes(b"".join(carrier.get(f"{page}package.zip").streaming_content))
    east.done("fetch", "--from", east.home / "package.zip")
    east.fill()
    for command in ("check", "seal", "run"):
        east.done(command)
    digest = east.done("summary").split("digest       ")[1].splitlines()[0]
    east.done("send", "--digest", digest, "--output", east.home / "2.json")
    carry(carrier, page, east.home / "2.json")
    (east.home / "receipts.json").write_bytes(carrier.get(f"{page}receipts.json").content)
    east.done("receipt", east.home / "receipts.json")
    assert "Nothing is left to do" in east.done("status")
    assert states(centre)["east"] == "sent"

    # 3: somebody tampers with what it sends; each time the centre says what is wrong, and in the end takes what is right.
    third = hospitals["3"]
    join(centre, third, live_server.url)
    third.done("fetch")
    third.fill()
    for command in ("check", "seal", "run"):
        third.done(command)
    digest = third.done("summary").split("digest       ")[1].splitlines()[0]
    third.done("send", "--digest", digest, "--output", third.home / "out.json")
    messages = json.loads((third.home / "out.json").read_text())["envelopes"]
    assert [refusal(live_server, centre, carried) for carried in tampered(messages, north)] == [
        "bad_signature",
        "bad_signature",
        "gap",
        "malformed",
        "unknown_key",
    ]
    # Only the message with a valid signature leaves a row.
    assert list(Refused.objects.values_list("code", flat=True)) == ["gap"]
    shutil.copytree(third.folder, third.home / "copy")
    assert "accepted" in third.done("send")
    copied = world.Hospital("3", third.home)
    found = copied.podium("withdraw", "--folder", third.home / "copy", "--results", "keep")
    assert found.returncode == 0
    (third.home / "copy" / "receipts").mkdir(exist_ok=True)
    for receipt in (third.folder / "receipts").iterdir():
        shutil.copy(receipt, third.home / "copy" / "receipts")
    assert refusal(live_server, centre, forked(third.home / "copy", third.folder)) == "fork"
    replay = post(live_server, centre, messages[0])
    assert replay.status_code == 200
    assert states(centre)["3"] == "sent"

    # Tiny: four cases; nothing of it leaves, not even its number of cases.
    tiny = hospitals["tiny"]
    join(centre, tiny, live_server.url)
    tiny.done("fetch")
    tiny.fill()
    tiny.done("check")
    small = tiny.podium("seal")
    assert small.returncode == 2
    assert "fewer than 10 cases" in small.stderr
    assert states(centre)["tiny"] == "confirmed"

    no_case_left(hospitals, east)
    assert not RankingVersion.objects.exists()
    close_phase(actor=centre.organizer, phase=centre.phase)
    assert not RankingVersion.objects.exists()  # all sites are needed by the registered rule, and one has not sent
    failure = centre.phase.ranking_request
    assert "3 of 4 required sites" in failure.failure
    assert "tiny" in failure.failure

    site = Site.objects.get(name="tiny")
    leave_out(actor=centre.organizer, site=site, reason="too few cases (fewer than 10)")
    version = RankingVersion.objects.get()
    document = load_json(version.document_name)
    assert [row["state"] for row in document["pooled"]["sites"]] == ["included", "included", "included", "left_out"]
    same_as_central(document, {name: hospitals[name].folder for name in ("north", "east", "3")})
    assert not broken_links()
    acts = set(Entry.objects.filter(scope="hippo").values_list("act", flat=True))
    assert {"site_registered", "site_confirmed", "site_sealed", "site_result_accepted", "site_message_refused"} <= acts
    assert SignedMessage.objects.filter(kind="result").count() == 3
    board = Client().get("/challenges/hippo/leaderboard/final/").content.decode()
    assert "unet-a" in board
    # Withdrawal removes the site from a new version; the one before stays.
    third.done("withdraw", "--results", "remove", "--reason", "the agreement ended")
    third.done("send")
    assert states(centre)["3"] == "withdrawn"
    assert RankingVersion.objects.count() == 2
    latest = load_json(RankingVersion.objects.latest("number").document_name)
    assert [row["state"] for row in latest["pooled"]["sites"]] == ["withdrawn", "included", "included", "left_out"]


def seconds_until_ready(hospital):
    """From the registration to the last message that makes a site ready, by the journal of the site."""
    lines = (hospital.folder / "journal.jsonl").read_text().splitlines()
    moments = [datetime.fromisoformat(json.loads(line)["time"]) for line in lines]
    seconds = (moments[-1] - moments[0]).total_seconds()
    print(f"{hospital.name} was ready after {seconds:.0f} s of commands")
    return seconds


def carry(carrier, page, path):
    with path.open("rb") as file:
        answer = carrier.post(page, {"file": file})
    assert answer.status_code == 302, answer.content.decode()


def post(live_server, centre, envelope):
    address = f"/api/v1/sites/{centre.federation.identifier}/messages/"
    content = envelope if isinstance(envelope, bytes) else json.dumps(envelope).encode()
    return Client().post(address, content, content_type="application/json")


def refusal(live_server, centre, envelope):
    answer = post(live_server, centre, envelope)
    assert answer.status_code >= 400
    said = answer.json()
    assert said["detail"].endswith(".")
    return said["code"]


def tampered(messages, north):
    """One byte, another type, a result before what comes first, half a file, and the envelope of an unknown key."""
    first = dict(messages[0])
    body = bytearray(base64.b64decode(first["payload"]))
    body[len(body) // 2] ^= 1
    yield {**first, "payload": base64.b64encode(bytes(body)).decode()}
    yield {**first, "payloadType": "application/vnd.podium.result.v1+json"}
    yield messages[-1]
    yield json.dumps(messages[0]).encode()[:-30]
    yield sign(json.loads(base64.b64decode(first["payload"])), load_key(new_key()[0]))


def forked(copy, folder):
    """The message of a copied folder that has the number of one that the centre has."""
    last = max((folder / "outbox").iterdir())
    other = json.loads(max((copy / "outbox").iterdir()).read_text())
    document = json.loads(base64.b64decode(other["payload"]))
    before = json.loads(base64.b64decode(json.loads(last.read_text())["payload"]))
    changed = {**document, "sequence": before["sequence"], "previous": before["previous"]}
    return sign(changed, load_key((copy / "key.pem").read_bytes()))


def no_case_left(hospitals, east):
    """Nothing that any site signed holds the name of a case, a path, a secret or a value of a case."""
    for name, hospital in hospitals.items():
        sent = b"".join(
            base64.b64decode(json.loads(path.read_text())["payload"]) for path in (hospital.folder / "outbox").iterdir()
        )
        assert b"hippocampus_0" not in sent
        assert str(hospital.home).encode() not in sent
        assert (hospital.folder / "secret.bin").read_bytes().hex().encode() not in sent
        if (hospital.folder / "results").is_dir():
            for path in (hospital.folder / "results").glob("*.csv"):
                for value in pd.read_csv(path, dtype=str)["value"].dropna():
                    assert value.encode()[:8] not in sent or len(value) < 8, (name, value)


def same_as_central(document, folders):
    frames, cases = [], []
    for site, folder in folders.items():
        table = read_results(sorted((folder / "results").glob("*.csv")), {})
        frames.append(table)
        cases.append(pd.DataFrame({"case": sorted(set(table["case"])), "site": site}))
    central = rank(parse(world.ASSESSMENT), pd.concat(frames), cases=pd.concat(cases), bootstrap=0)
    for own, theirs in zip(document["rankings"], central["rankings"], strict=True):
        assert [(r["name"], r["rank"]) for r in own["algorithms"]] == [
            (r["name"], r["rank"]) for r in theirs["algorithms"]
        ]
    assert [(r["name"], r["rank"]) for r in document["overall"]["algorithms"]] == [
        (r["name"], r["rank"]) for r in central["overall"]["algorithms"]
    ]


def test_package_holds_the_public_cases(centre):
    package = centre.federation.packages.get()
    assert package.document["dry_run"]["sha256"] == federations.Federation.objects.get().dry_run_sha256

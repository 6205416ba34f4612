"""Images that sites are given: named by an organizer, fetched by digest or carried, and checked when a result names them."""

import hashlib
import json

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from challenges.models import Team
from confinement.containers import making
from confinement.containers.images import take_image
from confinement.containers.limits import ImageLimits
from evaluation.canonical import canonical_json
from evaluation.federation import Refusal
from evaluation.federation.envelope import load_key, sign
from executions.models import AlgorithmArchive, AlgorithmUpload
from executions.services import deleting, storing
from federation.services import federations
from tests.integration.federation import world
from tests.integration.federation.sender import Sender

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Images and their digests are tested. `test_roles.py` and `test_refusals.py` store messages on both databases."
    ),
]


@pytest.fixture
def archive_of(tmp_path):
    """Puts an image of a team into the storage, as the check of an upload does."""

    def put(centre, name="net"):
        layers = [making.layer([making.Entry("bin/net", name.encode() * 2000, 0o755)])]
        making.write(tmp_path / f"{name}.tar", making.image(layers, entrypoint=["/bin/net"]))
        (tmp_path / name).mkdir()
        report = take_image(tmp_path / f"{name}.tar", tmp_path / name, limits=ImageLimits())
        team = Team.objects.create(challenge=centre.challenge, name=f"Team {name}", slug=name)
        common = {"phase": centre.phase, "team": team, "user": centre.organizer, "kind": "image"}
        upload = AlgorithmUpload.objects.create(
            **common, file_name="net.tar", size=9, offset=9, state="complete", expires_at=timezone.now()
        )
        row = AlgorithmArchive.objects.create(
            **common, upload=upload, file_name="net.tar", size=9, state="ready", digest=report.image_id,
            report=report.as_json(), checked_at=timezone.now(),
        )  # fmt: skip
        config = tmp_path / name / "config.json"
        blobs = [storing.keep(report.image_id.removeprefix("sha256:"), config, size=config.stat().st_size)]
        for layer in report.layers:
            path = tmp_path / name / layer.stored_name
            blobs.append(storing.keep(layer.diff_id.removeprefix("sha256:"), path, size=layer.size))
        storing.name(row, blobs)
        return row

    return put


@pytest.fixture
def centre(archive_of, workers):
    built = world.build(algorithms=("carried",))
    built.row = archive_of(built)
    address = f"/challenges/hippo/organize/sites/{built.federation.pk}/algorithms/"
    client = Client()
    client.force_login(built.organizer)
    asked = client.post(address, {"algorithm-name": "net", "algorithm-archive": str(built.row.pk)})
    assert asked.status_code == 302, asked.content.decode()
    federations.release_package(actor=built.organizer, federation=built.federation)
    return built


def asked(centre, sender, wanted, **headers):
    question = {
        "schema": "podium.site-request/1",
        "site": sender.name,
        "federation": centre.federation.identifier,
        "sent_at": f"{timezone.now():%Y-%m-%dT%H:%M:%SZ}",
        "wanted": wanted,
    }
    body = canonical_json(sign(question, load_key(sender.pem)))
    address = f"/api/v1/sites/{centre.federation.identifier}/files/"
    return Client().post(address, body, content_type="application/json", headers=headers)


def test_the_package_names_every_file_of_an_image_and_how_it_is_run(centre):
    document = centre.federation.packages.get().document
    carried, net = document["algorithms"]
    assert (carried["image"], "parts" in carried) == (None, False)
    assert net["image"] == centre.row.digest == f"sha256:{net['parts']['config']['sha256']}"
    assert document["interface"]["inputs"][0]["file"] == "image.nii.gz"
    assert document["interface"]["limits"]["case_seconds"] == 300


def test_a_site_gets_the_files_of_an_image_by_digest_and_goes_on_where_it_stopped(centre):
    sender = Sender(centre, "north").ready()
    parts = centre.federation.packages.get().document["algorithms"][1]["parts"]
    for part in (parts["config"], *parts["layers"]):
        content = b"".join(asked(centre, sender, part["sha256"]).streaming_content)
        assert hashlib.sha256(content).hexdigest() == part["sha256"]
        assert len(content) == part["size"]
        rest = asked(centre, sender, part["sha256"], range=f"bytes={part['size'] - 5}-")
        assert (rest.status_code, b"".join(rest.streaming_content)) == (206, content[-5:])
    assert asked(centre, sender, "0" * 64).status_code == 404


def test_an_image_is_carried_as_one_archive_once_the_key_is_confirmed(centre, tmp_path):
    centre.invite("north")
    sender = Sender(centre, "north")
    sender.register(confirm=False)
    address = f"{centre.page('north')}images/net.tar"
    assert Client().get(address).status_code == 403
    centre.confirm("north", centre.federation.sites.get().enrolments.get().fingerprint)
    (tmp_path / "carried.tar").write_bytes(b"".join(Client().get(address).streaming_content))
    (tmp_path / "store").mkdir()
    assert take_image(tmp_path / "carried.tar", tmp_path / "store", limits=ImageLimits()).image_id == centre.row.digest
    assert Client().get(f"{centre.page('north')}images/carried.tar").status_code == 404


@pytest.mark.parametrize(
    ("image", "code"),
    [(None, "predictions_not_allowed"), (f"sha256:{'9' * 64}", "foreign_image")],
)
def test_a_result_that_names_another_image_or_none_is_refused(centre, image, code):
    sender = Sender(centre, "north").ready()
    result = sender.result()
    for run in result["runs"]:
        if run["algorithm"] == "net":
            run["image"] = image
    with pytest.raises(Refusal) as refusal:
        sender.send("result", **result)
    assert refusal.value.code == code


def test_a_result_of_the_image_is_taken_and_the_log_of_naming_has_its_digest(centre):
    sender = Sender(centre, "north").ready()
    result = sender.result()
    for run in result["runs"]:
        run["image"] = centre.row.digest if run["algorithm"] == "net" else None
    assert sender.send("result", **result).state == "accepted"
    page = Client().get("/challenges/hippo/sites/").content.decode()
    assert "1 image run there, predictions of 1 carried in" in page


def test_predictions_beside_an_image_are_taken_where_the_package_says_so(archive_of, workers):
    built = world.build(algorithms=("carried",))
    row = archive_of(built)
    federations.name_algorithm(
        actor=built.organizer, federation=built.federation, name="net", archive=row, may_be_carried=True
    )
    federations.release_package(actor=built.organizer, federation=built.federation)
    sender = Sender(built, "north").ready()
    assert sender.send("result", **sender.result()).state == "accepted"


def test_an_image_that_sites_run_is_kept_and_one_of_others_is_not_named(centre, archive_of):
    with pytest.raises(ValidationError, match="Sites run it"):
        deleting.delete_archive(archive=centre.row, actor=centre.organizer)
    gone = archive_of(centre, "gone")
    deleting.delete_archive(archive=gone, actor=centre.organizer)
    with pytest.raises(ValidationError, match="was deleted"):
        federations.name_algorithm(actor=centre.organizer, federation=centre.federation, name="gone", archive=gone)
    assert json.loads(json.dumps(centre.federation.packages.get().document))["version"] == 1

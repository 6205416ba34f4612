"""References are read in a process of their own, for the people who write the design, and are forgotten afterwards."""

import contextlib
import io
import socket
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from confinement import landlock
from core.work.services import claim, sweep_kind
from designs import hooks, tasks
from designs.models import Collaborator, Scan
from designs.queries.work import SCANS
from designs.services import scanning, scans
from designs.services.scanning import ScanError, lay_out
from tests.unit.designs.world import design, person, save

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "References are read by another process from files. `test_saving.py` saves documents on both databases."
    ),
]


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def cells(owner):
    stored = design(owner)
    save(stored, "task_category", ["segmentation"])
    save(stored, "regions", [{"name": "cell", "labels": ["1"]}])
    save(stored, "metrics", [{"metric": "dsc", "used_for_ranking": True}])
    save(stored, "ranking_type", "single_ranking")
    save(stored, "ranking_method", [{"name": "R", "scheme": "metric_based", "operator": "mean"}])
    save(stored, "tie_handling", "standard_competition")
    save(stored, "missing_data_handling", "worst_value")
    return stored


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def sent(monkeypatch):
    jobs = []
    monkeypatch.setattr("core.work.services.enqueue", lambda *args, countdown=None: jobs.append(args))
    return jobs


def png(*boxes):
    array = np.zeros((40, 40), dtype=np.uint8)
    for x, y, size in boxes:
        array[y : y + size, x : x + size] = 1
    stream = io.BytesIO()
    Image.fromarray(array).save(stream, "PNG")
    return stream.getvalue()


def archive(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for name, content in files.items():
            target.writestr(name, content)
    return stream.getvalue()


def upload(client, stored, references, predictions=()):
    return client.post(
        reverse("designs:scan", args=[stored.slug, "task-1"]),
        {
            "references": [SimpleUploadedFile(name, content) for name, content in references],
            "predictions": [SimpleUploadedFile(name, content) for name, content in predictions],
        },
        follow=True,
    )


def page(client, stored):
    return client.get(reverse("designs:task_advice", args=[stored.slug, "task-1"]))


def bites(client, stored):
    return {bite.finding.pitfall.id for bite in page(client, stored).context["advice"].pitfalls}


def test_small_and_empty_references_bite_once_they_are_read_and_the_files_are_gone(signed_in, cells, sent):
    assert "P-STR-SMALL-STRUCTURES" not in bites(signed_in, cells)
    upload(
        signed_in,
        cells,
        [("one.png", png((3, 3, 2))), ("two.png", png((3, 3, 2), (30, 30, 3))), ("three.png", png())],
        [("teams.zip", archive({"a/one.png": png((3, 3, 2)), "b/two.png": png((3, 3, 9))}))],
    )
    scan = Scan.objects.get()
    assert sent == [(SCANS.task, scan.pk)]
    stored = [entry["stored"] for entry in scan.files]
    assert all(storages["private"].exists(name) for name in stored)
    assert b"Queued" in page(signed_in, cells).content
    tasks.scan(scan.pk)
    tasks.scan(scan.pk)
    scan.refresh_from_db()
    assert (scan.state, scan.problem, scan.files) == ("done", "", [])
    assert not any(storages["private"].exists(name) for name in stored)
    shown = page(signed_in, cells)
    assert "P-STR-SMALL-STRUCTURES" in bites(signed_in, cells)
    assert b"cell: in 2 of 3 cases" in shown.content
    assert b"Predictions of b: 2 missing or unreadable" in shown.content
    proposed = {question.id: question.answer for question in shown.context["advice"].proposals}
    assert (proposed["FP4.6"], proposed["FP3.1"]) == ("true", "true")
    status = signed_in.get(reverse("designs:scan_status", args=[cells.slug, scan.pk]))
    assert status["HX-Refresh"] == "true"


def test_what_was_read_is_for_those_who_write_the_design(client, signed_in, cells, sent):
    upload(signed_in, cells, [("one.png", png((3, 3, 2)))])
    scan = Scan.objects.get()
    tasks.scan(scan.pk)
    cells.is_public = True
    cells.save()
    client.logout()
    assert b"cell: in 1 of 1 cases" not in page(client, cells).content
    assert "P-STR-SMALL-STRUCTURES" not in bites(client, cells)
    status, ask = (reverse("designs:scan_status", args=[cells.slug, scan.pk]),
                   reverse("designs:scan", args=[cells.slug, "task-1"]))  # fmt: skip
    assert client.get(status).status_code == 403
    assert client.post(ask).status_code == 302
    client.force_login(person("eve"))
    assert (client.get(status).status_code, client.post(ask).status_code) == (403, 403)
    reader = person("bo")
    Collaborator.objects.create(design=cells, user=reader, role="reader")
    client.force_login(reader)
    assert (client.get(status).status_code, client.post(ask).status_code) == (200, 403)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("one.png", b"no image", "one.png"),
        ("all.zip", b"no archive", "cannot be unpacked"),
        ("all.zip", archive({"../../one.txt": b"x"}), "no label images"),
    ],
)
def test_files_that_cannot_be_read_say_so_in_words(signed_in, cells, sent, name, content, words):
    upload(signed_in, cells, [(name, content)])
    scan = Scan.objects.get()
    tasks.scan(scan.pk)
    scan.refresh_from_db()
    assert scan.state == Scan.State.FAILED
    assert words in scan.problem
    assert words.encode() in page(signed_in, cells).content


def test_paths_of_an_archive_lead_nowhere_and_its_size_is_bounded(tmp_path, monkeypatch):
    content = archive({"../../../evil.png": b"1", "a/../../b/two.png": b"2", "__MACOSX/three.png": b"3"})
    lay_out(io.BytesIO(content), "x.zip", "predictions", tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} == {
        "predictions/predictions/evil.png",
        "predictions/b/two.png",
    }
    monkeypatch.setattr("designs.services.scanning.MAX_UNPACKED", 2)
    with pytest.raises(ScanError, match="more than"):
        lay_out(io.BytesIO(content), "x.zip", "references", tmp_path)


def test_files_are_unpacked_and_read_where_they_reach_nothing(signed_in, cells, sent, monkeypatch):
    """A hijacked reader can neither read a file of the platform nor open a connection."""

    def reach_out(*_: object) -> None:
        hidden = [lambda: Path(__file__).read_text()] if landlock.version() else []
        for act in (*hidden, socket.socket):
            with contextlib.suppress(OSError):
                act()
                raise ScanError(f"{act} was possible")
        raise ScanError("kept in")

    monkeypatch.setattr(scanning, "lay_out", reach_out)
    upload(signed_in, cells, [("all.zip", archive({"one.png": png((3, 3, 2))}))])
    tasks.scan(Scan.objects.get().pk)
    assert Scan.objects.get().problem == "kept in"


def test_a_scan_that_would_fill_the_disk_is_stopped(signed_in, cells, sent, monkeypatch):
    def fill(_stream: object, _name: str, _role: str, folder: Path) -> None:
        for number in range(1000):
            (folder / str(number)).write_bytes(bytes(1024**2))
            time.sleep(0.01)

    monkeypatch.setattr(scanning, "lay_out", fill)
    monkeypatch.setattr(scanning, "MAX_UNPACKED", 20 * 1024**2)
    upload(signed_in, cells, [("all.zip", b"any")])
    tasks.scan(Scan.objects.get().pk)
    assert "unpack to more than" in Scan.objects.get().problem


def test_without_references_or_kind_of_problem_nothing_is_read(signed_in, cells, sent):
    assert b"required" in upload(signed_in, cells, []).content
    save(cells, "task_category", [])
    assert b"which category" in upload(signed_in, cells, [("one.png", png())]).content
    assert not Scan.objects.exists()


def test_a_test_set_is_read_only_by_who_may(signed_in, cells, sent, monkeypatch, owner):
    source = hooks.ReferenceSource("7", "the test set of the final phase", lambda folder: (folder / "one.png").write_bytes(png((3, 3, 2))))  # fmt: skip
    monkeypatch.setattr(hooks, "reference_sources", [lambda user, task: [source] if user == owner else []])
    assert b"Read the test set of the final phase" in page(signed_in, cells).content
    signed_in.post(reverse("designs:scan", args=[cells.slug, "task-1"]), {"test_set": "8"})
    assert not Scan.objects.exists()
    signed_in.post(reverse("designs:scan", args=[cells.slug, "task-1"]), {"test_set": "7"})
    tasks.scan(Scan.objects.get().pk)
    assert b"cell: in 1 of 1 cases" in page(signed_in, cells).content


def test_lost_scans_are_found_again(cells, owner, sent, monkeypatch):
    facts = {"task": cells.tasks.get(), "source": "x", "plan": {}, "requested_at": cells.created_at.replace(year=2020)}
    waiting = Scan.objects.create(**facts)
    running = Scan.objects.create(**facts)
    claim(SCANS, running.pk, give_up=pytest.fail)
    monkeypatch.setattr("core.work.services.send", lambda task, args: sent.append((task, *args)))
    assert sweep_kind(SCANS) == 1, "a worker reads the other one"
    assert sent == [(SCANS.task, waiting.pk)]
    Scan.objects.filter(pk=running.pk).update(lease_until=cells.created_at)
    assert sweep_kind(SCANS) == 1
    scans.run_scan(scan_id=running.pk)
    running.refresh_from_db()
    assert (running.state, running.problem) == ("failed", "The worker was lost while it read these files.")

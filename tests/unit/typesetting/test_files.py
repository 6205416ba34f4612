"""Documents as files: made once by a worker in a child, kept by the digest of what they show."""

import io
import os
import subprocess
import sys
from datetime import timedelta

import docx
import pytest
from django.core.files.storage import storages
from django.test import RequestFactory
from django.utils import timezone
from pypdf import PdfReader

from core.typesetting.models import SetFile
from core.typesetting.services import asking, making, setting
from core.typesetting.services.asking import FileNotMadeError, file_of
from core.typesetting.views import answered
from evaluation.documents.blocks import Block
from evaluation.documents.setting import NotSetError, in_own_process

pytestmark = pytest.mark.django_db
BLOCKS = [Block("heading", text="A design", level=1), Block("text", text="Who ranks first?")]


@pytest.fixture(autouse=True)
def storage(settings, tmp_path):
    settings.PODIUM_SCRATCH = str(tmp_path / "scratch")
    settings.STORAGES = settings.STORAGES | {
        "private": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    }


@pytest.fixture
def idle(monkeypatch):
    """Recorded requests for documents, which wait because no worker runs."""
    asked = []
    monkeypatch.setattr("core.typesetting.services.asking.send", lambda _task, arguments: asked.append(arguments[0]))
    return asked


def words_of(pdf: bytes) -> str:
    return "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def test_a_document_is_set_once_for_all_who_ask_for_the_same_content(monkeypatch):
    first = file_of(BLOCKS, title="A design", ending="pdf")
    monkeypatch.setattr(making, "set_document", lambda *_, **__: pytest.fail("made a second time"))
    assert file_of(BLOCKS, title="A design", ending="pdf") == first
    assert "Who ranks first?" in words_of(first)
    stored = SetFile.objects.get()
    assert stored.blocks == []
    assert (stored.size, stored.name) == (len(first), f"documents/{stored.digest}.pdf")


def test_a_row_that_was_changed_never_serves_another_private_file():
    first = file_of(BLOCKS, title="A design", ending="pdf")
    storages["private"].save("testsets/hidden.nii.gz", io.BytesIO(b"hidden"))
    storages["private"].save("documents/other.pdf", io.BytesIO(b"hidden"))
    for name in ("testsets/hidden.nii.gz", "documents/../testsets/hidden.nii.gz", "documents/other.pdf"):
        SetFile.objects.update(name=name)
        assert words_of(file_of(BLOCKS, title="A design", ending="pdf")) == words_of(first)
        assert SetFile.objects.get().name.startswith("documents/")


def test_a_file_that_was_changed_on_the_disk_is_made_again():
    first = file_of(BLOCKS, title="A design", ending="pdf")
    name = SetFile.objects.get().name
    storages["private"].delete(name)
    storages["private"].save(name, io.BytesIO(b"%PDF-1.7 forged"))
    assert words_of(file_of(BLOCKS, title="A design", ending="pdf")) == words_of(first)


def test_another_word_title_or_format_is_another_file():
    pdf = file_of(BLOCKS, title="A design", ending="pdf")
    word = file_of(BLOCKS, title="A design", ending="docx")
    assert [paragraph.text for paragraph in docx.Document(io.BytesIO(word)).paragraphs] == [
        "A design",
        "Who ranks first?",
    ]
    other = [*BLOCKS[:1], Block("text", text="Who is second?")]
    assert "Who is second?" in words_of(file_of(other, title="A design", ending="pdf"))
    assert file_of(BLOCKS, title="Another", ending="pdf") != pdf
    assert SetFile.objects.count() == 4


def test_while_no_worker_has_made_it_the_page_asks_again_and_programs_are_told_when(idle):
    asking_person = RequestFactory().get("/design.pdf", HTTP_ACCEPT="text/html")
    program = RequestFactory().get("/design.pdf")
    part = RequestFactory().get("/design.pdf", HTTP_HX_REQUEST="true")
    given = {"title": "A design", "ending": "pdf", "name": "design.pdf"}
    asking.PATIENCE, patience = 0.0, asking.PATIENCE
    file_of.__kwdefaults__["patience"] = 0.0
    try:
        told = answered(program, BLOCKS, **given)
        assert (told.status_code, told["Retry-After"]) == (202, "2")
        assert b"is being made" in told.content
        assert b"is being created" in answered(part, BLOCKS, **given).content
        [row] = SetFile.objects.all()
        assert idle == [row.pk]
        making.make(pk=row.pk)
        assert b"is ready" in answered(part, BLOCKS, **given).content
        file = answered(asking_person, BLOCKS, **given)
        assert file["Content-Type"] == "application/pdf"
        assert file["Content-Disposition"] == 'attachment; filename="design.pdf"'
    finally:
        asking.PATIENCE = file_of.__kwdefaults__["patience"] = patience


def test_what_cannot_be_set_says_so_and_is_tried_again_after_a_minute(monkeypatch):
    def broken(*_: object, **__: object) -> bytes:
        raise NotSetError("memory: ")

    monkeypatch.setattr(making, "set_document", broken)
    with pytest.raises(FileNotMadeError):
        file_of(BLOCKS, title="A design", ending="pdf")
    monkeypatch.undo()
    assert SetFile.objects.get().failure == "memory: "
    with pytest.raises(FileNotMadeError):
        file_of(BLOCKS, title="A design", ending="pdf")
    SetFile.objects.update(failed_at=timezone.now() - timedelta(minutes=2))
    making_now = lambda _task, arguments: making.make(pk=arguments[0])  # noqa: E731
    monkeypatch.setattr("core.typesetting.services.asking.send", making_now)
    assert file_of(BLOCKS, title="A design", ending="pdf").startswith(b"%PDF-")


def test_a_file_that_is_lost_is_made_again():
    first = file_of(BLOCKS, title="A design", ending="pdf")
    storages["private"].delete(SetFile.objects.get().name)
    assert words_of(file_of(BLOCKS, title="A design", ending="pdf")) == words_of(first)


def test_files_that_nobody_takes_are_thrown_away():
    file_of(BLOCKS, title="A design", ending="pdf")
    name = SetFile.objects.get().name
    assert making.forget() == 0
    SetFile.objects.update(asked_for_on=timezone.localdate() - timedelta(days=31))
    assert making.forget() == 1
    assert not storages["private"].exists(name)
    assert not SetFile.objects.exists()


def test_two_workers_make_one_file(idle):
    file_of(BLOCKS, title="A design", ending="pdf", patience=0)
    [pk] = idle
    making.make(pk=pk)
    making.make(pk=pk)
    assert len(storages["private"].listdir("documents")[1]) == 1


def test_the_typesetter_is_loaded_in_the_child_only():
    """Otherwise the memory that it uses would stay permanently allocated in the calling process."""
    code = "import django; django.setup(); import core.typesetting.views, designs.views.versions, registry.views.downloads, sys; print('typst' in sys.modules, 'docx' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, env=os.environ)
    assert said.returncode == 0, said.stderr
    assert said.stdout.split()[-2:] == ["False", "False"]


def test_a_process_that_takes_too_long_is_ended():
    with pytest.raises(NotSetError, match="more than"):
        in_own_process(BLOCKS, title="x", ending="pdf", seconds=0.01)


def test_the_process_knows_no_secret(monkeypatch, tmp_path):
    """Environment variables that an operator passes to the platform do not reach the process."""
    seen = {}

    def kept(words: list[str], *, env: dict[str, str], **more: object) -> object:
        seen.update(env)
        return begin(words, env=env, **more)

    begin = subprocess.Popen
    monkeypatch.setenv("PODIUM_REFERENCE_KEY", "AGE-SECRET-KEY-1")
    monkeypatch.setattr("evaluation.documents.setting.subprocess.Popen", kept)
    in_own_process(BLOCKS, title="x", ending="docx")
    assert set(seen) <= {"PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR"}


def test_figures_travel_to_the_process():
    from evaluation.figures.publication import Printed

    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    blocks = [*BLOCKS, Block("figure", text="Ranks", name="figure-01")]
    pdf = in_own_process(blocks, title="x", ending="pdf", figures={"figure-01": Printed(svg=svg, png=b"")})
    assert "Ranks" in words_of(pdf)


def test_a_document_that_takes_too_much_memory_is_ended(monkeypatch):
    monkeypatch.setattr(setting, "MEMORY", 32 * 1024**2)
    with pytest.raises(NotSetError, match="It ended with"):
        setting.set_document(BLOCKS, title="x", ending="pdf")

"""Anonymity in reviews: no identity is revealed in pages, files, their metadata, the history, mails or messages."""

import re
import zlib

import pytest

from accounts.notifications.models import Email, Notification
from designs.services import save_field
from evaluation.documents import pdf
from reviews.models import Side
from reviews.services import talk
from reviews.services.filing import submit_revision
from tests.integration.reviews.test_permissions import PAGES, address
from tests.unit.reviews.world import NAMES, vary

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Files and texts are searched for names. `test_permissions.py` and `test_pages.py` read them on both databases."
    ),
]
SECTIONS = ("mission", "participation", "data", "annotation", "assessment", "clinical", "general")


def through_two_rounds(world, anonymity):
    """Take a filing through two rounds, which create every object that could reveal a name.

    Points are raised, decided, answered and revised, and the filing is under review again.
    """
    vary(world, anonymity=anonymity, showing="always")
    task = world.design.tasks.first().key
    world.design.title = "The ISIX hippocampus challenge of Prof. Organizerson"
    world.design.save()
    world.under_review()
    thread = talk.open_thread(
        actor=world.panel["r1"].user, filing=world.filing, parameter="tie_handling", task_key=task,
        assignment=world.assignment("r1"), is_blocking=True, text="Decide ties.",
    )  # fmt: skip
    for name in ("r1", "r2", "clara"):
        world.send(name, "major", 2)
    talk.discuss(actor=world.panel["r1"].user, filing=world.filing, assignment=world.assignment("r1"), text="Hm.")
    world.decide("major")
    talk.add_comment(
        actor=world.editor, thread=thread, side=Side.ORGANIZER,
        text="Done, says Orla Organizerson of the Institute of Secret Imaging, orla@secret-imaging.org.",
    )  # fmt: skip
    save_field(
        actor=world.owner, design=world.design, parameter="technical_motivation",
        value="As Theo Teammate (ISIX) showed, methods differ.",
    )  # fmt: skip
    submit_revision(actor=world.owner, filing=world.filing, note="Best wishes, Ines Inside and Theo Teammate, ISIX")
    world.start()
    return world


def pages_of(client, world):
    """Everything that a reviewer can open, by address."""
    pages = {}
    for name, row in PAGES.items():
        if row["reviewer"] in (200, 302) and name not in ("reviewer", "bids"):
            path = address(world, name)
            pages[path] = client.get(path, follow=True)
    pages["bids"] = client.get(f"/calls/{world.call.slug}/bids/")
    stem = f"/calls/{world.call.slug}/filings/{world.filing.number}"
    for key in SECTIONS:
        pages[key] = client.get(f"{stem}/review/{key}/")
    for ending in ("json", "md"):
        pages[ending] = client.get(f"{stem}/design.{ending}")
    pages["/notifications/"] = client.get("/notifications/")
    data = {"parameter": "tie_handling", "task_key": world.design.tasks.first().key, "text": "And?"}
    pages["htmx"] = client.post(f"{stem}/points/", data, headers={"HX-Request": "true"})
    return pages


def leaks(text, words):
    return [word for word in words if re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE)]


def test_double_blind_reviewers_learn_no_name_anywhere(client, world):
    through_two_rounds(world, "double")
    user = world.panel["r2"].user
    client.force_login(user)
    for path, response in pages_of(client, world).items():
        assert response.status_code == 200, path
        content = response.content.decode()
        assert leaks(content, (*NAMES, world.design.slug)) == [], path
        assert leaks(str(response.headers), NAMES) == [], path
    section = client.get(f"/calls/{world.call.slug}/filings/1/review/mission/").content.decode()
    assert "[name withheld]" in section
    assert "[address withheld]" in section
    assert client.get(f"/calls/{world.call.slug}/filings/1/review/organization/").status_code == 404
    for told in (
        *Notification.objects.filter(user=user).values_list("subject", "text", "address"),
        *Email.objects.filter(user=user).values_list("subject", "text", "html"),
    ):
        assert leaks(" ".join(told), NAMES) == []
    changes = client.get(f"/calls/{world.call.slug}/filings/1/changes/").content.decode()
    assert "As [name withheld]" in changes.replace("<ins>", "").replace("</ins>", "")
    assert "The organizers" in changes


def test_the_pdf_of_a_double_blind_review_names_nobody_in_text_metadata_or_file_name(client, world, monkeypatch):
    through_two_rounds(world, "double")
    set_ = []
    real = pdf.as_pdf

    def watched(blocks, *, title):
        set_.extend(blocks := list(blocks))
        set_.append(title)
        return real(blocks, title=title)

    monkeypatch.setattr(pdf, "as_pdf", watched)
    client.force_login(world.panel["r2"].user)
    response = client.get(f"/calls/{world.call.slug}/filings/1/design.pdf")
    assert response["Content-Disposition"] == f'attachment; filename="{world.call.slug}-1.pdf"'
    assert leaks(str(set_), NAMES) == []
    assert "Challenge organization" not in str(set_)
    assert "contact person" not in str(set_).lower()
    raw = response.content
    streams = b"".join(_inflated(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", raw, re.DOTALL))
    both = (raw + streams).decode("latin-1")
    assert "/Author" not in both
    assert leaks(both, NAMES) == []
    assert "name withheld" in both  # the title stands in the metadata, masked


def _inflated(stream):
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


@pytest.mark.parametrize("anonymity", ["single", "double"])
def test_organizers_learn_no_reviewers_name(client, world, anonymity):
    through_two_rounds(world, anonymity)
    stem = f"/calls/{world.call.slug}/filings/1/"
    for user in (world.owner, world.editor):
        client.force_login(user)
        for path in ("", "points/", "changes/", "design.md"):
            response = client.get(stem + path)
            assert response.status_code == 200
            content = response.content.decode()
            assert "Reviewername" not in content, path
            assert "rev_r" not in content, path
            assert "Note of" not in content, path
        page = client.get(stem).content.decode()
        assert "Reviewer 1" in page
        assert "Summary of r1" in page
        assert "Hm." not in page
    told = [*Notification.objects.filter(user=world.owner).values_list("subject", "text", "address")]
    assert "Reviewername" not in str(told)


def test_in_an_open_call_names_stand_where_they_belong(client, world):
    through_two_rounds(world, "open")
    client.force_login(world.owner)
    assert "Reviewernamer1" in client.get(f"/calls/{world.call.slug}/filings/1/").content.decode()
    client.force_login(world.panel["r1"].user)
    page = client.get(f"/calls/{world.call.slug}/filings/1/review/organization/").content.decode()
    assert "Theo Teammate" in page
    assert "Ines Inside" in client.get(f"/calls/{world.call.slug}/filings/1/changes/").content.decode()


def test_the_confidential_note_is_for_chairs_alone(client, world):
    through_two_rounds(world, "open")
    stem = f"/calls/{world.call.slug}/filings/1/"
    client.force_login(world.chair)
    assert "Note of r1" in client.get(stem).content.decode()
    for user in (world.owner, world.panel["r2"].user):
        client.force_login(user)
        for path in ("", "points/", "changes/", "review/verdict/"):
            assert "Note of r1" not in client.get(stem + path, follow=True).content.decode()


def test_reviews_and_points_stay_with_reviewers_and_chairs_until_the_decision(client, world):
    world.under_review()
    world.send("r1", summary="Too early to tell")
    talk.open_thread(actor=world.chair, filing=world.filing, parameter="contact_person", text="Whose office?")
    client.force_login(world.owner)
    for path in ("", "points/", "changes/"):
        content = client.get(f"/calls/{world.call.slug}/filings/1/{path}").content.decode()
        assert "Too early to tell" not in content
        assert "Whose office?" not in content
    client.force_login(world.panel["r2"].user)
    verdict = f"/calls/{world.call.slug}/filings/1/review/verdict/"
    assert "Too early to tell" not in client.get(verdict).content.decode()
    world.send("r2")
    assert "Too early to tell" in client.get(verdict).content.decode()


def test_points_about_the_hidden_section_stay_hidden_from_double_blind_reviewers(client, world):
    vary(world, anonymity="double", showing="always")
    world.under_review()
    talk.open_thread(actor=world.chair, filing=world.filing, parameter="contact_person", text="Is it Orla?")
    client.force_login(world.panel["r1"].user)
    stem = f"/calls/{world.call.slug}/filings/1/"
    for path in ("points/", "changes/"):
        assert "Is it Orla?" not in client.get(stem + path).content.decode()
    data = {"parameter": "contact_person", "text": "Who?"}
    part = client.post(f"{stem}points/", data, headers={"HX-Request": "true"}).content.decode()
    assert "no such parameter" in part
    client.force_login(world.chair)
    assert "Is it Orla?" in client.get(f"{stem}points/").content.decode()


def test_organizers_are_warned_of_names_outside_of_the_hidden_section(client, world):
    vary(world, anonymity="double")
    client.force_login(world.owner)
    page = client.get(f"/calls/{world.call.slug}/file/?design={world.design.slug}").content.decode()
    assert "double-blind" in page
    assert "Abstract" in page.split("will be masked:")[1]

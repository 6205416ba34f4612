"""Organizers write pages and upload pictures of their own: shown to all who see the challenge, with no markup of strangers, and by program."""

import io

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image
from rest_framework.test import APIClient

from challenges.models import Challenge, InformationPage
from challenges.services import information
from core.audit.models import Entry
from submissions.results.services import exporting
from tests.integration.executions.world import build

pytestmark = pytest.mark.django_db
FORM = {
    "title": "Prizes",
    "text": "**1000 EUR** for <script>alert(1)</script> ![x](https://e.org/x.png)",
    "position": 1,
}


@pytest.fixture
def world(db, tmp_path):
    return build(tmp_path)


def address(world, name, *parts):
    return reverse(f"challenges:{name}", args=[world.challenge.slug, *parts])


def test_a_page_appears_under_information_and_goes_again(world, client):
    overview = world.challenge.get_absolute_url()
    tab = f'href="{address(world, "information")}"'
    client.force_login(world.organizer)
    assert tab not in client.get(overview).content.decode()
    assert client.get(address(world, "information")).status_code == 404
    client.post(address(world, "pages"), FORM)
    client.post(address(world, "pages"), {**FORM, "title": "FAQ", "position": 2})
    client.force_login(world.ada)
    assert tab in client.get(overview).content.decode()
    response = client.get(address(world, "information"), follow=True)
    text = response.content.decode()
    assert response.redirect_chain == [(address(world, "information_page", "prizes"), 302)]
    assert "<strong>1000 EUR</strong>" in text
    assert "<script>alert" not in text
    assert 'src="https://e.org' not in text
    assert "The registered design determines rules and scoring." in text
    assert address(world, "information_page", "faq") in text
    assert "Edit page" not in text
    client.force_login(world.organizer)
    changed = client.post(address(world, "edit_page", "prizes"), {**FORM, "title": "Awards"}, follow=True)
    assert changed.redirect_chain[-1][0] == address(world, "information_page", "prizes")
    assert "Awards is saved." in changed.content.decode()
    for page in ("prizes", "faq"):
        client.post(address(world, "delete_page", page))
    assert tab not in client.get(overview).content.decode()
    acts = list(Entry.objects.filter(act__startswith="page_").order_by("sequence").values_list("act", flat=True))
    assert acts == ["page_created", "page_created", "page_changed", "page_deleted", "page_deleted"]


def test_titles_are_different_and_there_are_five_at_most(world):
    def create(title):
        fields = {"actor": world.organizer, "challenge": world.challenge, "text": "T", "position": 1}
        return information.create_page(title=title, **fields)

    first = create("FAQ")
    with pytest.raises(ValidationError, match="Another page has the title faq"):
        create("faq")
    with pytest.raises(ValidationError, match="Another page"):
        create("F.A.Q.")
    assert create("問").slug == "page-2"
    for title in ("B", "C", "D"):
        create(title)
    with pytest.raises(ValidationError, match="at most 5 pages"):
        create("E")
    with pytest.raises(ValidationError, match="Another page has the title B"):
        information.change_page(actor=world.organizer, page=first, title="B", text="T", position=2)


def test_only_organizers_write_and_only_people_who_see_the_challenge_read(world, client):
    information.create_page(actor=world.organizer, challenge=world.challenge, title="FAQ", text="T", position=1)
    client.force_login(world.ada)
    for name, parts in (("pages", ()), ("edit_page", ("faq",)), ("delete_page", ("faq",))):
        assert client.post(address(world, name, *parts), FORM).status_code == 404
    assert InformationPage.objects.get().title == "FAQ"
    client.logout()
    shown = address(world, "information_page", "faq")
    Challenge.objects.update(is_public=True)
    assert client.get(shown).status_code == 200
    Challenge.objects.update(is_public=False)
    assert client.get(shown).status_code == 404
    assert client.get(address(world, "information")).status_code == 404


def test_a_program_does_the_same(world):
    program = APIClient()
    program.force_authenticate(world.organizer)
    pages = reverse("api:information-pages", args=[world.challenge.slug])
    assert program.post(pages, FORM, format="json").json()["id"] == "prizes"
    page = reverse("api:information-page", args=[world.challenge.slug, "prizes"])
    assert program.put(page, {**FORM, "text": "None"}, format="json").status_code == 200
    (row,) = program.get(pages).json()
    assert (row["slug"], row["text"]) == ("prizes", "None")
    refused = program.post(pages, {**FORM, "position": 9}, format="json")
    assert refused.status_code == 400
    assert "position" in refused.json()["errors"]
    program.force_authenticate(world.ada)
    assert program.delete(page).status_code in (403, 404)
    program.force_authenticate(world.organizer)
    assert program.delete(page).status_code == 200
    assert program.get(pages).json() == []


def picture(*size):
    buffer = io.BytesIO()
    Image.new("RGB", size, (10, 90, 120)).save(buffer, "PNG")
    return SimpleUploadedFile("logo.png", buffer.getvalue(), content_type="image/png")


def test_a_logo_appears_in_the_catalogue_and_a_banner_on_the_overview(world, client):
    Challenge.objects.update(is_public=True)
    client.force_login(world.organizer)
    client.post(address(world, "pictures"), {"logo": picture(8, 8), "banner": picture(40, 10)})
    client.logout()
    world.challenge.refresh_from_db()
    logo = f"{address(world, 'picture', 'logo')}?v={world.challenge.logo}"
    banner = f"{address(world, 'picture', 'banner')}?v={world.challenge.banner}"
    overview = client.get(world.challenge.get_absolute_url()).content.decode()
    assert f'src="{logo}"' in client.get("/challenges/").content.decode()
    assert f'src="{logo}"' in overview
    assert f'src="{banner}"' in overview
    answer = client.get(logo)
    assert answer["Content-Type"] == "image/png"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "private, max-age=86400"
    assert Image.open(io.BytesIO(answer.content)).size == (8, 8)
    Challenge.objects.update(is_public=False)
    assert client.get(logo).status_code == 404
    client.force_login(world.organizer)
    assert client.get(logo)["Cache-Control"] == "private, no-store"
    client.post(address(world, "pictures"), {"remove_logo": "on"})
    assert client.get(logo).status_code == 404
    assert client.get(banner).status_code == 200
    page = client.get(world.challenge.get_absolute_url()).content.decode()
    assert logo not in page
    assert banner in page
    acts = Entry.objects.filter(act__startswith="picture_").order_by("sequence").values_list("act", flat=True)
    assert list(acts) == ["picture_stored", "picture_stored", "picture_removed"]


def test_a_picture_is_stored_and_exported_without_metadata(world):
    content = picture(8, 8).read() + b"PK Rue Secrete 7"
    information.set_pictures(actor=world.organizer, challenge=world.challenge, contents={"logo": content})
    stored = bytes(world.challenge.pictures.get().content)
    assert stored == content.removesuffix(b"PK Rue Secrete 7")
    assert dict(exporting.parts(world.challenge, world.organizer))["logo.png"] == stored


def test_a_refused_picture_changes_nothing(world, client):
    client.force_login(world.organizer)
    svg = SimpleUploadedFile("banner.svg", b"<svg onload='alert(1)'/>", content_type="image/png")
    page = client.post(address(world, "pictures"), {"logo": picture(8, 8), "banner": svg})
    assert "neither PNG nor JPEG" in page.content.decode()
    world.challenge.refresh_from_db()
    assert world.challenge.logo == ""
    assert not world.challenge.pictures.exists()


def test_only_organizers_set_pictures_also_by_program(world, client):
    client.force_login(world.ada)
    assert client.post(address(world, "pictures"), {"logo": picture(8, 8)}).status_code == 404
    program = APIClient()
    pictures = reverse("api:challenge-pictures", args=[world.challenge.slug])
    program.force_authenticate(world.ada)
    assert program.put(pictures, {"logo": picture(8, 8)}, format="multipart").status_code in (403, 404)
    program.force_authenticate(world.organizer)
    assert program.put(pictures, {"logo": picture(8, 8)}, format="multipart").status_code == 200
    assert program.put(pictures, {"logo": picture(4001, 1)}, format="multipart").json()["errors"]["logo"]
    assert world.challenge.pictures.get().kind == "logo"

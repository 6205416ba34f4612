"""Discovery and explanation of the site: head of a page, picture of a ranking, robots, sitemap, help."""

import io
import re
from xml.etree import ElementTree as ET

import pytest
from django.urls import reverse
from PIL import Image

from challenges.models import Challenge
from tests.integration.leaderboards import world
from web import manual

pytestmark = pytest.mark.django_db


def challenge(**more):
    return Challenge.objects.create(
        **{"slug": "organs", "title": "Organs", "summary": "Find it.", "is_public": True} | more
    )


TAG = re.compile(r'<(?:meta (?:property|name)|link rel)="([^"]+)" (?:content|href)="([^"]*)"')


def head(client, path):
    return dict(TAG.findall(client.get(path).content.decode().partition("</head>")[0]))


def test_a_page_names_its_one_address_and_what_it_is(client, settings):
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    found = head(client, "/challenges/?sort=name&page=2")
    assert found["canonical"] == found["og:url"] == "https://podium.example.org/challenges/?page=2"
    assert found["og:title"] == "Challenges"
    assert found["og:description"] == found["description"]
    assert found["og:image"].startswith("https://podium.example.org/static/")
    assert found["twitter:card"] == "summary"


def test_what_people_write_cannot_leave_the_attributes_of_the_head(client):
    made = challenge(title='The "best" <b>&', summary='A "summary"\nof <two> lines & more')
    text = client.get(made.get_absolute_url()).content.decode()
    assert '<meta property="og:title" content="The &quot;best&quot; &lt;b&gt;&amp;">' in text
    assert 'content="A &quot;summary&quot; of &lt;two&gt; lines &amp; more"' in text


def test_search_engines_are_told_of_public_pages_only(client, settings):
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    shown = challenge(slug="shown")
    challenge(slug="hidden", is_public=False)
    robots = client.get("/robots.txt").content.decode()
    assert "Disallow: /accounts/" in robots
    assert "Sitemap: https://podium.example.org/sitemap.xml" in robots
    tree = ET.fromstring(client.get("/sitemap.xml").content)
    addresses = [element.text for element in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert f"https://podium.example.org{shown.get_absolute_url()}" in addresses
    assert "https://podium.example.org/help/glossary/" in addresses
    assert not [address for address in addresses if "hidden" in address]
    for address in addresses:
        assert client.get(address.removeprefix("https://podium.example.org")).status_code == 200, address


def test_every_page_of_the_help_opens_and_its_links_lead_somewhere(client):
    for name in manual.NAMES:
        text = client.get(reverse("web:help_page", args=[name])).content.decode()
        article = text.partition("<article")[2].partition("</article>")[0]
        assert "<h1" in article, name
        for target in re.findall(r'(?:href|src)="(/[^"#]*)', article):
            assert client.get(target).status_code == 200, (name, target)
        anchors = set(re.findall(r' id="([^"]+)"', article))
        assert set(re.findall(r'href="#([^"]+)"', article)) <= anchors, name
    assert client.get("/help/development/designs/").status_code == 404
    assert client.get("/help/images/designs.md").status_code in (301, 404)
    assert client.get("/help/../pyproject/").status_code == 404


@pytest.mark.parametrize(
    ("words", "page"), [("rank set", "leaderboards"), ("withdraw submission", "participants"), ("embargo", "designs")]
)
def test_the_help_is_searched_by_words(client, words, page):
    answer = client.get("/help/", {"q": words})
    assert page in [hit.page.name for hit in answer.context["found"]]
    assert (
        "<script"
        not in client.get("/help/", {"q": "<script>"}).content.decode().partition("<main")[2].partition("</main>")[0]
    )


def test_a_search_without_a_hit_says_so(client):
    assert "No results for" in client.get("/help/", {"q": "xylophone"}).content.decode()


def test_the_footer_leads_to_about_help_privacy_and_contact(client):
    text = client.get("/").content.decode().partition('class="site-footer"')[2]
    for name, label in (
        ("web:about", "About"),
        ("web:help", "Help"),
        ("web:privacy", "Privacy"),
        ("web:imprint", "Contact"),
    ):
        assert f'<a href="{reverse(name)}">{label}</a>' in text
        assert client.get(reverse(name)).status_code == 200


def picture_of(slug, number=1):
    return reverse("leaderboards:share_picture", args=["liver", slug, number])


def test_a_ranking_is_shared_with_its_verdict_and_a_picture_of_its_first_teams(client, settings):
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    world.build(teams=("Ada", "Ben", "A team with a name that is far too long for the room that it has in a picture"))
    page = client.get(reverse("leaderboards:current", args=["liver", "open"]))
    found = head(client, reverse("leaderboards:current", args=["liver", "open"]))
    assert found["og:description"] == page.context["headline"]
    assert found["og:image"] == f"https://podium.example.org{picture_of('open')}"
    assert found["twitter:card"] == "summary_large_image"
    answer = client.get(picture_of("open"))
    assert answer["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert len(answer.content) < 100_000


def test_a_sealed_ranking_has_no_picture_not_even_for_its_organizers(client):
    made = world.build()
    client.force_login(made.people["organizer"])
    assert client.get(picture_of("sealed")).status_code == 403
    assert client.get(picture_of("revealed")).status_code == 200
    assert client.get(picture_of("open", 99)).status_code == 404

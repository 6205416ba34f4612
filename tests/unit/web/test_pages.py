"""Pages of the site itself: home, licences, style guide, errors, forms."""

import re

import pytest
from django import forms
from django.core.exceptions import PermissionDenied
from django.template.loader import render_to_string

from web import errors
from web.style_guide import FIGURES, ExampleForm

pytestmark = pytest.mark.django_db


def test_the_home_page_says_in_one_sentence_what_podium_is(client):
    html = client.get("/").content.decode()
    assert re.search(r"<h1[^>]*>Run biomedical imaging challenges with results you can trust\.</h1>", html)
    assert html.count("<h1") == 1


def test_the_home_page_names_the_source_of_its_figures(client):
    html = client.get("/").content.decode()
    for figure in ("4 of 5", "82 %", "25 %"):
        assert f"<dt>{figure}</dt>" in html
    assert "Nature Communications" in html
    assert html.count('href="#source-') == html.count('id="source-') == 3


def test_a_page_can_be_skipped_to_and_has_one_main(client):
    html = client.get("/").content.decode()
    assert html.index('href="#main"') < html.index("<header")
    assert html.count("<main") == 1


def test_the_policy_forbids_inline_styles_and_scripts(client):
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_licences_lists_every_vendored_library_with_its_text(client):
    html = client.get("/licences/").content.decode()
    packages = ("htmx.org", "plotly.js-cartesian-dist-min", "tus-js-client", "fflate")
    fonts = ("@fontsource-variable/source-sans-3", "@fontsource-variable/source-serif-4")
    for package in packages + fonts:
        assert package in html
    assert html.count("/LICENSE") == len(packages + fonts)


@pytest.mark.parametrize("path", ["/design-system/", "/design-system/plot/box.json", "/design-system/plot/box.csv"])
def test_the_style_guide_is_hidden_in_production(client, settings, path):
    settings.DEBUG = settings.PODIUM_EXAMPLE_MODE = False
    assert client.get(path).status_code == 404
    settings.PODIUM_EXAMPLE_MODE = True
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_the_style_guide_comes_with_its_data(client, settings, name):
    settings.PODIUM_EXAMPLE_MODE = True
    assert client.get(f"/design-system/plot/{name}.json").json()["data"]
    lines = client.get(f"/design-system/plot/{name}.csv").content.decode().splitlines()
    assert lines[0] == "trace,x,y,z"
    assert len(lines) > 6


def test_example_mode_shows_a_strip_and_production_does_not(client, settings):
    settings.PODIUM_EXAMPLE_MODE = True
    assert 'class="example-strip"' in client.get("/").content.decode()
    settings.PODIUM_EXAMPLE_MODE = False
    assert 'class="example-strip"' not in client.get("/").content.decode()


def test_an_unknown_address_is_explained(client):
    answer = client.get("/no-such-page/")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_a_refusal_shows_the_reason_that_was_written_for_the_reader(rf):
    request = rf.get("/")
    html = errors.permission_denied(request, PermissionDenied("The ranking is sealed <until> the phase closes."))
    assert html.status_code == 403
    assert "sealed &lt;until&gt;" in html.content.decode()


def test_a_visitor_who_may_not_see_a_page_is_offered_to_sign_in(rf):
    from django.contrib.auth.models import AnonymousUser

    request = rf.get("/challenges/hippocampus/organize/?tab=2")
    request.user = AnonymousUser()
    html = errors.permission_denied(request).content.decode()
    assert "/accounts/login/?next=/challenges/hippocampus/organize/%3Ftab%3D2" in html
    assert "/accounts/login/?next" not in errors.error_page(request, 429).content.decode().split("<main")[1]


def test_an_expired_form_is_explained(client):
    from django.test import Client

    answer = Client(enforce_csrf_checks=True).post("/accounts/login/", {})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()


def test_the_page_for_a_crash_needs_no_database(rf, django_assert_num_queries):
    request = rf.get("/")
    request.id = "4f1c"
    with django_assert_num_queries(0):
        answer = errors.server_error(request)
    assert answer.status_code == 500
    assert "4f1c" in answer.content.decode()


@pytest.mark.parametrize("status", [400, 429])
def test_other_errors_have_a_page_of_their_own(rf, status):
    answer = errors.error_page(rf.get("/"), status)
    assert answer.status_code == status
    assert errors.EXPLANATIONS[status].title in answer.content.decode()


def test_every_answer_carries_a_request_id_and_a_strange_one_is_replaced(client):
    assert re.fullmatch(r"[0-9a-f]{32}", client.get("/").headers["X-Request-ID"])
    assert client.get("/", headers={"X-Request-ID": "from-the-proxy-1"}).headers["X-Request-ID"] == "from-the-proxy-1"
    assert client.get("/", headers={"X-Request-ID": "x\ty" * 5}).headers["X-Request-ID"] != "x\ty" * 5


def attribute(html, element_id, name):
    tag = re.search(rf'<[a-z]+[^>]*\bid="{element_id}"[^>]*>', html).group()
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return found.group(1) if found else None


def test_a_field_is_tied_to_its_label_help_and_errors():
    form = ExampleForm({"email": "nobody"})
    html = render_to_string("components/field.html", {"field": form["team"]})
    assert '<label for="id_team">' in html
    described_by = attribute(html, "id_team", "aria-describedby").split()
    assert set(described_by) == {"id_team_helptext", "id_team_error"}
    for element in described_by:
        assert f'id="{element}"' in html
    assert attribute(html, "id_team", "aria-invalid") == "true"


@pytest.mark.parametrize("name", ExampleForm.base_fields)
def test_every_kind_of_field_has_a_label_or_a_legend(name):
    field = ExampleForm()[name]
    html = render_to_string("components/field.html", {"field": field})
    if field.use_fieldset:
        assert "<legend>" in html
    else:
        assert f'<label for="{field.id_for_label}">' in html


def test_forms_render_through_the_same_partial_everywhere():
    class Small(forms.Form):
        name = forms.CharField(help_text="short")

    assert 'class="field"' in str(Small())
    assert 'class="field__help"' in Small()["name"].as_field_group()


def test_the_summary_of_errors_leads_to_the_fields():
    form = ExampleForm({})
    html = render_to_string("components/form_errors.html", {"form": form})
    assert 'role="alert"' in html
    assert 'href="#id_team"' in html


def test_pages_of_a_list_keep_the_rest_of_the_query(rf):
    from django.core.paginator import Paginator

    request = rf.get("/?sort=-dsc&page=4")
    page = Paginator(range(230), 20).get_page(4)
    html = render_to_string("components/pagination.html", {"page": page, "request": request})
    assert 'href="?sort=-dsc&amp;page=5"' in html
    assert 'aria-current="page"' in html


def test_the_icon_is_found_at_its_old_place_too(client):
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/static/img/favicon-32.png")


def test_whom_a_page_is_for_is_the_title_of_its_refusal(rf):
    request = rf.get("/challenges/liver/")
    told = errors.permission_denied(request, PermissionDenied("This page is for the organizers of the challenge."))
    assert "<h1>This page is for the organizers of the challenge</h1>" in told.content.decode()
    other = errors.permission_denied(request, PermissionDenied("Send your own review first.")).content.decode()
    assert "<h1>You do not have access to this page</h1>" in other
    assert "Send your own review first." in other


def test_the_caption_of_the_picture_names_who_is_first_and_whose_interval_reaches_rank_one(client):
    page = client.get("/").content.decode()
    teams = re.findall(r"<text x=\"0\" y=\"\d+\">(\w+)</text>", page)
    ranks = [int(x) for x in re.findall(r"<circle cx=\"(\d+)\"", page)]
    lows = [int(x) for x in re.findall(r"<rect x=\"(\d+)\"", page)]
    best = min(ranks)
    caption = re.search(r"<figcaption>(.*?)</figcaption>", page, re.DOTALL)[1]
    leaders = [team for team, rank in zip(teams, ranks, strict=True) if rank == best]
    reaching = [team for team, low in zip(teams, lows, strict=True) if low == best and team not in leaders]
    assert len(leaders) == 1
    assert f"{leaders[0]} leads, but with other test cases {' or '.join(reaching)} could have come first" in caption


def test_the_home_page_promises_a_recomputation_only_to_whoever_has_the_bundle(client):
    page = client.get("/").content.decode()
    assert "anyone can recompute" not in page
    assert "Anyone with the bundle of a ranking can recompute it" in page

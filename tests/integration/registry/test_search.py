"""Search by text and by design content: full text on PostgreSQL, word by word elsewhere."""

import pytest
from django.db import connection

from registry import queries, services
from registry.forms import RegistryFilter
from registry.models import Listing
from tests.unit.registry.world import filled, person, save

pytestmark = pytest.mark.django_db
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL")


@pytest.fixture
def registry():
    owner = person("ada")
    made = {}
    for name, values in {
        "brain": {"challenge_name": "Brain vessels", "data_origin": "Brain", "challenge_year": 2026},
        "liver": {
            "challenge_name": "Liver tumours",
            "data_origin": "Liver",
            "imaging_modality": ["ct"],
            "challenge_year": 2027,
            "challenge_venue": "isbi",
            "algorithm_target": "Tumours, segmenting each lesion",
        },
    }.items():
        design = filled(owner)
        for parameter, value in values.items():
            save(design, parameter, value)
        made[name] = services.register_design(design=design, actor=owner, by_system=True).registration
    services.end_registration(registration=made["liver"], state="withdrawn", actor=owner, reason="No data")
    return made


def names(**asked):
    return {listing.name for listing in RegistryFilter(asked, queryset=queries.listed()).qs}


BOTH = {"Brain vessels", "Liver tumours"}
CASES = [
    ({}, BOTH),
    ({"q": "  "}, BOTH),
    ({"q": "lesion"}, {"Liver tumours"}),
    ({"q": "LIVER lesion"}, {"Liver tumours"}),
    ({"q": "liver vessels"}, set()),
    ({"q": '"each lesion"'}, {"Liver tumours"}),
    ({"q": '"lesion segmenting"'}, set()),
    ({"q": "Tomography"}, {"Liver tumours"}),
    ({"q": "podium-2026"}, None),
    ({"q": "100%_'; DROP"}, set()),
    ({"modality": "ct"}, {"Liver tumours"}),
    ({"anatomy": "brain"}, {"Brain vessels"}),
    ({"category": "semantic_segmentation"}, BOTH),
    ({"year": "2027"}, {"Liver tumours"}),
    ({"venue": "isbi"}, {"Liver tumours"}),
    ({"state": "withdrawn"}, {"Liver tumours"}),
    ({"state": "registered", "anatomy": "liver"}, set()),
]


def test_each_question_finds_what_it_should(registry):
    found = {str(asked): names(**asked) for asked, wanted in CASES if wanted is not None}
    assert found == {str(asked): wanted for asked, wanted in CASES if wanted is not None}


def test_a_choice_that_nothing_has_narrows_to_nothing_known(registry, client):
    page = client.get("/registry/?modality=pet")
    assert page.status_code == 200
    assert "Select a valid choice" in page.content.decode()


def test_nothing_found_says_what_to_do(registry, client):
    assert "Nothing fits" in client.get("/registry/?q=spleen+nowhere").content.decode()


def test_htmx_gets_the_results_alone(registry, client):
    page = client.get("/registry/?q=lesion", headers={"HX-Request": "true"}).content.decode()
    assert "Liver tumours" in page
    assert "<html" not in page


@on_postgresql
def test_full_text_knows_stems_and_ranks_the_best_first(registry):
    assert names(q="segment lesions") == {"Liver tumours"}
    found = queries.search(queries.listed(), "vessel")
    assert [listing.name for listing in found] == ["Brain vessels"]


@on_postgresql
def test_full_text_uses_its_index(registry):
    with connection.cursor() as cursor:
        # Of a table with two rows, every other plan is cheaper.
        for plan_kind in ("enable_seqscan", "enable_indexscan"):
            cursor.execute(f"SET LOCAL {plan_kind} = off")
        plan = queries.search(Listing.objects.all(), "lesion").order_by().explain()
    assert "registry_listing_full_text" in plan

"""The registry over REST, the history of a parameter and the badge: public, the same as the pages, nothing besides."""

from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry import services
from registry.models import Deposit, Registration
from tests.unit.registry.world import ADDRESS, person, registered

pytestmark = pytest.mark.django_db
ROOT = "/api/v1/registry/"


@pytest.fixture
def versions():
    """Version 1.0, a deviation 2.0, and 2.1."""
    ada = person("ada")
    made = [registered(ada)]
    for level, cases, note in (("critical", 45, "Fewer cases."), ("minor", 44, "One was broken.")):
        document = made[-1].document
        document["tasks"][0]["number_test_cases"] = cases
        change = {"task": "task-1", "parameter": "number_test_cases", "class": level, "reason": f"=so: {note}"}
        made.append(
            services.add_version(
                registration=made[0].registration, actor=ada, level=level, note=note, document=document,
                changes=[change], is_deviation=level == "critical",
            )
        )  # fmt: skip
    return made


def read(client, path, status=200):
    answer = client.get(path)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_everything_of_a_record_is_read_without_an_account(client, versions):
    identifier = versions[0].registration.identifier
    at = f"{ROOT}{identifier}/"
    row = read(client, ROOT)["results"][0]
    assert (row["identifier"], row["version"], row["digest"]) == (identifier, "2.1", versions[2].digest)
    assert row["facets"]["modality"] == ["Magnetic Resonance Imaging (MRI)"]
    record = read(client, at)
    assert record["document"] == versions[2].document
    assert record["versions"] == ["2.1", "2.0", "1.0"]
    listed = read(client, f"{at}versions/")
    assert [(row["number"], row["is_deviation"]) for row in listed] == [("2.1", False), ("2.0", True), ("1.0", False)]
    assert read(client, f"{at}versions/1.0/")["document"]["tasks"][0]["number_test_cases"] == 60
    assert read(client, f"{at}differences/?from=1.0")[0]["number"]["words"] == "-16, -26.7 %"
    assert read(client, f"{at}differences/")[0]["number"]["before"] == 45
    (history,) = read(client, f"{at}history/")
    assert [(step["version"], step["before"], step["after"]) for step in history["steps"]] == [
        ("2.1", "45", "44"),
        ("2.0", "60", "45"),
    ]
    for path in ("", "versions/", "versions/1.0/", "differences/?from=1.0", "history/"):
        text = client.get(at + path).content.decode()
        assert ADDRESS not in text
        assert "one volume" not in text  # is withheld


@pytest.mark.parametrize(
    ("query", "number"),
    [("modality=mri", 1), ("q=hippocampus", 1), ("q=liver", 0), ("year=2026", 1), ("state=withdrawn", 0)],
)
def test_the_search_is_that_of_the_page(client, versions, query, number):
    assert read(client, f"{ROOT}?{query}")["count"] == number


def test_what_is_not_there_or_makes_no_sense_is_a_problem_document(client, versions):
    identifier = versions[0].registration.identifier
    for path in ("nobody/", f"{identifier}/versions/9.9/", f"{identifier}/differences/?to=9.9"):
        assert read(client, ROOT + path, 404)["title"] == "Not Found"
    assert read(client, f"{ROOT}?year=yesterday", 400)["status"] == 400
    for method in (client.post, client.put, client.delete):
        assert method(f"{ROOT}{identifier}/").status_code in (401, 403, 405)


def test_the_list_costs_the_same_for_one_and_for_many(client, versions):
    costs = []
    for number in range(2):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert read(client, ROOT)["count"] == number + 1
        costs.append(len(queries))
        registered(
            person(f"bo{number}"),
        )
    assert costs[0] == costs[1]


def test_the_record_and_a_file_tell_the_history_of_a_parameter(client, versions):
    address = versions[0].registration.get_absolute_url()
    page = client.get(address).content.decode()
    assert page.count("2 changes, last in version 2.1") == 1
    assert "<del>60</del> → <ins>45</ins>" in page
    rows = client.get(f"{address}history.csv").content.decode().splitlines()
    assert len(rows) == 3
    assert "'=so: One was broken." in rows[1]  # no formula for anybody's spreadsheet
    assert rows[2].endswith("60,45")


def test_the_badge_tells_the_present_state_and_runs_nothing(client, versions):
    registration = versions[0].registration
    address = f"{registration.get_absolute_url()}badge.svg"

    def words():
        answer = client.get(address)
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
        root = ET.fromstring(answer.content)
        assert {node.tag.partition("}")[2] for node in root.iter()} == {"svg", "title", "rect", "g", "text"}
        return "".join(root.itertext())

    assert f"v2.1 · {registration.identifier} · deviation" in words()
    Deposit.objects.create(version=versions[2], doi="10.5072/zenodo.<7>")
    assert "v2.1 · 10.5072/zenodo.<7> · deviation" in words()
    Registration.objects.filter(pk=registration.pk).update(state="withdrawn", reason="No data.")
    assert "withdrawn · v2.1" in words()
    assert address in client.get(registration.get_absolute_url()).content.decode()

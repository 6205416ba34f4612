"""Public registry pages: their contents, omissions and cost."""

import hashlib
import io
import json
import re
from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pypdf import PdfReader

from accounts.conversations.services import hide_post, start_thread
from registry import services
from registry.models import Registration, Verification
from registry.services.publishing import publish_version, unpublished_versions
from registry.services.statistics import count_registry
from registry.services.verifying import verify
from reviews.models import Filing
from tests.integration.registry.world import PLACE, build, make_call
from tests.unit.registry.world import ADDRESS, frozen, person, registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return person("ada")


def page(client, path):
    response = client.get(path)
    assert response.status_code == 200
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode(errors="replace")


def record(version, rest=""):
    return version.registration.get_absolute_url() + rest


def test_nowhere_stands_an_address_or_a_withheld_value(client, ada):
    version = registered(ada)
    count_registry()
    places = ["", "versions/", "compare/", "comments/", "v1.0/", "v1.0.json", "v1.0/datacite.json", "v1.0/datacite.xml"]
    places += ["v1.0/citation.bib", "v1.0/citation.ris", "v1.0/citation.cff"]
    everywhere = [record(version, rest) for rest in places]
    everywhere += [
        "/registry/",
        "/registry/export.csv",
        "/registry/export.json?documents=1",
        "/registry/feed.atom",
        "/",
    ]
    for path in everywhere:
        text = page(client, path)
        assert ADDRESS not in text, path
        assert "one volume" not in text, path
        assert "expected_participants" not in text, path


def test_an_opened_value_stands_in_its_place_with_the_proof(client, ada):
    version = registered(ada)
    opened = services.open_value(version=version, field_path=PLACE, actor=ada)
    text = page(client, record(version))
    assert "one volume" in text
    assert opened.nonce in text
    # The document itself never changes.
    assert "one volume" not in page(client, record(version, "v1.0.json"))


def test_the_download_has_the_digest_of_the_page(client, ada):
    version = registered(ada)
    response = client.get(record(version, "v1.0.json"))
    assert hashlib.sha256(response.content).hexdigest() == response["X-Content-SHA256"] == version.digest
    assert version.digest in page(client, record(version))


def test_the_pdf_is_set_until_it_is_stored_and_then_stays(client, ada):
    version = registered(ada)
    assert client.get(record(version, "v1.0.pdf")).content.startswith(b"%PDF-")
    publish_version(version_id=version.pk)
    stored = version.files.get()
    assert hashlib.sha256(client.get(record(version, "v1.0.pdf")).content).hexdigest() == stored.digest
    publish_version(version_id=version.pk)
    assert version.files.count() == 1


def test_the_markup_of_schema_org_is_data_that_no_text_can_end(client, ada):
    made = frozen(ada)
    from designs.services import freeze_version
    from tests.unit.registry.world import save

    save(made.design, "challenge_name", "</script><script>alert(1)</script> & co")
    version = services.register(design_version=freeze_version(actor=ada, design=made.design, name="n"), actor=ada)
    response = client.get(record(version))
    text = response.content.decode()
    (block,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    data = json.loads(block)
    assert data["name"].startswith("</script><script>alert(1)</script> & co")
    assert data["encoding"]["sha256"] == version.digest
    assert "<script>alert" not in text
    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy


def test_the_readable_name_leads_to_the_record(client, ada):
    version = registered(ada)
    response = client.get("/registry/hippo-2026/")
    assert (response.status_code, response["Location"]) == (301, record(version))


def test_versions_and_their_differences(client, ada):
    first = registered(ada)
    document = first.document
    document["tasks"][0]["number_test_cases"] = 45
    second = services.add_version(
        registration=first.registration, actor=ada, level="critical", note="Fewer <cases>.", document=document,
        is_deviation=True,
    )  # fmt: skip
    assert second.number == "2.0"
    text = page(client, record(first, "versions/"))
    assert "Fewer &lt;cases&gt;." in text
    assert "Deviation" in text
    text = page(client, record(first, "compare/?from=1.0&to=2.0"))
    assert "<del>60</del> → <ins>45</ins>" in text
    assert "-15, -25 %" in text
    assert "The current version is" in page(client, record(first, "v1.0/"))
    text = page(client, record(first))
    assert "The mark is permanent" in text
    # Checks look at the address that version 1.0 was frozen with, though no public document holds it.
    assert "valid contact e-mail" not in text
    assert ADDRESS not in text


def test_a_later_version_has_a_pdf_that_marks_what_it_changed(client, ada):
    first = registered(ada)
    publish_version(version_id=first.pk)
    document = first.document | {"tasks": [first.document["tasks"][0] | {"number_test_cases": 45}]}
    second = services.add_version(
        registration=first.registration, actor=ada, level="critical", note="Fewer cases.", document=document
    )
    assert unpublished_versions() == [second.pk]
    publish_version(version_id=second.pk)
    assert unpublished_versions() == []
    assert client.get(record(first, "v1.0/changes.pdf")).status_code == 404
    assert "PDF with changes" in page(client, record(first, "versions/"))
    file = PdfReader(io.BytesIO(client.get(record(first, "v2.0/changes.pdf")).content))
    text = " ".join(" ".join(sheet.extract_text() for sheet in file.pages).split())
    assert text.count("Changed in this version.") == 1
    assert "Changed in this version. Before: 60" in text
    whole = PdfReader(io.BytesIO(client.get(record(first, "v2.0.pdf")).content))
    assert not any("Changed in this version" in sheet.extract_text() for sheet in whole.pages)


def test_the_feed_is_atom_with_a_digest_for_each_version(client, ada):
    version = registered(ada)
    feed = ET.fromstring(page(client, "/registry/feed.atom"))
    (entry,) = feed.findall("{http://www.w3.org/2005/Atom}entry")
    assert entry.find("{http://www.w3.org/2005/Atom}id").text == f"urn:sha256:{version.digest}"
    assert "HIPPO" in page(client, "/registry/")


def test_exports_hold_what_was_searched_for(client, ada):
    version = registered(ada)
    rows = json.loads(page(client, "/registry/export.json?documents=1&modality=mri"))
    assert [row["document"] for row in rows] == [version.document]
    assert json.loads(page(client, "/registry/export.json?modality=ct")) == []
    header, row = page(client, "/registry/export.csv").splitlines()
    assert header.startswith("identifier,version,state")
    assert version.digest in row


def test_a_name_is_no_formula_in_a_spreadsheet(client, ada):
    from registry.models import Listing

    registered(ada)
    Listing.objects.update(name="=1+1")
    assert "'=1+1" in page(client, "/registry/export.csv")


@pytest.mark.parametrize("publishes", [True, False])
def test_reviews_are_summed_up_only_where_the_call_publishes_them(client, ada, publishes):
    from reviews.models import Assignment, FiledVersion, Part, Review, Reviewer, SentReview

    version = registered(ada)
    call = make_call("spring")
    call.publishes_reviews = publishes
    call.save()
    filing = Filing.objects.create(
        call=call, design=version.registration.design, number=1, title="H", state=Filing.State.REGISTERED
    )
    Registration.objects.update(filing=filing)
    filed = FiledVersion.objects.create(filing=filing, number=1, version=version.design_version)
    for number, (name, score) in enumerate((("rolf", 4.0), ("ruth", 2.0)), start=1):
        reviewer = Reviewer.objects.create(call=call, user=person(name))
        assignment = Assignment.objects.create(
            filing=filing, reviewer=reviewer, label=number, part=Part.GENERAL, assigned_by=ada
        )
        review = Review.objects.create(assignment=assignment, filed=filed)
        SentReview.objects.create(
            review=review,
            number=1,
            content={"summary": f"Sound, says {number}; write to {name}@example.org."},
            confidential="Never show this",
            recommendation="accept",
            confidence=4,
            score=score,
        )
    text = page(client, record(version))
    assert ("Sound, says 1" in text) == publishes
    assert ("2 × accept" in text) == publishes
    assert ("3.0" in text and "2.0 to 4.0" in text) == publishes
    assert "Never show this" not in text
    assert "rolf" not in text


def test_the_statistics_page_shows_then_and_here(client, ada):
    assert "No statistics yet" in page(client, "/registry/statistics/")
    registered(ada)
    count_registry()
    text = page(client, "/registry/statistics/")
    assert "229 (IQR 60–730)" in text
    assert 'aria-label="Segmentation: 2004–2016 70 %, 2018–2022 37 %, this registry 100 %"' in text
    rows = page(client, "/registry/statistics/statistics.csv").splitlines()
    assert rows[0] == "table,row,column,value"
    assert "metrics" in {row.split(",")[0] for row in rows} or "numbers" in {row.split(",")[0] for row in rows}
    assert "categories,Segmentation" in "\n".join(rows)


def test_the_integrity_page_says_what_does_not_hold(client, ada):
    assert "Not verified yet" in page(client, "/registry/integrity/")
    registered(ada)
    verify()
    assert "All checks passed" in page(client, "/registry/integrity/")
    head, row = page(client, "/registry/integrity/?format=csv").splitlines()
    assert head == "finished_at,holds,problems,entries,end_of_chain"
    assert ",True,," in row


def test_a_verification_never_runs_in_a_request(client, ada, monkeypatch):
    monkeypatch.setattr("registry.views.lists.send", lambda *_: False)
    ada.is_superuser = True
    ada.save()
    client.force_login(ada)
    answer = client.post("/registry/integrity/verify/", follow=True)
    assert "No worker took the job" in answer.content.decode()
    assert not Verification.objects.exists()


@pytest.mark.parametrize(
    "path", ["/registry/", "/registry/export.csv", "/registry/export.json?documents=1", "/registry/feed.atom", "/"]
)
def test_lists_cost_the_same_with_one_and_with_four(client, ada, path):
    registered(ada)
    page(client, path)
    with CaptureQueriesContext(
        connection,
    ) as one:
        page(client, path)
    for _ in range(3):
        registered(ada)
    with CaptureQueriesContext(connection) as four:
        page(client, path)
    assert len(four) == len(one)


def test_a_record_costs_the_same_with_one_version_and_with_three(client):
    world = build()
    version = world.version
    paths = [record(version, rest) for rest in ("", "versions/", "comments/")]
    costs = []
    for number in (61, 62):
        for path in paths:
            page(client, path)
        costs.append([])
        for path in paths:
            with CaptureQueriesContext(connection) as queries:
                page(client, path)
            costs[-1].append(len(queries))
        document = version.document
        document["tasks"][0]["number_test_cases"] = number
        version = services.add_version(
            registration=version.registration, actor=None, level="minor", note="n", document=document
        )
        start_thread(
            actor=world.people["stranger"],
            target=world.registration,
            part=version.number,
            text=str(number),
        )
    assert costs[0] == costs[1]


def test_the_home_page_shows_the_newest_registrations(client, ada):
    assert "Registered designs<" not in page(client, "/")
    registered(ada)
    assert "Registered designs<" in page(client, "/")


def test_comments_are_escaped_and_hidden_ones_are_gone(client):
    world = build()
    start_thread(
        actor=world.people["stranger"], target=world.registration, part="1.0", text="<script>alert(1)</script>"
    )
    hide_post(actor=world.people["chair"], post=world.comment.posts.get(), reason="off topic")
    text = page(client, reverse("registry:comments", args=[world.registration.identifier]))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "Which scanner?" not in text
    assert "is hidden: off topic" in text

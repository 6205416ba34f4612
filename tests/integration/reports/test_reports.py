"""Created reports: their statements and sources, preserved manual edits, and single creation."""

import io
import json
import re
import zipfile
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from docx import Document as WordDocument

from core.audit.models import Entry
from core.work.services import UNEXPECTED
from datastore.test_sets import vault
from designs.models import Design, DesignVersion
from designs.queries import document_of_version
from designs.queries.findings import all_findings
from designs.services import answer_check
from evaluation.figures.layout import number
from leaderboards.models import Standing
from reports.domain.content import Status, items_of
from reports.domain.guideline import CHAPTERS, DRAFTED, LEFT_TO_THE_AUTHORS
from reports.exposure.queries.facts import Audience, Facts, collect
from reports.models import Report, ReportText
from reports.queries.work import REPORTS
from reports.services import challenge_report, reports, storing
from submissions.models import MethodDescription
from submissions.queries import counted_runs, results_frame
from submissions.results.queries.pictures import picture_name
from tests.integration.leaderboards import world
from tests.integration.reports.conftest import PIXEL, UNTYPESET, made, made_for_team, untypeset

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Texts of reports. `test_exactly_once.py` and `test_permissions.py` store reports on both databases."
    ),
]


@pytest.fixture(autouse=True)
def unchanged_phases(built):
    """Restore the phase objects of the world after each test, as the database restores stored changes."""
    before = {key: dict(vars(phase)) for key, phase in built.phases.items()}
    yield
    for key, values in before.items():
        vars(built.phases[key]).clear()
        vars(built.phases[key]).update(values)


@pytest.fixture(autouse=True)
def no_typesetting(monkeypatch):
    """Make reports without PDF and Word file. The fixture `report`, of which both are read, has them."""
    monkeypatch.setattr(UNTYPESET, untypeset)


@pytest.fixture(scope="module")
def report(built):
    return made(built.people["organizer"], built.challenge)


@pytest.fixture(scope="module")
def content(report):
    assert report.failure == ""
    return storing.read_content(report.content_name)


def item(content, number):
    return next(entry for entry in items_of(content) if entry["number"] == number)


def text_of(entry) -> str:
    return json.dumps(entry, ensure_ascii=False)


def test_report_has_the_79_items_of_the_guideline_in_order(content):
    assert [entry["number"] for entry in items_of(content)] == [
        number for _, _, numbers in CHAPTERS for number in numbers
    ]
    assert len(items_of(content)) == len({entry["number"] for entry in items_of(content)}) == 79
    assert (len(DRAFTED), len(LEFT_TO_THE_AUTHORS)) == (13, 1)
    assert sum(content["score"][key] for key in ("covered", "draft", "open")) == content["score"]["items"] == 79


def test_every_sentence_and_exhibit_names_an_origin_that_is_known(content):
    for entry in items_of(content):
        for part in [*(sentence for paragraph in entry["text"] for sentence in paragraph), *entry["exhibits"]]:
            assert part["origins"], part
            assert set(part["origins"]) <= set(content["origins"])


def test_origins_of_results_are_the_digests_of_rankings(built, content):
    version = built.phases["revealed"].rankings.get()
    origins = {content["origins"][key]["digest"] for key in item(content, "35a")["exhibits"][0]["origins"]}
    assert origins == {version.digest}


def test_conclusion_is_left_to_the_authors_and_nothing_is_made_up(content):
    assert item(content, "42")["status"] == Status.OPEN
    assert item(content, "42")["text"] == []
    assert item(content, "4a")["status"] == Status.OPEN


def test_numbers_are_those_of_the_platform(content):
    assert "2 people registered in 2 teams" in text_of(item(content, "32a"))
    rows = item(content, "32b")["exhibits"][0]["rows"]
    assert [row[2:] for row in rows] == [["2", "2"]] * 3
    assert item(content, "25b")["exhibits"][0]["rows"][-1][:4] == ["Revealed", "1", "10", "–"]


def test_every_file_is_there_and_reads(report):
    assert set(report.files) >= {"html", "pdf", "docx", "tex.zip", "items.html", "zip"}
    for name in ("html", "items.html"):
        html = storing.read(report.files[name]).decode()
        assert "<script" not in html
        assert 'src="http' not in html
    # What a mark is called begins with the word on it, for people who speak to their computer.
    assert html.count('class="origin"') == html.count('aria-label="source of this">source</button>') > 0
    assert storing.read(report.files["pdf"]).startswith(b"%PDF")
    word = WordDocument(io.BytesIO(storing.read(report.files["docx"])))
    assert any("Rankings" in cell.text for cell in word.tables[-2].columns[1].cells)
    with zipfile.ZipFile(io.BytesIO(storing.read(report.files["tex.zip"]))) as archive:
        tex = archive.read("paper.tex").decode()
        assert sorted(re.findall(r"\{(figures/[^}]+)\}", tex)) == sorted(set(archive.namelist()) - {"paper.tex"})
    with zipfile.ZipFile(io.BytesIO(storing.read(report.files["zip"]))) as archive:
        names = archive.namelist()
        assert {"report.md"} < set(names)
        figures = {name.rsplit(".", 1)[0] for name in names if name.startswith("figures/")}
        assert {f"{figure}.svg" for figure in figures} | {f"{figure}.png" for figure in figures} < set(names)
        assert all(f"({figure}.svg)" in archive.read("report.md").decode() for figure in figures)


def test_same_facts_give_the_same_report_and_it_is_made_once(built, report):
    again = reports.request_report(
        actor=built.people["organizer"], challenge=built.challenge, audience=Audience.ORGANIZERS
    )
    assert again.pk == report.pk
    assert reports.make_report(report_id=again.pk) is None


def test_same_facts_give_the_same_content(report, content):
    facts = Facts.read(Report.objects.get(pk=report.pk).inputs)
    again = challenge_report.build(facts, progress=lambda *step: None).content
    assert json.loads(json.dumps(again)) == content


def test_public_report_says_nothing_of_a_sealed_phase_and_no_case_of_an_open_one(built):
    public = made(built.people["organizer"], built.challenge, Audience.PUBLIC)
    content = storing.read_content(public.content_name)
    assert [ranking["phase"] for ranking in content["rankings"]] == ["Open", "Revealed"]
    assert not re.search(r"Sealed[^.\"]*(Ada|Ben|0\.[89])", text_of(content))
    facts = collect(built.challenge, audience=Audience.PUBLIC)
    by_name = {phase.name: phase for phase in facts.phases}
    assert by_name["Sealed"].ranking is None
    assert by_name["Sealed"].made_by == {}
    assert by_name["Open"].level == "ranking"


def test_open_phase_shows_its_ranking_but_no_case(built):
    Standing.objects.exclude(phase=built.phases["open"]).delete()
    public = made(built.people["organizer"], built.challenge, Audience.PUBLIC)
    shown = text_of(storing.read_content(public.content_name))
    assert "Ada ranks first" in shown
    assert "case-0" not in shown
    assert "case-0" not in storing.read(public.files["html"]).decode()
    assert "case-0" in text_of(storing.read_content(made(built.people["organizer"], built.challenge).content_name))


def test_edits_stay_when_the_report_is_made_again_and_say_when_their_source_changed(built, content):
    organizer, generated = built.people["organizer"], item(content, "32a")["generated"]
    reports.write_text(
        actor=organizer,
        challenge=built.challenge,
        item="32a",
        text="Two teams.\n\nBoth good.",
        based_on=generated,
        revision=0,
    )
    second = storing.read_content(made(organizer, built.challenge).content_name)
    assert item(second, "32a")["status"] == Status.EDITED
    assert not item(second, "32a")["edit"]["source_changed"]
    assert item(second, "32a")["generated"] == generated
    built.challenge.teams.create(name="Cid", slug="cid")
    third = item(storing.read_content(made(organizer, built.challenge).content_name), "32a")
    assert third["edit"]["text"] == "Two teams.\n\nBoth good."
    assert third["edit"]["source_changed"]
    assert "3 teams" in third["generated"]
    reports.drop_text(actor=organizer, challenge=built.challenge, item="32a")
    fourth = item(storing.read_content(made(organizer, built.challenge).content_name), "32a")
    assert fourth["edit"] is None


def test_two_authors_cannot_write_over_each_other(built):
    organizer, values = built.people["organizer"], {"challenge": built.challenge, "item": "42", "based_on": ""}
    reports.write_text(actor=organizer, text="Mine.", revision=0, **values)
    with pytest.raises(reports.ChangedMeanwhileError):
        reports.write_text(actor=organizer, text="Theirs.", revision=0, **values)
    reports.write_text(actor=organizer, text="Better.", revision=1, **values)
    with pytest.raises(reports.ChangedMeanwhileError):
        reports.write_text(actor=organizer, text="Late.", revision=1, **values)
    assert ReportText.objects.get(challenge=built.challenge, item="42").text == "Better."


def test_design_fills_the_items_that_it_registers(built):
    design = Design.objects.create(slug="liver", title="Liver")
    document = {
        "schema": 1,
        "catalogue": "1.0.0",
        "challenge": {
            "biomedical_motivation": "Livers matter.",
            "embargo_period__state": {"state": "not_applicable", "reason": "No paper is planned."},
            "contact_person": {"name": "Cora", "email": "cora@example.org"},
        },
        "tasks": [{"key": "main", "case_definition": "One scan.\n\nAnd its mask.", "number_test_cases": 12}],
    }
    version = DesignVersion.objects.create(
        design=design, number=1, name="First", document=document, digest="d" * 64, catalogue="1.0.0"
    )
    warning = next(
        found
        for found in all_findings(document_of_version(version), design=design)
        if found.severity == "warning" and found.task is None
    )
    answer_check(
        actor=built.people["organizer"],
        design=design,
        check_id=warning.check.id,
        text="We decided so; ask cora@example.org.",
        basis=warning.basis,
    )
    reports.choose_design(actor=built.people["organizer"], challenge=built.challenge, version=version)
    content = storing.read_content(made(built.people["organizer"], built.challenge).content_name)
    motivation = item(content, "4a")
    assert (motivation["generated"], motivation["status"]) == ("Livers matter.", Status.COVERED)
    origin = content["origins"][motivation["text"][0][0]["origins"][0]]
    assert (origin["kind"], origin["digest"]) == ("parameter", "d" * 64)
    assert "biomedical_motivation" in origin["words"]
    assert item(content, "25a")["generated"] == "One scan.\n\nAnd its mask."
    assert item(content, "25b")["exhibits"][-1]["rows"][0][2:4] == ["10", "12"]
    assert "No paper is planned." in item(content, "9f")["generated"]
    assert "cora@example.org" not in text_of(content)
    assert content["design"]["digest"] == "d" * 64
    limits = item(content, "40")["generated"]
    assert f"{warning.message} The organizers answer: We decided so" in limits
    assert "The checks of the design warn:" in limits


def test_report_of_a_team_tells_its_own_cases_and_the_field_once_the_phase_has_closed(built):
    report = made_for_team(built.people["member"], built.phases["revealed"], built.teams["Ben"])
    assert report.failure == ""
    shown = storing.read_content(report.content_name)
    by_key = {entry["number"]: entry for entry in items_of(shown)}
    assert set(by_key) == {"submission", "standing", "strengths", "cases", "effects"}
    worst = by_key["cases"]["exhibits"][0]
    assert worst["columns"] == ["Case", "Own value", "Median of the field", "Rank on the case"]
    values = [float(row[1]) for row in worst["rows"]]
    assert values == sorted(values)
    assert "Ben has rank 2 of 2" in text_of(by_key["standing"])
    effects = by_key["effects"]["exhibits"]
    figure, table = effects[:2]
    assert "What makes cases hard for Ben?" in figure["text"]
    assert {f"{figure['name']}.svg", f"{figure['name']}.png"} <= set(report.files)
    assert "by DSC, whole" in table["text"]
    run = next(run for run in counted_runs(built.phases["revealed"]) if run.submission.team == built.teams["Ben"])
    results = results_frame(run)
    dice = results[results["metric"] == "dsc"].sort_values("case")["value"]
    size = np.arange(len(dice)) - np.arange(len(dice)).mean()
    slope = np.polyfit(size / size.std(), dice.to_numpy(), 1)[0]
    assert table["rows"][0][:2] == ["tumour size", number(slope)]
    assert "Ada" not in text_of(effects)


def test_pictures_of_cases_are_in_the_report_of_a_team_only_where_the_phase_reveals_them(built):
    phase = built.phases["revealed"]
    without = made_for_team(built.people["member"], phase, built.teams["Ben"])
    assert not any(name.startswith("case-") for name in without.files)
    phase.reveals_cases = True
    phase.save()
    run = next(run for run in counted_runs(phase) if run.submission.team == built.teams["Ben"])
    for case in world.CASES:
        vault.keep_bytes(picture_name(run, case, with_reference=True), PIXEL)
    report = made_for_team(built.people["member"], phase, built.teams["Ben"])
    assert report.pk != without.pk
    assert storing.read(report.files["case-01.png"]) == PIXEL
    with zipfile.ZipFile(io.BytesIO(storing.read(report.files["zip"]))) as archive:
        assert archive.read("figures/case-01.png") == PIXEL
        assert "(figures/case-01.png)" in archive.read("report.md").decode()
    shown = {"member": built.people["member"], "organizer": built.people["organizer"]}
    address = reverse("reports:file", args=["liver", report.number, "case-01.png"])
    statuses = {}
    for name, person in {**shown, "other": built.people["other"], "stranger": built.people["stranger"]}.items():
        client = Client()
        client.force_login(person)
        statuses[name] = client.get(address).status_code
    # `member` is of Ada’s team, so Ben’s cases are for Ben’s member and the organizers alone.
    assert statuses == {"member": 404, "organizer": 200, "other": 200, "stranger": 404}
    phase.closes_at = timezone.now() + timedelta(days=1)
    phase.results = "cases"
    phase.save()
    still_open = made_for_team(built.people["member"], phase, built.teams["Ben"])
    assert not any(name.startswith("case-") for name in still_open.files)


def test_methods_of_the_teams_are_told_to_those_who_may_read_them(built):
    phase = built.phases["revealed"]
    runs = {run.submission.team.name: run.submission for run in counted_runs(phase)}
    for name, consent in (("Ada", "with_name"), ("Ben", "anonymously")):
        entries = {
            "optimizer": {"state": "provided", "value": f"Adam of {name}"},
            "code_url": {"state": "provided", "value": f"https://example.org/{name.lower()}"},
            "team_members": {"state": "provided", "value": [{"name": "Secret Person"}]},
            "consent_result_publication": {"state": "provided", "value": consent},
        }
        MethodDescription.objects.create(
            submission=runs[name], entries=entries, filled=2, required=20, is_complete=False
        )
    content = storing.read_content(made(built.people["organizer"], built.challenge).content_name)
    told = item(content, "33b")
    assert told["status"] == Status.COVERED
    assert "2 of 2 ranked teams describe their methods" in told["generated"]
    assert "Adam of Ada" in text_of(told)
    assert "Adam of Ben" in text_of(told)
    assert "Ben" in told["prompt"]
    assert "Secret Person" not in text_of(content)
    assert "2 of 2 described methods link their code" in item(content, "14b")["generated"]
    public = made(built.people["organizer"], built.challenge, Audience.PUBLIC)
    shown = text_of(storing.read_content(public.content_name))
    assert "Adam of Ada" in shown
    assert "Adam of Ben" not in shown
    assert "Adam of Ben" not in json.dumps(public.inputs)


def test_figures_and_tables_are_numbered_and_each_table_has_a_caption(content):
    for kind in ("figure", "table"):
        shown = [exhibit for entry in items_of(content) for exhibit in entry["exhibits"] if exhibit["kind"] == kind]
        assert [exhibit["label"] for exhibit in shown] == [
            f"{kind.capitalize()} {number}" for number in range(1, len(shown) + 1)
        ]
        assert all(exhibit["text"] for exhibit in shown)


def test_report_of_a_team_in_an_open_phase_holds_no_case(built):
    shown = text_of(
        storing.read_content(
            made_for_team(built.people["member"], built.phases["open"], built.teams["Ben"]).content_name
        )
    )
    assert "case-0" not in shown
    assert "Ada" not in shown
    assert "rank 2 of 2" in shown


def test_report_of_a_team_in_a_sealed_phase_is_refused_or_holds_its_own_scores_alone(built):
    phase = built.phases["sealed"]
    with pytest.raises(ValidationError, match="before it closes"):
        reports.request_team_report(actor=built.people["member"], phase=phase, of=built.teams["Ben"])
    phase.results = "aggregate"
    phase.save()
    shown = text_of(storing.read_content(made_for_team(built.people["member"], phase, built.teams["Ben"]).content_name))
    assert "0.7938" in shown
    assert not any(
        secret in shown for secret in ("Ada", "has rank", "resamples", "case-0", phase.rankings.get().digest)
    )


def test_only_a_finished_report_for_the_public_is_published_and_the_log_says_so(built, report):
    organizer = built.people["organizer"]
    with pytest.raises(ValidationError):
        reports.publish(actor=organizer, report=report)
    waiting = reports.request_report(actor=organizer, challenge=built.challenge, audience=Audience.PUBLIC)
    Report.objects.filter(pk=waiting.pk).update(state="queued", content_name="", digest="", finished_at=None)
    waiting.refresh_from_db()
    with pytest.raises(ValidationError):
        reports.publish(actor=organizer, report=waiting)
    reports.make_report(report_id=waiting.pk)
    waiting.refresh_from_db()
    reports.publish(actor=organizer, report=waiting)
    entry = Entry.objects.filter(act="report_published").latest("sequence")
    assert entry.facts == {"number": waiting.number, "digest": waiting.digest}


def test_failure_is_kept_and_asking_again_tries_again(built, monkeypatch):
    organizer = built.people["organizer"]
    report = reports.request_report(actor=organizer, challenge=built.challenge, audience=Audience.PUBLIC)
    Report.objects.filter(pk=report.pk).update(state="queued", content_name="", digest="", finished_at=None)
    with monkeypatch.context() as patched:
        patched.setattr(challenge_report, "build", lambda *arguments, **named: 1 / 0)
        failed = reports.make_report(report_id=report.pk)
    assert (failed.state, failed.failure) == ("failed", UNEXPECTED)
    again = reports.request_report(actor=organizer, challenge=built.challenge, audience=Audience.PUBLIC)
    assert (again.pk, again.state) == (report.pk, "queued")
    assert reports.make_report(report_id=again.pk).is_done


def test_a_dead_worker_is_followed_by_another_one_and_not_for_ever(built):
    report = reports.request_report(
        actor=built.people["organizer"], challenge=built.challenge, audience=Audience.PUBLIC
    )
    past = timezone.now() - timedelta(seconds=1)
    dead = {"state": "working", "lease_token": uuid4(), "lease_until": past, "attempts": 1}
    blank = {"content_name": "", "digest": "", "finished_at": None}
    Report.objects.filter(pk=report.pk).update(**dead, **blank)
    assert reports.make_report(report_id=report.pk).is_done
    Report.objects.filter(pk=report.pk).update(**{**dead, "attempts": REPORTS.attempts}, **blank)
    assert reports.make_report(report_id=report.pk) is None
    report.refresh_from_db()
    assert report.state == "failed"


@pytest.mark.parametrize(
    "wrong", [{"kind": "team"}, {"state": "done", "content_name": ""}, {"state": "failed", "failure": ""}]
)
def test_database_refuses_a_report_that_cannot_be(report, wrong):
    with pytest.raises(IntegrityError), transaction.atomic():
        Report.objects.filter(pk=report.pk).update(**wrong)

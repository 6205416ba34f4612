"""The visibility policy of cases: kind of phase × revealed × state × role × every address that serves content of a case.

The expected answers are written here a second time, from the rules in `docs/operators/threats.md`, without asking the policy.
"""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts.models import User
from challenges.models import Organizer, Phase, Team
from datasets.hooks import Choice
from executions.models import Execution
from leaderboards.contributions.publishing import predictions as published_predictions
from leaderboards.contributions.publishing import withheld
from leaderboards.services import rankings
from reports.services import team_report
from results.services.pictures import draw
from submissions.models import Run, Submission
from submissions.services.messages import _letter
from test_sets import vault
from test_sets.domain.case_access import CONSENT_WITHDRAWN, HIDDEN_IMAGES, HIDDEN_NOTE
from test_sets.models import TestCase
from tests.integration.executions import world as algorithm_world
from tests.integration.executions.conftest import engine
from tests.integration.submissions import world as prediction_world
from tests.integration.submissions.world import CASES, zipped
from tests.integration.submissions.world import predictions as predicted

__all__ = ["engine"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]
CASE = CASES[0]
PRINTED = "intensity of the third voxel: 117"
SERVING = {
    "results:case": "values",
    "results:case_picture": "pictures",
    "results:case_picture_png": "pictures",
    "results:case_viewer": "pictures",
    "results:case_sheet": "pictures",
    "results:compare": "values",
    "results:compare_csv": "values",
    "results:objects_csv": "values",
    "results:organized_case": "organizing",
    "results:organize_results_csv": "organizing",
    "results:decoys_csv": "organizing",
    "results:export": "organizing",
    "results:archive": "archive",
    "submissions:detail": "submission",
    "submissions:status": "submission",
    "submissions:results_csv": "values",
    "submissions:submit": "submitting",
    "api:submission-detail": "submission",
    "api:submission-results": "values",
    "api:phase-expectation": "submitting",
    "executions:execution": "submission",
    "executions:predictions": "files",
    "executions:runs_csv": "files",
    "executions:log": "log",
    "test_sets:public_reference": "reference_files",
    "test_sets:reference": "posted",
    "test_sets:test_sets": "organizing",
    "test_sets:test_set_csv": "organizing",
    "test_sets:test_set_template": "organizing",
    "test_sets:reference_access_csv": "organizing",
    "test_sets:archive_preview": "sender",
    "test_sets:case_reports": "reports",
    "leaderboards:first": "ranking",
    "leaderboards:current": "ranking",
    "leaderboards:version": "ranking",
    "leaderboards:figure": "ranking",
    "leaderboards:table_csv": "ranking",
    "leaderboards:table_json": "ranking",
    "leaderboards:results_csv": "ranking",
    "leaderboards:hardest_csv": "ranking",
    "leaderboards:bundle": "ranking",
    "leaderboards:both_ways": "ranking",
    "leaderboards:objects": "ranking",
    "api:ranking": "ranking",
    "reports:report": "report",
    "reports:chapter": "report",
    "reports:paper": "report",
    "reports:file": "report",
    "reports:exposure": "report",
    "measurements:table": "organizing",
    "measurements:file": "organizing",
    "measurements:replicates": "organizing",
    "datasets:get_file": "published",
    "datasets:download": "published",
    "api:data-address": "published",
    "judging:scorers": "organizing",
}
"""Every address that serves content of cases, and which rule opens it."""
NO_CASE_CONTENT = {
    "api": {
        *(
            "analyses",
            "analysis-answers",
            "analysis-detail",
            "analysis-file",
            "challenge-detail",
            "challenge-list",
            "data",
        ),
        *("design-assessment", "design-checks", "design-completeness", "design-detail", "design-differences"),
        *("design-export", "design-field", "design-list", "design-version", "design-versions", "direct-end"),
        *(
            "direct-parts",
            "direct-upload",
            "direct-uploads",
            "docs",
            "federation",
            "file",
            "files",
            "me",
            "measurement",
        ),
        *("measurement-columns", "measurement-discard", "measurement-seal", "measurements", "rankings"),
        *("registration-detail", "registration-differences", "registration-history", "registration-list"),
        *(
            "registration-version",
            "registration-versions",
            "schema",
            "site-files",
            "site-messages",
            "submission-decide",
        ),
        *("submission-list", "upload", "uploads"),
    },
    "datasets": {
        *("begin_version", "checksums", "consent", "data", "downloads_csv", "offer", "publish", "release", "remove"),
        *("upload", "uploads", "withdraw"),
    },
    "executions": {"delete", "interface", "release", "stop", "upload", "uploads"},
    "federation": {
        *("act", "algorithm", "carried", "image_file", "invitation", "invitation_file", "invite", "open", "organize"),
        *("package_file", "public_cases", "receipts_file", "release", "sites"),
    },
    "judging": {"delete", "try_again", "upload", "uploads"},
    "leaderboards": {
        *("document", "embed", "freeze", "history", "history_figure", "request", "share_picture", "sites", "tasks"),
        *("tasks_figure", "version_sites"),
    },
    "measurements": {"columns", "discard", "seal", "tables"},
    "reports": {"checklist_csv", "design", "desk", "index", "item", "make", "progress", "publish", "team", "withdraw"},
    "results": {
        *("days_csv", "days_json", "failed_csv", "history", "history_csv", "history_json", "organize", "probing_csv"),
        *("repeat", "repeat_many", "submissions_csv", "work"),
    },
    "submissions": {"decide", "describe", "method", "own", "own_csv", "upload", "uploads"},
    "test_sets": {
        *("answer_case_report", "discard_archive", "exclude_case", "seal_archive", "test_set_archives"),
        *("test_set_upload", "test_set_uploads", "undo_sealing"),
    },
}
"""The other addresses of the apps that know cases."""


def routes(
    resolver: URLResolver, prefix: str = "", before: frozenset[str] = frozenset()
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the full name and the parameters of every address."""
    for entry in resolver.url_patterns:
        parameters = before | frozenset(entry.pattern.converters) | frozenset(entry.pattern.regex.groupindex)
        if isinstance(entry, URLResolver):
            yield from routes(entry, f"{prefix}{entry.namespace}:" if entry.namespace else prefix, parameters)
        elif isinstance(entry, URLPattern) and entry.name:
            yield f"{prefix}{entry.name}", parameters


def test_every_address_that_could_serve_a_case_is_classified():
    known = set(SERVING) | {f"{app}:{name}" for app, names in NO_CASE_CONTENT.items() for name in names}
    found = {
        name
        for name, parameters in routes(get_resolver())
        if name.partition(":")[0] in NO_CASE_CONTENT or "case" in parameters
    }
    assert found == known


@dataclass
class Scored:
    """A scored submission of one kind of phase, everything that was kept of it, and people of all roles."""

    kind: str
    phase: Phase
    submission: Submission
    run: Run
    team: Team
    people: dict[str, User | None]
    execution: Execution | None
    secrets: list[bytes]

    def set_state(self, state: str, *, is_revealed: bool) -> None:
        """Bring the phase into a state."""
        now = timezone.now()
        fields: dict[str, Any] = {"results": "validation", "reveals_at": None, "closed_at": None}
        if state == "open with own values":
            fields["results"] = "cases"
        if state in ("closed", "closed and released later"):
            fields["closed_at"] = now - timedelta(seconds=1)
        if state == "closed and released later":
            fields["reveals_at"] = now + timedelta(days=2)
        Phase.objects.filter(pk=self.phase.pk).update(reveals_cases=is_revealed, leaderboard="sealed", **fields)
        self.phase.refresh_from_db()

    def client(self, role: str) -> Client:
        client, person = Client(), self.people[role]
        if person is not None:
            client.force_login(person)
        return client

    def arguments(self, name: str, parameters: frozenset[str]) -> dict[str, Any]:
        """Values of the parameters of an address, as they fit this submission."""
        subject = (
            self.execution.pk if self.execution is not None and name.startswith("executions:") else self.submission.pk
        )
        values = {
            "slug": "blocks",
            "pk": subject,
            "case": CASE,
            "layer": "prediction",
            "axis": "z",
            "phase": self.phase.pk,
            "version": 1,
            "number": 1,
            "index": 0,
            "key": "first",
            "file": 1,
            "token": "none",
        }
        names = {"leaderboards:figure": "dots", "reports:file": "case-01.png"}
        if name.startswith("reports:"):
            values["key"] = "team"
        if name.startswith("measurements:"):
            values["pk"] = 1
        if name == "leaderboards:figure":
            values["name"] = names[name]
        return {parameter: values.get(parameter, names.get(name, 1)) for parameter in parameters}


def content_of(response) -> bytes:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    response.close()
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"\n".join(archive.read(name) for name in archive.namelist())
    return content


def stored_secrets(run: Run, execution: Execution | None) -> list[bytes]:
    """Everything that was kept of images and predictions: pictures, sheets, files of predictions, and the images."""
    root = Path(settings.STORAGES["private"]["OPTIONS"]["location"])
    kept = [vault.read_bytes(str(path.relative_to(root))) for path in (root / "pictures").rglob("*") if path.is_file()]
    kept = [content for content in kept if not content.startswith(b"{")]
    kept += [
        (root / case.image_file).read_bytes()
        for case in TestCase.objects.filter(test_set=run.test_set_id).exclude(image_file="")
    ]
    with zipfile.ZipFile(root / run.submission.predictions_file) as archive:
        kept += [archive.read(name) for name in archive.namelist()]
    if execution is not None:
        kept.append(PRINTED.encode())
    assert len(kept) > len(CASES)
    return kept


def people_of(world) -> dict[str, User | None]:
    make = User.objects.create_user
    moderator = make("mo", "mo@example.org", "a long password")
    Organizer.objects.create(challenge=world.challenge, user=moderator, role=Organizer.Role.MODERATOR)
    return {
        "anonymous": None,
        "stranger": make("stella", "stella@example.org", "a long password"),
        "other team": world.bo,
        "team": world.ada,
        "moderator": moderator,
        "administrator": User.objects.create_superuser("root", "root@example.org", "a long password"),
        "organizer": world.organizer,
    }


def build(kind: str, folder: Path, engine, *, is_ranked: bool = False) -> Scored:
    execution = None
    if kind == "predictions":
        world: Any = prediction_world.build(folder / "references", leaderboard="sealed")
        submission = world.upload(zipped(predicted()))
    else:
        more = {"is_dry_run": True, "results": "cases", "leaderboard": "public"} if kind == "dry run" else {}
        world = algorithm_world.build(folder, **more)
        count = iter(range(100))

        def script(work) -> None:
            """Copy every image into the prediction but one, and print what was read."""
            work.log(PRINTED.encode())
            for case in work.cases:
                if next(count) == 1:
                    work.exit(37)
                work.copy(case)

        engine.script = script
        image = world.image()
        engine.held.append(image.digest)
        submission = world.hand_in(image)
        algorithm_world.run_all()
        execution = algorithm_world.execution_of(submission)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.state, submission.reason, submission.log)
    run = submission.runs.get()
    for case in CASES[:2]:
        draw(run_id=run.pk, case=case)
    if is_ranked:
        rankings.request_ranking(world.phase.pk)
        rankings.rank_phase(phase_id=world.phase.pk)
        assert world.phase.rankings.get().number == 1
    secrets = stored_secrets(run, execution)
    return Scored(kind, world.phase, submission, run, world.adas, people_of(world), execution, secrets)


STATES = (
    ("open with own values", False),
    ("open with own values", True),
    ("open", True),
    ("closed", False),
    ("closed", True),
    ("closed and released later", True),
)


EVERY_STATE = ("open with own values", "open", "closed", "closed and released later")
SEEN_BY = {"team": EVERY_STATE, "administrator": EVERY_STATE, "organizer": ("open",), "others": ("closed",)}
"""In which states each role asks: organizers see most while a phase is open, and outsiders see most at the end."""


def may_see(kind: str, state: str, role: str, *, is_revealed: bool) -> dict[str, bool]:
    """The table of `docs/operators/threats.md`."""
    released = state == "closed"
    cases_are_public = kind == "dry run" or (is_revealed and released)
    has_values = role in ("organizer", "administrator") or (
        role == "team" and (released or state == "open with own values")
    )
    knows_images = role == "organizer" or kind == "predictions" or cases_are_public
    return {
        "values": has_values,
        "pictures": has_values and knows_images,
        "references": role == "organizer" or (role in ("team", "administrator") and cases_are_public),
        "files": role == "organizer" or (kind == "dry run" and role in ("team", "administrator")),
        "log": kind == "dry run" and role in ("team", "organizer"),
        "archive": role == "organizer" or (role == "administrator" and kind != "algorithms"),
        "organizing": role in ("organizer", "administrator"),
        "reference_files": kind == "dry run" and role in ("team", "other team", "organizer", "administrator"),
        "notes": role == "organizer" or (role in ("team", "administrator") and knows_images),
        "results of all": released or role in ("organizer", "administrator"),
    }


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["predictions", "algorithms", "dry run"])
def test_each_role_sees_of_a_case_what_the_policy_allows_at_every_address(kind, tmp_path, engine, workers):
    scored = build(kind, tmp_path, engine, is_ranked=True)
    parameters = dict(routes(get_resolver()))
    wrong = []
    for state, is_revealed in STATES:
        if kind == "dry run" and state == "closed and released later":
            continue  # the database refuses it
        scored.set_state(state, is_revealed=is_revealed)
        for role in scored.people:
            if state not in SEEN_BY.get(role, SEEN_BY["others"]):
                continue
            wanted = may_see(kind, state, role, is_revealed=is_revealed)
            client = scored.client(role)

            def get(name: str, client=client, **changed) -> tuple[bool, str]:
                path = reverse(name, kwargs=scored.arguments(name, parameters[name]) | changed)
                query = {"before": str(scored.submission.pk), "after": str(scored.submission.pk)}
                response = client.get(path, query if "compare" in name else {"phase": scored.phase.pk})
                body = content_of(response)
                return (response.status_code == 200, body.decode(errors="replace"))

            answers: dict[str, tuple[bool, bool]] = {}
            for name, rule in SERVING.items():
                if (kind == "predictions" and name.startswith("executions:")) or name == "results:objects_csv":
                    continue  # there is no run, and no instances
                if rule in ("values", "pictures", "files", "log", "archive", "reference_files"):
                    allowed = wanted[rule]
                    if "compare" in name:
                        allowed = role == "team" and allowed
                    is_open, body = get(name)
                    answers[name] = (PRINTED in body if rule == "log" else is_open, allowed)
            answers["results:organized_case"] = (
                get("results:organized_case")[0],
                wanted["organizing"],
            )
            answers["reference layer"] = (
                get("results:case_sheet", layer="reference")[0],
                wanted["pictures"] and wanted["references"],
            )
            page = get("results:case")[1]
            answers["viewer on the page"] = ("data-viewer=" in page, wanted["pictures"])
            answers["reason on the page"] = (
                "why-no-picture" in page,
                wanted["values"] and not wanted["pictures"],
            )
            detail = get("submissions:detail")[1]
            answers["previews"] = ('id="previews"' in detail, role == "team" and wanted["pictures"])
            if kind != "predictions":
                answers["exit status"] = (
                    "exit status 37" in detail + page + get("api:submission-detail")[1],
                    wanted["notes"],
                )
            answers["results of all"] = (
                get("leaderboards:results_csv")[0],
                wanted["results of all"],
            )
            wrong += [
                (state, is_revealed, role, name, found)
                for name, (found, allowed) in answers.items()
                if found != allowed
            ]
    assert not wrong


@pytest.mark.parametrize("state", ["open with own values", "open", "closed"])
def test_an_algorithm_that_copies_hidden_images_does_not_get_them_out(state, tmp_path, engine, workers):
    """The attack: every prediction is its image. No answer to a member contains a picture or a file of either."""
    scored = build("algorithms", tmp_path, engine, is_ranked=True)
    scored.set_state(state, is_revealed=False)
    client = scored.client("team")
    opened = 0
    for name, parameters in routes(get_resolver()):
        if name not in SERVING and name.partition(":")[0] not in NO_CASE_CONTENT:
            continue
        try:
            path = reverse(name, kwargs=scored.arguments(name, parameters))
        except NoReverseMatch:  # a federation, an analysis or a design: they know no case of this phase
            assert name not in SERVING, name
            continue
        response = client.get(path, {"phase": scored.phase.pk})
        body = content_of(response)
        opened += response.status_code == 200
        assert not any(secret in body for secret in scored.secrets), name
        assert not response.headers.get("Content-Type", "").startswith("image/") or name == "leaderboards:share_picture"
        assert b'"layers"' not in body, name
        assert b"data-viewer=" not in body, name
        assert b'class="slices"' not in body, name
    assert opened > 10
    page = client.get(reverse("results:case", args=["blocks", scored.submission.pk, CASE]))
    assert (HIDDEN_IMAGES in page.content.decode()) is (state != "open")


def test_predictions_of_hidden_images_are_published_and_reported_to_no_one(tmp_path, engine, workers):
    scored = build("algorithms", tmp_path, engine)
    scored.set_state("closed", is_revealed=False)
    choice = Choice(
        references=True, predictions=True, case_results=True, licence="CC0", teams=frozenset({scored.team.pk})
    )
    assert not list(published_predictions(scored.phase.challenge, choice))
    [sentence] = withheld(scored.phase.challenge, choice)
    assert sentence.startswith("Predictions of First are not published")
    assert not team_report.collect(scored.phase, scored.team).reveals_references
    scored.set_state("closed", is_revealed=True)
    # The design registers pictures beside references; it registers no copies of the images.
    assert team_report.collect(scored.phase, scored.team).reveals_references
    assert not list(published_predictions(scored.phase.challenge, choice))


def test_predictions_that_teams_uploaded_are_published(tmp_path, engine, workers):
    scored = build("predictions", tmp_path, engine)
    scored.set_state("closed", is_revealed=False)
    choice = Choice(
        references=False, predictions=True, case_results=False, licence="CC0", teams=frozenset({scored.team.pk})
    )
    assert len(list(published_predictions(scored.phase.challenge, choice))) == 1
    assert not list(withheld(scored.phase.challenge, choice))


def test_a_letter_about_an_algorithm_names_no_hidden_case(tmp_path, engine, workers):
    scored = build("algorithms", tmp_path, engine)
    letter = _letter(scored.submission, Submission.State.REFUSED, "refused")
    assert not any(case in letter.text for case in CASES)
    assert "exit status 37" not in letter.text


def test_a_case_whose_consent_was_withdrawn_has_no_picture_for_teams(tmp_path, engine, workers):
    scored = build("predictions", tmp_path, engine)
    scored.set_state("closed", is_revealed=True)
    document = scored.phase.assessment_document | {
        "exclusions": {"cases": [{"case": CASE, "reason": "consent_withdrawn"}]}
    }
    Phase.objects.filter(pk=scored.phase.pk).update(assessment_document=document)
    address = f"{scored.submission.get_absolute_url()}cases"
    for role, status in (("team", 404), ("administrator", 404), ("organizer", 200)):
        client = scored.client(role)
        assert client.get(f"{address}/{CASE}/picture.png").status_code == status, role
        assert client.get(f"{address}/{CASES[1]}/picture.png").status_code == 200, role
        page = client.get(f"{address}/{CASE}/").content.decode()
        assert (CONSENT_WITHDRAWN in page) is (status == 404)
    assert (
        f'href="/challenges/blocks/submissions/{scored.submission.pk}/cases/{CASE}/"'
        in scored.client("team").get(scored.submission.get_absolute_url()).content.decode()
    )


def test_names_of_hidden_cases_cannot_be_confirmed_by_reporting_them(tmp_path, engine, workers):
    scored = build("algorithms", tmp_path, engine)
    scored.set_state("open", is_revealed=False)
    address = reverse("test_sets:case_reports", args=["blocks"])
    told = {"phase": scored.phase.pk, "case": CASE, "category": "reference", "text": "It is wrong."}
    client = scored.client("team")
    assert "The cases of this challenge are hidden" in client.get(address).content.decode()
    assert client.post(address, told).status_code == 403
    assert scored.client("organizer").post(address, told).status_code == 302
    scored.set_state("closed", is_revealed=False)
    assert client.post(address, told).status_code == 302


def test_the_reason_of_a_hidden_case_is_replaced_by_a_sentence(tmp_path, engine, workers):
    scored = build("algorithms", tmp_path, engine)
    scored.set_state("open with own values", is_revealed=False)
    page = scored.client("team").get(scored.submission.get_absolute_url()).content.decode()
    assert HIDDEN_NOTE in page
    assert "exit status 37" not in page

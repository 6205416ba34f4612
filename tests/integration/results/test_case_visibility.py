"""The visibility policy of cases: kind of phase × revealed × state × role × every address that serves content of a case.

The expected answers are written here a second time, from the rules in `docs/operators/threats.md`, without asking the policy.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from api.acts.urls import urlpatterns as acts
from challenges.models import Phase
from datastore.datasets.hooks import Choice
from datastore.datasets.models import Publication
from datastore.datasets.services import publishing
from datastore.test_sets.domain.case_access import CONSENT_WITHDRAWN, HIDDEN_IMAGES, HIDDEN_NOTE
from evaluation.figures import publication
from leaderboards.contributions.publishing import predictions as published_predictions
from leaderboards.contributions.publishing import withheld
from reports.services import team_report
from submissions.models import Submission
from submissions.services.messages import _letter
from tests.integration.executions.conftest import engine
from tests.integration.reports.conftest import UNTYPESET, made_for_team, plain_picture, untypeset
from tests.integration.results.case_worlds import BUILDERS, EXIT, World, build, content_of
from tests.sizes import size

__all__ = ["engine"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]
UPLOADED = ("predictions", "uploaded dry run", "open call", "decoys", "instances", "own scorer")
RUN = ("algorithms", "dry run")
DRY = ("uploaded dry run", "dry run")
PICTURED = (*UPLOADED, *RUN)
WITH_VALUES = (*PICTURED, "measured values")
ALL = (*WITH_VALUES, "classification")
REPORTED = ("predictions", "algorithms", "dry run")
"""Kinds of phases of which reports are made: drawing takes long."""


@dataclass(frozen=True)
class Serves:
    """Content of cases at an address.

    Attributes
    ----------
    rule
        Who gets it: a key of `may_see`.
    content
        Kinds of content (`case_worlds.Contents`), or bytes, of which one proves that the content is there.
    kinds
        Kinds of phases in which the address has content.
    """

    rule: str
    content: tuple[str | bytes, ...]
    kinds: tuple[str, ...] = WITH_VALUES
    query: dict[str, str] = field(default_factory=dict)
    method: str = "get"


ANY_PICTURE = ("pictures", "references")
SERVING: dict[str, Serves] = {
    "results:case": Serves("values", ("values", "names"), ALL),
    "results:case_picture": Serves("pictures", (b"picture.png",), PICTURED),
    "results:case_picture_png": Serves("pictures", ANY_PICTURE, PICTURED),
    "results:case_viewer": Serves("pictures", (b'"layers"',), PICTURED),
    "results:case_sheet": Serves("pictures", ANY_PICTURE, PICTURED),
    "results:compare": Serves("own values", ("values",)),
    "results:compare_csv": Serves("own values", ("values",)),
    "results:objects_csv": Serves("values", ("names",), ("instances",)),
    "results:organized_case": Serves("organizing", ("values", "names"), ALL),
    "results:organize_results_csv": Serves("organizing", ("values",)),
    "results:decoys_csv": Serves("organizing", ("names",), ("decoys",)),
    "results:export": Serves("organizing", ("names",), ALL),
    "results:archive": Serves("archive", ("files", "names"), ALL),
    "submissions:detail": Serves("values", ("values",)),
    "submissions:status": Serves("values", ("values",)),
    "submissions:results_csv": Serves("values", ("values",)),
    "submissions:submit": Serves("submitting", ("names",), (*UPLOADED, "measured values", "classification")),
    "api:submission-detail": Serves("notes", ("notes",), RUN),
    "api:submission-results": Serves("values", ("values",)),
    "api:phase-expectation": Serves("expecting", ("names",), (*UPLOADED, "classification")),
    "executions:execution": Serves("files", ("names",), RUN),
    "executions:predictions": Serves("files", ("files",), RUN),
    "executions:runs_csv": Serves("files", ("names",), RUN),
    "executions:log": Serves("log", ("log",), RUN, method="post"),
    "test_sets:public_reference": Serves("reference_files", ("references",), DRY),
    "test_sets:reference": Serves("organizer", ("references",), PICTURED, method="post"),
    "test_sets:test_sets": Serves("organizing", ("names",), ALL),
    "test_sets:test_set_csv": Serves("organizing", ("names",), ALL),
    "test_sets:reference_access_csv": Serves("organizing", ("names",), PICTURED),
    "test_sets:archive_preview": Serves("organizer", (b"\x89PNG",), ("predictions",)),
    "test_sets:archive_findings": Serves("organizing", ("names",), ("predictions",)),
    "test_sets:finding_picture": Serves("organizer", (b"\x89PNG",), ("predictions",)),
    "test_sets:case_reports": Serves("reports", ("names",), ("predictions",)),
    "leaderboards:first": Serves("results of all", ("names",), (*(set(PICTURED) - {"instances"}),)),
    "leaderboards:current": Serves("results of all", ("names",)),
    "leaderboards:version": Serves("results of all", ("names",)),
    "leaderboards:figure": Serves("results of all", ("names",)),
    "leaderboards:table_csv": Serves("results of all", (b",",), ("measured values",), {"group": "site:north"}),
    "leaderboards:table_json": Serves("results of all", (b"north",), ("measured values",), {"group": "site:north"}),
    "leaderboards:results_csv": Serves("results of all", ("values",)),
    "leaderboards:hardest_csv": Serves("results of all", ("names",)),
    "leaderboards:document": Serves("results of all", ("names",), RUN),
    "leaderboards:bundle": Serves("bundle", ("names",), ALL),
    "api:ranking": Serves("results of all", ("names",), RUN),
    "reports:report": Serves("team report", (b"Report",), REPORTED),
    "reports:chapter": Serves("team report with cases", ("names",), REPORTED),
    "reports:paper": Serves("team report with cases", ("names",), REPORTED),
    "reports:file": Serves("team report with cases", ("names",), REPORTED),
    "measurements:table": Serves("organizing", ("names",), ("measured values",)),
    "measurements:file": Serves("organizing", ("names",), ("measured values",)),
    "datasets:get_file": Serves("published", (b"",), ("predictions", "algorithms"), method="post"),
    "datasets:download": Serves("published", ("values",), ("predictions", "algorithms")),
    "api:archive": Serves("organizing", (b'"reading":{',), ("predictions",)),
    "api:archive-findings": Serves("organizing", ("names",), ("predictions",)),
    "api:archive-preview": Serves("organizer", (b"\x89PNG",), ("predictions",)),
    "api:archives": Serves("organizing", (b'"reading":{',), ("predictions",)),
    "api:data-address": Serves("published", (b"download",), ("predictions", "algorithms"), method="post"),
    "judging:scorers": Serves("organizer", ("log",), ("own scorer",)),
}
"""Every address that serves content of cases: who gets it, and what proves that it is there."""
LISTED = {
    "test_sets:test_set_template": "has invented names of cases",
    "api:case-reports": "lists cases to those who answer reports; `tests/integration/api/test_acts.py` reads it",
    "submissions:starter_kit": "has invented cases",
    "api:starter-kit": "has invented cases",
    "test_sets:overlaps": "shows pairs of images to organizers; `tests/integration/test_sets/test_overlaps.py` has all roles",
    "test_sets:overlap_picture": "shows test images to organizers; `tests/integration/test_sets/test_overlaps.py` has all roles",
    **dict.fromkeys(
        ("leaderboards:suspect", "leaderboards:suspect_plan", "leaderboards:suspect_view", "leaderboards:suspects"),
        "shows references to organizers and invited readers; `tests/integration/submissions/test_suspects.py` has all roles",
    ),
    "leaderboards:both_ways": "shows ranks and scores over all cases; `tests/integration/challenges/test_both_ways.py` reads it",
    "leaderboards:objects": "shows scores over all cases",
    "leaderboards:model_index": "contains scores over all cases",
    "leaderboards:evaluations": "contains scores over all cases",
    "leaderboards:badge": "shows the rank set of an entry",
    "api:run-logs": "shows logs to their team by the rule of pages; `tests/integration/client/test_algorithms.py` reads it",
    "api:runner-input": "needs a signed address of a leased run; `tests/integration/runners/test_attacks.py` reads it",
    "datasets:description": "describes data sets, without cases",
    "reports:exposure": "counts cases",
    "measurements:replicates": "has resampled values of the whole data set",
}
"""Addresses next to content of cases that name no case and no value of one, with the reason."""
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
        *("case-exclusion", "case-report", "data-file", "data-publication", "data-release", "data-sets", "data-upload"),
        *("data-uploads", "data-versions", "data-withdrawal", "design-rehearsal", "ranking-freeze", "ranking-request"),
        *("runner-hardware", "runner-revocation", "scorer", "scorer-trial", "task-simulation"),
        *("drift-checks", "task-advice", "overlap-question", "overlap-questions"),
        *("measurement-columns", "measurement-discard", "measurement-seal", "measurements", "rankings"),
        *(
            "registration-detail",
            "registration-differences",
            "registration-embargoed",
            "registration-history",
            "registration-list",
        ),
        *(
            "registration-version",
            "registration-versions",
            "schema",
            "site-files",
            "site-messages",
            "submission-decide",
        ),
        *("submission-list", "upload", "uploads"),
        *(entry.name for entry in acts if entry.name not in ("archive", "archive-preview", "archives")),
        *("runner", "runner-finish", "runner-heartbeat", "runner-measurements", "runner-outputs", "runner-release"),
        *(
            "runner-run",
            "runner-runs",
            "algorithm-upload",
            "algorithm-uploads",
            "algorithms",
            "run",
            "run-cancel",
            "runs",
        ),
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
        *("embed", "freeze", "history", "history_figure", "request", "share_picture", "sites", "tasks"),
        *("tasks_figure", "version_sites"),
    },
    "measurements": {"columns", "discard", "seal", "tables"},
    "reports": {"checklist_csv", "design", "desk", "index", "item", "make", "progress", "publish", "team", "withdraw"},
    "results": {
        *("days_csv", "days_json", "failed_csv", "history", "history_csv", "history_json", "monitor", "organize"),
        "probing_csv",
        *("repeat", "repeat_many", "submissions_csv", "work"),
    },
    "submissions": {"decide", "describe", "method", "own", "own_csv", "upload", "uploads"},
    "test_sets": {
        *(
            "accept_findings",
            "answer_case_report",
            "discard_archive",
            "exclude_case",
            "seal_archive",
            "test_set_archives",
        ),
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
    known = set(SERVING) | set(LISTED) | {f"{app}:{name}" for app, names in NO_CASE_CONTENT.items() for name in names}
    found = {
        name
        for name, parameters in routes(get_resolver())
        if name.partition(":")[0] in NO_CASE_CONTENT or "case" in parameters
    }
    assert found == known


OWN, OPEN, PUBLIC, CLOSED, LATER = (
    "open with own values",
    "open",
    "open with a public ranking",
    "closed",
    "closed and released later",
)
STATES = ((OWN, False), (OWN, True), (OPEN, True), (PUBLIC, False), (CLOSED, False), (CLOSED, True), (LATER, True))
FEWER_STATES = ((OWN, True), (PUBLIC, False), (CLOSED, False), (CLOSED, True))
THOROUGH = ("predictions", "algorithms", "dry run")
"""Kinds of phases that are asked in every state."""
SHORT_STATES = {
    "predictions": ((OWN, False), (PUBLIC, False), (CLOSED, False), (CLOSED, True), (LATER, True)),
    "algorithms": ((OWN, False), (OPEN, True), (PUBLIC, False), (CLOSED, False), (CLOSED, True), (LATER, True)),
    "dry run": ((OWN, True), (PUBLIC, False), (CLOSED, False)),
    "uploaded dry run": ((OWN, True), (PUBLIC, False)),
    "open call": ((PUBLIC, False), (CLOSED, False)),
    "decoys": ((OWN, True), (PUBLIC, False), (CLOSED, False)),
    "instances": ((PUBLIC, False), (CLOSED, True)),
    "classification": ((PUBLIC, False), (CLOSED, False), (CLOSED, True)),
    "own scorer": ((PUBLIC, False), (CLOSED, True)),
    "measured values": ((OWN, True), (PUBLIC, False)),
}
"""States of the short form.

In the states of each kind, every role asks for every address, and each exception of `may_see` for the kind applies.
"""


def states_of(kind: str) -> tuple[tuple[str, bool], ...]:
    """Return the states in which a kind of phase is asked."""
    return size(SHORT_STATES[kind], STATES if kind in THOROUGH else FEWER_STATES)


def is_searched(kind: str, role: str, where: tuple[str, bool]) -> bool:
    """Return whether a role asks for all other addresses, too.

    The short form does so where most is hidden, and after the end where images stay hidden.
    """
    short = (PUBLIC, False), *(((CLOSED, False),) if kind == "algorithms" else ())
    return role in ("anonymous", "team") and where in size(short, ((PUBLIC, False), (CLOSED, False)))


SEEN_BY = {
    "team": {OWN, OPEN, PUBLIC, CLOSED, LATER},
    "administrator": {OWN, OPEN, CLOSED, LATER},
    "organizer": {OPEN, PUBLIC, LATER},
    "other team": {OWN, PUBLIC, CLOSED, LATER},
}
OUTSIDERS = {PUBLIC, CLOSED, LATER}
"""States in which each role asks: organizers see most while a phase is open, and outsiders see most at the end."""


def may_see(kind: str, state: str, role: str, *, is_revealed: bool) -> dict[str, bool]:
    """The table of `docs/operators/threats.md`."""
    is_organizer, is_administrator = role == "organizer", role == "administrator"
    organizes = is_organizer or is_administrator
    takes_part = role in ("team", "other team")
    is_run, is_dry = kind in RUN, "dry run" in kind
    released = state == CLOSED
    cases_are_public = is_dry or (is_revealed and released)
    knows_images = not is_run or cases_are_public
    tells_own = released or (state == OWN and kind != "decoys")
    has_values = organizes or (role == "team" and tells_own)
    results_of_all = released or organizes
    has_files = is_organizer or (role in ("team", "administrator") and (not is_run or is_dry))
    tells_references = kind == "classification" and not cases_are_public
    is_reported = role == "team" or organizes
    return {
        "names": organizes or released or (takes_part and (knows_images or tells_own)),
        "values": has_values,
        "own values": role == "team" and tells_own,
        "pictures": has_values and (is_organizer or knows_images),
        "references": is_organizer or (role in ("team", "administrator") and cases_are_public),
        "files": has_files,
        "log": is_organizer or (is_dry and role == "team"),
        "archive": is_organizer or (is_administrator and (not is_run or is_dry)),
        "organizing": organizes,
        "organizer": is_organizer,
        "reference_files": is_dry and (takes_part or organizes),
        "notes": is_organizer or (role in ("team", "administrator") and knows_images),
        "submitting": takes_part and not is_run,
        "expecting": (takes_part or organizes) and not is_run,
        "results of all": results_of_all,
        "bundle": is_organizer or (results_of_all and not tells_references),
        "reports": role == "team" or organizes,
        "team report": is_reported and (tells_own or state == PUBLIC),
        "team report with cases": is_reported and tells_own,
        "published": False,
    }


def allowed_contents(may: dict[str, bool]) -> set[str]:
    """Kinds of content (`case_worlds.Contents`) that any answer may contain."""
    by_content = {
        "names": may["names"],
        "values": may["values"] or may["results of all"],
        "pictures": may["pictures"],
        "references": may["references"] or may["reference_files"],
        "digests": may["organizing"],
        "files": may["files"] or may["archive"],
        "log": may["log"],
        "notes": may["notes"],
    }
    return {content for content, is_allowed in by_content.items() if is_allowed}


@dataclass
class Answers:
    """Answers of a world to all roles, compared with what is expected."""

    world: World
    parameters: dict[str, frozenset[str]]
    wrong: list[tuple] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)

    def check(self, name: str, role: str, *, expected: bool, allowed: set[str], where: tuple) -> None:
        """Compare an answer: its content is there for those who may see it, and nothing else of cases for anyone."""
        serves, client = SERVING[name], self.world.client(role)
        response = self.world.ask(client, name, self.parameters[name], method=serves.method, **serves.query)
        body = content_of(response)
        contents = self.world.contents.found_in(body)
        found = response.status_code in (200, 201, 302) and "login" not in response.headers.get("Location", "")
        found = found and any(part in body if isinstance(part, bytes) else part in contents for part in serves.content)
        if found != expected:
            self.wrong.append((*where, role, name, "found" if found else f"absent, status {response.status_code}"))
        if contents - allowed:
            self.wrong.append((*where, role, name, "leaks", sorted(contents - allowed)))
        if found:
            self.reached.add(name)

    def search(self, role: str, *, but: Collection[str], allowed: set[str], where: tuple) -> int:
        """Search all other addresses of apps that know cases for what the role may not see; returns the number of answers."""
        client, opened = self.world.client(role), 0
        apps = {*NO_CASE_CONTENT, *(OTHERS if self.world.kind in THOROUGH else ())}
        for name, parameters in self.parameters.items():
            if name in but or name.partition(":")[0] not in apps:
                continue
            response = self.world.ask(client, name, parameters)
            if response is None:
                continue
            opened += response.status_code == 200
            contents = self.world.contents.found_in(content_of(response))
            if contents - allowed:
                self.wrong.append((*where, role, name, "leaks", sorted(contents - allowed)))
        return opened


OTHERS = {"challenges", "registry", "web", "workbench"}
"""Apps above those that know cases, which are searched as well."""


def report_of_team(world: World) -> None:
    """Let the team ask for a report, and point the addresses of reports to it, or to none."""
    number = 999
    try:
        with mock.patch.object(publication, "printed", plain_picture), mock.patch(UNTYPESET, untypeset):
            number = made_for_team(world.people["team"], world.phase, world.team).number
    except ValidationError:
        pass
    world.places |= {
        "reports:report": {"number": number},
        "reports:chapter": {"number": number, "key": "team"},
        "reports:paper": {"number": number},
        "reports:file": {"number": number, "name": "html"},
    }


def publish(world: World, monkeypatch) -> None:
    """Publish the data of a phase that has closed, and point the addresses of files to the results of the team."""
    choice = Choice(
        references=True, predictions=True, case_results=True, licence="CC0", teams=frozenset({world.team.pk})
    )
    monkeypatch.setattr(publishing, "registered_choice", lambda challenge: choice)
    publishing.ask_for_publication(actor=world.people["organizer"], challenge=world.phase.challenge)
    publication = Publication.objects.get()
    assert publication.state == "published", publication.failure
    file = publication.version.files.get(name__startswith="results-")
    places = {"file": file.pk}
    world.places |= {name: dict(places) for name in ("datasets:get_file", "api:data-address", "datasets:download")}
    token = world.ask(world.client("team"), "datasets:get_file", frozenset({"slug", "file"}), method="post")
    world.places["datasets:download"]["token"] = token["Location"].rstrip("/").rpartition("/")[2]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", BUILDERS)
def test_each_role_sees_of_a_case_what_the_policy_allows_at_every_address(kind, tmp_path, engine, workers, monkeypatch):
    world = build(kind, tmp_path, engine)
    answers = Answers(world, dict(routes(get_resolver())))
    asked = {name: serves for name, serves in SERVING.items() if kind in serves.kinds}
    if kind in PICTURED:  # a look at a reference, for the list of such looks
        address = reverse("test_sets:reference", args=["blocks", world.phase.pk, 1, world.cases[1]])
        assert world.client("organizer").post(address).status_code == 200
    for state, is_revealed in states_of(kind):
        if state == LATER and kind in ("dry run", "open call"):
            continue  # the database refuses it
        world.set_state(state, is_revealed=is_revealed)
        where = (state, is_revealed)
        is_reported = kind in REPORTED and where in ((OWN, False), (PUBLIC, False), (CLOSED, False), (CLOSED, True))
        if is_reported:
            report_of_team(world)
        for role in world.people:
            if state not in SEEN_BY.get(role, OUTSIDERS):
                continue
            may = may_see(kind, state, role, is_revealed=is_revealed)
            allowed = allowed_contents(may)
            for name, serves in asked.items():
                if serves.rule.startswith("team report") and not is_reported:
                    continue
                answers.check(name, role, expected=may[serves.rule], allowed=allowed, where=where)
            if is_searched(kind, role, where):
                assert answers.search(role, but=asked, allowed=allowed, where=where) > 10
    if kind in SERVING["datasets:download"].kinds:
        world.set_state(CLOSED, is_revealed=True)
        publish(world, monkeypatch)
        for role in world.people:
            allowed = allowed_contents(may_see(kind, CLOSED, role, is_revealed=True))
            for name, serves in asked.items():
                if serves.rule == "published":
                    answers.check(name, role, expected=True, allowed=allowed, where=("published",))
    assert not answers.wrong, "\n".join(map(str, answers.wrong))
    assert answers.reached == set(asked), "nobody reached the content of these addresses"


@pytest.mark.parametrize("kind", THOROUGH)
def test_pages_show_parts_of_a_case_as_the_policy_allows(kind, tmp_path, engine, workers):
    """The parts of pages: the layer of the reference, the viewer, the reason why there is no picture, and previews."""
    world = build(kind, tmp_path, engine)
    sheet = frozenset({"slug", "pk", "case", "layer", "axis"})
    page, wrong = frozenset({"slug", "pk", "case"}), []
    for state, is_revealed in size(((OWN, False), (OPEN, True), (CLOSED, False), (CLOSED, True)), STATES):
        if state == LATER and kind == "dry run":
            continue
        world.set_state(state, is_revealed=is_revealed)
        for role in ("team", "administrator", "organizer"):
            may, client = may_see(kind, state, role, is_revealed=is_revealed), world.client(role)
            world.places["results:case_sheet"] = {"layer": "reference"}
            case = content_of(world.ask(client, "results:case", page)).decode()
            detail = content_of(world.ask(client, "submissions:detail", frozenset({"slug", "pk"}))).decode()
            answers = {
                "reference layer": (
                    world.ask(client, "results:case_sheet", sheet).status_code == 200,
                    may["pictures"] and may["references"],
                ),
                "viewer": ("data-viewer=" in case, may["pictures"]),
                "reason": ("why-no-picture" in case, may["values"] and not may["pictures"]),
                "previews": ('id="previews"' in detail, role == "team" and may["pictures"]),
                "exit status": (EXIT in detail + case, kind in RUN and may["notes"]),
            }
            wrong += [
                (state, is_revealed, role, name, found)
                for name, (found, allowed) in answers.items()
                if found != allowed
            ]
    assert not wrong


@pytest.mark.timeout(900)
def test_an_algorithm_that_copies_hidden_images_does_not_get_them_out(tmp_path, engine, workers):
    """The attack: every prediction is its image. No answer to a member contains a picture or a file of either."""
    scored = build("algorithms", tmp_path, engine)
    client = scored.client("team")
    for state in size((OWN, CLOSED), (OWN, OPEN, CLOSED)):
        scored.set_state(state, is_revealed=False)
        opened = 0
        for name, parameters in routes(get_resolver()):
            if name not in SERVING and name.partition(":")[0] not in NO_CASE_CONTENT:
                continue
            response = scored.ask(client, name, parameters)
            if response is None:  # a federation, an analysis or a design: they know no case of this phase
                assert name not in SERVING or name.startswith("measurements:"), (state, name)
                continue
            body = content_of(response)
            opened += response.status_code == 200
            leaked = scored.contents.found_in(body) & {"pictures", "references", "files", "log"}
            assert not leaked, (state, name, leaked)
            is_image = response.headers.get("Content-Type", "").startswith("image/")
            assert not is_image or name == "leaderboards:share_picture", (state, name)
            for part in (b'"layers"', b"data-viewer=", b'class="slices"'):
                assert part not in body, (state, name, part)
        assert opened > 10, state
        page = client.get(reverse("results:case", args=["blocks", scored.submission.pk, scored.case]))
        assert (HIDDEN_IMAGES in page.content.decode()) is (state != OPEN)


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
    assert not any(case in letter.text for case in scored.cases)
    assert "exit status 37" not in letter.text


def test_a_case_whose_consent_was_withdrawn_has_no_picture_for_teams(tmp_path, engine, workers):
    scored = build("predictions", tmp_path, engine)
    scored.set_state("closed", is_revealed=True)
    document = scored.phase.assessment_document | {
        "exclusions": {"cases": [{"case": scored.case, "reason": "consent_withdrawn"}]}
    }
    Phase.objects.filter(pk=scored.phase.pk).update(assessment_document=document)
    address = f"{scored.submission.get_absolute_url()}cases"
    for role, status in (("team", 404), ("administrator", 404), ("organizer", 200)):
        client = scored.client(role)
        assert client.get(f"{address}/{scored.case}/picture.png").status_code == status, role
        assert client.get(f"{address}/{scored.cases[1]}/picture.png").status_code == 200, role
        page = client.get(f"{address}/{scored.case}/").content.decode()
        assert (CONSENT_WITHDRAWN in page) is (status == 404)
    assert (
        f'href="/challenges/blocks/submissions/{scored.submission.pk}/cases/{scored.case}/"'
        in scored.client("team").get(scored.submission.get_absolute_url()).content.decode()
    )


def test_names_of_hidden_cases_cannot_be_confirmed_by_reporting_them(tmp_path, engine, workers):
    scored = build("algorithms", tmp_path, engine)
    scored.set_state("open", is_revealed=False)
    address = reverse("test_sets:case_reports", args=["blocks"])
    told = {"phase": scored.phase.pk, "case": scored.case, "category": "reference", "text": "It is wrong."}
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

"""Worlds for the visibility of cases: one for each kind of phase, in which everything that addresses can serve was made.

Every case has its own values, so that a value on a page tells which case it belongs to.
"""

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from PIL import Image

from accounts.models import User
from challenges.models import Member, Organizer, Phase, Team
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase
from datastore.test_sets.services import case_reports, received_archives
from datastore.test_sets.services.sealing import create_test_set
from executions.models import Execution
from executions.services import hosts
from leaderboards.services import analyses, rankings
from submissions.measurements.models import Measurement
from submissions.models import Run, Submission
from submissions.queries import results_frame
from submissions.results.services.pictures import draw
from tests.integration.executions import world as algorithm_world
from tests.integration.judging import world as judged_world
from tests.integration.measurements import outside
from tests.integration.submissions import test_instances as instance_world
from tests.integration.submissions import test_tables as table_world
from tests.integration.submissions import world as prediction_world
from tests.integration.submissions.world import labels, nifti, zipped

PRINTED = "intensity of the third voxel: 117"
EXIT = "exit status 37"
CASES = ("quartz_17", "quartz_23", "quartz_31", "quartz_58")
"""Names that occur in no text of the product."""
SHIFTS = (1, 2, 0, 3)
"""Distance by which the prediction of each case is moved, by which the values of the cases differ."""
MOST_ROUNDED = 7
"""Characters of a number that pages still show rounded."""


@dataclass
class World:
    """A scored submission of one kind of phase, everything that was kept of it, and people of all roles.

    Attributes
    ----------
    case, cases
        The case that addresses ask for, and all cases.
    places
        Values of address parameters, by the name of the address.
    sessions
        Session cookies of people who have signed in, by role.
    """

    kind: str
    phase: Phase
    submission: Submission
    run: Run
    team: Team
    people: dict[str, User | None]
    cases: tuple[str, ...]
    execution: Execution | None = None
    places: dict[str, dict[str, Any]] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    contents: "Contents" = None  # type: ignore[assignment]  # computed of the complete world

    @property
    def case(self) -> str:
        return self.cases[0]

    def set_state(self, state: str, *, is_revealed: bool) -> None:
        """Bring the phase into a state."""
        now = timezone.now()
        fields: dict[str, Any] = {"results": "validation", "reveals_at": None, "closed_at": None}
        if state == "open with own values":
            fields["results"] = "cases"
        if state == "open with a public ranking":
            fields["results"] = "aggregate"
        if state in ("closed", "closed and released later"):
            fields["closed_at"] = now - timedelta(seconds=1)
        if state == "closed and released later":
            fields["reveals_at"] = now + timedelta(days=2)
        if not self.phase.stays_open:
            fields["leaderboard"] = "public" if state == "open with a public ranking" else "sealed"
        Phase.objects.filter(pk=self.phase.pk).update(reveals_cases=is_revealed, **fields)
        self.phase.refresh_from_db()

    def client(self, role: str) -> Client:
        """Return a new client of a person, who signs in once: signing in takes longer than most answers."""
        client, person, cookie = Client(), self.people[role], settings.SESSION_COOKIE_NAME
        if person is not None and role not in self.sessions:
            client.force_login(person)
            self.sessions[role] = client.cookies[cookie].value
        elif person is not None:
            client.cookies[cookie] = self.sessions[role]
        return client

    def arguments(self, name: str, parameters: frozenset[str]) -> dict[str, Any]:
        """Values of the parameters of an address, as they fit this world."""
        values = {
            "slug": self.phase.challenge.slug,
            "pk": self.submission.pk,
            "case": self.case,
            "layer": "prediction",
            "axis": "z",
            "phase": self.phase.pk,
            "version": self.run.test_set.version,
            "number": 1,
            "index": 0,
            "key": self.phase.slug,
            "file": 1,
            "token": "none",
            "name": "dots",
        }
        if self.execution is not None and name.startswith("executions:"):
            values["pk"] = self.execution.pk
        if name == "leaderboards:figure":
            values["name"] = self.figure
        values |= self.places.get(name, {})
        return {parameter: values.get(parameter, 1) for parameter in parameters}

    @property
    def figures(self) -> Any:
        """Figures of the only ranking, by name."""
        return self.phase.rankings.get().analysis.figures

    @property
    def figure(self) -> str:
        """Name of a figure: that of single values, or the first one where only the whole data set has values."""
        return "dots" if "dots" in self.figures else str(next(iter(self.figures)))

    def ask(self, client: Client, name: str, parameters: frozenset[str], *, method: str = "get", **query: str) -> Any:
        """Ask for an address as it fits this world; None if it has parameters that the world has no values of."""
        try:
            path = reverse(name, kwargs=self.arguments(name, parameters))
        except NoReverseMatch:
            return None
        if "compare" in name:
            query |= {"before": str(self.submission.pk), "after": str(self.submission.pk)}
        elif name == "leaderboards:figure":
            query |= {"by": next(iter(self.figures[self.figure]))}
        elif name != "leaderboards:first":
            query |= {"phase": str(self.phase.pk)}
        return getattr(client, method)(path, query)


def content_of(response: Any) -> bytes:
    """Everything that an answer contains, archives unpacked.

    The client has closed the answer. Closing it again would close the connection to the database as well.
    """
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"\n".join(archive.read(name) for name in archive.namelist())
    return bytes(content)


def people_of(world: Any) -> dict[str, User | None]:
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


def reference_of(place: int) -> np.ndarray:
    """The reference of a case: two blocks and a mark of its own."""
    array = labels()
    array[0, 1, : place + 1] = 1
    return array


def moved(extra: int = 0) -> dict[str, bytes]:
    """Predictions whose cases have different values."""
    return {f"{case}.nii.gz": nifti(labels((shift + extra) % 4)) for case, shift in zip(CASES, SHIFTS, strict=True)}


def of_predictions(folder: Path, **fields: Any) -> Any:
    """A world of uploaded label images."""
    fields = {"leaderboard": "sealed", **fields}
    return prediction_world.build(folder / "references", references=kept(), **fields)


def kept() -> dict[str, np.ndarray]:
    """The reference of every case."""
    return {case: reference_of(place) for place, case in enumerate(CASES)}


def predictions(folder: Path, engine: Any) -> tuple[Any, Submission]:
    world = of_predictions(folder)
    return world, both_upload(world, moved(), moved(1))


def uploaded_dry_run(folder: Path, engine: Any) -> tuple[Any, Submission]:
    world = of_predictions(folder, is_dry_run=True, leaderboard="public")
    return world, both_upload(world, moved(), moved(1))


def open_call(folder: Path, engine: Any) -> tuple[Any, Submission]:
    fields = {"stays_open": True, "leaderboard": "public", "closes_at": datetime(9000, 1, 1, tzinfo=UTC)}
    world = of_predictions(folder, **fields)
    return world, both_upload(world, moved(), moved(1))


def with_decoys(folder: Path, engine: Any) -> tuple[Any, Submission]:
    world = of_predictions(folder, results="validation", sealed={"decoys": CASES[-1:]})
    return world, both_upload(world, moved(), moved(1))


def algorithms(folder: Path, engine: Any, **fields: Any) -> tuple[Any, Submission]:
    """Algorithms that copy every image into the prediction, and print what they read; the first one fails on one case.

    Containers see hidden cases under random names and in random order. The case is therefore recognized by its image.
    """
    world = algorithm_world.build(folder, cases=CASES, **fields)
    failing_image = (folder / "first" / "images" / f"{CASES[1]}.nii.gz").read_bytes()
    fails = True

    def script(work: Any) -> None:
        work.log(PRINTED.encode())
        for case in work.cases:
            if fails and work.first_input(case).read_bytes() == failing_image:
                work.exit(37)
            work.copy(case)

    engine.script = script
    found = []
    for team, digit in ((world.adas, "a"), (world.bos, "b")):
        image = world.image(team=team, digit=digit)
        engine.held.append(image.digest)
        found.append(world.hand_in(image, team=team))
        algorithm_world.run_all()
        fails = False
    return world, found[0]


def dry_run(folder: Path, engine: Any) -> tuple[Any, Submission]:
    return algorithms(folder, engine, is_dry_run=True, results="cases", leaderboard="public")


def instances(folder: Path, engine: Any) -> tuple[Any, Submission]:
    """Images of cells, with values of single cells and a value that is pooled over all images."""
    world = prediction_world.build(folder / "first", leaderboard="sealed")
    world.phase = instance_world.add_phase(world, instance_world.ASSESSMENT)
    cells, images = folder / "cells", folder / "images"
    for place in (cells, images):
        place.mkdir()
    for place, case in enumerate(CASES[:3]):
        (cells / f"{case}.png").write_bytes(instance_world.png(instance_world.cells(first=100 + 10 * place)))
        Image.new("RGB", (40, 30), (250, 220 - place, 240)).save(images / f"{case}.png")
    metadata = pd.DataFrame({"case": list(CASES[:3]), "modality": ["bright", "bright", "dark"]})
    world.test_set = create_test_set(
        phase=world.phase, references=cells, images=images, cases=list(CASES[:3]), metadata=metadata
    )

    def files(extra: int) -> dict[str, bytes]:
        shifts = zip(CASES[:3], SHIFTS, strict=False)
        return {f"{case}.png": instance_world.png(instance_world.cells((shift + extra) % 4)) for case, shift in shifts}

    return world, both_upload(world, files(0), files(1))


def classification(folder: Path, engine: Any) -> tuple[Any, Submission]:
    """A table with a class for every image: values of a case tell its class."""
    world = prediction_world.build(folder / "first", leaderboard="sealed")
    world.phase = table_world.add_phase(world, "images", table_world.LABELS)
    table = folder / "table"
    table.mkdir()
    names = [f"{case}{letter}" for case in CASES for letter in "ab"]
    classes = [[name, table_world.CLASSES[place % 2]] for place, name in enumerate(names)]
    (table / "labels.csv").write_bytes(table_world.table([["case", "label"], *classes]))
    world.test_set = create_test_set(phase=world.phase, references=table, cases=names)
    scores = dict(zip(names, table_world.SCORES.values(), strict=True))
    others = {name: round(1 - score, 3) for name, score in scores.items()}
    return world, both_upload(
        world, {"labels.csv": table_world.labels(scores)}, {"labels.csv": table_world.labels(others)}
    )


def own_scorer(folder: Path, engine: Any) -> tuple[Any, Submission]:
    """A metric that an image of the organizers computes."""
    hosts.take_up(hosts.Host(engine=engine, problem="", versions=engine.versions(), queues=frozenset({"judge"})))
    hosts.tell()
    world = judged_world.build(folder, engine, references=kept())
    world.image()
    submission = world.hand_in(moved())
    world.hand_in(moved(1), team=world.bos)

    def script(work: Any) -> None:
        work.log(PRINTED.encode())
        work.exit(37)

    # Only of a failed trial the log is kept.
    engine.script = script
    world.image(judged_world.OTHER)
    return world, submission


def renamed(table: str) -> str:
    """Give the cases of a table names that occur nowhere else."""
    return re.sub(r"\bs(\d\d)\b", r"quartz_\1", table)


def measured(folder: Path, engine: Any) -> tuple[Any, Submission]:
    """Values that the organizers measured elsewhere, in a phase without files of cases."""
    _, phase, registered = outside.launched()
    listed = outside.sealed(phase, renamed(outside.CASES), kind=Measurement.Kind.CASES)
    table = outside.sealed(phase, renamed(outside.values()), makes_teams=True)
    assert listed.problems == []
    assert table.problems == []
    teams = {team.name: team for team in phase.challenge.teams.all()}
    ada, bo = (User.objects.create_user(name, f"{name}@example.org", "a long password") for name in ("ada", "bo"))
    for person, name in ((ada, "yew"), (bo, "oak")):
        Member.objects.create(team=teams[name], challenge=phase.challenge, user=person)
    world = SimpleNamespace(challenge=phase.challenge, phase=phase, organizer=registered.owner, ada=ada, bo=bo)
    return world, Submission.objects.get(phase=phase, team=teams["yew"])


def both_upload(world: Any, files: dict[str, bytes], others: dict[str, bytes]) -> Submission:
    """Let both teams submit; returns the submission of the first."""
    submission = world.upload(zipped(files))
    world.upload(zipped(others), team=world.bos)
    return submission


BUILDERS: dict[str, Callable[[Path, Any], tuple[Any, Submission]]] = {
    "predictions": predictions,
    "uploaded dry run": uploaded_dry_run,
    "open call": open_call,
    "decoys": with_decoys,
    "algorithms": algorithms,
    "dry run": dry_run,
    "instances": instances,
    "classification": classification,
    "own scorer": own_scorer,
    "measured values": measured,
}


def build(kind: str, folder: Path, engine: Any) -> World:
    """Build the world of a kind of phase, with its ranking, pictures and analyses."""
    made, submission = BUILDERS[kind](folder, engine)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.state, submission.reason, submission.log)
    run = submission.runs.get()
    phase = Phase.objects.select_related("task__challenge").get(pk=submission.phase_id)
    cases = tuple(run.test_set.cases.filter(is_decoy=False).order_by("position").values_list("name", flat=True))
    if kind != "measured values":
        for case in cases[:2]:
            draw(run_id=run.pk, case=case)
    rankings.request_ranking(phase.pk)
    rankings.rank_phase(phase_id=phase.pk)
    version = phase.rankings.get()
    analyses.analyse_version(version_id=version.pk)
    assert not version.analysis.is_pending
    execution = algorithm_world.execution_of(submission) if submission.is_algorithm else None
    world = World(kind, phase, submission, run, submission.team, people_of(made), cases, execution)
    world.contents = Contents.of(world)
    if kind == "predictions":
        received_for(world)
    if kind == "measured values":
        table = Measurement.objects.filter(kind=Measurement.Kind.VALUES).get()
        world.places |= {name: {"pk": table.pk} for name in ("measurements:table", "measurements:file")}
    return world


def received_for(world: World) -> None:
    """Let the team report a case, and the organizer send references that wait for a decision."""
    case_reports.report_case(
        user=world.people["team"], phase=world.phase, case=world.cases[1], category="reference", text="It is wrong."
    )
    # Equal references are findings, each with a picture.
    files = {f"references/{case}.nii.gz": nifti(reference_of(0)) for case in kept()}
    sent = SimpleUploadedFile("references.zip", zipped(files), content_type="application/zip")
    archive = received_archives.receive(
        user=world.people["organizer"], phase=world.phase, archive=sent, reason="Corrected."
    )
    received_archives.work_off(archive_id=archive.pk)
    world.places["test_sets:archive_preview"] = {"pk": archive.pk, "number": 0}
    finding = archive.findings.exclude(picture="").earliest("position")
    world.places["test_sets:archive_findings"] = {"pk": archive.pk}
    world.places["test_sets:finding_picture"] = {"pk": archive.pk, "finding": finding.pk}
    world.places["api:archive-findings"] = {"pk": archive.pk}
    world.places["api:archive-preview"] = {"pk": archive.pk, "number": 0}
    world.places["api:archive"] = {"pk": archive.pk}


@dataclass(frozen=True)
class Contents:
    """Everything of cases that an answer could contain.

    Attributes
    ----------
    names
        All cases but the one that addresses name.
    values
        Values of single cases in full, and as pages round them, by case.
    pictures, full_pictures
        Stored pictures of the prediction alone, and those with the reference.
    references, digests
        Reference files and their checksums.
    files
        Files of the prediction, and the images.
    """

    names: tuple[bytes, ...]
    values: tuple[bytes, ...]
    rounded: dict[bytes, tuple[bytes, ...]]
    pictures: tuple[bytes, ...]
    full_pictures: tuple[bytes, ...]
    references: tuple[bytes, ...]
    digests: tuple[bytes, ...]
    files: tuple[bytes, ...]

    @classmethod
    def of(cls, world: World) -> "Contents":
        root = Path(settings.STORAGES["private"]["OPTIONS"]["location"])
        frame = results_frame(world.run)
        frame = frame[frame["case"].isin(world.cases) & frame["value"].notna()]
        runs = Run.objects.filter(submission__phase=world.phase)
        of_teams = [value["value"] for run in runs for value in run.summary["values"] if value["value"] is not None]
        means = {repr(value) for value in of_teams}
        summary = {f"{value:.3f}" for value in of_teams}
        exact, rounded = set(), dict[bytes, tuple[bytes, ...]]()
        for case, values in frame.groupby("case")["value"]:
            # A value that several cases have does not tell which one it belongs to.
            others = {f"{value:.3f}" for value in frame[frame["case"] != case]["value"]}
            texts = {f"{value:.3f}" for value in values} - summary - others
            rounded[str(case).encode()] = tuple(text.encode() for text in texts if not text.endswith("00"))
            long = {repr(float(value)) for value in values} - means
            exact |= {text.encode() for text in long if len(text) > MOST_ROUNDED}
        stored = [path for path in (root / "pictures").rglob("*") if path.is_file() and ".json" not in path.name]
        secret = {path for path in stored if path.name.endswith(vault.SUFFIX)}
        cases = list(TestCase.objects.filter(test_set=world.run.test_set_id))
        with_files = [case.reference_file for case in cases if case.reference_file]
        files = [(root / case.image_file).read_bytes() for case in cases if case.image_file]
        if world.submission.predictions_file:
            with zipfile.ZipFile(root / world.submission.predictions_file) as archive:
                files += [archive.read(name) for name in archive.namelist()]
        return cls(
            names=tuple(case.name.encode() for case in cases if case.name != world.case),
            values=tuple(exact),
            rounded=rounded,
            pictures=tuple(path.read_bytes() for path in stored if path not in secret),
            full_pictures=tuple(vault.read_bytes(str(path.relative_to(root))) for path in secret),
            references=tuple(vault.read_bytes(name) for name in with_files),
            digests=tuple(case.reference_sha256.encode() for case in cases if case.reference_file),
            files=tuple(files),
        )

    def found_in(self, body: bytes) -> set[str]:
        """Return the kinds of content that an answer contains."""
        near = any(name in body and any(text in body for text in texts) for name, texts in self.rounded.items())
        found = {
            "names": any(name in body for name in self.names),
            "values": near or any(value in body for value in self.values),
            "pictures": any(picture in body for picture in self.pictures),
            "references": any(part in body for part in (*self.full_pictures, *self.references)),
            "digests": any(digest in body for digest in self.digests),
            "files": any(part in body for part in self.files),
            "log": PRINTED.encode() in body,
            "notes": EXIT.encode() in body,
        }
        return {kind for kind, is_there in found.items() if is_there}

"""The example challenges: real data below `examples/`, loaded through the same services as the browser uses."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Member, Phase, Task, Team
from challenges.services import create_challenge, create_phase, join_with_team, launch
from datastore.test_sets.queries import has_test_set
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.services.uploads import append
from designs.services import save_field
from designs.services.examples import load_example_design
from evaluation.running.registered import Registered
from evaluation.scoring import find_cases
from operations.services import example_algorithms, example_images, example_measurements
from operations.services.example_accounts import ORGANIZER, create_accounts
from operations.services.example_data import generated
from registry.queries import registration_of
from registry.services.accepting import register_design
from submissions.hooks import TryMe
from submissions.models import Submission
from submissions.services.submitting import create_upload, finish

# Participants of the example world and their teams, for a visitor to submit with.
VISITORS = {"paula": "voxel-works", "peter": "gray-matter"}
_EPOCH = (2026, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Example:
    """One folder below `examples/` with its `challenge.json`."""

    folder: Path
    content: dict[str, Any]

    @cached_property
    def data(self) -> Path:
        """Folder with references and predictions, next to the description or generated."""
        if "generated" in self.content:
            return generated(self.content)
        return self.folder / self.content.get("data", "")

    @property
    def algorithms(self) -> list[str]:
        """Names of all algorithms with predictions in the folder.

        Empty if the algorithms are submitted as container images.
        """
        if self.containers:
            return []
        if self.measured:
            return sorted(self.content["generated"]["algorithms"])
        return sorted(path.name for path in (self.data / "predictions").iterdir())

    @property
    def containers(self) -> list[dict[str, Any]]:
        """Descriptions of the algorithms that are submitted as container images."""
        return self.content.get("containers", [])

    @property
    def measured(self) -> dict[str, str]:
        """Person, tool and time of externally measured values; empty for other examples."""
        return self.content.get("measured", {})

    @property
    def images(self) -> Path | None:
        """Folder of the images that pictures show; examples made from the same images share them, and some have none."""
        folder = self.folder / self.content.get("images", "images")
        return folder if folder.is_dir() else None

    @property
    def characteristics(self) -> pd.DataFrame | None:
        """Table with the characteristics of the cases, or None without ``cases.csv``."""
        table = self.folder / "cases.csv"
        return pd.read_csv(table) if table.is_file() else None

    @property
    def beside(self) -> dict[str, str]:
        """Paths of the additional tables of an algorithm, by table name.

        Paths are relative to `data`. They contain ``{algorithm}`` for the name of the algorithm.
        """
        return self.content.get("beside", {})

    @property
    def table(self) -> str:
        """Name of the one file that holds the predictions of all cases; empty where every case has a file."""
        return self.content.get("table", "")

    def phase(self, slug: str) -> dict[str, Any]:
        """The phase's part of `challenge.json`."""
        return next(entry for entry in self.content["phases"] if entry["slug"] == slug)


def example(name: str) -> Example:
    """Read an example.

    Raises
    ------
    ValueError
        When there is none of that name.
    """
    folder = settings.ROOT / "examples" / name
    if not re.fullmatch(r"[a-z0-9-]+", name) or not (folder / "challenge.json").is_file():
        example_names = sorted(path.parent.name for path in (settings.ROOT / "examples").glob("*/challenge.json"))
        raise ValueError(f"There is no example “{name}”; there are: {', '.join(example_names)}.")
    return Example(folder, json.loads((folder / "challenge.json").read_text()))


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Pack files so that the same content always gives the same bytes; stored, since images are compressed already."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content)
    return buffer.getvalue()


def predictions(source: Example, algorithm: str, cases: Sequence[str]) -> bytes:
    """The archive that the algorithm's team hands in for these cases; cases without a prediction are absent."""
    if source.table:
        return _packed_table(source, *_rows(source, algorithm, cases))
    files = find_cases(source.data / "predictions" / algorithm)
    tables = {
        name: _table_text(*_rows_of(source.data / pattern.format(algorithm=algorithm), cases))
        for name, pattern in source.beside.items()
    }
    images = [(files[case].name, files[case].read_bytes()) for case in cases if case in files]
    return packed([*images, *tables.items()])


def _rows(source: Example, algorithm: str, cases: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of an algorithm's table, of these cases only."""
    return _rows_of(source.data / "predictions" / algorithm / source.table, cases)


def _rows_of(path: Path, cases: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table, of these cases only."""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    wanted = set(cases)
    return head, [row for row in rows if row[0] in wanted]


def _packed_table(source: Example, head: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    return packed([(source.table, _table_text(head, rows))])


def _table_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue().encode()


def load(name: str) -> Challenge:
    """Make the challenge with its phases, test sets and teams; what is already there stays."""
    source = example(name)
    people = create_accounts()
    challenge = Challenge.objects.filter(slug=source.content["slug"]).first()
    if challenge is None:
        make = _launch if "design" in source.content else _create
        challenge = make(source, people[ORGANIZER])
    phases = list(Phase.objects.filter(task__challenge=challenge).select_related("task__challenge"))
    for phase in phases:
        if not has_test_set(phase):
            if source.measured:
                example_measurements.seal_cases(phase, source.phase(phase.slug), actor=people[ORGANIZER])
                continue
            create_test_set(
                phase=phase,
                references=source.data / "references",
                images=source.images,
                cases=source.phase(phase.slug)["cases"],
                metadata=source.characteristics,
                actor=people[ORGANIZER],
            )
        # Where algorithms are handed in, teams do not get the images.
        if source.images is not None and not source.containers and phase.has_opened:
            example_images.offer_images(
                phase=phase,
                images=source.images,
                cases=source.phase(phase.slug)["cases"],
                attribution=source.content["attribution"],
                actor=people[ORGANIZER],
            )
    if not source.measured and not source.containers:
        example_images.offer_practice(phase=phases[0], actor=people[ORGANIZER])
    for username, team in VISITORS.items():
        if not Member.objects.filter(challenge=challenge, user=people[username]).exists():
            join_with_team(user=people[username], challenge=challenge, team_name=team)
    return challenge


@transaction.atomic
def _launch(source: Example, organizer: User) -> Challenge:
    """Bring the challenge to life from the registration of its design, with a schedule around today."""
    design, _ = load_example_design(name=source.content["design"], owner=organizer)
    registration = registration_of(design)
    if registration is None:
        save_field(actor=organizer, design=design, parameter="challenge_schedule", value=_schedule(source))
        registration = register_design(design=design, actor=organizer, by_system=True).registration
    return launch(actor=organizer, registration=registration, slug=source.content["slug"])


def _schedule(source: Example) -> list[dict[str, str]]:
    """The timetable of a design, counted from today."""
    today = timezone.now().date()

    def row(event: str, days: int, **more: str) -> dict[str, str]:
        return {"event": event, "date": (today + timedelta(days=days)).isoformat(), **more}

    phases = source.content["phases"]
    last = max(phase["closes_days"] for phase in phases)
    return [
        row("registration_open", 0),
        *(row("submission_open", phase["opens_days"], phase=phase["name"]) for phase in phases),
        *(row("submission_deadline", phase["closes_days"], phase=phase["name"]) for phase in phases),
        row("results_release", last),
        row("embargo_end", last + 1),
    ]


@transaction.atomic
def _create(source: Example, organizer: User) -> Challenge:
    content = source.content
    fields = ("slug", "title", "summary", "description", "data_description", "rules_text", "attribution", "contact")
    challenge = create_challenge(
        actor=organizer, organizers=[organizer], is_public=True, **{field: content[field] for field in fields}
    )
    task = Task.objects.create(challenge=challenge, **content["task"])
    today = timezone.now().replace(minute=0, second=0, microsecond=0)
    copied = (
        *("slug", "name", "submissions_per_day", "submissions_in_total"),
        *("counts", "results", "leaderboard", "reveals_cases"),
    )
    for position, entry in enumerate(content["phases"], start=1):
        more: dict[str, Any] = {"is_dry_run": True} if entry.get("is_dry_run") else {}
        if "algorithms" in entry:
            more["algorithms"] = Registered.of(entry["algorithms"]).document()
        create_phase(
            actor=organizer,
            task=task,
            assessment=content["assessment"],
            position=position,
            opens_at=today + timedelta(days=entry["opens_days"]),
            closes_at=today + timedelta(days=entry["closes_days"]),
            **{field: entry[field] for field in copied},
            **more,
        )
    return challenge


def submit_algorithms(name: str) -> list[Submission]:
    """Hand in every algorithm but those left for visitors, each as a team of its name, in every open phase.

    Uses the services behind the browser's upload. A team that has already submitted in a phase is left alone.
    """
    source = example(name)
    challenge = Challenge.objects.get(slug=source.content["slug"])
    submitted: list[Submission] = []
    for phase in Phase.objects.filter(task__challenge=challenge).select_related("task__challenge"):
        if source.measured and phase.is_open:
            actor = User.objects.get(username=ORGANIZER)
            described = source.phase(phase.slug)
            if example_measurements.bring_values(phase, described, source.measured, source.data, actor=actor):
                submitted += Submission.objects.filter(phase=phase)
            continue
        for algorithm in source.algorithms:
            if algorithm in source.content["left_for_visitors"] or not phase.is_open:
                continue
            team = _team(challenge, algorithm)
            if Submission.objects.filter(phase=phase, team=team).exists():
                continue
            captain = team.members.select_related("user").get().user
            archive = io.BytesIO(predictions(source, algorithm, source.phase(phase.slug)["cases"]))
            upload = create_upload(
                user=captain,
                phase=phase,
                team=team,
                file_name=f"{algorithm}.zip",
                size=archive.getbuffer().nbytes,
                accept_incomplete=True,
            )
            append(upload=upload, offset=0, read=archive.read)
            submitted.append(finish(upload=upload))
    if source.containers and example_algorithms.can_run():
        for described in source.containers:
            team = _team(challenge, described["team"])
            submitted += example_algorithms.hand_in(source.folder, described, challenge, team)
    return submitted


def _team(challenge: Challenge, algorithm: str) -> Team:
    team = Team.objects.filter(challenge=challenge, name=algorithm).first()
    if team is not None:
        return team
    user, created = User.objects.get_or_create(
        username=f"example-{algorithm}", defaults={"first_name": "Example", "last_name": algorithm}
    )
    if created:
        user.set_unusable_password()
        user.save()
    return join_with_team(user=user, challenge=challenge, team_name=algorithm)


# --- Files for a visitor to try -----------------------------------------------------------------------------------
TRY_ME_NAME = re.compile(r"[a-z0-9-]+\.(zip|tar\.gz)")
BROKEN = "broken"


def try_me_files(source: Example) -> dict[str, bytes]:
    """Archives by file name: what `try_me` of `challenge.json` names, for each phase."""
    files = {}
    for entry in source.content["phases"]:
        for offered in source.content["try_me"]:
            stem, cases = offered["file"], entry["cases"]
            broken = _broken_table if source.table else _broken
            content = broken(source, cases) if stem == BROKEN else predictions(source, stem, cases)
            files[f"{stem}-{entry['slug']}.zip"] = content
    return files


def _broken_table(source: Example, cases: Sequence[str]) -> bytes:
    """A table with one fault of each kind: a score out of range; of labels a case twice and one absent; a misspelt case."""
    head, rows = _rows(source, source.content["left_for_visitors"][0], cases)
    score = 1 if head[1].startswith("p_") else head.index("score")
    out_of_range, second, absent, misspelt = cases[:4]
    first = {row[0]: row for row in reversed(rows)}
    first[out_of_range][score] = "1.7"
    if "x_max" in head:
        first[second][head.index("x_max")] = first[second][head.index("x_min")]
    else:
        rows = [row for row in rows if row[0] != absent] + [first[second]]
    prefix, number = misspelt.rsplit("_", 1)
    renamed = [[f"{prefix}-{number}", *row[1:]] if row[0] == misspelt else row for row in rows]
    return _packed_table(source, head, renamed)


def _broken(source: Example, cases: Sequence[str]) -> bytes:
    """Volumes with one fault of each kind: wrong grid, stray label, absent case, misspelt name, a file too many."""
    import nibabel as nib
    import numpy as np

    algorithm = source.content["left_for_visitors"][0]
    files = {case: (source.folder / "predictions" / algorithm / f"{case}.nii.gz") for case in cases}
    wrong_grid, stray_label, absent, misspelt = cases[:4]

    def changed(case: str, change: Any) -> bytes:
        image = nib.Nifti1Image.from_filename(files[case])
        return _gzipped(nib.Nifti1Image(change(np.asarray(image.dataobj)), image.affine).to_bytes())

    def stray(labels: np.ndarray) -> np.ndarray:
        labels = labels.copy()
        labels[0, 0, 0] = 7
        return labels

    content = {case: path.read_bytes() for case, path in files.items() if case != absent}
    content[wrong_grid] = changed(wrong_grid, lambda labels: labels[:, :, :-3].copy())
    content[stray_label] = changed(stray_label, stray)
    prefix, number = misspelt.rsplit("_", 1)
    renamed = {f"{prefix}-{number}" if case == misspelt else case: data for case, data in content.items()}
    return packed([*((f"{case}.nii.gz", data) for case, data in renamed.items()), ("notes.txt", b"made by hand\n")])


def _gzipped(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, mtime=0)


def try_me(phase: Phase) -> list[TryMe]:
    """Return the files that the submit page of an example challenge offers, in example mode only."""
    folder = settings.ROOT / "examples" / phase.challenge.slug / "try-me"
    if not settings.PODIUM_EXAMPLE_MODE:
        return []
    if phase.algorithms:
        return _images_to_try(phase)
    if not folder.is_dir():
        return []
    return [
        TryMe(
            label=offered["file"],
            description=offered["description"],
            url=reverse("operations:try_me", args=[phase.challenge.slug, f"{offered['file']}-{phase.slug}.zip"]),
        )
        for offered in example(phase.challenge.slug).content["try_me"]
        if (folder / f"{offered['file']}-{phase.slug}.zip").is_file()
    ]


def _images_to_try(phase: Phase) -> list[TryMe]:
    """Return the images and weights of the algorithms of an example.

    Each file is created when it is requested.
    """
    try:
        source = example(phase.challenge.slug)
    except ValueError:
        return []
    if not source.containers or not example_algorithms.can_run():
        return []
    images = []
    for described in source.containers:
        files = {described["team"]: described["description"]}
        if described.get("model"):
            files[f"{described['team']}-weights"] = f"The weights that {described['team']} needs: send them as well."
        images += [
            TryMe(
                label=f"{stem}.tar.gz",
                description=words,
                url=reverse("operations:try_me", args=[source.folder.name, f"{stem}.tar.gz"]),
            )
            for stem, words in files.items()
        ]
    return images


def image_to_try(name: str, file: str) -> bytes | None:
    """The content of a file that `try_me` offers for a phase that takes algorithms; None where there is no such file."""
    try:
        source = example(name)
    except ValueError:
        return None
    if not example_algorithms.can_run():
        return None
    for described in source.containers:
        if file == f"{described['team']}.tar.gz":
            return example_algorithms.offered(source.folder, described)
        if file == f"{described['team']}-weights.tar.gz" and described.get("model"):
            return example_algorithms.weights(source.folder, described["model"])
    return None

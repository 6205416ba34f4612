"""Four hospitals with the cases of the hippocampus example, and their centre.

Each hospital has a separate folder and separate processes.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Task, Team
from challenges.services import create_challenge, create_phase
from federation.models import Enrolment, Federation, Site
from federation.services import federations, sites

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "hippocampus"
SIZES = {"north": 26, "east": 18, "3": 12, "tiny": 4}
ALGORITHMS = ("boosted-trees", "mean-atlas", "multi-atlas-5", "unet-a", "unet-tiny")
ASSESSMENT: dict[str, Any] = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "anterior", "labels": [1]}, {"name": "posterior", "labels": [2]}],
    "metrics": [{"id": "dsc"}],
    "aggregation": {"levels": ["case"], "operator": "mean"},
    "ranking": {
        "scheme": "aggregate_then_rank",
        "operator": "mean",
        "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    },
    "uncertainty": {"bootstrap": 200, "seed": 1, "resample": "case", "strata": ["site"]},
}


@dataclass
class Centre:
    """A challenge whose one phase is evaluated at sites."""

    organizer: User
    challenge: Challenge
    phase: Phase
    federation: Federation
    codes: dict[str, str] = field(default_factory=dict)

    def invite(self, name: str) -> Site:
        """Invite a site, and keep the code of its invitation."""
        site, code = sites.invite_site(actor=self.organizer, federation=self.federation, name=name)
        self.codes[name] = code
        return site

    def confirm(self, name: str, fingerprint: str) -> None:
        """Confirm the key of a site, as an organizer does after a telephone call."""
        enrolment = Enrolment.objects.get(site__federation=self.federation, site__name=name, revoked_at=None)
        sites.confirm_key(actor=self.organizer, enrolment=enrolment, fingerprint=fingerprint)

    def page(self, name: str) -> str:
        """The address of a site's page, without the host."""
        return f"/challenges/{self.challenge.slug}/sites/invitation/{self.codes[name]}/"


def build(assessment: Mapping[str, Any] = ASSESSMENT, *, algorithms: tuple[str, ...] = ALGORITHMS) -> Centre:
    """Make the centre: an organizer, a challenge, a phase of that assessment, and the algorithms as teams."""
    organizer = User.objects.create_user("olga", "olga@example.org", "a long password")
    challenge = create_challenge(
        actor=organizer,
        organizers=[organizer],
        slug="hippo",
        title="Hippocampus at sites",
        summary="Sites.",
        is_public=True,
    )
    task = Task.objects.create(challenge=challenge, slug="task", name="Task")
    now = timezone.now()
    phase = create_phase(
        actor=organizer,
        task=task,
        assessment=assessment,
        slug="final",
        name="Final phase",
        position=1,
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        leaderboard=Phase.Leaderboard.SEALED,
    )
    federation = federations.open_federation(actor=organizer, phase=phase)
    for name in algorithms:
        team = Team.objects.create(challenge=challenge, name=f"Team {name}", slug=name)
        federations.name_algorithm(actor=organizer, federation=federation, name=name, team=team)
    return Centre(organizer, challenge, phase, federation)


def cases_of(site: str) -> list[str]:
    """The cases of a site: the example's, divided by name."""
    names = sorted(path.name.partition(".")[0] for path in (EXAMPLE / "references").iterdir())
    start = 0
    for name, size in SIZES.items():
        if name == site:
            return names[start : start + size]
        start += size
    raise KeyError(site)


@dataclass
class Hospital:
    """A machine in a hospital: a folder, and the command in separate processes."""

    name: str
    home: Path
    online: bool = True

    @property
    def folder(self) -> Path:
        return self.home / "site"

    def podium(self, *words: str | Path, answer: str = "") -> subprocess.CompletedProcess[str]:
        """Run `podium site …`; without a network, every attempt to open a connection fails."""
        (self.home / "guard").mkdir(parents=True, exist_ok=True)
        path = [str(ROOT / "client"), str(ROOT)]
        if not self.online:
            guard = "import socket\ndef _no(*a, **k): raise OSError('no network at this site')\nsocket.socket.connect = _no\n"
            (self.home / "guard" / "sitecustomize.py").write_text(guard)
            path.insert(0, str(self.home / "guard"))
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": ":".join(path),
            "HOME": str(self.home),
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "podium_client", "site", *map(str, words)]
        where = self.folder if self.folder.is_dir() else self.home
        return subprocess.run(
            command, cwd=where, env=environment, input=answer, capture_output=True, text=True, timeout=300, check=False
        )

    def done(self, *words: str | Path) -> str:
        """The same for what has to succeed."""
        found = self.podium(*words)
        assert found.returncode == 0, found.stdout + found.stderr
        return found.stdout

    def fill(self, algorithms: tuple[str, ...] = ALGORITHMS) -> None:
        """Copy references and predictions to the folders that the command named."""
        for case in cases_of(self.name):
            shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", self.folder / "cases" / "references")
        for algorithm in algorithms:
            target = self.folder / "predictions" / algorithm
            target.mkdir(exist_ok=True)
            for case in cases_of(self.name):
                source = EXAMPLE / "predictions" / algorithm / f"{case}.nii.gz"
                if source.exists():
                    shutil.copy(source, target)

    def fingerprint(self) -> str:
        """Return the key fingerprint that the coordinator reads aloud."""
        return self.done("status").split("fingerprint of its key ")[1].splitlines()[0]


def public_cases(target: Path, assessment: Path) -> Path:
    """Make the public cases of the package with the command, from two cases of the example."""
    references, predictions = target / "references", target / "predictions"
    references.mkdir(parents=True)
    for case in cases_of("tiny")[:2]:
        shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", references)
        for algorithm in ALGORITHMS[:2]:
            (predictions / algorithm).mkdir(parents=True, exist_ok=True)
            shutil.copy(EXAMPLE / "predictions" / algorithm / f"{case}.nii.gz", predictions / algorithm)
    archive = target / "public.zip"
    hospital = Hospital("centre", target)
    hospital.done(
        "pack-test", assessment, "--references", references, "--predictions", predictions, "--output", archive
    )
    return archive

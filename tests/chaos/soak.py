"""Kill workers with -9 at random moments while teams submit, disturb the services they use, and count results.

    python -m tests.chaos.soak --submissions 200 --kills 60 [--own-services] [--ahead 3600] [--seed N]

Runs on the embedded default, or on `DATABASE_URL` and `REDIS_URL` if both are set: real worker processes,
a separate database and key prefix, a temporary data folder. With `--own-services`, PostgreSQL and Redis
are started for it, and killed like the workers (Redis forgets everything, PostgreSQL recovers as after a
power cut). Otherwise, the embedded broker is killed.

If this process may mount a separate disk, the disk is filled to the last byte for seconds at a time. With
`--ahead`, the clock of one worker's machine is ahead by this number of seconds. Every message is sent
twice, and part of the teams send the end of their upload twice at the same instant. The seed determines
everything except the speed of the processes.

At the end, every submission must have exactly one result, with the digest that an undisturbed computation
gives. The exit code reports whether that is true. Each fault has an option to exclude it.
"""

import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.faults import Chaos, Disk, small_disk
from tests.chaos.faulty import send_twice
from tests.chaos.processes import ROOT, Process, clock, worker
from tests.chaos.services import embedded_broker, own_database, own_postgres, own_redis
from tests.chaos.teams import TWICE, Teams

CASES = tuple(f"case_{number:03d}" for number in range(1, 17))
SHAPE = (36, 50, 36)


def main() -> int:
    """Run the soak and print its summary."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=200)
    options.add_argument("--kills", type=int, default=60)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--own-services", action="store_true", help="PostgreSQL and Redis of its own, restarted too")
    options.add_argument("--ahead", type=float, default=0.0, help="seconds by which one worker's clock is ahead")
    options.add_argument("--patience", type=float, default=300.0, help="seconds after the last kill")
    options.add_argument("--no-full-disk", action="store_true", help="never fill the disk")
    options.add_argument("--no-duplicates", action="store_true", help="send each message once")
    options.add_argument("--no-double-submits", action="store_true", help="send the end of each upload once")
    chosen = options.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    with place(own_services=chosen.own_services, own_disk=not chosen.no_full_disk) as found:
        return soak(found, random.Random(seed), chosen)


@dataclass(frozen=True)
class Place:
    """Environment of a soak: servers that can be killed, a disk that can be filled, and a folder for logs.

    The folder for logs is never full.
    """

    servers: dict[str, Process]
    disk: Disk | None
    logs: Path


@contextlib.contextmanager
def place(*, own_services: bool, own_disk: bool = False):
    """A data folder, a database and a broker of our own; gone afterwards."""
    folder, logs = (Path(tempfile.mkdtemp(prefix=f"podium-soak-{kind}")) for kind in ("", "logs-"))
    os.environ.update(
        PODIUM_DATA=str(folder),
        PODIUM_TLS="0",
        PODIUM_EXAMPLE_MODE="0",
        PODIUM_LOG_JSON="0",
        LOG_LEVEL="ERROR",
        PODIUM_SWEEP_SECONDS="2",
        PODIUM_LEASE_SECONDS="3",
        PODIUM_DISK_RESERVE_BYTES="0",
        PODIUM_BROKER_PREFIX=f"soak-{os.getpid()}-",
        DJANGO_SETTINGS_MODULE="config.settings",
        PYTHONPATH=f"{ROOT / 'platform'}{os.pathsep}{ROOT}",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )
    sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
    servers = {}
    with contextlib.ExitStack() as stack:
        for made in (folder, logs):
            stack.callback(shutil.rmtree, made, ignore_errors=True)
        disk = stack.enter_context(small_disk(folder)) if own_disk else None
        if own_services:
            servers = {"database": stack.enter_context(own_postgres()), "broker": stack.enter_context(own_redis())}
        elif os.environ.get("DATABASE_URL", "").startswith("postgres"):
            os.environ["DATABASE_URL"] = stack.enter_context(own_database(os.environ["DATABASE_URL"]))
        if not os.environ.get("REDIS_URL"):
            servers["broker"] = stack.enter_context(embedded_broker(folder))
        yield Place(servers, disk, logs)


def soak(where: Place, chance: random.Random, chosen: argparse.Namespace) -> int:
    """Submit, kill, wait, count."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    folder = Path(os.environ["PODIUM_DATA"])
    world, archives = prepare(folder)
    expected = {shift: quiet_digest(world, shift) for shift in archives}
    counter = None if chosen.no_duplicates else where.logs / "duplicates"
    if counter:
        send_twice(counter)
    ahead = [chosen.ahead] + [0.0] * (chosen.workers - 1)
    workers = [worker(number, where.logs, ahead=ahead[number], counter=counter) for number in range(chosen.workers)]
    beat = clock(where.logs, counter=counter)
    chaos = Chaos(workers, beat, where.servers, where.disk, chance)
    teams = Teams(world)
    began = time.monotonic()
    try:
        chaos.until_up()
        strikes = Counter()
        every = max(1, chosen.submissions // max(chosen.kills, 1))
        for number in range(chosen.submissions):
            shift = chance.choice(list(archives))
            team = chance.choice([world.adas, world.bos])
            twice = chance.random() < TWICE and not chosen.no_double_submits
            teams.submit(archives[shift], shift, team=team, twice=twice)
            if number % every == 0 and sum(strikes.values()) < chosen.kills / 2:
                strikes[chaos.strike()] += 1
            time.sleep(chance.uniform(0, 0.2))
        while sum(strikes.values()) < chosen.kills:
            chaos.until_up()
            time.sleep(chance.uniform(0.1, 1.0))
            strikes[chaos.strike()] += 1
        chaos.end()
        left = wait(teams, chosen.patience, chaos)
        told = {
            "place": f"{os.environ.get('DATABASE_URL', 'SQLite').partition(':')[0]}, {len(workers)} workers",
            "time": f"{time.monotonic() - began:.0f} s",
            "killed": ", ".join(f"{count} × {kind}" for kind, count in sorted(strikes.items())) or "nothing",
            "full disk": f"{strikes['full disk']} times"
            if where.disk
            else "left out: no disk of its own could be mounted",
            "clock": f"one worker {chosen.ahead:.0f} s ahead" if chosen.ahead else "right everywhere",
            "messages doubled": counter.stat().st_size if counter and counter.exists() else 0,
            "uploads doubled": teams.doubled,
            "uploads broken off": f"{teams.interrupted} times, taken up again",
        }
        return summary(teams, expected, left, told, folder, where.logs)
    finally:
        chaos.end()
        for process in (beat, *workers):
            process.kill()


def prepare(folder: Path):
    """A challenge, and archives of predictions that differ in how far they are moved."""
    import numpy as np

    from submissions import hooks
    from tests.integration.submissions import world as worlds

    hooks.run_scored.clear()
    chance = np.random.default_rng(0)
    reference = np.zeros(SHAPE, dtype=np.uint8)
    reference[8:18, 10:40, 8:28] = 1
    reference[18:28, 10:40, 8:28] = 2
    rough = np.where(chance.random(SHAPE) < 0.05, 0, reference).astype(np.uint8)
    world = worlds.build(folder / "references", references=dict.fromkeys(CASES, reference))
    archives = {
        shift: worlds.zipped(
            {f"{case}.nii.gz": worlds.nifti(moved(rough, shift, number)) for number, case in enumerate(CASES)}
        )
        for shift in range(4)
    }
    return world, archives


def moved(labels, shift: int, number: int):
    """Labels of one case, moved along two axes: identical predictions for all cases would be held."""
    import numpy as np

    return np.roll(labels, (shift, number), axis=(0, 1))


def quiet_digest(world, shift: int) -> str:
    """The digest that the platform should come to, computed here without it."""
    import numpy as np

    from datastore.test_sets import vault
    from evaluation.readers import LabelImage, read_label_image
    from evaluation.scoring import prepare_reference, score_case
    from executions.scoring.domain import results

    assessment = world.phase.assessment
    chance = np.random.default_rng(0)
    keep = chance.random(SHAPE) >= 0.05
    rows = []
    for case in world.test_set.cases.all():
        with vault.opened(case.reference_file) as path:
            reference = read_label_image(path)
        rough = np.where(keep, reference.labels, 0).astype(np.uint8)
        prediction = LabelImage(moved(rough, shift, CASES.index(case.name)), reference.geometry)
        prepared = prepare_reference(assessment, reference)
        rows += [results.CaseRow.of(row) for row in score_case(assessment, case.name, prepared, prediction)]
    return results.digest(rows)


def wait(teams: Teams, patience: float, chaos: Chaos) -> int:
    """Wait until nothing moves any more; returns how many submissions are not settled then."""
    from submissions.models import Submission

    end = time.monotonic() + patience
    while time.monotonic() < end:
        open_ones = teams.patiently(Submission.objects.exclude(state__in=Submission.SETTLED).count)
        if not open_ones:
            return 0
        chaos.revive()
        time.sleep(0.5)
    return open_ones


def summary(teams: Teams, expected: dict, left: int, told: dict, folder: Path, logs: Path) -> int:
    """Print what became of the submissions; returns the exit code."""
    from submissions.models import Run, Submission

    problems, compared = [], 0
    runs = list(Run.objects.all())
    by_submission = Counter(run.submission_id for run in runs)
    for pk, shift in teams.sent.items():
        counted = [run for run in runs if run.submission_id == pk and run.counts]
        if by_submission[pk] != 1 or len(counted) != 1:
            problems.append(
                f"{pk}: {by_submission[pk]} runs, {len(counted)} counted; {[run.log[:300] for run in runs]}"
            )
        elif counted[0].result_digest != expected[shift]:
            problems.append(f"{pk}: another digest than in a quiet run; {counted[0].log[:300]}")
        else:
            compared += 1
    states = Counter(Submission.objects.values_list("state", flat=True))
    if sum(states.values()) != len(teams.sent):
        problems.append(f"{sum(states.values())} submissions are there of {len(teams.sent)} that were made")
    files = len(list((folder / "storage" / "results").rglob("*.parquet")))
    if files != len(teams.sent):
        problems.append(f"{files} result files")
    told = {
        "submissions": len(teams.sent),
        **told,
        "states": ", ".join(f"{count} {state}" for state, count in sorted(states.items())),
        "not settled": left,
        "digests compared": f"{compared} equal to those of a quiet computation",
        "problems": len(problems),
    }
    for name, value in told.items():
        print(f"{name:<19} {value}")
    for problem in problems[:10]:
        print(f"  {problem}")
    if left or problems:
        for log in sorted(logs.glob("*.log")):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")
    return 1 if left or problems else 0


if __name__ == "__main__":
    sys.exit(main())

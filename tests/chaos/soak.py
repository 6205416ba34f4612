"""Kill workers with -9 at random moments while teams submit, and count the results.

    python -m tests.chaos.soak --submissions 200 --kills 60 [--own-services] [--ahead 3600]

Runs on the embedded default, or on `DATABASE_URL` and `REDIS_URL` where both are set: real worker processes, a database
and key prefix of its own, a temporary data folder. With `--own-services` PostgreSQL and Redis are started for it, and
struck down like the workers (Redis forgets everything, PostgreSQL recovers as after a power cut). With `--ahead` the clock
of one worker's machine is so many seconds ahead. Messages are delivered twice on purpose. At the end every submission has
exactly one result, with the digest that a quiet computation gives; the exit code says whether that holds.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.chaos.processes import ROOT, Process, clock, worker
from tests.chaos.services import embedded_broker, own_database, own_postgres, own_redis

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
    chosen = options.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    with place(own_services=chosen.own_services) as servers:
        return soak(servers, random.Random(seed), chosen)


@contextlib.contextmanager
def place(*, own_services: bool):
    """A data folder, a database and a broker of our own; gone afterwards. Gives the servers that may be struck down."""
    folder = Path(tempfile.mkdtemp(prefix="podium-soak-"))
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
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if own_services:
            servers = {"database": stack.enter_context(own_postgres()), "broker": stack.enter_context(own_redis())}
        elif os.environ.get("DATABASE_URL", "").startswith("postgres"):
            os.environ["DATABASE_URL"] = stack.enter_context(own_database(os.environ["DATABASE_URL"]))
        if not os.environ.get("REDIS_URL"):
            servers["broker"] = stack.enter_context(embedded_broker(folder))
        yield servers


def soak(servers: dict[str, Process], chance: random.Random, chosen: argparse.Namespace) -> int:
    """Submit, kill, wait, count."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    folder = Path(os.environ["PODIUM_DATA"])
    world, archives = prepare(folder)
    expected = {shift: quiet_digest(world, shift) for shift in archives}
    ahead = [chosen.ahead] + [0.0] * (chosen.workers - 1)
    workers = [worker(number, folder, ahead=ahead[number]) for number in range(chosen.workers)]
    beat = clock(folder)
    began = time.monotonic()
    try:
        until_up(workers)
        sent = {}
        kills = Counter()
        every = max(1, chosen.submissions // max(chosen.kills, 1))
        for number in range(chosen.submissions):
            shift = chance.choice(list(archives))
            team = chance.choice([world.adas, world.bos])
            submission = patiently(lambda archive=archives[shift], team=team: world.upload(archive, team=team))
            sent[submission.pk] = shift
            deliver_twice(submission.pk)
            if number % every == 0 and sum(kills.values()) < chosen.kills / 2:
                kills[strike(workers, beat, servers, chance)] += 1
            time.sleep(chance.uniform(0, 0.2))
        while sum(kills.values()) < chosen.kills:
            until_up(workers)
            time.sleep(chance.uniform(0.1, 1.0))
            kills[strike(workers, beat, servers, chance)] += 1
        left = wait(sent, chosen.patience, [*workers, beat])
        seconds = time.monotonic() - began
        return summary(sent, expected, left, kills, seconds, folder)
    finally:
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
        shift: worlds.zipped({f"{case}.nii.gz": worlds.nifti(np.roll(rough, shift, axis=0)) for case in CASES})
        for shift in range(4)
    }
    return world, archives


def quiet_digest(world, shift: int) -> str:
    """The digest that the platform should come to, computed here without it."""
    import numpy as np

    from evaluation.readers import LabelImage, read_label_image
    from evaluation.scoring import prepare_reference, score_case
    from submissions import results, vault

    assessment = world.phase.assessment
    chance = np.random.default_rng(0)
    keep = chance.random(SHAPE) >= 0.05
    rows = []
    for case in world.test_set.cases.all():
        with vault.opened(case.reference_file) as path:
            reference = read_label_image(path)
        prediction = LabelImage(
            np.roll(np.where(keep, reference.labels, 0).astype(np.uint8), shift, axis=0), reference.geometry
        )
        prepared = prepare_reference(assessment, reference)
        rows += [results.CaseRow.of(row) for row in score_case(assessment, case.name, prepared, prediction)]
    return results.digest(rows)


def deliver_twice(pk: object) -> None:
    """Send messages that have been sent already."""
    from web.jobs import send

    send("submissions.tasks.validate", [str(pk)])
    send("submissions.tasks.score_chunk", [])


def patiently(act, seconds: float = 60):
    """Do it again while the database is away, as whoever uploads does."""
    from django.db import InterfaceError, OperationalError, connection

    end = time.monotonic() + seconds
    while True:
        try:
            return act()
        except (InterfaceError, OperationalError):
            if time.monotonic() > end:
                raise
            connection.close()
            time.sleep(0.2)


def strike(workers: list[Process], beat: Process, servers: dict[str, Process], chance: random.Random) -> str:
    """Kill something at random; what nothing brings back by itself is started again, as a supervisor would."""
    kind = chance.choices(["pool process", "worker", "clock", *servers], [6, 2, 1, *(1 for _ in servers)])[0]
    pool = [pid for process in workers for pid in process.pool()]
    if kind == "pool process" and pool:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(pool), signal.SIGKILL)
        return kind
    if kind in {"clock": beat, **servers}:
        {"clock": beat, **servers}[kind].restart()
        return kind
    chance.choice(workers).restart()
    return "worker"


def until_up(workers: list[Process], patience: float = 60) -> None:
    """Wait until every worker has its pool, so that kills hit work and not only starts."""
    end = time.monotonic() + patience
    while time.monotonic() < end and not all(process.pool() for process in workers):
        revive(workers)
        time.sleep(0.1)


def revive(workers: list[Process]) -> None:
    """Start what ended by itself, as a supervisor does."""
    for process in workers:
        if process.popen.poll() is not None:
            process.start()


def wait(sent: dict, patience: float, processes: list[Process]) -> int:
    """Wait until nothing moves any more; returns how many submissions are not settled then."""
    from submissions.models import Submission

    end = time.monotonic() + patience
    while time.monotonic() < end:
        open_ones = patiently(Submission.objects.filter(pk__in=sent).exclude(state__in=Submission.SETTLED).count)
        if not open_ones:
            return 0
        revive(processes)
        time.sleep(0.5)
    return open_ones


def summary(sent: dict, expected: dict, left: int, kills: Counter, seconds: float, folder: Path) -> int:
    """Print what became of the submissions; returns the exit code."""
    from submissions.models import Run, Submission

    problems = []
    runs = list(Run.objects.filter(submission__in=sent))
    by_submission = Counter(run.submission_id for run in runs)
    for pk, shift in sent.items():
        counted = [run for run in runs if run.submission_id == pk and run.counts]
        if by_submission[pk] != 1 or len(counted) != 1:
            problems.append(f"{pk}: {by_submission[pk]} runs, {len(counted)} counted")
        elif counted[0].result_digest != expected[shift]:
            problems.append(f"{pk}: another digest than in a quiet run; {counted[0].log[:300]}")
    files = list((folder / "storage" / "results").rglob("*.parquet"))
    states = Counter(Submission.objects.filter(pk__in=sent).values_list("state", flat=True))
    print(f"submissions       {len(sent)}")
    print(f"killed            {', '.join(f'{count} × {kind}' for kind, count in sorted(kills.items()))}")
    print(f"time              {seconds:.0f} s")
    print(f"states            {dict(states)}")
    print(f"not settled       {left}")
    print(f"result files      {len(files)}")
    print(f"problems          {len(problems)}")
    for problem in problems[:10]:
        print(f"  {problem}")
    if left or problems:
        for log in sorted(folder.glob("*.log")):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")
    return 1 if left or problems or len(files) != len(sent) else 0


if __name__ == "__main__":
    sys.exit(main())

"""The loop of `podium runner`: report, claim, execute, until it is stopped."""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from confinement.containers import leftovers
from podium_client import settings
from podium_client.errors import ClientError
from podium_client.runner.link import EndedError, Link, RefusedError
from podium_client.runner.machine import Machine, open_machine
from podium_client.runner.storing import Store
from podium_client.runner.working import Worker, stopping_on_signals

REPORT_SECONDS = 60.0
LONGEST_POLL_SECONDS = 30.0
"""Longest pause between claims after a refusal."""


def run(options: argparse.Namespace) -> int:
    """Run algorithms until the runner is stopped; returns the exit status."""
    tell = _teller(is_json=options.json)
    token, url = _token(options), options.url or settings.variable("PODIUM_URL")
    if not url:
        raise ClientError("Give the address of the installation: podium runner https://…")
    stopping = threading.Event()
    link = Link(url, token, stopping, tell)
    with stopping_on_signals(stopping, tell):
        tell(f"Testing {options.engine} on this machine …")
        machine = open_machine(options)
        try:
            return serve(
                machine,
                link,
                stopping,
                tell,
                cache_bytes=int(options.cache_gib * 1024**3),
                is_once=options.once,
                is_check=options.check,
            )
        except EndedError:
            return 0


def serve(
    machine: Machine,
    link: Link,
    stopping: threading.Event,
    tell: Callable[[str], None],
    *,
    cache_bytes: int,
    is_once: bool = False,
    is_check: bool = False,
) -> int:
    """Report this machine, and execute runs until it stops.

    Parameters
    ----------
    is_once
        Whether to end after one run, or if none is waiting.
    is_check
        Whether to end after the report.

    Returns
    -------
    int
        Exit status: 1 if the platform gives no work to this machine and the runner was to end.
    """
    answer = link.report(machine.state())
    tell(_words(answer, machine))
    if is_check:
        return 0 if answer["is_ready"] else 1
    leftovers.sweep(machine.engine, machine.part("batches"), ())
    worker = Worker(machine, link, Store(machine, link, cache_bytes), stopping, tell)
    worker.piece_bytes = int(answer["piece_bytes"])
    worker.resume()
    if is_once and not answer["is_ready"]:
        return 1
    loop = _Loop(machine, link, worker, stopping, tell, answer)
    loop.run(is_once=is_once)
    return 0


class _Loop:
    def __init__(
        self,
        machine: Machine,
        link: Link,
        worker: Worker,
        stopping: threading.Event,
        tell: Callable[[str], None],
        answer: dict[str, Any],
    ) -> None:
        self.machine, self.link, self.worker = machine, link, worker
        self.stopping, self.tell, self.answer = stopping, tell, answer
        self.reported = time.monotonic()
        self.last_words = ""

    def run(self, *, is_once: bool) -> None:
        """Claim and execute runs."""
        number = 1 if is_once else int(self.answer["concurrency"])
        with ThreadPoolExecutor(number, thread_name_prefix="run") as pool:
            active: set[Future[bool]] = set()
            pause = poll = float(self.answer["poll_seconds"])
            while not self.stopping.is_set():
                for future in [future for future in active if future.done()]:
                    active.remove(future)
                    self._ended(future)
                claimed = self._claimed() if len(active) < number else None
                if claimed is not None:
                    self.tell(
                        f"Run {claimed['run']}: {len(claimed['cases'])} cases, attempt {claimed['order']['attempt']}"
                    )
                    active.add(pool.submit(self.worker.work, claimed))
                    pause = poll
                if is_once:
                    if claimed is None:
                        self.tell("No run is waiting.")
                    break
                if claimed is None:
                    self.stopping.wait(0.2 if active and any(future.done() for future in active) else pause)
                    pause = min(pause * 1.2, LONGEST_POLL_SECONDS) if self.last_words else poll
                self._report()
            for future in active:
                self._ended(future)

    def _ended(self, future: "Future[bool]") -> None:
        try:
            future.result()
        except ClientError:
            self.stopping.set()
            raise

    def _claimed(self) -> dict[str, Any] | None:
        try:
            claimed = self.link.claim()
        except RefusedError as error:
            if str(error) != self.last_words:
                self.tell(str(error))
            self.last_words = str(error)
            return None
        except EndedError:
            return None
        self.last_words = ""
        return claimed

    def _report(self) -> None:
        if time.monotonic() - self.reported >= REPORT_SECONDS:
            self.reported = time.monotonic()
            self.answer = self.link.report(self.machine.state())


def _words(answer: dict[str, Any], machine: Machine) -> str:
    where = "all challenges" if answer["scope"] == "installation" else f"the challenge {answer['scope']}"
    offer = f"{machine.slots['cpus']:g} cores, {machine.slots['memory_mib']} MiB, {len(machine.slots['gpus'])} GPUs"
    if answer["is_ready"]:
        return f"Runner {answer['name']} is ready for {where} ({machine.engine.name}, {offer})."
    return f"Runner {answer['name']} gets no work. {answer['problem']}"


def _token(options: argparse.Namespace) -> str:
    if options.token_file is not None:
        try:
            token = options.token_file.read_text("utf-8").strip()
        except OSError as error:
            raise ClientError(f"The token cannot be read from {options.token_file}: {error.strerror}.") from error
    else:
        token = settings.variable("PODIUM_RUNNER_TOKEN") or ""
    token = str(token)
    if not token:
        raise ClientError("The runner needs its token: use --token-file FILE, or the variable PODIUM_RUNNER_TOKEN.")
    return token


def _teller(*, is_json: bool) -> Callable[[str], None]:
    def tell(text: str) -> None:
        printable = "".join(mark for mark in text if mark.isprintable())
        if is_json:
            sys.stdout.write(json.dumps({"time": time.time(), "message": printable}) + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write(f"{time.strftime('%H:%M:%S')} {printable}\n")

    return tell

"""Simulating what a design could tell apart, in a worker."""

import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from audit.services import record
from designs.models import DesignTask, Simulation
from designs.queries import document_of
from evaluation.advice.simulation import SimulationError, Spread, simulate
from evaluation.assessment import parse
from evaluation.designs.compilation import compile_values
from evaluation.scoring import read_results
from work.clock import overdue
from work.jobs import enqueue

TASK = "designs.tasks.simulate"
# A simulation takes seconds: one that is not over after so long was lost with its message or its worker.
LOST_MINUTES = 10
MAX_PILOT_BYTES = 3_000_000
PILOT_COLUMNS = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]


@transaction.atomic
def request_simulation(*, actor: User, task: DesignTask, options: dict[str, Any]) -> Simulation:
    """Ask for a simulation of the task as it stands now.

    Parameters
    ----------
    options
        ``cases``, ``teams``, and either ``spread`` (typical, cases, teams, noise) or ``pilot`` (records of case scores).

    Raises
    ------
    ValidationError
        When the task cannot be compiled yet; names what is missing.
    """
    compilation = compile_values(document_of(task.design).values(task.key), assume=task.design.legacy_import)
    if compilation.assessment is None:
        raise ValidationError(
            ["The ranking cannot be executed yet.", *(str(problem) for problem in compilation.problems)]
        )
    simulation = Simulation.objects.create(
        task=task, assessment=compilation.document, options=options, requested_by=actor
    )
    record(
        actor=actor,
        act="design_simulation_requested",
        subject=simulation,
        scope=task.design.slug,
        facts={"task": task.key, "cases": options["cases"], "teams": options["teams"]},
    )
    enqueue(TASK, simulation.pk)
    return simulation


def run_simulation(*, simulation_id: int) -> None:
    """Run a simulation that waits; a second call finds nothing to do."""
    with transaction.atomic():
        simulation = Simulation.objects.select_for_update().filter(pk=simulation_id).first()
        if simulation is None or simulation.is_over:
            return
        simulation.state = Simulation.State.RUNNING
        simulation.save(update_fields=["state"])
    options = simulation.options
    spread = Spread(**options["spread"]) if options.get("spread") else None
    pilot = pd.DataFrame(options["pilot"], columns=PILOT_COLUMNS) if options.get("pilot") else None
    try:
        result = simulate(
            parse(simulation.assessment),
            cases=options["cases"],
            teams=options["teams"],
            spread=spread,
            pilot=pilot,
            progress=_progress(simulation.pk),
        )
    except SimulationError as error:
        changes: dict[str, Any] = {"state": Simulation.State.FAILED, "problem": str(error)}
    else:
        changes = {"state": Simulation.State.DONE, "result": result.document}
    Simulation.objects.filter(pk=simulation.pk).update(**changes)


def sweep_simulations() -> int:
    """Ask again for simulations whose message or worker was lost; returns how many."""
    waiting = Simulation.objects.filter(
        overdue("requested_at", timedelta(minutes=LOST_MINUTES)),
        state__in=[Simulation.State.QUEUED, Simulation.State.RUNNING],
    )
    for pk in (found := list(waiting.values_list("pk", flat=True))):
        enqueue(TASK, pk)
    return len(found)


def read_pilot(content: bytes) -> list[list[Any]]:
    """Case scores from an uploaded results table (contract section 4), as records that are kept with the simulation.

    Raises
    ------
    ValidationError
        When it is none, or too large.
    """
    if len(content) > MAX_PILOT_BYTES:
        raise ValidationError("A pilot table has at most 3 MB.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pilot.csv"
        path.write_bytes(content)
        try:
            table = read_results(path)
        except (ValueError, KeyError, UnicodeDecodeError) as error:
            raise ValidationError(f"This is no results table: {error}") from error
    table = table.reindex(columns=PILOT_COLUMNS).astype(object)
    return table.where(table.notna(), None).to_numpy().tolist()


def _progress(pk: int) -> Any:
    last = 0.0

    def report(finished: int, pieces: int) -> None:
        nonlocal last
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            Simulation.objects.filter(pk=pk).update(finished=finished, pieces=pieces)

    return report

"""Simulation in a worker of the differences that a design could detect."""

import tempfile
import traceback
from pathlib import Path
from typing import Any

import pandas as pd
import structlog
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from core.audit.services import record
from core.work.services import Lease, ask, claim
from designs.models import DesignTask, Simulation
from designs.queries import document_of
from designs.queries.work import SIMULATIONS
from evaluation.advice.simulation import SimulationError, Spread, report_of, simulate
from evaluation.assessment import parse
from evaluation.designs.compilation import compile_values
from evaluation.scoring import read_results

log = structlog.get_logger(__name__)

OUR_FAULT = "Something went wrong on our side. Ask for the simulation again; if it fails once more, tell the operators."
MAX_PILOT_BYTES = 3_000_000
PILOT_COLUMNS = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]


@transaction.atomic
def request_simulation(*, actor: User, task: DesignTask, options: dict[str, Any]) -> Simulation:
    """Request a simulation of the task in its current state.

    Parameters
    ----------
    options
        ``cases``, ``teams``, and either ``spread`` (typical, cases, teams, noise) or ``pilot`` (records of case scores).
        Optionally ``failures`` (share of cases from 0 to 0.5) and ``skewness`` (from -6 to 6).

    Raises
    ------
    ValidationError
        When the task cannot yet be compiled; the message names the missing parts.
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
    ask(SIMULATIONS, simulation)
    return simulation


def run_simulation(*, simulation_id: int) -> None:
    """Run a simulation that waits; a second call finds nothing to do."""
    lease = claim(SIMULATIONS, simulation_id, give_up=_give_up)
    if lease is None:
        return
    simulation = Simulation.objects.get(pk=lease.pk)
    options = simulation.options
    spread = Spread(**options["spread"]) if options.get("spread") else None
    pilot = pd.DataFrame(options["pilot"], columns=PILOT_COLUMNS) if options.get("pilot") else None
    try:
        with lease.renewed():
            result = simulate(
                parse(simulation.assessment),
                cases=options["cases"],
                teams=options["teams"],
                spread=spread,
                pilot=pilot,
                failures=options.get("failures"),
                skewness=options.get("skewness"),
                progress=lambda finished, pieces: lease.tell(every=0.5, finished=finished, pieces=pieces),
            )
    except SimulationError as error:
        lease.complete(state=Simulation.State.FAILED, problem=str(error))
    except Exception:
        log.exception("simulation_error", simulation=simulation_id, attempt=lease.attempts)
        if lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            lease.complete(state=Simulation.State.FAILED, problem=OUR_FAULT, failure=traceback.format_exc())
    else:
        lease.complete(state=Simulation.State.DONE, result=report_of(result), failure="")


def _give_up(lease: Lease) -> None:
    """End a simulation that takes its workers down."""
    lease.complete(state=Simulation.State.FAILED, problem=OUR_FAULT, failure="The workers that tried broke off.")


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

"""Reads of tables of values measured outside."""

from datetime import timedelta

from django.core.cache import cache
from django.db.models import Q, QuerySet
from django.http import Http404

from challenges.models import Challenge, Phase, Team
from challenges.queries.people import terms_of
from challenges.queries.submission_methods import only_other_methods
from core.work.kinds import Kind
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries import case_names
from evaluation.importing import Fitting
from evaluation.problems import kind_of
from submissions.measurements.models import Measurement
from submissions.models import Run, Submission

# --- Reads of tables of values measured outside -----------------------------------------------------------------------
WHERE_TAKEN = (
    "Tables are taken where the design registers metrics that the platform does not compute, each with its range and direction, "
    "or ways to hand in that bring no predictions here."
)


_LARGE = ("roles", "reading", "preview")


MOST_UNDECIDED = 20


"""Maximum number of tables of a phase that await a decision."""


_REMEMBERED_SECONDS = 60


def takes_tables(phase: Phase) -> bool:
    """Return whether the registered design states that values of a phase are measured outside.

    This is true if the assessment describes metrics that are measured elsewhere. It is also true if no registered way
    of submission brings predictions to the platform and no algorithms are run here.
    """
    if is_measured_elsewhere(phase):
        return True
    return bool(only_other_methods(phase))


def any_takes_tables(challenge: Challenge) -> bool:
    """Return whether any phase of a challenge accepts tables.

    The result is cached for a minute, because every page needs it for organizers.
    """
    key = f"measurements:any:{challenge.pk}"
    takes_any = cache.get(key)
    if takes_any is None:
        takes_any = any(takes_tables(phase) for task in challenge.tasks.all() for phase in task.phases.all())
        cache.set(key, takes_any, _REMEMBERED_SECONDS)
    return bool(takes_any)


def is_measured_elsewhere(phase: Phase) -> bool:
    """Return whether the assessment of a phase describes external measurements, so nothing is scored here."""
    return kind_of(phase.assessment).is_measured_elsewhere


def tables_of(phase: Phase) -> QuerySet[Measurement]:
    """The tables that were brought into a phase, the newest first."""
    return Measurement.objects.filter(phase=phase).select_related("team", "brought_by", "sealed_by").defer(*_LARGE)


def table_or_404(challenge: Challenge, pk: int) -> Measurement:
    """A table of a challenge.

    Raises
    ------
    Http404
        When there is none.
    """
    rows = Measurement.objects.select_related("phase__task__challenge", "team", "brought_by", "sealed_by", "test_set")
    table = rows.filter(phase__task__challenge=challenge, pk=pk).first()
    if table is None:
        raise Http404("There is no such table.")
    return table


def active_list(phase: Phase) -> TestSet | None:
    """The sealed list of cases of a phase, if there is one."""
    return TestSet.objects.filter(phase=phase, is_active=True).first()


def refusal_of(phase: Phase, kind: str) -> str:
    """Explain why no table of a kind can be added to a phase now, or return an empty text if it can."""
    if not takes_tables(phase):
        return f"{phase.name} takes no tables: by what is registered, the platform scores what teams hand in. {WHERE_TAKEN}"
    if not phase.has_opened:
        return f"{phase.name} is not open yet. Values are accepted after it opens." if kind == "values" else ""
    if kind == Measurement.Kind.VALUES and active_list(phase) is None:
        return "Upload the case list first. It defines which values are missing."
    if Measurement.objects.filter(phase=phase, state__in=Measurement.UNDECIDED).count() >= MOST_UNDECIDED:
        return f"{MOST_UNDECIDED} tables wait for a decision. Seal or discard some of them first."
    return ""


def refusal_of_new_teams(phase: Phase) -> str:
    """Explain why organizers cannot create teams for a table.

    The text is empty if the rules of participation permit it.
    """
    terms = terms_of(phase.challenge)
    if terms is not None and terms.agreement:
        return "Participants of this challenge must first accept its data usage agreement. A team made by organizers has no member who did."
    if terms is not None and terms.requires_approval:
        return "Participants of this challenge must first be admitted. A team made by organizers has no member who was."
    return ""


def teams_of(phase: Phase) -> QuerySet[Team]:
    """The teams that take part in the task of a phase."""
    return Team.objects.filter(tasks=phase.task_id).order_by("name")


def present_runs(phase: Phase) -> dict[int, Run]:
    """Return the current result of each team, by the id of the team."""
    runs = Run.objects.filter(counts=True, submission__phase=phase, submission__state=Submission.State.SCORED)
    return {run.submission.team_id: run for run in runs.select_related("submission__team")}


def sealed_versions(phase: Phase) -> list[Measurement]:
    """The sealed versions of a phase, the newest first."""
    rows = Measurement.objects.filter(phase=phase, kind=Measurement.Kind.VALUES, state=Measurement.State.SEALED)
    return list(rows.defer(*_LARGE).order_by("-version"))


# --- Work queued for a worker -----------------------------------------------------------------------------------------
MEASUREMENTS = Kind(
    name="measurements",
    doing="reading or sealing values measured outside",
    model=Measurement,
    is_open=Q(state__in=Measurement.OPEN),
    task="measurements.tasks.work_on",
    lease=timedelta(seconds=60),
    fair_between="brought_by",
)


# --- Requirements on a table: the assessment, the sealed list of cases, and the teams ---------------------------------
def fitting_of(table: Measurement) -> Fitting:
    """Return the current requirements against which the table is read."""
    phase = table.phase
    return Fitting(
        assessment=phase.assessment,
        cases=tuple(case_names(phase)),
        teams=tuple(teams_of(phase).values_list("name", flat=True)),
        team=table.team.name if table.team else "",
        takes_new_teams=table.makes_teams,
    )

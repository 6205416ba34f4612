"""A challenge of a category without a kind of problem, launched from its registered design; and tables for it."""

from challenges.models import Challenge, Phase
from challenges.services import launch
from submissions.measurements.models import Measurement
from submissions.measurements.services import tables, working
from tests.integration.challenges import world
from tests.unit.registry.test_every_category import SEAM

ORIGIN = {"by": "Lab of seams, Example University", "with": "seamstat 2.1", "when": "May 2026"}
CASES = "case,site,stain\n" + "".join(f"s{n:02d},{'north' if n % 2 else 'south'},{n}\n" for n in range(1, 13))
TIME = {
    **SEAM, "name": "computation_time", "abbreviation": "time", "unit": "s", "worst_value": 600, "level": "case",
    "definition": "seconds for a case", "implementation": "wall clock",
}  # fmt: skip
STITCHING = {
    "task_category": ["stitching"],
    "metrics": [{**SEAM, "level": "case", "range_max": 255, "open_range": None}, TIME],
    "regions": None,
    "ranking_type": "single_ranking",
    "ranking_method": [
        {"name": "Seams", "metrics": ["SV", "time"], "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}
    ],
    "tie_handling": "standard_competition",
    "missing_data_handling": "worst_value",
    "uncertainty_settings": {"bootstrap": 50, "seed": 1},
    "aggregation_levels": None,
    "site_column": None,
}  # fmt: skip
OPEN = {"data_usage_agreement": None, "incomplete_submissions_allowed": "yes_penalized"}


def launched(slug: str = "seams", *, challenge=None, **task) -> tuple[Challenge, Phase, world.Registered]:
    """The challenge of a stitching design, with its final phase."""
    registered = world.registered({**OPEN, **(challenge or {})}, slug=slug, **{**STITCHING, **task})
    found = launch(actor=registered.owner, registration=registered.registration, slug=slug)
    phase = Phase.objects.select_related("task__challenge").get(task__challenge=found, slug="final")
    return found, phase, registered


def values(teams=("yew", "oak", "elm"), cases=12, shift=0.0) -> str:
    """A long table; the first team is the best, and the last lacks its last case."""
    lines = ["algorithm,case,metric,value"]
    for place, team in enumerate(teams):
        for n in range(1, cases + 1):
            if team == teams[-1] and n == cases:
                continue
            lines += [
                f"{team},s{n:02d},SV,{10 + 5 * place + n / 8 + shift}",
                f"{team},s{n:02d},time,{20 + place + n / 4}",
            ]
    return "\n".join(lines) + "\n"


def brought(phase: Phase, text: str | bytes, *, kind=Measurement.Kind.VALUES, origin=ORIGIN, **more) -> Measurement:
    """A table that was brought and read."""
    content = text if isinstance(text, bytes) else text.encode()
    actor = phase.challenge.organizers.order_by("pk").first()
    table = tables.bring_table(
        actor=actor, phase=phase, file_name="values.csv", content=content, kind=kind, origin=origin, **more
    )
    return worked(table)


def worked(table: Measurement) -> Measurement:
    """After the worker's step."""
    working.work_on(measurement_id=table.pk)
    return Measurement.objects.select_related("phase__task__challenge").get(pk=table.pk)


def sealed(phase: Phase, text: str, **more) -> Measurement:
    """A table that was brought, read and sealed."""
    table = brought(phase, text, **more)
    assert table.problems == []
    tables.seal(actor=phase.challenge.organizers.order_by("pk").first(), table=table)
    return worked(table)


def with_cases(phase: Phase) -> Measurement:
    """Seal the list of cases."""
    return sealed(phase, CASES, kind=Measurement.Kind.CASES)

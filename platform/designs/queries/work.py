"""Work queued for a worker."""

from django.db.models import Q

from core.work.kinds import Kind
from designs.models import Scan, Simulation

SCANS = Kind(
    name="scans",
    doing="reading references of a design",
    model=Scan,
    is_open=Q(state__in=(Scan.State.QUEUED, Scan.State.RUNNING)),
    begins={"state": Scan.State.RUNNING},
    task="designs.tasks.scan",
    # What takes its reader down once is not read again; the files go either way.
    attempts=1,
    since="requested_at",
)
SIMULATIONS = Kind(
    name="simulations",
    doing="simulating a design",
    model=Simulation,
    is_open=Q(state__in=(Simulation.State.QUEUED, Simulation.State.RUNNING)),
    begins={"state": Simulation.State.RUNNING},
    task="designs.tasks.simulate",
    attempts=3,
    errors=3,
    since="requested_at",
)

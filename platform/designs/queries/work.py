"""Work queued for a worker."""

from django.db.models import Q

from core.work.kinds import Kind
from designs.models import DesignImport, Rehearsal, SampleRehearsal, Scan, Simulation

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
REHEARSALS = Kind(
    name="rehearsals",
    doing="rehearsing a design",
    model=Rehearsal,
    is_open=Q(state__in=(Rehearsal.State.QUEUED, Rehearsal.State.RUNNING)),
    begins={"state": Rehearsal.State.RUNNING},
    task="designs.tasks.rehearse",
    attempts=2,
    errors=2,
    since="requested_at",
)
SAMPLE_REHEARSALS = Kind(
    name="sample_rehearsals",
    doing="rehearsing a design with files of its organizers",
    model=SampleRehearsal,
    is_open=Q(state__in=(SampleRehearsal.State.QUEUED, SampleRehearsal.State.RUNNING)),
    begins={"state": SampleRehearsal.State.RUNNING},
    task="designs.tasks.rehearse_sample",
    # Files that end their reader are not read again; they are deleted in any case.
    attempts=1,
    since="requested_at",
)
IMPORTS = Kind(
    name="design_imports",
    doing="reading a document of a design",
    model=DesignImport,
    is_open=Q(state__in=(DesignImport.State.QUEUED, DesignImport.State.RUNNING)),
    begins={"state": DesignImport.State.RUNNING},
    task="designs.tasks.read_document",
    # A file that takes its reader down is not read again; it is deleted in any case.
    attempts=1,
    since="requested_at",
)

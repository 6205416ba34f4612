"""Background work: take ids, load, call a service."""

from celery import shared_task

from designs.models import Design
from designs.services import embargoes, imports, links, rehearsals, sample_rehearsals, scans, simulations


@shared_task
def check_links(design_id: int) -> None:
    """Ask the web addresses of one design."""
    design = Design.objects.filter(pk=design_id).first()
    if design is not None:
        links.check_links(design=design)


@shared_task
def check_all_links() -> None:
    """Ask the web addresses of all designs, once a week."""
    links.enqueue_all()


@shared_task
def simulate(simulation_id: int) -> None:
    """Simulate the differences that a design could detect."""
    simulations.run_simulation(simulation_id=simulation_id)


@shared_task
def rehearse(rehearsal_id: int) -> None:
    """Run a design on sample data."""
    rehearsals.run_rehearsal(rehearsal_id=rehearsal_id)


@shared_task
def rehearse_sample(rehearsal_id: int) -> None:
    """Run a design on references and submissions of its organizers."""
    sample_rehearsals.run_sample_rehearsal(rehearsal_id=rehearsal_id)


@shared_task
def scan(scan_id: int) -> None:
    """Read references for what may go wrong with them."""
    scans.run_scan(scan_id=scan_id)


@shared_task
def read_document(import_id: int) -> None:
    """Read a Word or PDF document for the proposals of a design."""
    imports.run_import(import_id=import_id)


@shared_task
def sweep() -> None:
    """Open embargoes whose event has come."""
    embargoes.open_due_embargoes()

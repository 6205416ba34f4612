"""The example designs as registrations, without a call."""

from django.db import transaction

from accounts.models import User
from core.work.services import enqueue
from designs.models import Design
from registry.models import Registration, RegistrationVersion
from registry.services.accepting import register_design

# Designs of the running example challenges. Those of the literature have errors, since their sources leave points open.
EXAMPLES = ("example-hippocampus", "example-nuclei")


@transaction.atomic
def load_example_registrations(*, actor: User) -> list[RegistrationVersion]:
    """Register the example designs that are loaded and not registered yet; returns the new versions."""
    registered_ids = Registration.objects.values_list("design_id", flat=True)
    designs = Design.objects.filter(slug__in=EXAMPLES).exclude(pk__in=registered_ids).order_by("slug")
    versions = [register_design(design=design, actor=actor, by_system=True) for design in designs]
    if versions:
        enqueue("registry.tasks.verify")
    return versions

"""The checks of the catalogue that the registry decides."""

from evaluation.designs.checks import Subject, register
from registry.drift.models import DriftCheck
from registry.queries import current_version, registration_of

# Designs that say so have no page of their own that could differ.
WITHOUT_PAGE = ("no_website", "registration_page")


@register("registered_design_linked", reads=("challenge_website", "website_status"))
def registered_design_linked(subject: Subject) -> str | None:
    """Return the problem if the challenge's page is not compared, differs, or does not link the record.

    The check passes if the page was compared with the newest version, states nothing different and names the record.
    """
    if subject.design is None or subject.values.get("website_status") in WITHOUT_PAGE:
        return None
    registration = registration_of(subject.design)
    if registration is None or not subject.values.text("challenge_website"):
        return None
    version = current_version(registration)
    check = DriftCheck.objects.filter(registration=registration, version=version).order_by("-checked_at", "-pk").first()
    if check is None:
        return f"The page has not been compared with version {version.number} yet (Drift on the record)."
    if check.different:
        return f"“{check.title}” says something else about {check.different} parameters."
    if not check.links_record:
        return f"“{check.title}” does not name the record ({registration.identifier})."
    return None

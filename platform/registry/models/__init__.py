"""Registrations, their versions, and what hangs on them."""

from registry.models.files import Deposit, VersionFile
from registry.models.listing import Facet, Listing
from registry.models.registrations import Disclosure, Registration, RegistrationVersion, YearCount
from registry.models.upkeep import Statistics, Verification

__all__ = [
    "Deposit",
    "Disclosure",
    "Facet",
    "Listing",
    "Registration",
    "RegistrationVersion",
    "Statistics",
    "Verification",
    "VersionFile",
    "YearCount",
]

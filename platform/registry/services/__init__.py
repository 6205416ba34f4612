"""Acts on the registry."""

from registry.services.accepting import Missing, Readiness, readiness, register_design
from registry.services.embargoes import open_due, open_value
from registry.services.listing import list_registration
from registry.services.registering import add_version, register
from registry.services.states import end_embargo, end_registration, finish_comment_period, finish_due

__all__ = [
    "Missing",
    "Readiness",
    "add_version",
    "end_embargo",
    "end_registration",
    "finish_comment_period",
    "finish_due",
    "list_registration",
    "open_due",
    "open_value",
    "readiness",
    "register",
    "register_design",
]

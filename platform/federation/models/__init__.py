"""Federation → site → enrolment → message; what is to be evaluated, and what was refused."""

from federation.models.federations import Algorithm, Federation, SitePackage
from federation.models.messages import Refused, SignedMessage
from federation.models.sites import Enrolment, Site

__all__ = ["Algorithm", "Enrolment", "Federation", "Refused", "SignedMessage", "Site", "SitePackage"]

"""Evaluation at sites: hospitals score where the data are, and a centre ranks from sums.

`summarise` runs at a site and makes the only document with numbers that leaves it; `pool` makes the ranking document. The
messages around them are signed (`envelope`) and checked (`inbox`). What leaves and why is in ``docs/sites.md``.
"""

from evaluation.federation.errors import FederationError, Refusal
from evaluation.federation.pooling import pool
from evaluation.federation.summary import summarise

__all__ = ["FederationError", "Refusal", "pool", "summarise"]

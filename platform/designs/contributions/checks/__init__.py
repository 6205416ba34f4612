"""Checks that look at what is stored: other designs, the history of this one, answers of web addresses."""

from designs.contributions.checks import addresses, neighbours, registration

__all__ = ["addresses", "neighbours", "registration"]

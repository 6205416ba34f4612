"""Take part in challenges from the command line, or from a program with `Challenge`."""

from podium_client.challenge import Challenge

__all__ = ["Challenge"]

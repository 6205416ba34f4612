"""Challenge configurations of other platforms, read as drafts of a design.

A configuration describes phases, limits and columns of a leaderboard. It lacks most of what a design states. Therefore
the result is a draft: what the configuration states is filled in, what it leaves open is a question to the organizers.
"""

from evaluation.importing.configurations.drafts import Draft
from evaluation.importing.configurations.reading import CONFIGURATION_BYTES, is_configuration, read_configuration

__all__ = ["CONFIGURATION_BYTES", "Draft", "is_configuration", "read_configuration"]

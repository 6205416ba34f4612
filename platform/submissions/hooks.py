"""Where the apps below learn of results and add to the submit page: the few typed hooks, filled in `AppConfig.ready`.

`run_scored`
    Called with the id of the phase inside the transaction that stores a run's result, or ends one without a result that was
    to replace an earlier one.
`try_me`
    Files that a visitor may try the submit page with, for a phase (example mode).
"""

from collections.abc import Callable
from dataclasses import dataclass

from challenges.models import Phase
from web.hooks import Hook


@dataclass(frozen=True)
class TryMe:
    """A file to try the submit page with."""

    label: str
    description: str
    url: str


RunScored = Callable[[int], None]
TryMeProvider = Callable[[Phase], list[TryMe]]

run_scored: Hook[RunScored] = Hook()
try_me: Hook[TryMeProvider] = Hook()


def try_me_files(phase: Phase) -> list[TryMe]:
    """Return what may be tried with a phase."""
    return [entry for provider in try_me for entry in provider(phase)]

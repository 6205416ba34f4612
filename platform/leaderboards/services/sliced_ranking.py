"""A ranking that takes longer than a job may: computed in slices, each keeping what it has done for the next one."""

import io
import time
from collections.abc import Iterator, MutableMapping
from datetime import timedelta

import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from evaluation import __version__
from evaluation.ranking.schemes import Ranked
from leaderboards.services import computing

SLICE = timedelta(seconds=settings.PODIUM_TASK_SECONDS / 4)
"""A job that has worked so long hands over to the next one; the table it was at then still has three times that."""
WORTH_KEEPING = timedelta(seconds=1)
"""A table that takes less is computed again sooner than read."""


class Paused(Exception):  # noqa: N818 (not an error)
    """The slice is over; what it has done is kept."""


class Kept(MutableMapping[int, Ranked]):
    """The tables of a ranking that were computed before, as files in the private storage.

    Parameters
    ----------
    inputs
        What is ranked: the files are kept by its digest, and by the version of the program that made them.
    """

    def __init__(self, inputs: computing.Inputs) -> None:
        self._folder = f"rankings/{inputs.phase.pk}/{inputs.digest}/tables-{__version__}"
        self._storage = storages["private"]
        self._began = self._last = time.monotonic()
        self._places = self._stored()
        self._has_more = True

    def tell(self, done: int, total: int) -> None:
        """Learn how far the ranking is; the last table is not worth a break."""
        self._has_more = done < total - 1

    def __contains__(self, place: object) -> bool:
        return place in self._places

    def __getitem__(self, place: int) -> Ranked:
        with self._storage.open(self._name(place)) as file, np.load(io.BytesIO(file.read())) as arrays:
            return Ranked(arrays["scores"], arrays["ranks"], bool(arrays["higher_is_better"]))

    def __setitem__(self, place: int, ranked: Ranked) -> None:
        now = time.monotonic()
        took, self._last = now - self._last, now
        is_over = self._has_more and now - self._began >= SLICE.total_seconds()
        if took >= WORTH_KEEPING.total_seconds() or is_over:
            buffer = io.BytesIO()
            # Not compressed: the files live as long as the ranking takes, and packing them took a fifth of that.
            np.savez(buffer, scores=ranked.scores, ranks=ranked.ranks, higher_is_better=ranked.higher_is_better)
            self._storage.save(self._name(place), ContentFile(buffer.getvalue()))
            self._places.add(place)
        if is_over:
            raise Paused

    def __delitem__(self, place: int) -> None:
        self._storage.delete(self._name(place))
        self._places.discard(place)

    def clear(self) -> None:
        """Delete the files: the ranking is stored."""
        for place in list(self):
            del self[place]

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._places))

    def __len__(self) -> int:
        return len(self._places)

    def _name(self, place: int) -> str:
        return f"{self._folder}/{place}.npz"

    def _stored(self) -> set[int]:
        try:
            _, names = self._storage.listdir(self._folder)
        except FileNotFoundError:
            return set()
        return {int(name.removesuffix(".npz")) for name in names if name.removesuffix(".npz").isdecimal()}

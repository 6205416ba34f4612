"""Hooks: what an app asks of the apps below it, which it does not know.

The app that asks declares a hook in its `hooks.py` and calls every answer; an app below registers one in
`AppConfig.ready`. There is no other way in which an upper app learns from a lower one.

>>> from collections.abc import Callable
>>> greeted: Hook[Callable[[str], str]] = Hook()
>>> @greeted.register
... def politely(name: str) -> str:
...     return f"Good day, {name}."
>>> [answer("Ada") for answer in greeted]
['Good day, Ada.']
>>> _ = greeted.register(politely)
>>> len(greeted)
1
>>> _ = greeted.register(lambda name: f"{name}!", order=10)
>>> [answer("Ada") for answer in greeted]
['Ada!', 'Good day, Ada.']
"""

from bisect import bisect_right
from typing import TypeVar

T = TypeVar("T")


USUAL = 50


class Hook(list[T]):
    """The registered providers of one hook, in order of their `order`, and of registration if it is equal."""

    def __init__(self) -> None:
        super().__init__()
        self._orders: dict[int, int] = {}

    def register(self, answer: T, *, order: int = USUAL) -> T:
        """Add an answer, and return it; twice changes nothing.

        Parameters
        ----------
        order
            Place among the answers, small numbers first.
        """
        if answer not in self:
            position = bisect_right([self._orders.get(id(other), USUAL) for other in self], order)
            self._orders[id(answer)] = order
            self.insert(position, answer)
        return answer

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
"""

from typing import TypeVar

T = TypeVar("T")


class Hook(list[T]):
    """The answers to one question, in the order in which they were registered."""

    def register(self, answer: T) -> T:
        """Add an answer, and return it; twice changes nothing."""
        if answer not in self:
            self.append(answer)
        return answer

"""One item: the design first, then what log and results add, then a prompt where authors have to write."""

from collections.abc import Callable, Mapping
from typing import Final

from reports.domain.content import Edit, Item
from reports.domain.guideline import fill_of, parameters_of, title_of
from reports.services.items import described, discussion, logged, outcome
from reports.services.items.registered import fill_registered
from reports.services.items.source import Source

Addition = Callable[[Item, Source], None]
ADDITIONS: Final[Mapping[str, Addition]] = {
    **logged.ADDITIONS,
    **described.ADDITIONS,
    **outcome.ADDITIONS,
    **discussion.ADDITIONS,
}


def generate(number: str, source: Source) -> Item:
    """Write an item and attach the text of its authors."""
    item = Item(number=number, title=title_of(number), fill=fill_of(number), parameters=parameters_of(number))
    fill_registered(item, source)
    if number in ADDITIONS:
        before = len(item.text) + len(item.exhibits)
        ADDITIONS[number](item, source)
        if len(item.text) + len(item.exhibits) > before:
            item.declared = False
    _edited(item, source)
    return item


def _edited(item: Item, source: Source) -> None:
    written = source.facts.texts.get(item.number)
    if written is not None:
        item.edit = Edit(
            text=written["text"],
            author=written["author"],
            date=written["date"],
            based_on=written["based_on"],
            source_changed=written["based_on"] != item.generated,
        )

"""The menus of every page, filled by the apps that have something to offer.

An app registers its entries in `AppConfig.ready`; this module imports none of them.

>>> navigation = Menus()
>>> _ = navigation.register("Docs", "/docs/", order=90)
>>> _ = navigation.register("Challenges", "/challenges/", order=10)
>>> [link.label for link in navigation.links("main", path="/challenges/hippocampus/")]
['Challenges', 'Docs']
>>> [link.current for link in navigation.links("main", path="/challenges/hippocampus/")]
['true', '']
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

Menu = Literal["main", "account", "settings", "footer"]
MENUS: tuple[Menu, ...] = ("main", "account", "settings", "footer")


@dataclass(frozen=True)
class Entry:
    """One registered entry: what it is called, where it leads, who sees it."""

    label: str
    target: str
    menu: Menu
    order: int
    visible: Callable[[HttpRequest], bool] | None

    def url(self) -> str | None:
        """Address of the entry; none while nothing is served under its URL name."""
        if self.target.startswith(("/", "https://")):
            return self.target
        try:
            return reverse(self.target)
        except NoReverseMatch:
            return None


@dataclass(frozen=True)
class Link:
    """An entry as one page shows it.

    `current` is the value of `aria-current`: page, true (a page below it) or empty.
    """

    label: str
    url: str
    current: Literal["page", "true", ""]


def _may_see(visible: Callable[[HttpRequest], bool], request: HttpRequest) -> bool:
    # A request that failed early has no user yet. Its error page shows what everyone sees.
    return hasattr(request, "user") and visible(request)


class Menus:
    """The registered entries of all menus."""

    def __init__(self) -> None:
        self._entries: dict[tuple[Menu, str], Entry] = {}

    def register(
        self,
        label: str,
        target: str,
        *,
        menu: Menu = "main",
        order: int = 50,
        visible: Callable[[HttpRequest], bool] | None = None,
    ) -> Entry:
        """Add an entry; registering a label again in the same menu replaces the former entry.

        Parameters
        ----------
        label
            Text of the link.
        target
            URL name (``"challenges:list"``) or an address that begins with ``/`` or ``https://``.
        menu
            ``main`` (header), ``account`` and ``settings`` (under a person's name, for people signed in;
            ``settings`` are also the tabs of the account pages) or ``footer``.
        order
            Position in the menu, small numbers first; equal numbers by label.
        visible
            Returns for a request whether to show the entry; by default it is always shown.

        Raises
        ------
        ValueError
            For a menu that does not exist.
        """
        if menu not in MENUS:
            raise ValueError(f"There is no menu {menu!r}; there are {', '.join(MENUS)}.")
        entry = Entry(label=label, target=target, menu=menu, order=order, visible=visible)
        self._entries[menu, label] = entry
        return entry

    def links(self, menu: Menu, *, path: str, request: HttpRequest | None = None) -> list[Link]:
        """Return the entries of one menu for the page at `path`, in order, without unreachable or hidden ones."""
        entries = sorted((e for e in self._entries.values() if e.menu == menu), key=lambda e: (e.order, e.label))
        links = []
        for entry in entries:
            if request is not None and entry.visible is not None and not _may_see(entry.visible, request):
                continue
            if (url := entry.url()) is None:
                continue
            below = url != "/" and url.endswith("/") and path.startswith(url)
            links.append(Link(entry.label, url, "page" if path == url else "true" if below else ""))
        return links


_menus = Menus()
register = _menus.register
links = _menus.links

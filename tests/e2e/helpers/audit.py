"""Audit of a page: nothing blocked, nothing logged, no overflow and no serious finding of axe-core.

seen = watch(page)              # before the first navigation
page.goto(address)
...
seen.check()                    # the page as it is now
seen.check_everywhere()         # in both themes, at desk and phone width
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response
from playwright.sync_api import TimeoutError as TooLongError

DESKTOP = (1280, 900)
PHONE = (390, 844)
AXE = Path(__file__).parents[1] / "vendor/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SERIOUS = ("serious", "critical")
# All that another theme can change.
COLOURS = ("color-contrast", "link-in-text-block")
# How often a page may make way for another before it is said that it never stands still.
ARRIVALS = 10

# Collected inside the page, since the event is gone by the time a test looks.
_LISTEN = """
window.__podiumViolations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.__podiumViolations.push(`${event.violatedDirective}: ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`);
});
"""
_OVERFLOWING = """() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide <= 0) return [];
  const limit = document.documentElement.clientWidth + 1;
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  const culprits = [...document.body.querySelectorAll("*")]
    .filter((element) => element.getBoundingClientRect().right > limit && !scrolls(element))
    .slice(0, 5)
    .map((element) => `${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`);
  return [`${wide} px: ${culprits.join(", ")}`];
}"""
# Rules whose verdict would be thrown away are not asked.
_AXE_RUN = """async ([tags, impacts, only]) => {
  const rules = Object.fromEntries(
    axe._audit.rules.filter((rule) => !impacts.includes(rule.impact)).map((rule) => [rule.id, { enabled: false }]),
  );
  const asked = only.length ? { runOnly: { type: "rule", values: only } } : { runOnly: tags, rules };
  const result = await axe.run({ ...asked, resultTypes: ["violations"], elementRef: false });
  return result.violations.map((violation) => ({
    impact: violation.impact,
    id: violation.id,
    nodes: violation.nodes.slice(0, 5).map((node) => `${node.target.join(" ")} (${node.failureSummary.replace(/\\s+/g, " ")})`),
  }));
}"""


@cache
def _axe() -> str:
    return AXE.read_text("utf-8")


@dataclass(frozen=True)
class Finding:
    """Something wrong with a page: what kind of thing, and the detail that helps to find it."""

    kind: str
    detail: str

    def __str__(self) -> str:
        return f"[{self.kind}] {self.detail}"


@dataclass
class Watch:
    """Everything that went wrong on a page since it was watched.

    Parameters
    ----------
    page
        The page; `watch` attaches the listeners.
    expected
        Parts of messages that a test provokes on purpose, for example ``"status of 404"``.
    """

    page: Page
    expected: tuple[str, ...] = ()
    _events: list[Finding] = field(default_factory=list)

    def begin(self) -> None:
        """Clear all recorded events and expected findings."""
        self.expected = ()
        self._events.clear()

    def _note(self, kind: str, detail: str) -> None:
        if not any(part in detail for part in self.expected):
            self._events.append(Finding(kind, detail))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note("console", f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _on_error(self, error: Exception) -> None:
        self._note("script", str(error))

    def _on_response(self, response: Response) -> None:
        if response.status >= 500:
            self._note("server", f"status of {response.status} for {response.url}")

    def _on_failure(self, request: Request) -> None:
        # A request that the page itself gave up (navigation, a new HTMX poll) is not a fault.
        if request.failure and "ERR_ABORTED" not in request.failure:
            self._note("network", f"{request.failure} for {request.url}")

    def findings(self, *, axe: bool = True, rules: tuple[str, ...] = ()) -> list[Finding]:
        """Return the faults of the page in its current state and those recorded while it loaded.

        Parameters
        ----------
        rules
            Rules of axe-core to apply. By default all serious rules are applied.
        """
        self._arrive()
        found = list(self._events)
        violations = self.page.evaluate("() => window.__podiumViolations ?? ['the watch came after the page']")
        found += [Finding("policy", text) for text in violations if not any(part in text for part in self.expected)]
        found += [Finding("overflow", text) for text in self.page.evaluate(_OVERFLOWING)]
        if axe:
            found += self._axe_findings(rules)
        return found

    def _arrive(self) -> None:
        """Wait for the page that a click has just begun to load: a document without a body has nothing to look at."""
        for _ in range(ARRIVALS):
            try:
                self.page.wait_for_load_state("load")
                if self.page.evaluate("() => Boolean(document.body) && document.readyState === 'complete'"):
                    return
            except Error as error:
                # The page that was asked went away while it answered.
                if "context was destroyed" not in str(error):
                    raise
        raise AssertionError(f"{self.page.url} does not finish loading")

    def _axe_findings(self, rules: tuple[str, ...]) -> Iterator[Finding]:
        if not self.page.evaluate("() => typeof axe !== 'undefined'"):
            self.page.evaluate(_axe())
        for violation in self.page.evaluate(_AXE_RUN, [RULES, SERIOUS, rules]):
            if violation["impact"] in SERIOUS:
                yield Finding(f"axe {violation['id']}", "; ".join(violation["nodes"]))

    def check(self, *, axe: bool = True, rules: tuple[str, ...] = ()) -> None:
        """Fail with a list of all faults and clear the list afterwards."""
        found = self.findings(axe=axe, rules=rules)
        self._events.clear()
        assert not found, f"{self.page.url}\n" + "\n".join(str(finding) for finding in found)

    def check_everywhere(
        self, *, sizes: Iterable[tuple[int, int]] = (DESKTOP, PHONE), themes: Iterable[str] = ("light", "dark")
    ) -> None:
        """Check at every width and, at the first one, in every theme; the page is left as it was.

        axe-core looks at each width once, and at the colours of each theme: what is there does not depend on the theme, and
        colours do not depend on the width.
        """
        (first, *others), (theme, *further) = sizes, themes
        each = [(first, theme), *((first, name) for name in further), *((size, theme) for size in others)]
        for (width, _), name in self.states(each):
            try:
                self.check(rules=() if name == theme else COLOURS)
            except AssertionError as error:
                raise AssertionError(f"{width} px, {name}: {error}") from None

    def check_fits(self, sizes: Iterable[tuple[int, int]]) -> None:
        """Fail if something sticks out at one of these sizes; figures follow the width a moment later."""
        with self._restored():
            for width, height in sizes:
                self.page.set_viewport_size({"width": width, "height": height})
                self.settle()
                self.check_fits_now()

    def check_fits_now(self) -> None:
        """Fail if something sticks out at the width of the page, also after a moment."""
        with suppress(TooLongError):
            self.page.wait_for_function(f"() => !({_OVERFLOWING})().length", timeout=3000)
        try:
            self.check(axe=False)
        except AssertionError as error:
            raise AssertionError(f"{self.page.viewport_size['width']} px: {error}") from None

    def states(self, states: Iterable[tuple[tuple[int, int], str]]) -> Iterator[tuple[tuple[int, int], str]]:
        """Bring the page into each size and theme and yield these; the page is left as it was."""
        with self._restored():
            for size, theme in states:
                self.page.set_viewport_size({"width": size[0], "height": size[1]})
                self.page.emulate_media(color_scheme=theme)
                self.settle()
                yield size, theme

    def settle(self) -> None:
        """Let layout, theme and figures catch up: two frames, and no figure in the midst of being drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.page.wait_for_function(
            "() => ![...document.querySelectorAll('figure.plot')].some("
            "(plot) => ['loading', 'drawing'].includes(plot.dataset.plotState))"
        )
        # Colours half-way through a transition would be measured.
        self.page.evaluate(
            "() => document.getAnimations().filter((a) => a instanceof CSSTransition).forEach((a) => a.finish())"
        )

    @contextmanager
    def _restored(self) -> Iterator[None]:
        before = self.page.viewport_size
        try:
            yield
        finally:
            self.page.emulate_media(color_scheme="light")
            if before:
                self.page.set_viewport_size(before)


def watch(page: Page, *, expected: tuple[str, ...] = ()) -> Watch:
    """Attach a watch to a page that has not been opened yet."""
    seen = Watch(page, expected)
    page.add_init_script(_LISTEN)
    page.on("console", seen._on_console)
    page.on("pageerror", seen._on_error)
    page.on("response", seen._on_response)
    page.on("requestfailed", seen._on_failure)
    return seen

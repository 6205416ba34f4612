"""Every page there is, once, as the role that sees most of it: sound in both themes, and nothing sticks out on a phone.

The list is that of the addresses: a page that is added and not named here fails the first test.
"""

import json
import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.urls import URLResolver, get_resolver

from evaluation.catalogue import all_metrics
from tests.e2e.helpers.appearance import Fault, faults
from tests.e2e.helpers.audit import COLOURS, DESKTOP, PHONE
from tests.e2e.helpers.bars import SCRIPT_BYTES, SCRIPTS_KB, SHIFT, WATCH_SHIFTS

# Pages look alike on every database, so once is enough.
pytestmark = pytest.mark.browser
NARROWEST = (320, 640)
STATES = ((DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"), (NARROWEST, "light"))
"""Widths and themes of the walk: what is there does not depend on the theme, and colours do not depend on the width."""
# What a GET answers with something else than a page of its own.
FILES = {
    "web:help_picture", "operations:healthz", "operations:metrics", "operations:try_me", "mfa_download_recovery_codes",
    "accounts:own_data_file", "datasets:download", "test_sets:public_reference", "results:archive",
    "results:case_sheet", "leaderboards:suspect_view", "reports:file", "workbench:figure", "workbench:file", "web:client_wheel",
    "challenges:picture",
}  # fmt: skip
PARTS = {
    "web:design_system_live", "designs:show", "designs:history", "designs:comments", "designs:task_show",
    "designs:task_history", "designs:task_comments", "designs:scan_status", "designs:simulation_status",
    "designs:rehearsal_status", "designs:sample_status", "designs:import_status",
    "reviews:automatic_state", "test_sets:test_set_archives", "submissions:status", "results:case_picture",
    "reports:progress",
}  # fmt: skip
LEADS_ON = {
    "account_set_password": "to the change of the password: everybody has one",
    "account_confirm_login_code": "to the sign-in: codes by mail are not offered",
    "notifications:follow": "to what the message is about",
    "leaderboards:first": "to the board of the phase that matters now",
    "challenges:information": "to the first page of the organizers",
}
ELSEWHERE = {
    **dict.fromkeys(
        (
            *("github_callback", "github_login", "openid_connect_callback", "openid_connect_login"),
            *("socialaccount_connections", "socialaccount_login_cancelled", "socialaccount_login_error"),
            "socialaccount_signup",
        ),
        "tests/integration/accounts/test_identity_providers.py",
    ),
    "challenges:enter": "tests/integration/challenges/test_closed.py",
    "designs:imported": "tests/e2e/designs/test_import_of_documents.py",
    "leaderboards:both_ways": "tests/e2e/registry/test_registry_walk.py",
    "leaderboards:suspect": "tests/integration/submissions/test_suspects.py",
    "test_sets:archive_findings": "tests/integration/test_sets/test_findings.py",
    "test_sets:overlaps": "tests/integration/test_sets/test_overlaps.py",
    "web:design_system": "tests/e2e/web/test_pages.py",
    "web:design_system_error": "tests/e2e/web/test_pages.py",
}
# Others' pages, in their frame.
NOT_OURS = ("admin:", "api:")
# What programs call metrics; "risk" is a word, too.
IDS = {metric.id for metric in all_metrics() if "_" in metric.id or metric.id == metric.abbreviation.lower()} - {"risk"}
ID = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(IDS, key=len, reverse=True)))})(?![\w-])")
READ_TEXTS = """() => {
  const walker = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest("code, pre, script, style, template, textarea")) texts.push(walker.currentNode.data);
  }
  return texts;
}"""
ROLES = ("", "paula", "olivia", "rita", "charles", "stranger", "staff")
"""Visitor, participant, organizer, reviewer, chair, person without a role, and staff."""
MAIN = re.compile(r"<main.*</main>", re.DOTALL)
TAG = re.compile(r"<([a-z][\w-]*)([^>]*)")
CLASS = re.compile(r'class="([^"]*)"')
FILE_ENDING = re.compile(r"\.[a-z]+\$?$|\.<slug:ending>$")


def named(resolver: URLResolver, prefix: str = "", spaces: tuple[str, ...] = ()) -> Iterator[tuple[str, str, object]]:
    """Name, pattern and view of every address."""
    for entry in resolver.url_patterns:
        pattern = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from named(entry, pattern, (*spaces, entry.namespace) if entry.namespace else spaces)
        elif entry.name:
            yield ":".join([*spaces, entry.name]), pattern, entry.callback


def methods(view) -> list[str]:
    """Return the methods that the decorator of a view permits, or GET if there is no decorator."""
    while view is not None:
        code = getattr(view, "__code__", None)
        if code and "request_method_list" in code.co_freevars:
            return view.__closure__[code.co_freevars.index("request_method_list")].cell_contents
        view = getattr(view, "__wrapped__", None)
    return ["GET"]


def pages() -> set[str]:
    """Names of all addresses that a person can open and read."""
    return {
        name
        for name, pattern, view in named(get_resolver())
        if not name.startswith(NOT_OURS) and "GET" in methods(view) and not FILE_ENDING.search(pattern)
    } - {*FILES, *PARTS, *LEADS_ON, *ELSEWHERE}


@pytest.fixture(scope="module")
def places(platform):
    """Return the viewer and the address of each page, in an installation with one object of every type."""
    ranked = "from leaderboards.models import Standing; print(Standing.objects.filter(phase__slug='final').exists())"
    platform.wait(lambda: "True" in platform.shell(ranked), "the ranking of the final phase", every=2)
    code = "import json; from tests.e2e.walk import everything; print(json.dumps(everything.places()))"
    found = json.loads(platform.shell(code))
    waits = "from tests.e2e.walk import everything; print(everything.is_quiet())"
    platform.wait(lambda: "True" in platform.shell(waits), "the workers' part", every=1)
    return found


def test_every_page_has_its_place_and_nothing_else_has(places):
    missing, unknown = sorted(pages() - set(places)), sorted(set(places) - pages())
    lists = "tests/e2e/walk/everything.py, or to FILES, PARTS, LEADS_ON or ELSEWHERE here"
    assert not missing, f"add these addresses to {lists}: {missing}"
    assert not unknown, f"these places of tests/e2e/walk/everything.py are no pages or also listed here: {unknown}"


def shape_of(html: str) -> frozenset[tuple[str, str]]:
    """Elements and classes of the main part of a page: alike for two people who see the same things."""
    main = MAIN.search(html)
    return frozenset((tag, " ".join(CLASS.findall(rest))) for tag, rest in TAG.findall(main.group() if main else html))


def test_every_page_looks_right_to_every_role(platform, places, page, seen):
    """Content that only some roles see is checked for each of them; the walk above has checked the rest."""
    wrong, shapes = [], {}
    for own in (True, False):
        for who in sorted({who for who, _ in places.values()} if own else ROLES):
            enter(platform, page, who)
            for name, (main_role, path) in sorted(places.items()):
                if (who == main_role) is not own:
                    continue
                answer = page.request.get(platform.url + path, max_redirects=0)
                shape = shape_of(answer.text()) if answer.status == 200 else None
                if shape is None or shape in shapes.setdefault(name, set()):
                    continue
                shapes[name].add(shape)
                if not own:
                    page.goto(platform.url + path)
                    found = {fault for _ in seen.states(STATES[:3]) for fault in faults(page)}
                    wrong += [f"{name} as {who or 'a visitor'}: {fault}" for fault in found]
    assert not wrong, "\n".join(wrong)


def test_every_page_is_sound(platform, places, page, seen):
    wrong = []
    page.add_init_script(WATCH_SHIFTS)
    for who in sorted({who for who, _ in places.values()}):
        enter(platform, page, who)
        for name, (_, path) in sorted(places.items()):
            if places[name][0] == who:
                wrong += look(platform, page, seen, name, path)
    assert not wrong, "\n".join(wrong)


def enter(platform, page, who: str) -> None:
    """Be a person from the next page on; a visitor where there is no name."""
    page.context.clear_cookies()
    code = f"from tests.e2e.walk import everything; print(everything.session({who!r}))"
    if value := platform.shell(code).strip():
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": platform.url}])


def look(platform, page, seen, name, path) -> list[str]:
    """Return the faults of a page."""
    seen.begin()
    answer = page.goto(platform.url + path)
    if answer.status != 200 or page.url != platform.url + path:
        return [f"{name}: {path} answers {answer.status} at {page.url}"]
    try:
        check_calm_and_small(page)
        check_names(page)
        check_states(page, seen)
    except AssertionError as error:
        return [f"{name}: {error}"]
    return []


def check_calm_and_small(page) -> None:
    """Fail if what is seen moved while the page came, or if its scripts are many."""
    # Fonts, tabs and live parts come within moments; figures keep their room.
    page.wait_for_timeout(150)
    shift, scripts = page.evaluate("() => window.__shift"), page.evaluate(SCRIPT_BYTES)
    assert shift < SHIFT, f"what is seen moved by {shift:.3f}"
    assert scripts <= SCRIPTS_KB * 1000, f"{scripts} bytes of scripts"


def check_states(page, seen) -> None:
    """Fail if something is wrong at a width or in a theme.

    Each state of the page is reached once: axe-core and the eyes of a person look at colours in both themes, and at the
    layout of each width.
    """
    found: dict[Fault, list[str]] = {}
    for size, theme in seen.states(STATES):
        if size == DESKTOP:
            seen.check(rules=COLOURS if theme == "dark" else ())
        else:
            seen.check_fits_now()
        if size != NARROWEST:
            for fault in faults(page):
                found.setdefault(fault, []).append(f"{size[0]} px {theme}")
    assert not found, "\n".join(f"{', '.join(states)}: {fault}" for fault, states in found.items())


def check_names(page) -> None:
    """Fail if a metric is called on the page what programs call it."""
    named_ids = [text.strip() for text in page.evaluate(READ_TEXTS) if ID.search(text)]
    assert not named_ids, f"ids of metrics: {named_ids[:5]}"

"""Search in the help: titles first, word stems, synonyms and typing errors.

The index is a full-text table of SQLite in memory (FTS5 with the Porter stemmer), made from `web.manual` once per
process. It does not depend on the database of the installation, so results are the same everywhere. Synonyms come
from the column “also known as” of the glossary and from `SYNONYMS`.
"""

import math
import re
import sqlite3
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from threading import Lock
from typing import Final

from web import manual
from web.manual import Page, Section

MOST_FOUND: Final = 20
MOST_OF_A_PAGE: Final = 2
MOST_WORDS: Final = 12
EXCERPT: Final = 220
LONGEST_TERM: Final = 4
# Weight of a word in the title of the section and in the title of the page, in addition to its weight in the text.
TITLE: Final = 10.0
PAGE_TITLE: Final = 5.0
# Weight of a word anywhere, so that a section with all words comes before a section with one of them often.
PRESENT: Final = 3.0
# Share of the weight of a synonym, and of a corrected word.
SYNONYM: Final = 0.7
CORRECTED: Final = 0.8
# Sections of these pages define words, and few readers operate an installation; a page that explains the task comes first.
REFERENCE: Final = frozenset({*manual.PARTS["Operate"], "glossary", "claims"})
REFERENCE_WEIGHT: Final = 0.5
_STOP_WORDS: Final = """a about after all also am an and any are as at be been before by can cannot could did do does for from get give go
    had has have help how i if in into is it its just like me mean means more much must my need no not of on one or other our
    out please podium see should show so some something tell than that the their them then there these they thing this
    to too up us use used using want was we were what when where which who whose why will with work works would you your
    possible page explain works handle handled treat treated compute computed many"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
SYNONYMS: Final = (
    ("deadline", "closes", "close", "due", "closing date", "extend", "postpone"),
    ("ground truth", "reference", "gold standard", "annotation", "label"),
    ("dice", "dsc", "overlap", "masks"),
    ("hausdorff", "hd95", "distance", "masks"),
    ("password", "sign in", "login", "log in", "account", "credentials"),
    ("two-factor", "2fa", "authenticator", "second factor"),
    ("sign up", "create an account", "account"),
    ("delete", "remove", "close account", "close your account"),
    ("co-author", "coauthor", "co-organizer", "collaborator", "work together"),
    ("docker", "container", "image", "algorithm"),
    ("gpu", "compute", "hardware"),
    ("token", "api key", "access token"),
    ("upload", "submit", "submission", "send"),
    ("limit", "quota", "how many", "how often", "per day"),
    ("download", "getting the data", "dataset", "training data"),
    ("invite", "invitation", "add"),
    ("teammate", "team mate", "member", "team"),
    ("e-mail", "email", "mail", "notification", "message"),
    ("mute", "unsubscribe", "turn off", "notification"),
    ("conflict", "conflict of interest", "coi"),
    ("blind", "double-blind", "anonymous", "anonymity", "names hidden"),
    ("cite", "citation", "doi", "bibtex", "reference a challenge"),
    ("winner", "first place", "prize", "best team"),
    ("significant", "significance", "p-value", "certain", "sure"),
    ("error bar", "confidence interval", "uncertainty", "bootstrap", "rank set"),
    ("hidden", "sealed", "secret"),
    ("fail", "error", "invalid", "reject", "refuse", "validation"),
    ("csv", "table", "spreadsheet", "excel"),
    ("auroc", "auc", "accuracy", "classification", "sensitivity"),
    ("froc", "map", "bounding box", "detection", "objects"),
    ("patient", "case", "image"),
    ("template", "example", "start"),
    ("grand challenge", "other platforms", "codabench", "evalai"),
    ("hospital", "federated", "site", "sites", "on-premise"),
    ("review", "assess", "judge"),
    ("chair", "editor", "call"),
    ("question", "ask", "discussion", "forum", "contact"),
    ("pseudonym", "anonymous", "name of the team", "named"),
    ("weight", "combine", "several metrics"),
    ("which metric", "which metrics", "recommend", "recommender", "choose metrics"),
    ("own metric", "custom metric", "own score", "scoring image"),
    ("tie", "ties", "equal rank"),
    ("missing", "absent", "not submitted"),
    ("simulate", "simulation", "how many cases", "how many test cases", "sample size", "power"),
)


@dataclass(frozen=True)
class SearchHit:
    """A section that a search returns."""

    page: Page
    section: Section
    excerpt: str
    weight: float


@dataclass(frozen=True)
class Results:
    """The results of a search.

    Attributes
    ----------
    corrected
        The words that replaced words that occur nowhere, as pairs.
    """

    hits: list[SearchHit]
    corrected: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Index:
    connection: sqlite3.Connection
    lock: Lock
    rows: tuple[tuple[Page, Section], ...]
    words: frozenset[str]
    synonyms: dict[str, frozenset[str]]


def search(text: str) -> Results:
    """Return the sections that answer a question best.

    Every word counts by itself, with its synonyms. Words that occur nowhere are replaced by the most similar word.
    """
    index = _index()
    words = [word for word in re.findall(r"[\w-]+", text.lower().replace("\x00", "")) if len(word) > 1][:MOST_WORDS]
    phrases = _phrases(words, index)
    wanted = [phrase for phrase in phrases if phrase not in STOP_WORDS] or phrases
    corrected = []
    scores: dict[int, float] = {}
    for phrase in wanted:
        terms = {phrase: 1.0}
        if not _is_known(phrase, index):
            similar = _similar(phrase, index)
            if not similar:
                continue
            if not similar[0].startswith(phrase):
                corrected.append((phrase, similar[0]))
            terms = dict.fromkeys(similar, CORRECTED)
        for term in list(terms):
            terms |= {synonym: SYNONYM * terms[term] for synonym in _synonyms_of(term, index) if synonym not in terms}
        best: dict[int, float] = {}
        for term, share in terms.items():
            for row, weight in _matches(term, index):
                best[row] = max(best.get(row, 0.0), share * weight)
        for row, weight in best.items():
            scores[row] = scores.get(row, 0.0) + weight
    hits = [_hit(row, weight, wanted, index) for row, weight in scores.items()]
    hits.sort(key=lambda hit: -hit.weight)
    per_page: dict[str, int] = {}
    listed = []
    for hit in hits:
        # No page fills the list alone.
        per_page[hit.page.name] = per_page.get(hit.page.name, 0) + 1
        if per_page[hit.page.name] <= MOST_OF_A_PAGE:
            listed.append(hit)
    return Results(listed[:MOST_FOUND], tuple(corrected))


def _phrases(words: list[str], index: _Index) -> list[str]:
    """Join neighbouring words that are one term, such as “ground truth”; the longest term first."""
    phrases, at = [], 0
    while at < len(words):
        lengths = range(min(LONGEST_TERM, len(words) - at), 0, -1)
        length = next((n for n in lengths if n == 1 or _synonyms_of(" ".join(words[at : at + n]), index)), 1)
        phrases.append(" ".join(words[at : at + length]))
        at += length
    return phrases


def _is_known(term: str, index: _Index) -> bool:
    return bool(_synonyms_of(term, index)) or bool(_matches(term, index))


def _synonyms_of(term: str, index: _Index) -> frozenset[str]:
    """Return the synonyms of a term, or of its singular."""
    for form in (term, term.removesuffix("s"), term.removesuffix("es")):
        if form in index.synonyms:
            return index.synonyms[form] - {term}
    return frozenset()


def _similar(word: str, index: _Index) -> list[str]:
    """Return the words that begin with an unknown word, or else the word that resembles it most."""
    longer = sorted(indexed for indexed in index.words if indexed.startswith(word)) if len(word) > 2 else []
    return longer[:MOST_WORDS] or get_close_matches(word, index.words, n=1, cutoff=0.75)


def _matches(term: str, index: _Index) -> list[tuple[int, float]]:
    """Return the rows with a term and their weights."""
    query = '"' + term.replace('"', " ") + '"'
    with index.lock:
        rows = index.connection.execute(
            "SELECT rowid, -bm25(help, 1, 1, 1), rowid IN (SELECT rowid FROM help WHERE section MATCH ?1), "
            "rowid IN (SELECT rowid FROM help WHERE page MATCH ?1) FROM help WHERE help MATCH ?1",
            (query,),
        ).fetchall()
    # A word of most sections, such as “challenge”, distinguishes none of them.
    rarity = 1 - math.log(1 + len(rows)) / math.log(1 + len(index.rows))
    return [
        (int(row), float(weight) + rarity * (PRESENT + TITLE * in_title + PAGE_TITLE * in_page))
        for row, weight, in_title, in_page in rows
    ]


def _hit(row: int, weight: float, words: list[str], index: _Index) -> SearchHit:
    page, section = index.rows[row - 1]
    body = section.text.lower()
    at = min((body.find(word) for word in words if word in body), default=0)
    # At the beginning of a word.
    start = section.text.rfind(" ", 0, max(at - EXCERPT // 3, 0)) + 1
    cut = section.text[start : start + EXCERPT]
    excerpt = f"{'… ' if start else ''}{cut}{'…' if len(section.text) > start + EXCERPT else ''}"
    return SearchHit(page, section, excerpt, weight * (REFERENCE_WEIGHT if page.name in REFERENCE else 1.0))


@cache
def _index() -> _Index:
    rows = tuple((manual.page(name), section) for name in manual.NAMES for section in manual.page(name).sections)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE VIRTUAL TABLE help USING fts5(section, page, body, tokenize='porter unicode61')")
    connection.executemany(
        "INSERT INTO help (rowid, section, page, body) VALUES (?, ?, ?, ?)",
        [
            (number, section.title if section.title != page.title else "", page.title, section.text)
            for number, (page, section) in enumerate(rows, start=1)
        ],
    )
    texts = (f"{page.title} {section.title} {section.text}".lower() for page, section in rows)
    words = frozenset(word for text in texts for word in re.findall(r"[^\W\d_]{4,}", text))
    return _Index(connection, Lock(), rows, words, _synonyms())


def _synonyms() -> dict[str, frozenset[str]]:
    """Return each term with its synonyms, from the glossary and from `SYNONYMS`."""
    groups = [*SYNONYMS, *_glossary()]
    synonyms: dict[str, frozenset[str]] = {}
    for group in groups:
        for term in group:
            synonyms[term] = synonyms.get(term, frozenset()) | (frozenset(group) - {term})
    return synonyms


def _glossary() -> list[tuple[str, ...]]:
    """Return the words of each row of the glossary: the word on pages, and what readers also call it."""
    groups = []
    for line in (manual.folder() / "glossary.md").read_text("utf-8").splitlines():
        cells = [cell.strip().lower() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) >= 4 and cells[1] and not cells[1].startswith("-"):
            terms = [re.sub(r"[`*]|\(.*?\)", "", term).strip() for term in f"{cells[0]}, {cells[1]}".split(",")]
            groups.append(tuple(term for term in terms if len(term) > 2))
    return groups

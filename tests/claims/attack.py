"""Challenges through the real code, every sentence against its predicate: what `make claims` runs and the suite runs a part of."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import evaluation.claims
import evaluation.ranking
from evaluation.analyses.catalogue import orders_of
from evaluation.boards import build
from evaluation.claims.beforehand import limits, too_few
from evaluation.claims.ranking import sentences_of
from evaluation.claims.reports import AGAINST, STANDING, Against, Standing
from evaluation.ranking import ResultsError, rank
from evaluation.ranking.reading import entries, label, main_entry, overall
from tests.claims.challenges import challenge
from tests.claims.consistency import contradictions
from tests.claims.predicates import false_sentences
from tests.claims.raw import Raw
from tests.claims.said_in_sections import false_in_report

REPORT_OF_EVERY = 10
"""Number of challenges of which one gets a full report, which takes as long as all its other checks."""
FRESH_FROM, FRESH_TO = 200_000_000, 2_000_000_000
"""Range of the first numbers of fresh challenges. It contains no challenge of `make claims` or of another test."""


@dataclass(frozen=True)
class Found:
    """A sentence that is false of a challenge."""

    seed: int
    about: str
    sentence: str

    def __str__(self) -> str:
        """Return one line that begins with the number of the challenge, by which it can be repeated."""
        return f"{self.seed}, {self.about}: {self.sentence}"


@dataclass(frozen=True)
class Case:
    """A challenge with the document that the real code made of it; none where it refuses to rank."""

    seed: int
    raw: Raw
    document: dict | None
    refusal: str = ""

    @property
    def entries(self) -> list[dict]:
        """Everything in the document that sentences are about."""
        return [] if self.document is None else [*overall(self.document), *entries(self.document)]

    def beforehand(self) -> list[str]:
        """Return the sentences about winners before there is any result."""
        assessment = self.raw.assessment
        return [*limits(assessment), *too_few(assessment, len(self.raw.cases))]

    def _against(self) -> tuple[list[Found], int]:
        """Return the false sentences on teams' deviations from their overall rank, and the number of sentences.

        These sentences list results by which a team is better or worse than overall.
        """
        found, said = [], 0
        main = main_entry(self.document)
        for row in main["algorithms"]:
            ranks = {
                label(entry): next(other["rank"] for other in entry["algorithms"] if other["name"] == row["name"])
                for entry in entries(self.document)
            }
            own = AGAINST.all(Against(row["rank"], ranks))
            said += len(own)
            wrong = false_sentences(self.raw, main, self.document, own, team=row["name"])
            found += [Found(self.seed, f"{row['name']} against the field", sentence) for sentence in wrong]
        return found, said

    def contradictions(self) -> list[Found]:
        """Return what contradicts itself on the boards of this challenge."""
        if self.document is None or self.document["schema"] == 2:
            return []
        table = build(self.document, self.raw.assessment)
        found = []
        for order, entry in orders_of(self.document, table):
            said = sentences_of(entry, self.document, closed=self.raw.challenge.closed)
            about = str(entry.get("metric") or "overall")
            texts = contradictions(entry, self.document, said, order, table)
            found += [Found(self.seed, about, f"a contradiction: {text} does not apply") for text in texts]
        return found

    def false(self, *, report: bool = True) -> tuple[list[Found], int]:
        """Return the false sentences, and the number of sentences.

        Parameters
        ----------
        report
            Whether the sentences of the report are included, if this challenge gets one.
        """
        found, said = [], 0
        if self.refusal:
            found.append(Found(self.seed, "refused", self.refusal))
        elif self.document is not None:
            before = self.beforehand()
            said += len(before)
            first = self.entries[0]
            found += [
                Found(self.seed, "beforehand", sentence)
                for sentence in false_sentences(self.raw, first, self.document, before)
            ]
        for entry in self.entries:
            sentences = sentences_of(entry, self.document, closed=self.raw.challenge.closed)
            said += len(sentences)
            for row in entry["algorithms"]:
                own = STANDING.all(Standing(row, entry))
                said += len(own)
                wrong = false_sentences(self.raw, entry, self.document, own, team=row["name"])
                found += [Found(self.seed, f"{row['name']} for itself", sentence) for sentence in wrong]
            about = str(entry.get("metric") or "overall")
            wrong = false_sentences(self.raw, entry, self.document, sentences)
            found += [Found(self.seed, about, sentence) for sentence in wrong]
        found += self.contradictions()
        if self.document is not None:
            wrong, more = self._against()
            said += more
            found += wrong
        if report and self.document is not None and self.seed % REPORT_OF_EVERY == 0:
            wrong, more = false_in_report(self.raw, self.document)
            said += more
            found += [Found(self.seed, "report", sentence) for sentence in wrong]
        return found, said


def case_of(seed: int, *, large: bool = False, kind: str = "") -> Case:
    """The challenge of a number, ranked; of a kind of problem where one is named."""
    generated = challenge(seed, large=large, kind=kind)
    try:
        document = rank(generated.assessment, generated.results, cases=generated.cases, evidence=generated.evidence)
    except ResultsError as error:
        return Case(seed, Raw(generated), None, str(error))
    return Case(seed, Raw(generated), document)


def attack(seed: int, *, large: bool = False) -> tuple[list[Found], int]:
    """Return the false sentences about one challenge, and the number of sentences."""
    try:
        return case_of(seed, large=large).false()
    except Exception as error:
        error.add_note(f"The number of the challenge is {seed}.")
        raise


def fresh_first() -> int:
    """Return the number of a first challenge that no earlier run has had."""
    return random.SystemRandom().randrange(FRESH_FROM, FRESH_TO)


def seeds_of_this_code(count: int) -> range:
    """Return numbers of challenges that change with each change of the ranking or of the claims.

    The same code has the same challenges, so that a run can be repeated.
    """
    digest = sha256()
    for path in sorted(file for part in (evaluation.ranking, evaluation.claims) for file in _sources(part)):
        digest.update(path.read_bytes())
    first = FRESH_FROM + int.from_bytes(digest.digest()[:8], "big") % (FRESH_TO - FRESH_FROM)
    return range(first, first + count)


def _sources(package: ModuleType) -> Iterator[Path]:
    return Path(str(package.__file__)).parent.rglob("*.py")

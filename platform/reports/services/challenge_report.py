"""From facts to the content of the report of a challenge, step by step, with every figure drawn on the way."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth.models import AnonymousUser

from evaluation import __version__
from leaderboards.queries.current import version_by_key
from leaderboards.queries.names import read, shown
from leaderboards.queries.single_cases import kept_in
from leaderboards.services import analyses, computing
from reports.domain.content import Chapter, Ledger, Origin, Status, plain
from reports.domain.guideline import CHAPTERS
from reports.exposure.domain.words import counted
from reports.exposure.queries.audience import Audience
from reports.exposure.queries.facts import Facts, PhaseFacts
from reports.exposure.services import execution, exposure, summary
from reports.services import benchmark, over_sites
from reports.services.items import Source, generate
from web.addresses import absolute

if TYPE_CHECKING:
    from evaluation.figures.publication import Printed

Progress = Callable[[int, int, str], None]
AUTHORS: Final = "authors"


@dataclass
class Built:
    """A report before it is written into files; `steps` is how many it took until here."""

    content: dict[str, Any]
    steps: int
    figures: "dict[str, Printed]" = field(default_factory=dict)


def build(facts: Facts, *, progress: Progress) -> Built:
    """Write the report of a challenge.

    Parameters
    ----------
    progress
        Called with steps done, steps in all, and what is being done.
    """
    ledger = Ledger()
    ledger.origins[AUTHORS] = Origin("authors", "Written by the authors of the report")
    figures: dict[str, Printed] = {}
    source = Source(facts=facts, ledger=ledger, exposure=exposure(facts))
    main = facts.main_phases()
    steps = len(main) + 1
    figure_names = benchmark.Figures()
    benchmarks = []
    for index, phase in enumerate(main):
        what = f"Benchmark of {source.named(phase)}"
        progress(index, steps, what)

        def drawn(step: int = index, words: str = what) -> None:
            progress(step, steps, f"{words}: {counted(len(figures), 'figure')} drawn")

        benchmarks.append(_benchmark(phase, source, figures, figure_names, drawn))
    progress(len(main), steps, "Items of the guideline")
    source.benchmarks = benchmarks
    chapters = [
        Chapter(key=key, title=title, items=[generate(number, source) for number in numbers])
        for key, title, numbers in CHAPTERS
    ]
    content = plain(
        chapters,
        ledger,
        title=_title(chapters, facts),
        byline=_byline(source),
        challenge={"slug": facts.slug, "title": facts.title, "site": absolute("/").rstrip("/")},
        audience=str(facts.audience),
        results=[
            {"key": f"{number}", "phase": source.named(benchmark.phase), "parts": benchmark.parts}
            for number, benchmark in enumerate(benchmarks, start=1)
        ],
        software=__version__,
        facts_digest=facts.digest,
        design=_named_design(facts),
        rankings=[
            {
                "phase": phase.name,
                "task": phase.task_name,
                "number": phase.ranking.number,
                "digest": phase.ranking.digest,
            }
            for phase in facts.phases
            if phase.ranking is not None
        ],
        deviations=[{"phase": source.named(phase), **entry} for phase in source.shown for entry in phase.deviations],
        exposure={
            "summary": summary(list(source.exposure)),
            "findings": [
                asdict(finding) | {"identity": finding.identity, "cover": str(finding.cover)}
                for finding in source.exposure
            ],
            "execution": _executed(facts),
        },
        score=score(chapters),
    )
    return Built(content=content, steps=steps, figures=figures)


def _byline(source: Source) -> str:
    """Return the organizers: those of the design, otherwise those of the challenge on the platform."""
    rows = source.entry("organizing_team").value or source.facts.organizers
    people = [
        (str(row.get("name", "")), str(row.get("affiliation", "") or "")) for row in rows if isinstance(row, dict)
    ]
    return "; ".join(f"{name} ({affiliation})" if affiliation else name for name, affiliation in people if name)


def _executed(facts: Facts) -> dict[str, Any] | None:
    """Return the statements of the design that the platform executes, and those that are only stated.

    The organizers vouch for the latter. Returns None without a design.
    """
    executed = execution(facts)
    if executed is None:
        return None
    stated = [
        {
            "label": entry.label,
            "choice": entry.choice,
            "execution": str(entry.execution),
            "words": entry.execution.words,
            "note": entry.note,
        }
        for entry in executed.stated
    ]
    return {"counts": str(executed.counts), "stated": stated}


def score(chapters: list[Chapter]) -> dict[str, int]:
    """Return the numbers of items that are covered, drafts, and open (BIAS-4), and the total."""
    statuses = Counter(item.status for chapter in chapters for item in chapter.items)
    return {
        "covered": sum(number for status, number in statuses.items() if status.counts),
        "draft": statuses[Status.DRAFT],
        "open": statuses[Status.OPEN],
        "items": sum(statuses.values()),
    }


def _benchmark(
    phase: PhaseFacts,
    source: Source,
    figures: "dict[str, Printed]",
    figure_names: benchmark.Figures,
    drawn: Callable[[], None],
) -> benchmark.Benchmark:
    if phase.ranking is None:
        raise LookupError(f"{phase.name} has no ranking")
    from evaluation.figures.publication import printed  # draws: only workers need it, and it takes a while to load

    version = shown(version_by_key(phase.ranking.pk))

    def draw(name: str, figure: Mapping[str, Any], words: str) -> None:
        figures[name] = printed(figure, description=words)
        drawn()

    if version.is_over_sites:
        return over_sites.build(
            phase,
            document=read(version, version.document_name),
            assessment=computing.assessment_of(version),
            ledger=source.ledger,
            origins=[source.ranking(phase)],
            draw=draw,
            figures=figure_names,
        )
    is_public = source.facts.audience is Audience.PUBLIC
    costs_kept = kept_in(AnonymousUser(), version).metrics if is_public else frozenset()
    sources = analyses.sources_of(version, withheld=costs_kept)
    return benchmark.build(
        phase, sources=sources, ledger=source.ledger, origins=[source.ranking(phase)], draw=draw, figures=figure_names
    )


def _title(chapters: list[Chapter], facts: Facts) -> str:
    first = chapters[0].items[0]
    text = first.edit.text if first.edit is not None and first.edit.text.strip() else first.generated
    return " ".join(text.split()).rstrip(".") or facts.title


def _named_design(facts: Facts) -> dict[str, str] | None:
    design = facts.design
    if design is None:
        return None
    return {key: getattr(design, key) for key in ("kind", "label", "number", "digest", "since", "address")}

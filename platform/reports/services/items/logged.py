"""Facts of the platform about the course of the challenge: dates, attempts, test sets, software."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from challenges.domain.scheduling import STAYS_OPEN
from evaluation.assessment import Assessment, MetricUse
from evaluation.bundle.outside import MEASURED_OUTSIDE, outside_notes
from evaluation.catalogue import get, option_words
from evaluation.claims.reports import COMPLETE, HandedIn
from evaluation.designs.compilation import pseudo_code
from evaluation.problems import kind_of
from evaluation.ranking import describe
from reports.domain.content import Exhibit, Item, Origin
from reports.exposure.domain.words import decoy_words
from reports.exposure.queries.facts import PhaseFacts
from reports.exposure.services import lines
from reports.exposure.services.case import same_moment
from reports.services.items import claims
from reports.services.items.registered import ended
from reports.services.items.source import Source
from web.addresses import absolute

PLATFORM: Final = Origin("platform", "The platform that ran the challenge")
MEANINGS: Final = {
    "missing": "prediction missing",
    "pred_empty": "prediction empty, reference not",
    "ref_empty": "reference empty, prediction not",
    "both_empty": "both empty",
    "degenerate": "otherwise undefined",
}


def keywords(item: Item, source: Source) -> None:
    """3: registered keywords, and those that follow from modality and category."""
    labels = []
    for identity in ("imaging_modality", "task_category"):
        parameter = source.parameter(identity)
        for values in source.views:
            for value in values.get(identity) or ():
                word = parameter.label_of(value) if parameter else str(value)
                if word not in labels:
                    labels.append(word)
    if labels:
        origins = [source.registered(identity) for identity in ("imaging_modality", "task_category")]
        item.text.append((source.ledger.say(f"From modality and category: {'; '.join(labels)}.", *origins),))


def name(item: Item, source: Source) -> None:
    """5a: without a design the title that the challenge runs under."""
    if not item.text:
        item.text.append((source.ledger.say(ended(source.facts.title), PLATFORM),))


def people(item: Item, source: Source) -> None:
    """6: without a design those who run the challenge here."""
    if not item.exhibits:
        rows = tuple((person["name"], person["affiliation"] or "–") for person in source.facts.organizers)
        keys = source.ledger.keys(source.counted("organizers of the challenge"))
        item.exhibits.append(
            Exhibit(
                "table", origins=keys, topic="people", text="Organizers", columns=("Name", "Affiliation"), rows=rows
            )
        )


def cycle(item: Item, source: Source) -> None:
    """7: whether submissions are still accepted."""
    words = " ".join(claims.CYCLE.all(_run(source)))
    item.text.append((source.ledger.say(words, source.counted("states of the phases")),))


def hosted(item: Item, source: Source) -> None:
    """8b: this platform, and what it did not do."""
    words = "Submissions were taken, scored and ranked on Podium."
    rankings = [phase.ranking for phase in source.shown if phase.ranking is not None]
    if any(ranking.outside for ranking in rankings):
        words = "Results were ranked on Podium; some of their values were measured outside of it."
        if all(ranking.outside for ranking in rankings):
            words = "Results were ranked on Podium, from values that were measured outside of it."
    item.text.append((source.ledger.say(words, PLATFORM),))


def pages(item: Item, source: Source) -> None:
    """8c: the pages of the challenge and of its registration."""
    sentences = [
        source.ledger.say(f"Page of the challenge: {absolute(f'/challenges/{source.facts.slug}/')}.", PLATFORM)
    ]
    design = source.facts.design
    if design is not None and design.is_registered:
        origin = Origin("registration", design.label, design.digest, design.address)
        sentences.append(
            source.ledger.say(f"{design.label}: {absolute(design.address)} (SHA-256 {design.digest}).", origin)
        )
    item.text.append(tuple(sentences))


def close_teams(item: Item, source: Source) -> None:
    """Write 9c: the number of team members with ties to the organizers, without names.

    Ties are a shared affiliation or e-mail domain.
    """
    words = " ".join(claims.CLOSE.all(_run(source)))
    item.text.append((source.ledger.say(words, source.counted("accounts of organizers and teams")),))


def announced(item: Item, source: Source) -> None:
    """9e: which results are not shown."""
    words = " ".join(claims.ANNOUNCED.all(_run(source)))
    item.text.append((source.ledger.say(words, source.counted("visibility of the phases")),))


def attempts(item: Item, source: Source) -> None:
    """10b: quotas, which submission counts, and how often teams submitted."""
    for phase in source.shown:
        limit, *attempt_words = claims.ATTEMPTS.all(claims.Named(source.named(phase), phase))
        sentences = [source.ledger.say(limit, source.counted(f"settings of {source.named(phase)}"))]
        sentences += [
            source.ledger.say(words, source.counted(f"submissions to {source.named(phase)}")) for words in attempt_words
        ]
        item.text.append(tuple(sentences))


def dates(item: Item, source: Source) -> None:
    """11: planned and actual dates, extensions marked."""
    rows, origins = [], []
    for phase in source.facts.phases:
        planned = [entry for entry in source.facts.entries("phase_created", phase.pk) if entry["phase"] == phase.pk]
        closed = [entry for entry in source.facts.entries("phase_closed", phase.pk) if entry["phase"] == phase.pk]
        origins += [source.logged(entry) for entry in (*planned, *closed)]
        first = planned[0]["facts"] if planned else {}
        moved = [
            what
            for what, before, now in (
                ("opening", first.get("opens_at"), phase.opens_at),
                ("closing", first.get("closes_at"), phase.closes_at),
            )
            if before and not same_moment(before, now)
        ]
        remark = [f"{what} moved" for what in moved] + (["closed by an organizer"] if closed else [])
        rows.append(
            (
                source.named(phase),
                f"{_day(first.get('opens_at', phase.opens_at))} – {_day(first.get('closes_at', phase.closes_at))}",
                f"{_day(phase.opens_at)} – {_day(phase.ends_at)}",
                phase.state,
                ", ".join(remark) or "as planned",
            )
        )
    if rows:
        keys = source.ledger.keys(*(origins or [source.counted("dates of the phases")]))
        columns = ("Phase", "Planned (UTC)", "Actual (UTC)", "State", "Remark")
        item.exhibits.append(
            Exhibit("table", origins=keys, topic="phases", text="Phases", columns=columns, rows=tuple(rows))
        )


def software(item: Item, source: Source) -> None:
    """14a: with what was scored and ranked, and how to compute it again."""
    for phase in source.facts.main_phases():
        ranking = phase.ranking
        if ranking is None:
            continue
        sentences = claims.SOFTWARE.all(claims.Named(source.named(phase), phase, source.parsed(phase)))
        item.text.append(source.ledger.paragraph(sentences, source.ranking(phase)))


def label_access(item: Item, source: Source) -> None:
    """Write 15: the facts of the platform about access to the references."""
    entries = source.facts.entries("test_set_sealed")
    if entries:
        words = (
            "On the platform the references are sealed under the digests of their manifests; scoring reads them on behalf of "
            "the system, and only organizers can look at one, which is logged."
        )
        item.text.append(
            (
                source.ledger.say(words, *[source.logged(entry) for entry in entries]),
                source.ledger.say(
                    lines.ACCESS.first(lines.About(source.facts)), source.counted("acts in the audit log")
                ),
            )
        )


def case_numbers(item: Item, source: Source) -> None:
    """Write 25b: the registered and the sealed numbers of test cases."""
    rows, origins = [], []
    for phase in source.facts.phases:
        for test_set in phase.test_sets:
            words = f"Manifest of the test set of {source.named(phase)}, version {test_set['version']}"
            origins.append(Origin("results", words, test_set["manifest_digest"]))
            rows.append(
                (
                    source.named(phase),
                    str(test_set["version"]),
                    decoy_words(test_set),
                    _registered_cases(source, phase),
                    test_set["sealed_at"][:10],
                    test_set["manifest_digest"][:16],
                )
            )
    if rows:
        columns = ("Phase", "Version", "Sealed cases", "Registered test cases", "Sealed", "Manifest")
        keys = source.ledger.keys(*origins)
        item.exhibits.append(
            Exhibit(
                "table",
                origins=keys,
                topic="test_sets",
                text="Test sets, counted in the sealed data",
                columns=columns,
                rows=tuple(rows),
            )
        )


def metrics(item: Item, source: Source) -> None:
    """29a: the metrics as they were executed, and who measured what was not."""
    for phase in _different(source):
        assessment = source.parsed(phase)
        is_outside = kind_of(assessment).is_measured_elsewhere
        rows = []
        for metric in assessment.metrics:
            definition = get(metric.id) if metric in assessment.computed and not is_outside else None
            ends = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
            low, high = (
                "unbounded" if bound is None else f"{bound:g}" for bound in (definition.range if definition else ends)
            )
            options = option_words(metric.told_options)
            rows.append(
                (
                    metric.title,
                    definition.name if definition else _who_measured(metric),
                    options or "–",
                    "higher is better" if metric.higher_is_better else "lower is better",
                    f"{low} to {high}",
                    "all" if metric.is_by_run else ", ".join(region.name for region in assessment.regions) or "all",
                )
            )
        columns = ("Metric", "Definition", "Options", "Direction", "Range", "Regions")
        keys = source.ledger.keys(source.assessment(phase))
        alike = [one for one in source.facts.phases if one.assessment_digest == phase.assessment_digest]
        caption = f"Metrics as executed, {' and '.join(source.named(one) for one in alike)}"
        item.exhibits.append(
            Exhibit("table", topic="metrics_executed", origins=keys, text=caption, columns=columns, rows=tuple(rows))
        )
    for phase in source.shown:
        notes = outside_notes({MEASURED_OUTSIDE: phase.ranking.outside}) if phase.ranking is not None else ()
        origin = source.counted(f"sealed tables of {source.named(phase)}")
        item.text += [(source.ledger.say(f"{source.named(phase)}: {words}", origin),) for words in notes]


def _who_measured(metric: MetricUse) -> str:
    """Return the source of the values of a metric that the platform does not compute."""
    if metric.is_by_run:
        return f"measured while the algorithm runs, in {metric.unit}"
    return "computed by the scoring image of the organizers" if metric.is_by_scorer else "measured outside Podium"


def ranking_method(item: Item, source: Source) -> None:
    """Write 30a: the executed method that determines the winner, as text and as a procedure."""
    for phase in _different(source):
        assessment = source.parsed(phase)
        item.text.append(source.ledger.paragraph(describe(assessment), source.assessment(phase)))
        keys = source.ledger.keys(source.assessment(phase))
        item.exhibits.append(Exhibit("code", topic="procedure", origins=keys, text="\n".join(pseudo_code(assessment))))


def _told_outcomes(assessment: Assessment) -> tuple[str, ...]:
    """Outcomes that a value can have: where nothing is drawn or found in a case, nothing can be empty."""
    problem = kind_of(assessment)
    emptiness = problem.metrics.can_be_undefined and not problem.texts.missing_cases(assessment)
    return tuple(MEANINGS) if emptiness else ("missing", "degenerate")


def missing(item: Item, source: Source) -> None:
    """30b: what a missing value counts as, and how many cases each team lacks."""
    for phase in _different(source):
        assessment = source.parsed(phase)
        outcomes = _told_outcomes(assessment)
        rows = [
            (metric.title, *[_policy_words(assessment, index, outcome) for outcome in outcomes])
            for index, metric in enumerate(assessment.metrics)
        ]
        keys = source.ledger.keys(source.assessment(phase))
        columns = ("Metric", *[MEANINGS[outcome].capitalize() for outcome in outcomes])
        caption = f"What counts where there is no value, {source.named(phase)}"
        item.exhibits.append(
            Exhibit("table", topic="policies", origins=keys, text=caption, columns=columns, rows=tuple(rows))
        )
    for benchmark in source.benchmarks:
        origin, where = source.ranking(benchmark.phase), source.named(benchmark.phase)
        item.text += [
            (source.ledger.say(sentence, origin),)
            for sentence in COMPLETE.all(HandedIn(where, {team: int(number) for team, number in benchmark.missing}))
        ]
        lacking = [(team, number) for team, number in benchmark.missing if number != "0"]
        if lacking:
            keys = source.ledger.keys(origin)
            caption = f"Cases without a prediction, {where}"
            item.exhibits.append(
                Exhibit(
                    "table",
                    topic="missing",
                    origins=keys,
                    text=caption,
                    columns=("Team", "Missing cases"),
                    rows=tuple(lacking),
                )
            )


def statistics(item: Item, source: Source) -> None:
    """31a: the statistics as they were computed."""
    for phase in source.facts.main_phases():
        ranking = phase.ranking
        if ranking is None:
            continue
        sentences = claims.STATISTICS.all(claims.Named(source.named(phase), phase, source.parsed(phase)))
        item.text.append(source.ledger.paragraph(sentences, source.ranking(phase), source.assessment(phase)))


def _run(source: Source) -> claims.Run:
    return claims.Run(source.facts, [source.named(phase) for phase in source.facts.phases])


ADDITIONS: Final[Mapping[str, Callable[[Item, Source], None]]] = {
    "3": keywords,
    "5a": name,
    "6": people,
    "7": cycle,
    "8b": hosted,
    "8c": pages,
    "9c": close_teams,
    "9e": announced,
    "10b": attempts,
    "11": dates,
    "14a": software,
    "15": label_access,
    "25b": case_numbers,
    "29a": metrics,
    "30a": ranking_method,
    "30b": missing,
    "31a": statistics,
}


def _different(source: Source) -> list[PhaseFacts]:
    """Return the first phase of each assessment.

    Phases with the same assessment would repeat the same text.
    """
    by_digest = {phase.assessment_digest: phase for phase in reversed(source.facts.phases)}
    return [phase for phase in source.facts.phases if by_digest[phase.assessment_digest] is phase]


def _policy_words(assessment: Assessment, index: int, outcome: str) -> str:
    value = assessment.metrics[index].policy.get(outcome)
    return "–" if value is None else str(value).replace("_", " ")


def _registered_cases(source: Source, phase: PhaseFacts) -> str:
    task_views = [values for values in source.views if values.task_key == phase.design_key] or source.views
    number = task_views[0].get("number_test_cases") if task_views else None
    return "–" if number is None else str(number)


def _day(moment: str) -> str:
    if not moment:
        return "not opened"
    if moment >= STAYS_OPEN.isoformat():
        return "no end"
    return datetime.fromisoformat(moment).strftime("%-d %B %Y, %H:%M")

"""From a fingerprint to recommended metrics, with every step of the way."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from evaluation.advice.challenge_metrics import listed
from evaluation.advice.document import Pick, guide_document, matching_document, merged, step_document
from evaluation.advice.expressions import holds
from evaluation.advice.fingerprint import Fingerprint, FingerprintError, Unanswered, inconsistencies
from evaluation.advice.knowledge import knowledge
from evaluation.advice.options import Matching, make_matching, options_of
from evaluation.advice.walk import Walk, because, choose, walk
from evaluation.catalogue import get

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.advice.knowledge import Item, Leaf
    from evaluation.advice.walk import Resolver, Visit

SCHEMA: Final = 1
_CATEGORY_STEP: Final = "S1"
_SEGMENTATION_STEPS: Final = ("S6", "S7")


def recommend(fingerprint: Fingerprint, *, strict: bool = False) -> dict[str, Any]:
    """Recommend metrics.

    Parameters
    ----------
    fingerprint
        Known answers about the problem. For missing answers, the cautious value is used and listed under
        ``assumed``.
    strict
        Whether to raise `Unanswered` at the first question that matters and was not answered, for dialogues.

    Returns
    -------
    dict
        The recommendation document, ready for JSON: ``metrics`` with catalogue ids, options, values to be set and
        reasons; ``steps`` with every question, answer and branch; ``complementary``, ``ruled_out``, ``matching``,
        ``rules``, ``reroute``, ``warnings``.

    Raises
    ------
    FingerprintError
        If a question without a cautious value is not answered; its path names the question.

    Examples
    --------
    >>> from evaluation.advice.fingerprint import parse_fingerprint
    >>> answers = {"FP2.5.7": True, "FP4.3.1": False}
    >>> parsed = parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": answers})
    >>> [metric["id"] for metric in recommend(parsed)["metrics"]]
    ['dsc', 'nsd']
    """
    try:
        return _Recommender(fingerprint, strict=strict).document()
    except Unanswered as open_item:
        if strict:
            raise
        parent_path = "answers" if open_item.class_name is None else f"classes.{open_item.class_name}"
        choices = ", ".join(f'"{v}"' if isinstance(v, str) else str(v).lower() for v in open_item.item.values)
        raise FingerprintError(
            f"{parent_path}.{open_item.item.id}",
            None,
            f"an answer to the question “{open_item.item.question}”: {choices}",
        ) from None


def next_question(fingerprint: Fingerprint) -> tuple[Item, str | None] | None:
    """The first question whose answer matters and was not given, with the class that it is about; ``None`` when done.

    Examples
    --------
    >>> from evaluation.advice.fingerprint import parse_fingerprint
    >>> next_question(parse_fingerprint({"schema": 1, "answers": {"FP1.1a": "local"}}))[0].id
    'FP1.1b'
    """
    try:
        recommend(fingerprint, strict=True)
    except Unanswered as open_item:
        return open_item.item, open_item.class_name
    return None


def influence(fingerprint: Fingerprint) -> dict[str, dict[str, dict[str, list[str]]]]:
    """Return the metrics that each other answer would add and remove, by item and value.

    Answers that change nothing are excluded. The problem category is not varied.
    """
    now = _ids(recommend(fingerprint))
    changes: dict[str, dict[str, dict[str, list[str]]]] = {}
    for item in knowledge().items.values():
        if item.id.startswith("FP1.1") or fingerprint.category not in item.categories:
            continue
        for value, label in item.choices:
            varied = replace(fingerprint, answers={**fingerprint.answers, item.id: value})
            then = _ids(recommend(varied))
            if then != now:
                change = {"added": [i for i in then if i not in now], "removed": [i for i in now if i not in then]}
                changes.setdefault(item.id, {})[label] = change
    return changes


def _ids(document: dict[str, Any]) -> list[str]:
    return [metric["id"] for metric in document["metrics"]]


class _Recommender:
    def __init__(self, fingerprint: Fingerprint, *, strict: bool) -> None:
        self.fingerprint = fingerprint
        self.strict = strict
        self.used: dict[tuple[str, str | None], tuple[Any, str]] = {}
        self.guides: dict[str, dict[str, Any]] = {}

    def resolver(self, name: str | None) -> Resolver:
        def resolve(item: str) -> Any:
            answer = self.fingerprint.answer(item, name, strict=self.strict)
            if item in knowledge().items:
                class_name = name if name is not None and item in self.fingerprint.classes.get(name, {}) else None
                self.used[item, class_name] = (answer.value, answer.source)
            return answer

        return resolve

    def document(self) -> dict[str, Any]:
        fingerprint = self.fingerprint
        steps: list[dict[str, Any]] = []
        if fingerprint.category is None or "FP1.1a" in fingerprint.answers:
            category_walk = walk(_CATEGORY_STEP, self.resolver(None))
            steps.append(step_document(category_walk, None, []))
            if fingerprint.category is None:
                fingerprint = replace(fingerprint, category=category_walk.leaves[0][0].category)
                self.fingerprint = fingerprint
        category = str(fingerprint.category)
        names: Sequence[str | None] = tuple(fingerprint.classes) or (None,)
        picks: list[tuple[Pick, str | None]] = []
        excluded: dict[str, Visit] = {}
        warnings: list[str] = [inconsistency.words for inconsistency in inconsistencies(fingerprint)]
        matching: dict[str | None, Matching] = {}
        for step_id in knowledge().pipelines[category]:
            step = knowledge().steps[step_id]
            for name in names if step.per_class else (None,):
                walked = walk(step_id, self.resolver(name))
                if step.kind == "assignment":
                    matching[name] = self._matching(walk("S8", self.resolver(name)), walked, name)
                    chosen = [matching[name].assignment]
                elif step.kind == "localisation":
                    chosen = [self._one(leaf, name) for leaf, _ in walked.leaves if leaf.metrics]
                else:
                    step_picks = self._picks(walked, name, matching)
                    picks += [(pick, name) for pick in step_picks]
                    chosen = [pick.id for pick in step_picks]
                for visit in walked.visits:
                    for metric in visit.excluded:
                        if metric not in excluded or visit.is_answered > excluded[metric].is_answered:
                            excluded[metric] = visit
                warnings += [leaf.note for leaf, _ in walked.leaves if leaf.warning and leaf.note not in warnings]
                steps.append(step_document(walked, name, chosen))
        picks += [(pick, name) for name in names for pick in self._complements(name, picks)]
        metrics = merged(picks, names)
        reroute = self._reroute(names)
        return {
            "schema": SCHEMA,
            "knowledge": knowledge().version,
            "fingerprint": fingerprint.digest,
            "name": fingerprint.name,
            "problem": fingerprint.problem,
            "category": category,
            "classes": [name for name in names if name is not None],
            "metrics": [metric for metric in metrics if metric["role"] == "recommended"],
            "complementary": [metric for metric in metrics if metric["role"] == "complementary"],
            "also": self._also(names),
            "challenge_metrics": self._challenge_metrics(names),
            "matching": [matching_document(name, class_matching) for name, class_matching in matching.items()],
            "steps": steps,
            "guides": self.guides,
            "ruled_out": self._ruled_out(category, metrics, excluded),
            "reroute": reroute,
            "rules": self._rules(names),
            "empty": [dict(rule) for rule in knowledge().empty],
            "warnings": warnings,
            "answers": self._answers(),
            "assumed": sorted(
                {item for (item, _), (_, source) in self.used.items() if source in ("assumed", "unknown")}
            ),
            "source": knowledge().source,
        }

    def _one(self, leaf: Leaf, name: str | None) -> str:
        """The metric of a leaf, by its guide if there is a choice."""
        if leaf.guide is None or len(leaf.metrics) < 2:
            return leaf.metrics[0]
        return self._decide(leaf.guide, name, leaf.metrics)

    def _decide(self, guide_id: str, name: str | None, offered: tuple[str, ...] | None = None) -> str:
        guide = knowledge().guides[guide_id]
        preselected, why = choose(guide, self.resolver(name), offered)
        chosen = self.fingerprint.choices.get(guide_id, preselected)
        if offered is not None and chosen not in offered:
            chosen = preselected
        if chosen != preselected:
            why = f"your choice; preselected is {preselected}"
        self.guides[guide_id] = guide_document(guide, chosen, preselected, why, offered)
        return chosen

    def _matching(self, located: Walk, assigned: Walk, name: str | None) -> Matching:
        leaf = located.leaves[0][0]
        criterion = self._one(leaf, name)
        strictness = self._decide("DG8.3", name) if leaf.parameter_guides and criterion.endswith("iou") else "0.5"
        first, second = (leaf for leaf, _ in assigned.leaves)
        resolve = self.resolver(name)
        position = self.fingerprint.category == "ObD" and resolve("FP2.4").value == "position"
        return make_matching(
            criterion,
            strictness,
            self._one(first, name),
            double_as_fp=second.metrics == ("double_as_fp",),
            position=position,
        )

    def _picks(self, walked: Walk, name: str | None, matching: dict[str | None, Matching]) -> list[Pick]:
        picks = []
        for leaf, way in walked.leaves:
            if leaf.select == "none":
                continue
            if leaf.select == "one_set":
                first = self._decide(str(leaf.guide), name, tuple(chosen[0] for chosen in leaf.metric_sets))
                ids = next(chosen for chosen in leaf.metric_sets if chosen[0] == first)
            elif leaf.select == "one":
                ids = (self._one(leaf, name),)
            else:
                ids = leaf.metrics
            picks += [
                self._pick(metric_id, walked.step.id, leaf, way, name=name, matching=matching) for metric_id in ids
            ]
        return picks

    def _pick(
        self,
        metric_id: str,
        step: str,
        leaf: Leaf,
        way: tuple[Visit, ...],
        *,
        name: str | None,
        matching: dict[str | None, Matching],
    ) -> Pick:
        category = str(self.fingerprint.category)
        parameters = {
            str(knowledge().guides[guide].parameter): self._decide(guide, name)
            for guide in leaf.parameter_guides
            if metric_id == "fbeta"
        }
        resolve = self.resolver(name)
        of_objects = category in ("ObD", "InS") and step not in _SEGMENTATION_STEPS
        options, to_set = options_of(
            metric_id,
            parameters,
            matching=(matching.get(name) or next(iter(matching.values()), None)) if of_objects else None,
            priors_fit=category != "ImLC" or bool(resolve("FP4.2").value),
            equal_costs=leaf.guide in ("DG2.2", "DG2.3"),
        )
        asked = [one for visit in way for one in visit.asked]
        why = f"It fits, since {because(asked)}." if asked else ""
        if leaf.note:
            why = f"{why} {leaf.note}".strip()
        guide = self.guides.get(str(leaf.guide)) if leaf.guide and len(leaf.metrics) > 1 else None
        within = category == "InS" and step in _SEGMENTATION_STEPS
        if within:
            options["level"] = "pixel"
        option_names = {option.name for option in get(metric_id).assessment_options}
        options = {key: value for key, value in options.items() if key in option_names}
        alias = "fbeta_overlap" if within and metric_id == "fbeta" else None
        origin = "platform" if "platform" in (leaf.origin, *(visit.origin for visit in way)) else "framework"
        return Pick(metric_id, step, "recommended", alias, why, origin, options, to_set, guide)

    def _complements(self, name: str | None, picks: list[tuple[Pick, str | None]]) -> list[Pick]:
        """Return metrics that may complement the recommended ones."""
        resolve = self.resolver(name)
        picked_ids = {pick.id for pick, class_name in picks if class_name in (name, None)}
        overlap = {"dsc", "iou", "fbeta"} & picked_ids
        complements = []
        for entry in knowledge().complements:
            wanted = entry["add"]
            if (
                wanted
                and overlap
                and wanted not in picked_ids
                and holds(entry["when"], lambda item: resolve(item).value)
            ):
                words = str(entry["words"])
                complements.append(Pick(wanted, "complement", "complementary", None, words, "framework", {}, {}, None))
        return complements

    def _also(self, names: Sequence[str | None]) -> list[str]:
        """Return considerations that no metric of the catalogue measures."""
        return [
            str(entry["words"])
            for entry in knowledge().complements
            if entry["add"] is None and any(self._holds(entry["when"], name) for name in names)
        ]

    def _challenge_metrics(self, names: Sequence[str | None]) -> list[dict[str, Any]]:
        """Return metrics that challenges rank by, with their weakness and source."""
        by_ids = {
            tuple(entry["ids"]): entry
            for name in names
            for entry in listed(str(self.fingerprint.problem), partial(self._value_of, name))
        }
        return list(by_ids.values())

    def _value_of(self, name: str | None, item: str) -> Any:
        """Return an answer without noting that it was used; a question without an answer counts as no."""
        try:
            return self.fingerprint.answer(item, name).value
        except Unanswered:
            return False

    def _holds(self, condition: Any, name: str | None) -> bool:
        resolve = self.resolver(name)
        return holds(condition, lambda item: resolve(item).value)

    def _reroute(self, names: Sequence[str | None]) -> list[dict[str, Any]]:
        return [
            {"problem": knowledge().problems[entry["suggest"]], "why": entry["why"], "origin": entry["origin"]}
            for entry in knowledge().reroute
            if any(self._holds(entry["when"], name) for name in names)
        ]

    def _rules(self, names: Sequence[str | None]) -> list[dict[str, str]]:
        return [
            {"id": rule["id"], "topic": rule["topic"], "rule": rule["rule"]}
            for rule in knowledge().rules
            if any(self._holds(rule["when"], name) for name in names)
        ]

    def _ruled_out(
        self, category: str, metrics: list[dict[str, Any]], excluded: dict[str, Visit]
    ) -> list[dict[str, Any]]:
        """Metrics that do not fit, and why; those that are recommended or left to a choice are not among them."""
        offered = {metric["id"] for metric in metrics}
        offered |= {other["id"] for metric in metrics for other in metric["alternatives"]}
        reasons = {metric: (visit.rules_out, visit.is_answered) for metric, visit in excluded.items()}
        for entry in knowledge().unfit[category]:
            reasons |= dict.fromkeys(entry["ids"], (entry["why"], True))
        return [
            {"id": metric, "why": why, **({} if is_settled else {"open": True})}
            for metric, (why, is_settled) in sorted(reasons.items())
            if metric not in offered and _is_metric(metric)
        ]

    def _answers(self) -> list[dict[str, Any]]:
        item_by_id = knowledge().items
        return [
            {"item": item, "class": name, "value": value, "label": item_by_id[item].label(value), "source": source}
            for (item, name), (value, source) in sorted(
                self.used.items(), key=lambda entry: list(item_by_id).index(entry[0][0])
            )
            if source != "not_asked"
        ]


def _is_metric(name: str) -> bool:
    try:
        return not get(name).is_criterion
    except LookupError:
        return False

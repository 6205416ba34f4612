"""Walk through a decision tree step by step, with a record of questions, answers and exclusions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.advice.expressions import holds, mentioned
from evaluation.advice.fingerprint import Answer
from evaluation.advice.knowledge import CATEGORY, Fork, Guide, Leaf, Node, Step, knowledge
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluation.advice.expressions import Expression
    from evaluation.advice.knowledge import Tree

Resolver = Callable[[str], Answer]
_ELSE = "*"


@dataclass(frozen=True, slots=True)
class Asked:
    """One item that a node looked up."""

    item: str
    title: str
    question: str
    value: Any
    label: str
    source: str

    @property
    def is_answered(self) -> bool:
        """True if a person gave the answer, or it follows from other answers."""
        return self.source not in ("assumed", "unknown")


@dataclass(frozen=True, slots=True)
class Visit:
    """One node of a walk.

    Attributes
    ----------
    node
        The step and the branches that led here: ``S6/no/no``.
    asked
        Items that it looked up, in order; conditions stop at the first item that decides them.
    branch
        The branch taken.
    excluded
        Metrics that are reached only by the other branches.
    origin
        ``framework`` or ``platform``.
    """

    node: str
    asked: tuple[Asked, ...]
    branch: str
    excluded: tuple[str, ...]
    pitfalls: tuple[str, ...]
    origin: str

    @property
    def reason(self) -> str:
        """Answers of this visit as text.

        Examples
        --------
        >>> visit = Visit("S6", (Asked("FP3.1", "Small throughout", "…?", True, "Yes", "given"),), "yes", (), (), "")
        >>> visit.reason
        'Small throughout: yes'
        """
        return "; ".join(
            f"{asked.title}: {asked.label[:1].lower()}{asked.label[1:]}{'' if asked.is_answered else ' (assumed)'}"
            for asked in self.asked
        )

    @property
    def is_answered(self) -> bool:
        """True if no answer is an assumption: a branch based on an assumption rules nothing out."""
        return all(asked.is_answered for asked in self.asked)

    @property
    def rules_out(self) -> str:
        """Return why the other branches are not taken, or the open questions that decide about them."""
        if not self.asked:
            return "It is for another kind of problem."
        if self.is_answered:
            return f"It does not fit, since {because(self.asked)}."
        open_titles = [f"“{asked.title}”" for asked in self.asked if not asked.is_answered]
        return f"That is open until {joined(open_titles)} {'is' if len(open_titles) == 1 else 'are'} answered."

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "node": self.node,
            "asked": [
                {
                    "item": asked.item,
                    "question": asked.question,
                    "answer": asked.value,
                    "label": asked.label,
                    "source": asked.source,
                }
                for asked in self.asked
            ],
            "branch": self.branch,
            "reason": self.reason,
            "ruled_out": list(self.excluded),
            "origin": self.origin,
        }


_SAID: Final = {
    "assumed": "is not answered and was taken as",
    "unknown": "was answered with “I do not know” and was taken as",
}


def because(asked: Sequence[Asked]) -> str:
    """Return the answers as the reason in a sentence, with each question once.

    Examples
    --------
    >>> because([Asked("FP3.1", "Small throughout", "…?", True, "Yes", "given")])
    '“Small throughout” was answered with “yes”'
    """
    parts = dict.fromkeys(
        f"“{one.title}” {_SAID.get(one.source, 'was answered with')} “{one.label[:1].lower()}{one.label[1:]}”"
        for one in asked
    )
    return joined(list(parts))


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk through one step: the nodes in order, and every leaf that it ended in with the way to it."""

    step: Step
    visits: tuple[Visit, ...]
    leaves: tuple[tuple[Leaf, tuple[Visit, ...]], ...]

    @property
    def candidates(self) -> tuple[str, ...]:
        """All metrics of the leaves."""
        return tuple(dict.fromkeys(metric for leaf, _ in self.leaves for metric in leaf.metrics))


def walk(step_id: str, resolve: Resolver) -> Walk:
    """Walk a step.

    Parameters
    ----------
    step_id
        ``S1`` to ``S9``.
    resolve
        Gives the answer of an item, or of ``category``; what it raises goes through, so that a dialogue can ask.

    Examples
    --------
    >>> from evaluation.advice.fingerprint import parse_fingerprint
    >>> answers = {"FP2.3": True, "FP3.3": True}
    >>> vessels = parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": answers})
    >>> [visit.reason for visit in walk("S6", vessels.answer).visits]
    ['Small throughout: no (assumed)', 'The centre or centreline matters: yes; Tubes: yes']
    """
    step = knowledge().steps[step_id]
    leaves = tuple(_walk(step.root, step_id, resolve, ()))
    visits = dict.fromkeys(visit for _, way in leaves for visit in way)
    return Walk(step, tuple(visits), leaves)


def choose(guide: Guide, resolve: Resolver, options: tuple[str, ...] | None = None) -> tuple[str, str]:
    """The option that a guide preselects, and why.

    Parameters
    ----------
    options
        Those that the leaf offers; a hint or default outside of them is passed over.
    """
    offered = options or tuple(guide.options)
    for condition, preferred, why in guide.hints:
        if preferred in offered and holds(condition, lambda item: resolve(item).value):
            return preferred, why
    preferred = guide.default if options is None or guide.default in offered else offered[0]
    return preferred, "preselected; the choice is yours"


def metrics_below(tree: Tree) -> Iterator[str]:
    """All metrics that a part of a tree can lead to."""
    if isinstance(tree, Leaf):
        yield from tree.metrics
    elif isinstance(tree, Fork):
        for part in tree.parts:
            yield from metrics_below(part)
    else:
        for branch in tree.branches.values():
            yield from metrics_below(branch)


def _walk(tree: Tree, path: str, resolve: Resolver, way: tuple[Visit, ...]) -> Iterator[tuple[Leaf, tuple[Visit, ...]]]:
    if isinstance(tree, Leaf):
        yield tree, way
    elif isinstance(tree, Fork):
        for number, part in enumerate(tree.parts, start=1):
            yield from _walk(part, f"{path}/part {number}", resolve, way)
    else:
        visit = _visit(tree, path, resolve)
        yield from _walk(tree.branches[visit.branch], f"{path}/{visit.branch}", resolve, (*way, visit))


def _visit(node: Node, path: str, resolve: Resolver) -> Visit:
    looked_up: dict[str, Answer] = {}

    def look_up(item: str) -> Any:
        answer = resolve(item)
        looked_up[item] = answer
        return answer.value

    answered = _answered(node.question, look_up)
    branch = answered if answered in node.branches else _ELSE
    below = set(metrics_below(node.branches[branch]))
    others = (metric for key, tree in node.branches.items() if key != branch for metric in metrics_below(tree))
    excluded = tuple(dict.fromkeys(metric for metric in others if metric not in below))
    by_category = node.question == CATEGORY
    asked = tuple(_asked(item, answer) for item, answer in looked_up.items() if item != CATEGORY)
    return Visit(path, asked, branch, () if by_category else excluded, node.pitfalls, node.origin)


def _answered(question: Expression, look_up: Callable[[str], Any]) -> str:
    if isinstance(question, str):
        value = look_up(question)
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return "yes" if holds(question, look_up) else "no"


def _asked(item_id: str, answer: Answer) -> Asked:
    item = knowledge().items[item_id]
    return Asked(item_id, item.title, item.question, answer.value, item.label(answer.value), answer.source)


def items_of(step_id: str) -> tuple[str, ...]:
    """The items that a step may ask for.

    Examples
    --------
    >>> items_of("S1")
    ('FP1.1a', 'FP1.1b', 'FP1.1c')
    """

    def below(tree: Tree) -> Iterator[str]:
        if isinstance(tree, Fork):
            for part in tree.parts:
                yield from below(part)
        elif isinstance(tree, Node):
            yield from mentioned(tree.question)
            for branch in tree.branches.values():
                yield from below(branch)

    items = dict.fromkeys(below(knowledge().steps[step_id].root))
    return tuple(item for item in items if item != CATEGORY)

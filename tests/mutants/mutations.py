"""Mutants of a module, made by cosmic-ray: every one is one comparison, sign, constant or logical word turned round."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass
from typing import Final

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.mutants.areas import ROOT, modules_of

_PREFIXES: Final[dict[str, tuple[str, ...]]] = {
    "comparison": ("core/ReplaceComparisonOperator_", "core/AddNot", "core/ReplaceUnaryOperator_Delete_Not"),
    "sign": (
        "core/ReplaceBinaryOperator_Add_Sub",
        "core/ReplaceBinaryOperator_Sub_Add",
        "core/ReplaceBinaryOperator_Mul_Div",
        "core/ReplaceBinaryOperator_Div_Mul",
        "core/ReplaceUnaryOperator_USub_UAdd",
    ),
    "constant": ("core/NumberReplacer", "core/ReplaceTrueWithFalse", "core/ReplaceFalseWithTrue"),
    "logic": ("core/ReplaceAndWithOr", "core/ReplaceOrWithAnd"),
}
# Of the many ways to turn a comparison round, the neighbour and the opposite; the others are easier to notice.
_COMPARISONS: Final = frozenset(
    f"core/ReplaceComparisonOperator_{pair}"
    for pair in (
        *("Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
        *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
    )
)


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the module, the operator, and the changed line before and after."""

    area: str
    module: str
    kind: str
    operator: str
    occurrence: int
    line: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """Location of the mutant and its change."""
        return f"{self.module}:{self.line}: {self.before}  →  {self.after}"


def source_of(mutant: Mutant, code: str) -> str:
    """The mutated module, made of the unchanged one."""
    mutated: str | None = mutate_code(code, get_operator(mutant.operator)(), mutant.occurrence)
    if mutated is None:
        message = f"{mutant.operator} has no occurrence {mutant.occurrence} in {mutant.module}"
        raise LookupError(message)
    return mutated


def sample(area: str, count: int, seed: int) -> list[Mutant]:
    """Sample mutants of an area, equally many of each kind, with equally likely positions within a kind."""
    positions: dict[str, list[tuple[str, str, int, int]]] = {kind: [] for kind in _PREFIXES}
    for module in modules_of(area):
        nodes = list(ast_nodes(get_ast((ROOT / module).read_text(encoding="utf-8"))))
        for kind, name in _operators():
            operator = get_operator(name)()
            starts = [start for node in nodes for start, _ in operator.mutation_positions(node)]
            positions[kind] += [(module, name, number, start[0]) for number, start in enumerate(starts)]
    generator = random.Random(f"{seed} {area}")
    for candidates in positions.values():
        generator.shuffle(candidates)
    mutants: list[Mutant] = []
    while len(mutants) < count and any(positions.values()):
        for kind, candidates in positions.items():
            mutant = None
            while candidates and mutant is None and len(mutants) < count:
                mutant = _mutant(area, kind, *candidates.pop())
            if mutant is not None:
                mutants.append(mutant)
    return mutants


def _operators() -> list[tuple[str, str]]:
    return [
        (kind, name)
        for kind, prefixes in _PREFIXES.items()
        for name in sorted(operator_names())
        if name.startswith(prefixes) and (name in _COMPARISONS or "Comparison" not in name)
    ]


def _mutant(area: str, kind: str, module: str, operator: str, occurrence: int, line: int) -> Mutant | None:
    """Return the mutant, or ``None`` if the symbol was not an operation.

    The star of keyword-only arguments is an example.
    """
    code = (ROOT / module).read_text(encoding="utf-8")
    mutated = mutate_code(code, get_operator(operator)(), occurrence) or ""
    if kind == "sign" and not _is_an_operation(code, mutated):
        return None
    pairs = zip(code.splitlines(), mutated.splitlines(), strict=True)
    before, after = next((before.strip(), after.strip()) for before, after in pairs if before != after)
    return Mutant(area, module, kind, operator, occurrence, line, before, after)


def _is_an_operation(code: str, mutated: str) -> bool:
    try:
        return _operations(code) != _operations(mutated)
    except SyntaxError:  # two slashes among the parameters, where one stood beside the star
        return False


def _operations(code: str) -> list[str]:
    nodes = ast.walk(ast.parse(code))
    return [type(node.op).__name__ for node in nodes if isinstance(node, (ast.BinOp, ast.UnaryOp))]

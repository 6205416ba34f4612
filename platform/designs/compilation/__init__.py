"""From the prose of a design to the document that is executed."""

from designs.compilation.compiler import Compilation, NotCompilableError, Problem, compile_assessment, compile_values
from designs.compilation.words import pseudo_code, worked_example

__all__ = [
    "Compilation",
    "NotCompilableError",
    "Problem",
    "compile_assessment",
    "compile_values",
    "pseudo_code",
    "worked_example",
]

"""Syntax trees of the sources, parsed once per process for all tests that search them.

Trees are not stored on disk: to load those of all 1,649 modules takes 1.4 s, to parse them 1.7 s if the garbage collector
does not examine them (5.7 s if it does).
"""

import ast
import gc
from functools import cache


@cache
def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a module by its text. All tests share it, so none can change it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        tree = ast.parse(text)
        gc.freeze()
    finally:
        if collects:
            gc.enable()
    return tree


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a module in the order of `ast.walk`."""
    return tuple(ast.walk(parsed(text)))

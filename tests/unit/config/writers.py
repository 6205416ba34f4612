"""Places in the sources that write files, found in the syntax tree."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCES: Final = ("platform", "evaluation", "confinement", "client")
_BY_PATH: Final = {
    *("write_bytes", "write_text", "touch", "hardlink_to", "symlink_to", "rename", "tofile", "imwrite", "WriteImage"),
    *("copyfile", "copy2", "copytree", "extractall", "mkstemp", "NamedTemporaryFile", "encrypt_file", "decrypt_file"),
    *("savez", "savez_compressed", "to_filename", "backup", "FileSystemStorage", "to_parquet"),
}
_FLAGS: Final = {"O_WRONLY", "O_RDWR", "O_CREAT"}


def places(root: Path) -> Iterator[str]:
    """Return ``file::function`` of each call that creates, writes or renames a file without `evaluation.durable`."""
    for source in SOURCES:
        for path in sorted((root / source).rglob("*.py")):
            if "migrations" not in path.parts:
                name = path.relative_to(root).as_posix()
                yield from (f"{name}::{scope}" for scope in writing_scopes(path.read_text(encoding="utf-8")))


def writing_scopes(text: str) -> list[str]:
    """Return the qualified names of the functions of a module that write files, each once, in order."""
    found: dict[str, None] = {}

    def visit(node: ast.AST, scope: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                visit(child, f"{scope}.{child.name}".lstrip("."))
                continue
            if isinstance(child, ast.Call) and _writes(child):
                found[scope or "module"] = None
            visit(child, scope)

    visit(ast.parse(text), "")
    return list(found)


def _writes(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = function.value.id if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) else ""
    if owner == "durable":
        return False
    values = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("mode", "flags"))]
    if name in ("open", "fdopen", "ZipFile", "TarFile"):
        return any(_is_mode(value) or _has_flag(value) or _is_variable(value) for value in values)
    if owner == "shutil" and name in ("copy", "move", "copyfileobj"):
        return name != "copyfileobj"  # into a stream, whose opening counts
    if name == "replace":  # that of a path has one argument, that of a text two
        return owner == "os" or (len(call.args) == 1 and not call.keywords)
    if name == "save" and owner not in ("form", "super"):
        return bool(call.args)
    if name == "link":
        return owner == "os"
    return name in _BY_PATH


def _is_mode(value: ast.expr) -> bool:
    literals = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    return any(
        isinstance(text, str) and 0 < len(text) < 5 and set(text) <= set("rwaxbt+|:gz*") and set(text) & set("wax+")
        for text in literals
    )


def _is_variable(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "mode"


def _has_flag(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in _FLAGS for node in ast.walk(value))

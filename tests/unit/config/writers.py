"""Places in the sources that write files, found in the syntax tree."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.sources import parsed

SOURCES: Final = ("platform", "evaluation", "confinement", "client")
_BY_PATH: Final = {
    *("write_bytes", "write_text", "touch", "hardlink_to", "symlink_to", "rename", "tofile", "imwrite", "WriteImage"),
    *("copyfile", "copy2", "copytree", "extractall", "mkstemp", "NamedTemporaryFile", "encrypt_file", "decrypt_file"),
    *("savez", "savez_compressed", "to_filename", "backup", "FileSystemStorage", "to_parquet", "ParquetWriter"),
    *("savefig", "write_image", "write_html", "to_excel", "FileIO", "unpack_archive", "memmap", "open_memmap"),
}
# These write where they get a target, and return a text otherwise.
_TO_TARGET: Final = {"to_csv"}
_TARGETS: Final = {"fp", "file", "name", "path", "path_or_buf", "target", "where"}
_NAMED: Final = ("mode", "flags")
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

    visit(parsed(text), "")
    return list(found)


def _writes(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = function.value.id if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) else ""
    if owner == "durable":
        return False
    named = [keyword.value for keyword in call.keywords if keyword.arg in _NAMED]
    values = [*call.args, *named]
    to_target = any(keyword.arg in _TARGETS for keyword in call.keywords)
    if name in ("open", "fdopen", "ZipFile", "TarFile"):
        modes = [*(call.args[1:] if owner in ("", "os", "io", "tarfile", "zipfile") else call.args[:1]), *named]
        return any(_is_mode(value) or _has_flag(value) for value in values) or any(map(_is_variable, modes))
    if owner == "shutil" and name in ("copy", "move", "copyfileobj"):
        return name != "copyfileobj"  # into a stream, whose opening counts
    if name == "replace":  # that of a path has one argument, that of a text two
        return owner == "os" or (len(call.args) == 1 and not call.keywords) or (not call.args and to_target)
    if name == "save" and owner not in ("form", "super"):
        return bool(call.args) or to_target
    if name in _TO_TARGET:
        return bool(call.args) or to_target
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
    """Return whether a mode is computed, so that it can be one that writes."""
    return isinstance(value, ast.Name | ast.Attribute) and "mode" in getattr(value, "id", getattr(value, "attr", ""))


def _has_flag(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in _FLAGS for node in ast.walk(value))

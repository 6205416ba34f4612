"""YAML of strangers, read with bounds: plain values only, a limited number of them, no repeated keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node

MOST_BYTES: Final = 1 << 20
MOST_NODES: Final = 20_000
DEEPEST: Final = 30
_TOO_LARGE: Final = (
    f"the YAML has more than {MOST_NODES:,} values or more than {DEEPEST} levels, its aliases written out",
    "Send the configuration only.",
)


def read_yaml(name: str, content: bytes) -> dict[str, Any]:
    """Return the mapping of a YAML document.

    Only the values of YAML's own types are made; a tag of a programming language is refused. Values are counted with
    their aliases written out, because a few lines of aliases can stand for billions of values.

    Raises
    ------
    TableError
        For a file that is too large, not in UTF-8, no YAML, no mapping, or beyond the bounds.
    """
    # Here, so that a table is read without it.
    import yaml

    if len(content) > MOST_BYTES:
        problem = f"the file has {len(content):,} bytes, and at most {MOST_BYTES:,} are read"
        raise TableError(name, problem, "Send the configuration only.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TableError(name, f"line {line} is not in UTF-8", "Save the file in UTF-8.") from None
    try:
        _check_depth(name, text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None:
            _check_nodes(name, node)
        value = yaml.load(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, TableError):
            raise
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        reason = getattr(error, "problem", None) or type(error).__name__
        raise TableError(name, f"this is no readable YAML ({reason}{where})", "Correct that line.") from None
    if not isinstance(value, dict):
        raise TableError(name, "this YAML holds no named entries", "Send the configuration of a challenge.")
    return {str(key): entry for key, entry in value.items()}


def _check_depth(name: str, text: str) -> None:
    """Count the nodes of the text and their depth before any of them is made."""
    import yaml

    nodes = depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.NodeEvent):
            nodes += 1
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if nodes > MOST_NODES or depth > DEEPEST:
            raise TableError(name, *_TOO_LARGE)


def _check_nodes(name: str, root: Node) -> None:
    """Refuse a key that a mapping names twice, and aliases that stand for too much or for themselves.

    YAML would silently use the last of two keys.
    """
    counted: dict[int, int] = {}
    open_nodes: set[int] = set()

    def count(node: Node) -> int:
        """Number of values that a node stands for, with its aliases written out."""
        import yaml

        identity = id(node)
        if identity in open_nodes:
            raise TableError(name, "an alias of the YAML refers to itself", "Write the value out.")
        if identity not in counted:
            open_nodes.add(identity)
            total = 1
            if isinstance(node, yaml.MappingNode):
                _check_mapping(name, node)
                total += sum(count(entry) for pair in node.value for entry in pair)
            elif isinstance(node, yaml.SequenceNode):
                total += sum(count(entry) for entry in node.value)
            open_nodes.discard(identity)
            counted[identity] = total
        return counted[identity]

    if count(root) > MOST_NODES:
        raise TableError(name, *_TOO_LARGE)


def _check_mapping(name: str, node: MappingNode) -> None:
    keys: set[str] = set()
    for key, _ in node.value:
        text = str(key.value)
        if text in keys:
            problem = f"line {key.start_mark.line + 1} names the key {shown(text)} a second time"
            raise TableError(name, problem, "Remove one of them.")
        keys.add(text)

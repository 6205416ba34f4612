"""No module imports itself through others, imports for types and inside functions included."""

import sys
import tomllib

import grimp
import networkx as nx
import pytest
from django.conf import settings


def circles(graph):
    """Groups of modules that import each other, the largest first, each in alphabetical order."""
    groups = [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]
    return sorted(groups, key=lambda group: (-len(group), group))


def import_graph(*packages):
    """Modules of packages with an edge for each import; those below ``if TYPE_CHECKING`` and in functions count, too."""
    modules = grimp.build_graph(*packages, exclude_type_checking_imports=False, cache_dir=None)
    graph = nx.DiGraph()
    graph.add_nodes_from(modules.modules)
    graph.add_edges_from(
        (module, imported)
        for module in modules.modules
        for imported in modules.find_modules_directly_imported_by(module)
    )
    return graph


@pytest.fixture(scope="module")
def imports():
    table = tomllib.loads((settings.ROOT / "pyproject.toml").read_text())
    return import_graph(*table["tool"]["importlinter"]["root_packages"], "podium_client")


def test_no_module_imports_itself_through_others(imports):
    found = circles(imports)
    lines = [
        "\n".join(f"  {importer} imports {imported}" for importer, imported in nx.find_cycle(imports.subgraph(group)))
        for group in found
    ]
    sizes = [len(group) for group in found]
    assert not found, f"circles of {sizes} modules; one way round each:\n" + "\n\n".join(lines)


def test_imports_for_types_and_in_functions_count(tmp_path, monkeypatch):
    package = tmp_path / "turning"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "first.py").write_text(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from turning.second import Second\n"
    )
    (package / "second.py").write_text("def late():\n    from turning import third\n    return third\n")
    (package / "third.py").write_text("from turning import first\n")
    (package / "outside.py").write_text("from turning import first\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert circles(import_graph("turning")) == [["turning.first", "turning.second", "turning.third"]]
    finally:
        sys.modules.pop("turning", None)

"""Generator of the reference of `evaluation`.

It writes `metrics.md` in this folder, the names that `evaluation.metrics` exports, and pages of every module with pdoc.

Run from the top of the repository (``make api``). The pages are written to the named folder, ``build/api`` by
default:

    python -m docs.api.make_api [FOLDER]
"""
# ruff: noqa: INP001

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import evaluation
import evaluation.metrics
from evaluation.catalogue import all_metrics
from evaluation.problems.offered_metrics import default_policy, function_for, kinds_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.catalogue import Metric, Option

HERE: Final = Path(__file__).parent
EXPORTS: Final = Path(evaluation.metrics.__file__)
_NAMES: Final = re.compile(r"^if TYPE_CHECKING:\n.*?^__all__ = \[\n.*?^\]", re.MULTILINE | re.DOTALL)
_FAMILY_TITLES: Final = {
    "per_class_counting": "Counting, one class against the rest",
    "multi_class_counting": "Counting, all classes at once",
    "multi_threshold": "All thresholds at once",
    "working_point": "Working points",
    "overlap": "Overlap",
    "boundary": "Boundaries",
    "localization_criterion": "Hit criteria of objects",
    "calibration": "Calibration",
    "failure_detection": "Confidences against risks",
    "regression": "Numbers against numbers",
    "survival": "Times to an event",
    "multi_label": "Several labels at once",
    "landmarks": "Landmarks",
    "registration": "Registration",
    "image_similarity": "Image to image",
}
_HEAD: Final = """# Metrics of `evaluation`

Every built-in metric as it declares itself above its function (`evaluation/metrics/`, `evaluation/matching/criterion_tables.py`).
`from evaluation.metrics import dsc` gives the function; assessments name it by the same id and set its options. *Counts as* says what
a case without a value is worth unless the assessment says otherwise. Made by `python -m docs.api.make_api`, which also writes pages of
every module with their docstrings (`make api`); a test makes this page again and compares.
"""


def modules() -> list[str]:
    """Every public module of `evaluation`, by name."""
    names = ["evaluation"]
    names += [module.name for module in pkgutil.walk_packages(evaluation.__path__, "evaluation.")]
    return sorted(name for name in names if not name.endswith("__main__"))


def write_pages(folder: Path, names: Sequence[str] | None = None) -> None:
    """Write a page for each module with pdoc: signatures with their defaults, docstrings, formulas, links between them."""
    import pdoc

    pdoc.render.configure(
        docformat="numpy", show_source=True, footer_text=f"podium-evaluation {evaluation.__version__}"
    )
    # Names that load at first use are loaded, because pdoc does not do so.
    for package in map(importlib.import_module, names or modules()):
        for name in getattr(package, "__all__", ()):
            getattr(package, name)
    # Types that only type checkers import stay as they are written.
    warnings.filterwarnings("ignore", message="Error parsing type annotation", category=UserWarning)
    # Module by module: pdoc alone leaves out the modules of a package that says what it exports.
    documents = {name: pdoc.doc.Module(pdoc.extract.load_module(name)) for name in names or modules()}
    for name, module in documents.items():
        path = folder / f"{name.replace('.', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pdoc.render.html_module(module, documents), encoding="utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(documents), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(documents), encoding="utf-8")


def exports() -> str:
    """Return `evaluation/metrics/__init__.py` with the names of all built-in metrics.

    A type checker reads these names, so that they are written out: as imports, and as `__all__`.
    """
    modules_of = {metric.id: metric.compute.__module__ for metric in _built_in()}
    imports = [
        f"    from {module} import ({', '.join(sorted(name for name in modules_of if modules_of[name] == module))})"
        for module in sorted(set(modules_of.values()))
    ]
    listed = [f'    "{name}",' for name in sorted(modules_of)]
    written = "\n".join(["if TYPE_CHECKING:", *imports, "", "__all__ = [", *listed, "]"])
    text = _NAMES.sub(written, EXPORTS.read_text(encoding="utf-8"), count=1)
    for command in (["check", "--fix", "--quiet", "--select", "I"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(EXPORTS), "-"]
        text = subprocess.run(ruff, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603
    return text


def _built_in() -> list[Metric]:
    return [metric for metric in all_metrics() if metric.source == "podium"]


def page() -> str:
    """The page of all metrics."""
    built_in = _built_in()
    sections = [_HEAD]
    for family, title in _FAMILY_TITLES.items():
        sections.append(f"## {title}\n")
        sections += [_section(metric, built_in) for metric in built_in if metric.family == family]
    return "\n".join(sections)


def _section(metric: Metric, others: Sequence[Metric]) -> str:
    function = metric.compute
    first = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    low, high = (
        ("−∞" if metric.range[0] is None else f"{metric.range[0]:g}"),
        ("∞" if metric.range[1] is None else f"{metric.range[1]:g}"),
    )
    unit = f" {metric.unit}" if metric.unit else ""
    lines = [
        f"### `{metric.id}`: {metric.name} ({metric.abbreviation})\n",
        f"{first}\n",
        f"- Range: {low} to {high}{unit}; {metric.direction} is better",
        f"- Problems: {', '.join(problem.replace('_', ' ') for problem in kinds_with(metric))}",
        f"- Function: `{function.__module__}.{function.__qualname__}`{_elsewhere(metric)}",
        f"- Takes: {', '.join(_need(metric, need) for need in sorted(metric.needs))}",
    ]
    if not metric.is_criterion:
        lines.append(f"- Counts as: {_policies(metric)}")
    related = _related(metric, others)
    if related:
        lines.append(f"- See also: {', '.join(f'`{name}`' for name in related)}")
    if metric.assessment_options:
        lines += ["", "| option | default | takes | what it does |", "|---|---|---|---|"]
        lines += [_row(option) for option in metric.assessment_options]
    return "\n".join(lines) + "\n"


def _elsewhere(metric: Metric) -> str:
    other = sorted(
        {f"{f.__module__}.{f.__qualname__}" for f in (function_for(metric, kind) for kind in kinds_with(metric))}
    )
    return "".join(f"; also `{name}`" for name in other if not name.startswith(f"{metric.compute.__module__}."))


def _need(metric: Metric, need: str) -> str:
    return f"{need} (if there are any)" if need in metric.optional else need


def _policies(metric: Metric) -> str:
    policies = [default_policy(metric, problem) for problem in kinds_with(metric)]
    words = [f"{outcome} {_value(value)}" for outcome, value in policies[0].items()]
    return ", ".join(words)


def _related(metric: Metric, others: Sequence[Metric]) -> list[str]:
    """Metrics that its documentation names, and those that name it."""
    ids = {other.id for other in others} - {metric.id}
    named = set(re.findall(r"`(?:[\w.]+\.)?(\w+)`", inspect.getdoc(metric.compute) or "")) & ids
    naming = {
        other.id
        for other in others
        if re.search(rf"`(?:[\w.]+\.)?{metric.id}`", inspect.getdoc(other.compute) or "") and other.id != metric.id
    }
    return sorted(named | naming)


def _row(option: Option) -> str:
    default = "to be confirmed: " * option.required + _value(option.default_document)
    unit = f" {option.unit}" if option.unit else ""
    description = option.description.replace("|", "\\|")
    return f"| `{option.name}` | {default}{unit} | {option.allowed} | {description} |"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    EXPORTS.write_text(exports(), encoding="utf-8")
    (HERE / "metrics.md").write_text(page(), encoding="utf-8")
    write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "build/api"))

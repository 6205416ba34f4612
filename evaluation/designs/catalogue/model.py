"""The catalogue of design parameters as typed, frozen records."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, Final

DATA_FILE: Final = "parameters.v1.json"
EXECUTION_FILE: Final = "execution.v1.json"
TEXTS: Final = ("label", "help_text", "why_it_matters")


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of an enumeration: the stored slug and the displayed label."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class ItemField:
    """A column of a table, or an entry of a record.

    Attributes
    ----------
    listed
        The choices of the catalogue.
    offered_by
        Name of a registry that offers further choices, which installed packages can add to; empty for none.
    """

    key: str
    label: str
    type: str
    required: bool = False
    listed: tuple[Choice, ...] = ()
    allow_other: bool = False
    help_text: str = ""
    visibility: str = "public"
    minimum: float | None = None
    maximum: float | None = None
    offered_by: str = ""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Available choices: those of the catalogue, and those that a registry adds."""
        if self.offered_by != "schemes":
            return self.listed
        # Schemes compute with what assessments say, and are loaded only where their choices are asked for.
        from evaluation.ranking.schemes import all_schemes

        listed_values = {choice.value for choice in self.listed}
        others = [scheme for scheme in all_schemes() if scheme.design_kind and scheme.design_kind not in listed_values]
        return (*self.listed, *(Choice(str(scheme.design_kind), scheme.title) for scheme in others))


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A machine check: what has to hold (`assertion`), under which condition (`when`), and at which points of life.

    Each exists once, so that they are compared and looked up by identity.
    """

    id: str
    parameter: str
    severity: str
    message: str
    assertion: Mapping[str, Any]
    when: Mapping[str, Any] | None
    phases: tuple[str, ...]

    @property
    def custom(self) -> str:
        """Name of the code that decides it; empty for a check of rules."""
        return str(self.assertion.get("custom", ""))


@dataclass(frozen=True, slots=True)
class Coverage:
    """Frequency with which the 549 tasks of 2004 to 2016 reported an entry of the 53-list, in percent."""

    number: int
    thesis: float | None
    paper: float | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a design, an algorithm description or a report.

    Attributes
    ----------
    required_when
        Condition under which a required parameter needs an answer; always without one.
    applies_when
        Condition under which the parameter can be answered, where that is wider than `required_when`.
    """

    id: str
    kind: str
    section: str
    scope: str
    label: str
    help_text: str
    why_it_matters: str
    type: str
    required: bool
    required_when: Mapping[str, Any] | None
    required_when_text: str
    required_by: str
    essential: bool
    change_class: str
    visibility: str
    choices: tuple[Choice, ...] = ()
    choices_mode: str = ""
    has_details: bool = False
    item_fields: tuple[ItemField, ...] = ()
    minimum: float | None = None
    overridable_per_task: bool = False
    examples: tuple[tuple[str, str], ...] = ()
    coverage: tuple[Coverage, ...] = ()
    numbers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    never_absent: bool = False
    applies_when: Mapping[str, Any] | None = None

    @property
    def is_task(self) -> bool:
        """True if each task has a separate value."""
        return self.scope == "task"

    @property
    def left_out(self) -> float | None:
        """Share of historic tasks that did not report it, in percent (mean of the entries it belongs to)."""
        shares = [entry.thesis for entry in self.coverage if entry.thesis is not None]
        return 100 - sum(shares) / len(shares) if shares else None

    @property
    def bias(self) -> str:
        """Its items of the BIAS guideline, as text."""
        return ", ".join(self.numbers.get("bias", ()))

    def label_of(self, slug: object) -> str:
        """Return the label of a stored choice."""
        if isinstance(slug, Mapping) and "other" in slug:
            return str(slug["other"])
        return next((choice.label for choice in self.choices if choice.value == slug), str(slug))


@dataclass(frozen=True, slots=True)
class Section:
    """A page of the form."""

    key: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An entry of the 53-list or of BIAS with the parameters that report it."""

    number: str
    title: str
    parameters: tuple[str, ...]
    starred: bool = False
    coverage: float | None = None


@dataclass(frozen=True)
class Catalogue:
    """Everything that form, checks, completeness, comparison and exports are made from."""

    version: str
    sections: tuple[Section, ...]
    parameters: Mapping[str, Parameter]
    algorithm_parameters: Mapping[str, Parameter]
    outcome_parameters: Mapping[str, Parameter]
    index_53: tuple[IndexEntry, ...]
    index_bias: tuple[IndexEntry, ...]
    baseline: Mapping[str, Any]

    def __getitem__(self, identity: str) -> Parameter:
        for group in (self.parameters, self.algorithm_parameters, self.outcome_parameters):
            if identity in group:
                return group[identity]
        raise KeyError(identity)

    def in_section(self, key: str) -> tuple[Parameter, ...]:
        """The parameters of one page, in the order of the catalogue."""
        return tuple(parameter for parameter in self.parameters.values() if parameter.section == key)

    @property
    def checks(self) -> tuple[Check, ...]:
        """Every check of the design, of algorithm descriptions and of reports."""
        groups = (self.parameters, self.algorithm_parameters, self.outcome_parameters)
        return tuple(check for group in groups for parameter in group.values() for check in parameter.checks)


@cache
def shipped() -> Catalogue:
    """The catalogue as it is delivered with the project, without the texts that administrators changed."""
    document = _read(DATA_FILE)
    execution = _read(EXECUTION_FILE)
    absent = frozenset(execution["never_absent"])
    extra = {key: tuple(_item_field(item) for item in items) for key, items in execution["item_fields"].items()}
    checks = execution["checks"]
    parameters = [
        _parameter(
            {**item, "checks": [*(item.get("checks") or ()), *checks.get(item["id"], ())]}, "design", absent, extra
        )
        for item in document["parameters"]
    ]
    for item in execution["parameters"]:
        index = [parameter.id for parameter in parameters].index(item["before"])
        parameters.insert(index, _parameter({**_ADDED, **item}, "design", absent, {}))
    order = [section["key"] for section in document["sections"]]
    parameters.sort(key=lambda parameter: order.index(parameter.section))
    return Catalogue(
        version=str(document["meta"]["version"]),
        sections=tuple(Section(item["key"], item["label"], item["description"]) for item in document["sections"]),
        parameters={parameter.id: parameter for parameter in parameters},
        algorithm_parameters={
            item["id"]: _parameter(item, "algorithm", absent, {}) for item in document["algorithm_parameters"]
        },
        outcome_parameters={
            item["id"]: _parameter(item, "outcome", absent, {}) for item in document["outcome_parameters"]
        },
        index_53=tuple(
            IndexEntry(
                number=str(item["number"]),
                title=item["parameter"],
                parameters=tuple(item["reported_if_any_filled"]),
                starred=item["starred"],
                coverage=item["coverage_thesis_percent"],
            )
            for item in document["index_53"]
        ),
        index_bias=tuple(
            IndexEntry(number=item["item"], title=item["title"], parameters=tuple(item["parameters"]))
            for item in document["index_bias"]
        ),
        baseline=document["meta"]["historic_baseline"],
    )


def with_texts(catalogue: Catalogue, texts: Mapping[tuple[str, str], str]) -> Catalogue:
    """A copy in which `texts`, by parameter and name of the text, replace the delivered ones."""
    changed: dict[str, dict[str, Any]] = {}
    for (identity, name), text in texts.items():
        if identity in catalogue.parameters and name in TEXTS:
            changed.setdefault(identity, {})[name] = text
    if not changed:
        return catalogue
    parameters = {
        identity: replace(parameter, **changed[identity]) if identity in changed else parameter
        for identity, parameter in catalogue.parameters.items()
    }
    return replace(catalogue, parameters=parameters)


_ADDED: Final[Mapping[str, Any]] = {
    "number": {},
    "essential": False,
    "coverage_2004_2016": None,
    "overridable_per_task": False,
    "visibility": "public",
    "required_when": None,
    "choices": [],
    "checks": [],
}


def _read(name: str) -> dict[str, Any]:
    text = resources.files("evaluation.designs.catalogue").joinpath(name).read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _parameter(
    item: Mapping[str, Any], kind: str, absent: frozenset[str], extra: Mapping[str, tuple[ItemField, ...]]
) -> Parameter:
    condition = item["required_when"] or {}
    fields = tuple(_item_field(entry) for entry in item.get("item_fields", ())) + extra.get(item["id"], ())
    return Parameter(
        id=item["id"],
        kind=kind,
        section=item["section"],
        scope=item["scope"],
        label=item["label"],
        help_text=item["help_text"],
        why_it_matters=item["why_it_matters"] or "",
        type=item["type"],
        required=item["required"],
        required_when=condition.get("condition"),
        required_when_text=condition.get("text", ""),
        required_by=item["required_by"] or "",
        essential=bool(item.get("essential")),
        change_class=item.get("change_class") or "minor",
        visibility=item.get("visibility") or "public",
        choices=_choices(item),
        choices_mode=item.get("choices_mode", ""),
        has_details=bool(item.get("details_key")),
        item_fields=fields,
        minimum=item.get("minimum"),
        overridable_per_task=bool(item.get("overridable_per_task")),
        examples=tuple((entry["challenge"], _text(entry["value"])) for entry in item.get("examples") or ()),
        coverage=tuple(
            Coverage(entry["list53"], entry["thesis_percent"], entry["paper_percent"])
            for entry in item.get("coverage_2004_2016") or ()
        ),
        numbers={key: tuple(str(n) for n in numbers) for key, numbers in (item.get("number") or {}).items() if numbers},
        checks=tuple(
            Check(
                id=check["id"],
                parameter=item["id"],
                severity=check["severity"],
                message=check["message"],
                assertion=check["assert"],
                when=check.get("when"),
                phases=tuple(check["phases"]),
            )
            for check in item.get("checks") or ()
        ),
        never_absent=item["id"] in absent,
        applies_when=item.get("applies_when"),
    )


def _choices(item: Mapping[str, Any]) -> tuple[Choice, ...]:
    return tuple(Choice(choice["value"], choice["label"]) for choice in item.get("choices") or ())


def _item_field(item: Mapping[str, Any]) -> ItemField:
    return ItemField(
        key=item["key"],
        label=item["label"],
        type=item["type"],
        required=bool(item.get("required")),
        listed=_choices(item),
        offered_by="schemes" if item["key"] == "scheme" else "",
        allow_other=bool(item.get("allow_other")),
        help_text=item.get("help_text", ""),
        visibility=item.get("visibility", "public"),
        minimum=item.get("minimum"),
        maximum=item.get("maximum"),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

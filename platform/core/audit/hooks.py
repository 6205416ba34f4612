"""Sealing of model fields, declarations of their writers, and hooks with which apps adjust both.

Every field of every model is *sealed* by default: its digest is added to the chain of sealings with each write. A
field that must not be sealed is *free*, with a reason (`leave_free`). A field that can be computed from another
record is *derived* as well: `rebuilders` recompute it and compare. `checks` compare records that apps keep in
another form, such as files. `summaries` describe records whose absence a person must notice, and `witnesses` compare
the records with those that are kept elsewhere.

A sealing can be forged: an administrator of the database can append a row to the chain. `written_by` declares the acts
that write a field, and `write_once` declares fields that keep their first value. The verification reports sealings that
contradict a declaration.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.db.models import Model

from web.hooks import Hook

EVERY_FIELD = "*"
INSERTED: Final = "+"
"""Name of the insertion of a row, where columns are named."""
REMOVED: Final = "-"
"""Name of the removal of a row, where columns are named."""
EXEMPT_ACTS: Final = frozenset({"records_adopted", "records_migrated"})
"""Acts that may seal every value: an operator accepted differences, or migrations changed rows."""


@dataclass(frozen=True)
class Rebuilder:
    """Recomputation of derived fields of a model.

    Attributes
    ----------
    model
        Label of the model.
    fields
        Names of the fields.
    source
        Name of the record that contains the true values, for people.
    rows
        Yields each row's key, its stored values by name of field, and a function that recomputes them.
    rebuild
        Stores the rebuilt values of all rows; None for values that only a backup can restore.
    """

    model: str
    fields: tuple[str, ...]
    source: str
    rows: Callable[[], Iterable[tuple[str, Mapping[str, Any], Callable[[], Mapping[str, Any]]]]]
    rebuild: Callable[[], None] | None = None


rebuilders: Hook[Rebuilder] = Hook()
checks: Hook[Callable[[], Iterable[str]]] = Hook()
summaries: Hook[Callable[[], str]] = Hook()
witnesses: Hook[Callable[[str], Iterable[str]]] = Hook()
_free: dict[tuple[str, str], str] = {}
_free_bases: dict[type[Model], dict[str, str]] = {}
_writers: dict[str, dict[str, frozenset[str]]] = {}
_unrecorded: dict[str, dict[str, str]] = {}
_once: dict[str, frozenset[str]] = {}
_attested: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

_NOTHING: Final[tuple[frozenset[str], frozenset[str]]] = (frozenset(), frozenset())


def leave_free(model: str, reason: str, *fields: str) -> None:
    """Declare fields that are not sealed.

    Parameters
    ----------
    model
        Label of the model.
    reason
        Why a change of these fields does not have to be found.
    fields
        Names; without any, the whole model.
    """
    for field in fields or (EVERY_FIELD,):
        _free[model.lower(), field] = reason
    sealed_fields.cache_clear()


def leave_free_in(base: type[Model], reason: str, *fields: str) -> None:
    """Declare fields of an abstract model that are not sealed in any model that inherits it."""
    _free_bases.setdefault(base, {}).update(dict.fromkeys(fields, reason))
    sealed_fields.cache_clear()


def reason_for(model: type[Model], field: str) -> str:
    """Return why a field is not sealed; empty where it is sealed."""
    label = model._meta.label_lower  # noqa: SLF001 (Django's public way to name a model)
    reason = _free.get((label, EVERY_FIELD)) or _free.get((label, field), "")
    for base, fields in _free_bases.items():
        if not reason and issubclass(model, base):
            reason = fields.get(field, "")
    return reason


def declared_free() -> Mapping[tuple[str, str], str]:
    """Return all declarations of `leave_free`: label of the model and name of the field (or ``*``), and the reason."""
    return dict(_free)


@cache
def sealed_fields(label: str) -> tuple[str, ...]:
    """Return the columns of a model that are sealed, in alphabetical order; none for an unknown model.

    Parameters
    ----------
    label
        Label of the model, in lower case.
    """
    try:
        model = apps.get_model(label)
    except LookupError:
        return ()
    return tuple(
        sorted(
            field.attname
            for field in model._meta.concrete_fields  # noqa: SLF001
            if not field.primary_key and not reason_for(model, field.name)
        )
    )


def sealed_models() -> list[type[Model]]:
    """Return the models of which at least one field is sealed."""
    models = apps.get_models(include_auto_created=True)
    return [model for model in models if model._meta.managed and sealed_fields(model._meta.label_lower)]  # noqa: SLF001


def written_by(model: str, acts: str, *fields: str, unrecorded: Mapping[str, str] | None = None) -> None:
    """Declare the acts that write a model. Other acts, and transactions without an act, do not write it.

    A transaction can contain several acts: one of them has to be declared.

    Parameters
    ----------
    model
        Label of the model.
    acts
        Names of the acts in the audit log, separated by spaces.
    fields
        Names of fields, `INSERTED` or `REMOVED`; without any, everything that has no declaration of its own.
    unrecorded
        Fields, `INSERTED` or `REMOVED` that are also written without an act, each with the reason.
    """
    label = model.lower()
    declared = _writers.setdefault(label, {})
    for field in fields or (EVERY_FIELD,):
        declared[field] = declared.get(field, frozenset()) | frozenset(acts.split())
    _unrecorded.setdefault(label, {}).update(unrecorded or {})
    writers_of.cache_clear()


def write_once(model: str, *fields: str) -> None:
    """Declare fields that keep the value with which their row was inserted; without names, all fields of the model."""
    _once[model.lower()] = frozenset(fields or (EVERY_FIELD,))
    once_columns.cache_clear()


def attest(model: str, acts: str, *fields: str) -> None:
    """Declare fields whose digests acts leave in the audit log (`core.audit.services.values_of`).

    The first digest remains valid, because each of these acts concerns a row once.

    Parameters
    ----------
    model
        Label of the model.
    acts
        Names of the acts, separated by spaces; digests that others leave do not count.
    fields
        Names; without any, all fields.
    """
    _attested[model.lower()] = (frozenset(acts.split()), frozenset(fields or (EVERY_FIELD,)))
    attested_columns.cache_clear()


def declared_writers() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Return all declarations of `written_by`: label of the model, name of the field (or ``*``), and the acts."""
    return {label: dict(fields) for label, fields in _writers.items()}


def declared_unrecorded() -> Mapping[str, Mapping[str, str]]:
    """Return the fields that are written without an act, by label of the model, with the reasons."""
    return {label: dict(fields) for label, fields in _unrecorded.items()}


def declared_once() -> Mapping[str, frozenset[str]]:
    """Return all declarations of `write_once`: label of the model, and names of fields (or ``*``)."""
    return dict(_once)


@cache
def writers_of(label: str) -> Mapping[str, frozenset[str]]:
    """Return the acts that write each column of a model, the insertion and the removal of its rows.

    Only columns that are never written without an act are included.
    """
    declared, unrecorded = _writers.get(label, {}), _unrecorded.get(label, {})
    if not declared:
        return {}
    model = apps.get_model(label)
    names = {field.attname: field.name for field in model._meta.concrete_fields}  # noqa: SLF001
    places = {INSERTED: INSERTED, REMOVED: REMOVED} | {column: names[column] for column in sealed_fields(label)}
    return {
        column: declared.get(name, declared.get(EVERY_FIELD, frozenset()))
        for column, name in places.items()
        if name not in unrecorded and (name in declared or EVERY_FIELD in declared)
    }


@cache
def once_columns(label: str) -> frozenset[str]:
    """Return the sealed columns of a model that are written once."""
    return frozenset(_columns(label, _once.get(label, frozenset())))


@cache
def attested_columns(label: str) -> tuple[str, ...]:
    """Return the sealed columns of a model whose digests acts leave in the audit log, in alphabetical order."""
    _, fields = _attested.get(label, _NOTHING)
    return tuple(_columns(label, fields))


def attesting_acts(label: str) -> frozenset[str]:
    """Return the acts that leave digests of a model in the audit log."""
    acts, _ = _attested.get(label, _NOTHING)
    return acts


def _columns(label: str, fields: frozenset[str]) -> list[str]:
    if not fields:
        return []
    model = apps.get_model(label)
    names = {field.attname: field.name for field in model._meta.concrete_fields}  # noqa: SLF001
    return [column for column in sealed_fields(label) if EVERY_FIELD in fields or names[column] in fields]

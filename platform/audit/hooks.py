"""Sealing of model fields, and hooks with which apps adjust it.

Every field of every model is *sealed* by default: its digest is added to the chain of sealings with each write. A
field that must not be sealed is *free*, with a reason (`leave_free`). A field that can be computed from another
record is *derived* as well: `rebuilders` recompute it and compare. `checks` compare records that apps keep in
another form, such as files.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db.models import Model

from web.hooks import Hook

EVERY_FIELD = "*"


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
        Stores the rebuilt values of all rows.
    """

    model: str
    fields: tuple[str, ...]
    source: str
    rows: Callable[[], Iterable[tuple[str, Mapping[str, Any], Callable[[], Mapping[str, Any]]]]]
    rebuild: Callable[[], None]


rebuilders: Hook[Rebuilder] = Hook()
checks: Hook[Callable[[], Iterable[str]]] = Hook()
_free: dict[tuple[str, str], str] = {}
_free_bases: dict[type[Model], dict[str, str]] = {}


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

"""Making many tables with one operation; used by migrations only."""

from collections.abc import Sequence
from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation


class CreateModels(Operation):
    """Create models in one step.

    After each `CreateModel`, Django renders again every model that is related to the new one, which is nearly
    all of them. For an empty database, this took nine tenths of the time. This operation renders them once for
    all.
    """

    serialization_expand_args = ["models"]

    def __init__(self, models: Sequence[CreateModel]) -> None:
        self.models = list(models)

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Register the models in the state; models rendered earlier are rendered again on demand."""
        if "apps" in state.__dict__:
            del state.__dict__["apps"]
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make the tables."""
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop the tables, the last one first."""
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return the description for `migrate` and `sqlmigrate`."""
        return f"Create {len(self.models)} models: {', '.join(model.name for model in self.models)}"

    def references_model(self, name: str, app_label: str) -> bool:
        """Return whether one of the models is, or refers to, that model."""
        return any(model.references_model(name, app_label) for model in self.models)

"""The boundary: what people send, predictions, algorithms and descriptions of methods."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import QueryDict

from challenges.models import Phase
from datastore.uploads.forms import bounded
from designs.forms import read_posted
from evaluation.designs.catalogue import ItemField, Parameter, shipped
from evaluation.designs.document import Entry, State, fitting_cells
from evaluation.designs.document.typed import UnfitValueError, clean
from executions.models import AlgorithmArchive
from executions.models.archives import Kind
from submissions.domain.method_entries import STATES, WITHHELD, parameters

BLANK_ROWS = 2


class SubmitForm(forms.Form):
    """An archive of predictions for one phase; works without JavaScript, and is what the upload script reads."""

    archive = forms.FileField(
        label="Archive",
        help_text="A .zip, .tar.gz or .tar.zst file with the predictions.",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.tar,.tar.gz,.tgz,.zst"}),
    )
    accept_incomplete = forms.BooleanField(
        required=False,
        label="Score even if cases are missing or unreadable",
        help_text=(
            "If unchecked, you can review problems first. Scoring of missing cases is described under "
            "“Required format”."
        ),
    )

    again = forms.BooleanField(
        required=False,
        label="Submit the same file again",
        help_text="Otherwise a file that you submitted before leads to its existing submission.",
    )
    client_token = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not phase.incomplete_allowed:
            del self.fields["accept_incomplete"]

    def clean_archive(self) -> Any:
        """Bound the size before the file goes anywhere."""
        return bounded(self.cleaned_data["archive"])


class ArchiveForm(forms.Form):
    """An image, or weights; works without JavaScript, and is what the upload script reads."""

    kind = forms.ChoiceField(
        label="Type",
        choices=((Kind.IMAGE, "Container image"), (Kind.MODEL, "Weights")),
        initial=Kind.IMAGE,
    )
    archive = forms.FileField(label="Archive")


class HandInForm(forms.Form):
    """Choice of the image to run and of the weights for it."""

    image = forms.ChoiceField(label="Image")
    model = forms.ChoiceField(label="Weights", required=False, help_text="The image reads them at /model.")

    def __init__(
        self, images: list[AlgorithmArchive], models: list[AlgorithmArchive], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._known = {str(archive.pk): archive for archive in (*images, *models)}
        image, model = self.fields["image"], self.fields["model"]
        assert isinstance(image, forms.ChoiceField)
        assert isinstance(model, forms.ChoiceField)
        image.choices = [(str(archive.pk), _label(archive)) for archive in images]
        if models:
            model_choices = [(str(archive.pk), _label(archive)) for archive in models]
            model.choices = [("", "none"), *model_choices]
        else:
            del self.fields["model"]

    def clean_image(self) -> AlgorithmArchive:
        """The chosen image."""
        return self._known[self.cleaned_data["image"]]

    def clean_model(self) -> AlgorithmArchive | None:
        """The chosen weights."""
        return self._known.get(self.cleaned_data.get("model") or "")


def _label(archive: AlgorithmArchive) -> str:
    sent = f"{archive.created_at:%-d %B, %H:%M} UTC"
    short_digest = archive.digest.removeprefix("sha256:")[:12]
    return f"{archive.file_name} ({f'{short_digest}, ' if short_digest else ''}sent {sent})"


@dataclass
class Input:
    """One input of the page."""

    name: str
    label: str
    kind: str
    text: str
    options: list[tuple[str, str, bool]] = field(default_factory=list)
    required: bool = False

    @property
    def id(self) -> str:
        return "m-" + self.name.replace(":", "-").replace(".", "-")


@dataclass
class Field:
    """One parameter of the page."""

    parameter: Parameter
    states: list[tuple[str, str, bool]]
    inputs: list[Input]
    rows: list[list[Input]]
    errors: list[str] = field(default_factory=list)
    is_needed: bool = False

    @property
    def id(self) -> str:
        return f"m-{self.parameter.id}"


def sections(
    entries: Mapping[str, Entry], errors: Mapping[str, list[str]], needed: Collection[str] = ()
) -> list[tuple[str, str, list[Field]]]:
    """Everything that the page shows: key, label and fields of each section, in the order of the catalogue."""
    fields_by_section: dict[str, list[Field]] = {}
    for parameter in parameters().values():
        parameter_field = _field(parameter, entries.get(parameter.id, Entry()), errors.get(parameter.id, []))
        parameter_field.is_needed = parameter.id in needed
        fields_by_section.setdefault(parameter.section, []).append(parameter_field)
    return [(key, label, fields_by_section.get(key, [])) for key, label in SECTIONS]


@dataclass
class Reading:
    """The content of a posted description.

    Attributes
    ----------
    typed
        The entries as the form shows them again, with what cannot be read as it was typed.
    readable
        What can be stored: of an answer that cannot be read nothing, of a table the cells that can be read.
    errors
        By answer, the cells that cannot be read and why.
    """

    typed: dict[str, Entry] = field(default_factory=dict)
    readable: dict[str, Entry] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)


def read(post: QueryDict) -> Reading:
    """Read a posted description, answer by answer and cell by cell."""
    reading = Reading()
    for parameter in parameters().values():
        posted = QueryDict(mutable=True)
        prefix = f"{parameter.id}:"
        for name in post:
            if name.startswith(prefix):
                posted.setlist(name.removeprefix(prefix), post.getlist(name))
        state = posted.get("state", "")
        if state in _WITHOUT_VALUE:
            reading.typed[parameter.id] = reading.readable[parameter.id] = _WITHOUT_VALUE[state]
            continue
        raw = read_posted(parameter, posted).value
        value, problems = _readable(parameter, raw)
        if problems:
            reading.errors[parameter.id] = problems
        if value is not None:
            reading.readable[parameter.id] = Entry(value=value, state=State.PROVIDED)
        if problems or value is not None:
            reading.typed[parameter.id] = Entry(value=raw if problems else value, state=State.PROVIDED)
    return reading


_WITHOUT_VALUE: Mapping[str, Entry] = {
    State.NONE_DECLARED: Entry(state=State.NONE_DECLARED),
    State.EMBARGOED: Entry(state=State.EMBARGOED, event=WITHHELD),
}


def _readable(parameter: Parameter, raw: Any) -> tuple[Any, list[str]]:
    """Return what can be read of an answer, and what cannot and why; of a table, cell by cell."""
    try:
        return clean(parameter, raw), []
    except UnfitValueError as error:
        if parameter.type != "list-of-objects":
            return None, [str(error)]
    try:
        rows, problems = fitting_cells(parameter, raw)
    except UnfitValueError as error:
        return None, [str(error)]
    return rows or None, problems


def _field(parameter: Parameter, entry: Entry, errors: list[str]) -> Field:
    state = entry.state if entry.state in STATES else State.PROVIDED
    states = [(str(value), label, value is state) for value, label in STATES.items()]
    name = f"{parameter.id}:"
    value = entry.value if entry.state is State.PROVIDED else None
    if parameter.type == "list-of-objects":
        given = value if isinstance(value, list) else []
        rows = [
            [_cell(f"{name}row.{index}.{column.key}", column, row.get(column.key)) for column in parameter.item_fields]
            for index, row in enumerate([*given, *({} for _ in range(BLANK_ROWS))])
        ]
        return Field(parameter, states, [], rows, errors)
    kind = {"longtext": "longtext", "enum": "enum", "boolean": "enum"}.get(parameter.type, "text")
    options = _boolean(value) if parameter.type == "boolean" else _options(parameter, value)
    single = Input(f"{name}value", parameter.label, kind, _text(value), options)
    return Field(parameter, states, [single], [], errors)


def _cell(name: str, column: ItemField, value: Any) -> Input:
    kind = "enum" if column.type in ("enum", "boolean") else "text"
    if column.type == "boolean":
        options = _boolean(value)
    else:
        options = [("", "–", value in (None, "")), *((c.value, c.label, c.value == value) for c in column.choices)]
    return Input(name, column.label, kind, _text(value), options, column.required)


def _options(parameter: Parameter, value: Any) -> list[tuple[str, str, bool]]:
    options = [(choice.value, choice.label, choice.value == value) for choice in parameter.choices]
    return [("", "–", value in (None, "")), *options]


def _boolean(value: Any) -> list[tuple[str, str, bool]]:
    answer = value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())
    return [("", "–", answer is None), ("true", "yes", answer is True), ("false", "no", answer is False)]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _section_labels() -> list[tuple[str, str]]:
    words = {
        "team": "Team",
        "method_overview": "Method overview",
        "training_data": "Training data",
        "architecture": "Architecture",
        "training": "Training",
        "inference": "Inference",
        "reproducibility": "Reproducibility",
        "declarations": "Declarations",
    }
    used = dict.fromkeys(parameter.section for parameter in shipped().algorithm_parameters.values())
    return [(key, words[key]) for key in words if key in used]


SECTIONS = _section_labels()

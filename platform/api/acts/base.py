"""Common parts of all acts: input by the form of the page, answers, errors and the description in the schema."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.datastructures import MultiValueDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AccessToken
from api.authentication import WithinScope
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.services.refusals import BusyError

ERRORS = {
    400: "The input is refused. `errors` states why, field by field, in the words of the page.",
    401: "The request has no valid token or session.",
    403: "Your role does not permit this.",
    404: "The object does not exist, or your account has no access to it.",
    409: "The current state does not permit this.",
}


class ProblemSerializer(serializers.Serializer):
    """An error as `application/problem+json` (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]  # a field of this name, not the errors of the serializer
        required=False, help_text="reasons by field; reasons of no field: non_field_errors"
    )


class DoneSerializer(serializers.Serializer):
    """The outcome of an act."""

    message = serializers.CharField(help_text="the message that the page shows")
    page = serializers.CharField(help_text="address of the page with the outcome")
    id = serializers.CharField(allow_null=True, help_text="slug, number or id of a new object; null without one")


class ConflictError(exceptions.APIException):
    """Error for an act that the current state does not permit."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class Act(APIView):
    """Base of views for organizers and chairs. Tokens need the scope `organize`, also to read."""

    permission_classes: ClassVar[list[Any]] = [IsAuthenticated, WithinScope]  # type: ignore[misc]  # as the framework documents it
    read_scope = AccessToken.Scope.ORGANIZE
    write_scope = AccessToken.Scope.ORGANIZE


def plain_request(request: Request) -> Any:
    """Return the request as views of pages take it."""
    plain = request._request  # noqa: SLF001 (the framework's way to the request that a plain view takes)
    plain.user = request.user
    return plain


def done(message: str, page: str, *, key: Any = None, created: bool = False) -> Response:
    """Return the answer to a completed act."""
    content = {"message": message, "page": page, "id": None if key is None else str(key)}
    return Response(content, status=status.HTTP_201_CREATED if created else status.HTTP_200_OK)


def form_data(content: Any) -> MultiValueDict[str, str]:
    """Return a JSON object in the form in which a browser sends the fields of a page.

    Raises
    ------
    exceptions.ValidationError
        For a body that is not an object, and for nested values.
    """
    if not isinstance(content, Mapping):
        raise exceptions.ValidationError({"non_field_errors": ["Send a JSON object."]})
    if isinstance(content, MultiValueDict):
        return content
    data: MultiValueDict[str, str] = MultiValueDict()
    for name, value in content.items():
        values = value if isinstance(value, list) else [value]
        if any(isinstance(entry, dict | list) for entry in values):
            raise exceptions.ValidationError({name: ["Send text, a number, true, false, or a list of these."]})
        # A browser does not send a box that is not ticked.
        data.setlist(name, [_as_text(entry) for entry in values if entry is not False])
    return data


def _as_text(value: Any) -> str:
    if value is True:
        return "on"
    return "" if value is None else str(value)


def checked(form: forms.BaseForm) -> dict[str, Any]:
    """Return the cleaned data of a form of a page.

    Raises
    ------
    exceptions.ValidationError
        With the errors of the form, by field.
    """
    if not form.is_valid():
        errors = {
            "non_field_errors" if name == "__all__" else name: list(map(str, texts))
            for name, texts in form.errors.items()
        }
        raise exceptions.ValidationError(errors)
    return form.cleaned_data


def keys_of(data: MultiValueDict[str, str], name: str) -> list[int]:
    """Return the ids that a field lists.

    Raises
    ------
    exceptions.ValidationError
        For an entry that is not an id.
    """
    texts = data.getlist(name)
    if not all(text.isascii() and text.isdigit() and len(text) < 19 for text in texts):
        raise exceptions.ValidationError({name: ["Send a list of ids."]})
    return [int(text) for text in texts]


def one_of(data: MultiValueDict[str, str], name: str, choices: Sequence[str]) -> str:
    """Return the value of a field that permits certain words only.

    Raises
    ------
    exceptions.ValidationError
        For any other value.
    """
    value = data.get(name) or ""
    if value not in choices:
        raise exceptions.ValidationError({name: [f"Send one of: {', '.join(choices)}."]})
    return value


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what a service refuses into an error of the interface, field by field."""
    try:
        yield
    except ValidationError as error:
        detail = error.message_dict if hasattr(error, "error_dict") else {"non_field_errors": error.messages}
        raise exceptions.ValidationError(detail) from error
    except (TestSetError, BusyError) as error:
        raise ConflictError(str(error)) from error


_FIELDS: tuple[tuple[type[forms.Field], Callable[..., serializers.Field]], ...] = (
    (forms.FileField, serializers.FileField),
    (forms.BooleanField, serializers.BooleanField),
    (forms.IntegerField, serializers.IntegerField),
    (forms.DateTimeField, serializers.DateTimeField),
    (forms.DateField, serializers.DateField),
    (forms.EmailField, serializers.EmailField),
    (forms.ModelChoiceField, serializers.IntegerField),
)


def shape_of(name: str, /, *sources: Any, **more: serializers.Field) -> type[serializers.Serializer]:
    """Return the description of the input that forms of pages accept, with further fields."""
    fields: dict[str, Any] = {}
    for form in sources:
        for key, field in form.base_fields.items():
            fields[key] = _described(field)
    fields |= more
    return type(f"{name}Serializer", (serializers.Serializer,), {"__doc__": f"Input: {name}.", **fields})


def _described(field: forms.Field) -> serializers.Field:
    options: dict[str, Any] = {"required": field.required and field.initial is None}
    text = " ".join(str(part) for part in (field.label, field.help_text) if part)
    if text:
        options["help_text"] = text
    if isinstance(field, forms.ChoiceField) and not isinstance(field, forms.ModelChoiceField):
        choices = [str(value) for value, _ in cast("list[tuple[Any, Any]]", field.choices) if value != ""]
        if choices:
            return serializers.ChoiceField(choices, **options)
    for kind, shape in _FIELDS:
        if isinstance(field, kind):
            return shape(**options)
    return serializers.CharField(allow_blank=not field.required, **options)


def described(
    operation: str,
    summary: str,
    *,
    tag: str,
    request: Any = None,
    example: Mapping[str, Any] | None = None,
    answer: Any = DoneSerializer,
    created: bool = False,
    **more: Any,
) -> Callable[[Any], Any]:
    """Describe an operation in the schema: name, summary, example and errors; its docstring is the description."""
    example = example if example is not None else {}
    return extend_schema(
        operation_id=operation,
        summary=summary,
        tags=[tag],
        request=request,
        examples=[OpenApiExample("Example", value=dict(example), request_only=True)] if request is not None else [],
        responses={
            201 if created else 200: answer if answer is not None else OpenApiTypes.OBJECT,
            **{
                (code, "application/problem+json"): OpenApiResponse(ProblemSerializer, description=text)
                for code, text in ERRORS.items()
            },
        },
        **more,
    )


def listed(request: Request, rows: Sequence[Any], shape: type[serializers.Serializer]) -> Response:
    """Return a list of objects."""
    return Response(shape(rows, many=True, context={"request": request}).data)

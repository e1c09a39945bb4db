"""JSON Schemas of type hints, and values of those hints from JSON."""

from __future__ import annotations

import dataclasses
import re
import types
from enum import Enum
from typing import Annotated, Any, Literal, Mapping, Protocol, Union, get_args, get_origin, get_type_hints, is_typeddict, runtime_checkable

from .files import FILE_SCHEMA, File, SendFile, no_file

_SCALARS: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_NAMES = {"min_length": "minLength", "max_length": "maxLength", "min_items": "minItems", "max_items": "maxItems"}


@runtime_checkable
class Model(Protocol):
    """A class of pydantic 2. The package itself does not need pydantic."""

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]: ...

    @classmethod
    def model_validate(cls, obj: Any) -> Any: ...


@dataclasses.dataclass(frozen=True)
class Field:
    """What a parameter or a field is, beside its type: `Annotated[int, Field("How many, 1–99.", minimum=1, maximum=99)]`."""

    description: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    pattern: str | None = None
    """Checked by this worker, not by the gateway."""
    format: str | None = None
    sensitive: bool | None = None
    """Masked in everything that is kept or logged."""
    secret: bool | None = None
    """Of an output: shown once, to its caller."""

    def keywords(self) -> dict[str, Any]:
        given = dataclasses.asdict(self)
        return {_NAMES.get(name, name): value for name, value in given.items() if value is not None}


class SchemaError(TypeError):
    """A type hint that JSON Schema cannot express."""


class InvalidValue(ValueError):
    """A value that does not fit its hint. faults: path and message of each."""

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in faults))
        self.faults = faults


def is_model(hint: Any) -> bool:
    return isinstance(hint, type) and isinstance(hint, Model)


def schema_of(hint: Any) -> dict[str, Any]:
    """Raises SchemaError for a hint without a schema."""
    if is_model(hint):
        schema: dict[str, Any] = hint.model_json_schema()
        return schema
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = schema_of(args[0])
        for note in args[1:]:
            if isinstance(note, Field):
                schema |= note.keywords()
        return schema
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one) for one in args]}
    if origin is list and args:
        return {"type": "array", "items": schema_of(args[0])}
    if origin is dict and args and args[0] is str:
        return {"type": "object", "additionalProperties": schema_of(args[1])}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if hint is File:
        return dict(FILE_SCHEMA)
    if is_typeddict(hint) or dataclasses.is_dataclass(hint):
        return object_schema(*fields_of(hint))
    if hint is Any:
        return {}
    raise SchemaError(f"{hint!r} has no JSON Schema; use str, int, float, bool, list, dict, Literal, a dataclass, a TypedDict or a pydantic model")


def fields_of(hint: Any) -> tuple[dict[str, Any], set[str]]:
    """Hints of the fields of a dataclass or TypedDict, and the names of those that must be there."""
    hints = get_type_hints(hint, include_extras=True)
    if is_typeddict(hint):
        return hints, set(hint.__required_keys__)
    fields = [field for field in dataclasses.fields(hint) if field.init]
    missing = dataclasses.MISSING
    required = {field.name for field in fields if field.default is missing and field.default_factory is missing}
    return {field.name: hints[field.name] for field in fields}, required


def object_schema(hints: Mapping[str, Any], required: set[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: schema_of(hint) for name, hint in hints.items()},
        "required": [name for name in hints if name in required],
        "additionalProperties": False,
    }


def value_of(hint: Any, value: Any, path: str = "") -> Any:
    """What a handler gets. The gateway has checked all but patterns and what a model checks. Raises InvalidValue."""
    if is_model(hint):
        return _validated(hint, value, path)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        for note in args[1:]:
            if isinstance(note, Field) and note.pattern is not None and isinstance(value, str) and not re.search(note.pattern, value):
                raise InvalidValue([(path, f"must match {note.pattern}")])
        return value_of(args[0], value, path)
    if origin in (Union, types.UnionType):
        return _of_union(args, value, path)
    if origin is list and isinstance(value, list):
        return [value_of(args[0], item, _join(path, index)) for index, item in enumerate(value)]
    if origin is dict and isinstance(value, dict):
        return {key: value_of(args[1], item, _join(path, key)) for key, item in value.items()}
    if origin is Literal and value not in args:
        raise InvalidValue([(path, f"must be one of {list(args)}")])
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            raise InvalidValue([(path, f"must be one of {[member.value for member in hint]}")]) from None
    if is_typeddict(hint) or dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise InvalidValue([(path, "must be an object")])
        hints, _ = fields_of(hint)
        made = {name: value_of(hints[name], item, _join(path, name)) for name, item in value.items() if name in hints}
        return made if is_typeddict(hint) else hint(**made)
    if hint in _SCALARS and not _is_scalar(hint, value):
        raise InvalidValue([(path, f"must be of the type {_SCALARS[hint]}")])
    return value


def json_of(value: Any, send: SendFile = no_file) -> Any:
    """A result as JSON: dataclasses, models and enums become plain, and files what `send` gives for them."""
    if isinstance(value, File):
        return send(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_of(getattr(value, field.name), send) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: json_of(item, send) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_of(item, send) for item in value]
    return value


def _of_union(hints: tuple[Any, ...], value: Any, path: str) -> Any:
    """The value of the first that fits."""
    last = InvalidValue([(path, "fits none of the types")])
    for hint in hints:
        try:
            return value_of(hint, value, path)
        except InvalidValue as error:
            last = error
    raise last


def _validated(model: Any, value: Any, path: str) -> Any:
    try:
        return model.model_validate(value)
    except ValueError as error:
        errors = getattr(error, "errors", None)
        listed = errors() if callable(errors) else [{"loc": (), "msg": str(error)}]
        faults = [(_join(path, *one["loc"]), str(one["msg"])) for one in listed]
        raise InvalidValue(faults) from error


def _is_scalar(hint: Any, value: Any) -> bool:
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, hint)


def _join(path: str, *parts: object) -> str:
    return ".".join(str(part) for part in (path, *parts) if part != "")

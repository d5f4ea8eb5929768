"""Writes Python types for the OpenAPI document that Till serves: frozen dataclasses for what Till returns,
typed dictionaries for what a caller sends. A shape that it does not know is an error, so that nothing is lost
silently."""

import json
import os
import re
import subprocess
import sys
import textwrap
import urllib.request
from pathlib import Path
from typing import Any

Json = dict[str, Any]

HEADER = '''"""The types of Till's API. Generated from its OpenAPI document by `generate`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, TypedDict

from till_checkout._wire import parse_time
'''
# Fields that are not in the repr.
SECRETS = ("access_token",)
WIRE_NAMES = """# Fields that a caller sends, if the API has another name for them.
WIRE_NAMES: Mapping[str, str] = """


def main() -> None:
    target = Path(sys.argv[1])
    target.write_text(module(fetch_document(os.environ["TILL_BINARY"])), "utf-8")
    config = Path(__file__).with_name("pyproject.toml")
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--no-cache", "--quiet", "--config", config, target],
        check=True,
    )


def fetch_document(binary: str) -> Json:
    command = [binary, "demo", "--ephemeral", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as demo:
        try:
            assert demo.stdout
            base_url = json.loads(demo.stdout.readline())["base_url"]
            with urllib.request.urlopen(f"{base_url}/openapi.json", timeout=30) as response:
                return dict(json.load(response))
        finally:
            demo.terminate()


def module(document: Json) -> str:
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    sent = {name for operation in operations for name in references(operation.get("requestBody"))}
    while (
        nested := {part for name in sent for part in references(document["components"]["schemas"][name])}
        - sent
    ):
        sent |= nested
    parts = [HEADER]
    renamed: dict[str, str] = {}
    for name, schema in document["components"]["schemas"].items():
        parts.append(typed_dict(name, schema) if name in sent else dataclass(name, schema))
        if name in sent:
            renamed |= {snake(wire): wire for wire in schema["properties"] if snake(wire) != wire}
    for operation in operations:
        filters = query_parameters(operation)
        # Live and sandbox have the same filters.
        if "cursor" in filters and not operation["operationId"].endswith("Sandbox"):
            name = operation["operationId"][0].upper() + operation["operationId"][1:]
            parts.append(typed_dict(name, {"description": f"{operation['summary']}.", "properties": filters}))
    return "\n\n".join([*parts, WIRE_NAMES + repr(renamed)]) + "\n"


def references(value: Any) -> list[str]:
    """The names of the schemas that a part of the document refers to."""
    return re.findall(r'"#/components/schemas/(\w+)"', json.dumps(value))


def query_parameters(operation: Json) -> Json:
    """The schemas of the parameters, which may be None: then they are not sent."""
    return {
        parameter["name"]: parameter["schema"]
        | {"type": [parameter["schema"]["type"], "null"], "description": parameter["description"]}
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    }


def typed_dict(name: str, schema: Json) -> str:
    """Required keys are in a base class, because Python 3.10 has no `NotRequired`."""
    properties, required = schema["properties"], schema.get("required", [])
    optional = {key: value for key, value in properties.items() if key not in required}
    description = docstring(schema["description"]) + "\n" if "description" in schema else ""
    if not required:
        return f"class {name}(TypedDict, total=False):\n{description}{keys(optional)}"
    needed = keys({key: properties[key] for key in required})
    if not optional:
        return f"class {name}(TypedDict):\n{description}{needed}"
    base = f"_{name}Required"
    return (
        f"class {base}(TypedDict):\n{needed}\n\n"
        f"class {name}({base}, total=False):\n{description}{keys(optional)}"
    )


def keys(properties: Json) -> str:
    return "\n".join(attribute(wire, sent_type(schema), schema) for wire, schema in properties.items())


def dataclass(name: str, schema: Json) -> str:
    properties, required = schema["properties"], schema["required"]
    # `required` has the order of the response.
    optional = [wire for wire in properties if wire not in required]
    present = {wire: received(wire, properties[wire]) for wire in required}
    maybe = {wire: received_maybe(wire, properties[wire]) for wire in optional}
    attributes = [
        attribute(wire, kind + (" = field(repr=False)" if wire in SECRETS else ""), properties[wire])
        for wire, (kind, _) in (present | maybe).items()
    ]
    arguments = [f"            {snake(wire)}={read},\n" for wire, (_, read) in (present | maybe).items()]
    return (
        f"@dataclass(frozen=True, kw_only=True)\nclass {name}:\n{docstring(schema['description'])}\n"
        + "\n".join(attributes)
        + f"\n    @classmethod\n    def from_json(cls, data: Mapping[str, Any]) -> {name}:\n"
        + f"        return cls(\n{''.join(arguments)}        )"
    )


def received(wire: str, schema: Json) -> tuple[str, str]:
    """The type of a field that Till always returns, and the expression that reads it."""
    value = f'data["{wire}"]'
    kinds, nullable = kinds_of(schema)
    match kinds:
        case ["array"]:
            [name] = references(schema["items"])
            return f"tuple[{name}, ...]", f"tuple({name}.from_json(each) for each in {value})"
        case ["object"] if schema["additionalProperties"]["type"] == "string":
            return "Mapping[str, str]", value
        case ["boolean"]:
            return "bool", value
        case ["integer"]:
            return "int", value
        case ["string"] if schema.get("format") == "date-time":
            return "datetime", f"parse_time({value})"
        case ["string"]:
            return (choices(schema) or "str") + (" | None" if nullable else ""), value
    raise ValueError(f"{wire}: {schema}")


def received_maybe(wire: str, schema: Json) -> tuple[str, str]:
    """The same for a field that may be absent; the type has a default."""
    kind, _ = received(wire, schema)
    match kind.removesuffix(" | None"):
        case "bool":
            return "bool = False", f'data.get("{wire}", False)'
        case "Mapping[str, str]":
            return "Mapping[str, str] = field(default_factory=dict)", f'data.get("{wire}") or {{}}'
        case word if word == "str" or word.startswith("Literal["):
            return f"{word} | None = None", f'data.get("{wire}")'
    raise ValueError(f"{wire}: {schema}")


def sent_type(schema: Json) -> str:
    if "$ref" in schema:
        [name] = references(schema)
        return f"{name} | None"
    kinds, nullable = kinds_of(schema)
    match kinds:
        case ["array"] if schema["items"] == {"type": "string"}:
            kind = "Sequence[str]"
        case ["array"]:
            [name] = references(schema["items"])
            kind = f"Sequence[{name}]"
        case ["object"] if "properties" in schema:
            members = {sent_type(member) for member in schema["properties"].values()}
            kind = f"Mapping[str, {' | '.join(sorted(members))}]"
        case ["object"] if schema["additionalProperties"]["type"] == "string":
            kind = "Mapping[str, str]"
        case ["string", "number"]:
            kind = "str | int | Decimal"  # an amount, which is never a float
        case ["integer"]:
            kind = "int"
        case ["string"] if {"format": "date-time"} in schema.get("anyOf", []):
            kind = "datetime | date | str"
        case ["string"]:
            kind = choices(schema) or "str"
        case _:
            raise ValueError(str(schema))
    return f"{kind} | None" if nullable else kind


def kinds_of(schema: Json) -> tuple[list[str], bool]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return [kind for kind in kinds if kind != "null"], "null" in kinds


def choices(schema: Json) -> str | None:
    """The words that a field can have, which the document lists in `enum` or in a pattern."""
    words = [word for word in schema.get("enum", []) if word is not None]
    if not words and (pattern := re.fullmatch(r"\^\(([a-z_|]+)\)\$", schema.get("pattern", ""))):
        words = pattern[1].split("|")
    return f"Literal[{', '.join(json.dumps(word) for word in words)}]" if words else None


def attribute(wire: str, kind: str, schema: Json) -> str:
    return f"    {snake(wire)}: {kind}\n{docstring(schema['description'])}"


def docstring(text: str) -> str:
    quoted = '"""' + text.replace("\\", "\\\\") + '"""'
    return textwrap.indent(textwrap.fill(quoted, 100, break_long_words=False), "    ") + "\n"


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])[A-Z]", lambda match: "_" + match[0].lower(), name)


if __name__ == "__main__":
    main()

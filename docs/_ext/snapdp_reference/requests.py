"""The JSON requests of the page, from the OpenAPI document that it makes of itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from snapdp_reference.markdown import plain, table

Schema = Mapping[str, Any]


@cache
def openapi() -> dict[str, Any]:
    """Return the document, of a page that was told nothing."""
    from snapdp.web.app import application
    from snapdp.web.gate import Tokens
    from snapdp.web.workplace import Workplace

    place = Workplace(directory=Path(gettempdir()))
    made = application(place, Tokens(), cookie="snapdp", as_command=lambda _: {})
    found: dict[str, Any] = made.app.openapi()
    return found


def requests_page() -> str:
    """Return every request: what it does, what it takes and what it answers."""
    parts = []
    for path, ways in openapi()["paths"].items():
        for method, said in ways.items():
            parts += [
                f"### {method.upper()} {path}",
                plain(said.get("description", "")),
                *_taken(said),
                *_answered(said),
            ]
    return "\n\n".join(filter(None, parts))


def _taken(said: Schema) -> list[str]:
    """Return what a request takes: the keys of its body, and what stands in its address."""
    rows = [
        (
            f"`{each['name']}`",
            f"{_kind(each['schema'])}, in the {each['in']}",
            _need(each.get("required", False)),
            _about(each),
        )
        for each in said.get("parameters", ())
    ]
    body = said.get("requestBody")
    if body is not None:
        schema = _resolved(body["content"]["application/json"]["schema"])
        told = {**_meanings_of_all(), **_meanings(schema.get("description", ""))}
        rows += [
            (
                f"`{key}`",
                _kind(each),
                _need(key in schema.get("required", ())),
                plain(told.get(key, "")) or _about(each),
            )
            for key, each in schema["properties"].items()
        ]
    return [table(["it takes", "kind", "", "meaning"], rows)] if rows else []


def _need(required: bool) -> str:
    return "" if required else "may be left out"


def _answered(said: Schema) -> list[str]:
    content = said["responses"]["200"].get("content", {})
    if "application/json" not in content:
        return ["It answers with a file."]
    schema = _resolved(content["application/json"]["schema"])
    rows = [(f"`{key}`", _kind(each), _about(each)) for key, each in schema.get("properties", {}).items()]
    return [table(["it answers", "kind", "meaning"], rows)] if rows else []


def _resolved(schema: Schema) -> Schema:
    """Return a schema itself, where a name stands for it."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].rpartition("/")[2]
    found: Schema = openapi()["components"]["schemas"][name]
    return found


def _about(schema: Schema) -> str:
    every = [schema, *schema.get("anyOf", ())]
    return plain(next((each["description"] for each in every if "description" in each), ""))


def _kind(schema: Schema) -> str:
    """Return the kind of a value in a word or two."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "const" in schema:
        return f"`{str(schema['const']).lower()}`"
    kinds = schema.get("type", "object")
    words = {
        "string": "text",
        "integer": "whole number",
        "boolean": "true or false",
        "array": "list",
        "object": "object",
    }
    return " or ".join(words.get(each, each) for each in ([kinds] if isinstance(kinds, str) else kinds))


def _meanings(text: str) -> dict[str, str]:
    """Return what a docstring says of keys: a name, blanks and words, below its first paragraph."""
    pairs = (line.partition(" ") for line in text.partition("\n\n")[2].splitlines())
    return {name: words.strip() for name, _, words in pairs if words.strip()}


def _meanings_of_all() -> dict[str, str]:
    """Return what is said of a key where it was first of all taken: other requests take it as well."""
    texts = [each.get("description", "") for each in openapi()["components"]["schemas"].values()]
    return {key: words for text in texts for key, words in _meanings(text).items()}

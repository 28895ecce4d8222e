"""JSON Schemas of the tools' arguments."""

from typing import Any, Final

Schema = dict[str, Any]
MOST_TEXT: Final = 200_000
MOST_SAMPLE: Final = 5_000


def text(description: str, longest: int = 200) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": description}


def whole(description: str, least: int, most: int) -> Schema:
    """Return the schema of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def flag(description: str) -> Schema:
    """Return the schema of a yes or no."""
    return {"type": "boolean", "description": description}


def arguments(*required: str, **properties: Schema) -> Schema:
    """Return the schema of the arguments of a tool: no others are accepted."""
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


SQL: Final = text("The query as SQL; resource punctual://guide/sql", MOST_TEXT)
STORED: Final = text("The name of a stored query, instead of `text`")
INPUT: Final = text("The id of an input node, by default the name of its stream")
FILES: Final[Schema] = {
    "type": "object",
    "maxProperties": 2_000,
    "additionalProperties": {"type": "string", "maxLength": MOST_TEXT},
    "description": "Texts by path: streams/NAME.yaml, queries/NAME.sql, bindings/NAME.yaml, boards/NAME.yaml. "
    "The resources punctual://definitions/PATH show existing ones. Definitions without a file stay as they are.",
}
PRUNE: Final = flag("Also delete all definitions without a file; false by default")
SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
SAMPLE: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
    "description": "Exactly one of these",
    "properties": {
        "rows": {
            "type": "array",
            "maxItems": MOST_SAMPLE,
            "items": {"type": "object"},
            "description": "Rows in order of arrival, so a late row follows later ones. A row has the fields of the "
            'stream and its columns of time, or the form {"stream": NAME, "start": TIME, "payload": FIELDS}',
        },
        "scenario": text("The sample of a stored scenario: QUERY/SCENARIO", 300),
        "stream": {
            **arguments("stream", stream=text("Name of a stream"), rows=whole("100 by default", 1, 1_000)),
            "description": "The first rows that the stream's adapter reads",
        },
        "generated": {
            **arguments(
                "stream",
                stream=text("Name of a stream"),
                rows=whole("100 by default", 1, MOST_SAMPLE),
                late_share={**SHARE, "description": "Share of rows that are late, 0.2 by default"},
                late_mean=text("Mean lateness, 5s by default", 20),
                seed=whole("Equal seeds give equal rows", 0, 2**53 - 1),
            ),
            "description": "Generated rows, some of them late",
        },
    },
}
END: Final[Schema] = {
    "enum": ["flush", "stop", "none"],
    "description": "The end of the sample. flush (default): all inputs end; stop: those with the setting final; none: "
    "pending rows stay pending",
}
ADVANCE: Final[Schema] = {
    "type": "object",
    "additionalProperties": {"type": "object"},
    "description": 'Settings of time by input that replace the query\'s: {"cars": {"generate": {"every": 1, "delay": '
    '"5s"}, "late": "adjust"}}',
}

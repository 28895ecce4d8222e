"""Functions of JSON texts."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import BOOLEAN, STRING
from streaming.functions import json_texts

_text = rules.with_constants(json_texts.check_path, (1,), STRING, STRING, result=STRING)

JSON_VALUES: Final = (
    entry(
        "json_value(string, path) -> string",
        "The text, number (as written) or boolean at `path`, a literal such as '$.items[0].\"unit price\"' or "
        "'$.items[last]'; null for null, objects, arrays, and if nothing is there. A text that is not JSON, or nested "
        "more than 100 levels deep, is null and counts as a failure. Of equal names the last counts.",
        _text,
        2,
    ),
    entry(
        "json_query(string, path) -> string",
        "The value at `path` as JSON without blanks, text in quotation marks; null if nothing is there. Paths and "
        "failures as in json_value.",
        _text,
        2,
    ),
    entry(
        "json_exists(string, path) -> boolean",
        "True if a value, also null, is at `path`. Paths and failures as in json_value.",
        rules.with_constants(json_texts.check_path, (1,), STRING, STRING, result=BOOLEAN),
        2,
    ),
)

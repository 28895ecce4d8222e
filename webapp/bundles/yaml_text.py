"""YAML as definitions use it: only data, each value with its place; and the one way in which we write it.

Plain scalars mean what they mean in JSON (null, true, false, numbers) and are text otherwise, so that `on`, `007` or
`2026-01-01` are not converted. Aliases, anchors, tags, merges, repeated keys and several documents are refused: a
short text cannot become a large value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

DEEPEST: Final = 50
"""Most levels of nested lists and mappings."""
MOST_VALUES: Final = 20_000
"""Values in one document; the place of each is stored."""
Path = tuple[str | int, ...]
_NUMBER: Final = re.compile(r"^-?(0|[1-9][0-9]{0,300})(\.[0-9]{1,300})?([eE][-+]?[0-9]{1,3})?$")
_CONSTANTS: Final = {"": None, "null": None, "~": None, "true": True, "false": False}
_PARSER: Final = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_STEP: Final = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class YamlRefused(ValueError):
    """A text isn't YAML, or uses a part of YAML that is refused here; the place counts from 1."""

    def __init__(self, message: str, remedy: str, line: int, column: int) -> None:
        super().__init__(message)
        self.remedy, self.line, self.column = remedy, line, column


@dataclass(frozen=True)
class Document:
    """A value, and the line and column of each path inside it; for a value of a mapping, those of its key."""

    value: Any
    places: Mapping[Path, tuple[int, int]]

    def existing_part(self, path: Iterable[str | int]) -> Path:
        """Return the longest start of `path` that exists."""
        known: Path = ()
        for step in path:
            if (*known, step) in self.places:
                known = (*known, step)
        return known

    def place(self, *paths: Path) -> tuple[int, int]:
        """Return the place of the path with the longest existing start, the first of equals."""
        return self.places.get(max((self.existing_part(path) for path in paths), key=len, default=()), (1, 1))


def steps(text: str | None) -> Path:
    """Return the path in an error, for example `advance.generate` or `nodes[2].where`."""
    return tuple(int(index) if index else name for name, index in _STEP.findall(text or ""))


@dataclass
class _OpenValue:
    """A list or mapping that is being read; `key` is the key of the next value."""

    path: Path
    value: Any
    key: str | None = None


@dataclass
class _Reader:
    """Builds the value from the parser's events, without recursion."""

    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    open: list[_OpenValue] = field(default_factory=list)
    root: Any = None
    documents: int = 0

    def take(self, event: Any) -> None:
        """Take the next event. Raises `YamlRefused`."""
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise _refused(event, "A second document starts here", "Write one document in a file.")
            case yaml.AliasEvent():
                raise _refused(event, "Aliases are not supported", "Write the value itself.")
            case yaml.ScalarEvent():
                self._add(event, _scalar(event), opens=False)
            case yaml.MappingStartEvent():
                self._add(event, {}, opens=True)
            case yaml.SequenceStartEvent():
                self._add(event, [], opens=True)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.open.pop()

    def _add(self, event: Any, value: Any, *, opens: bool) -> None:
        if event.anchor is not None or event.tag not in (None, "!"):
            raise _refused(event, "Anchors and tags are not supported", "Write the value without them.")
        if isinstance(event, yaml.ScalarEvent) and "\0" in event.value:
            raise _refused(event, "A text contains the character U+0000", "Remove it: it cannot be stored.")
        if len(self.places) >= MOST_VALUES:
            raise _refused(event, f"There are more than {MOST_VALUES} values", "Split it into several definitions.")
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        path: Path = ()
        if self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key is None:
            return self._key(event, value, place)
        if self.open:
            inside = self.open[-1]
            if isinstance(inside.value, list):
                path = (*inside.path, len(inside.value))
                inside.value.append(value)
                self.places[path] = place
            else:
                path = (*inside.path, str(inside.key))
                inside.value[inside.key], inside.key = value, None
        else:
            self.root = value
            self.places[path] = place
        if opens:
            if len(self.open) >= DEEPEST:
                raise _refused(event, f"There are more than {DEEPEST} nested levels", "Use less nesting.")
            self.open.append(_OpenValue(path, value))
        return None

    def _key(self, event: Any, value: Any, place: tuple[int, int]) -> None:
        inside = self.open[-1]
        if not isinstance(event, yaml.ScalarEvent):
            raise _refused(event, "A key is a list or a mapping", "Write a name as the key.")
        key = event.value
        if key == "<<":
            raise _refused(event, "Merges are not supported", "Write the keys themselves.")
        if key in inside.value:
            raise _refused(event, f"The key {key!r} occurs twice", "Remove one of them.")
        inside.value[key] = value  # keeps the order of the keys
        inside.key = key
        self.places[(*inside.path, key)] = place


def read_yaml(text: str) -> Document:
    """Read one document. Raises `YamlRefused` with the place of the first error."""
    reader = _Reader()
    try:
        for event in _events(text):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = (error.problem or error.context or "it cannot be read").capitalize()
        raise YamlRefused(
            f"This isn't valid YAML: {problem}.", "Correct the text at this place.", line, column
        ) from None
    except yaml.reader.ReaderError as error:
        line, column = place_at(text, error.position if isinstance(error.position, int) else 0)
        remedy = 'Write it as an escape in a text in double quotes, for example "\\x07".'
        raise YamlRefused("This isn't valid YAML: it contains a forbidden character.", remedy, line, column) from None
    return Document(reader.root, reader.places)


def _events(text: str) -> Iterator[Any]:
    yield from yaml.parse(text, Loader=_PARSER)


def _refused(event: Any, message: str, remedy: str) -> YamlRefused:
    return YamlRefused(f"{message}.", remedy, event.start_mark.line + 1, event.start_mark.column + 1)


def _scalar(event: Any) -> Any:
    """Return the meaning of a plain scalar, as in JSON; quoted scalars are text."""
    text: str = event.value
    if not event.implicit[0] or event.style not in (None, ""):
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if not (found := _NUMBER.match(text)):
        return text
    if found[2] is None and found[3] is None:
        return int(text)
    number = float(text)
    return text if number in (float("inf"), float("-inf")) else number


def place_at(text: str, at: int) -> tuple[int, int]:
    """Return the line and column of code point `at` of `text`, both from 1."""
    before = text[: max(at, 0)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class _Writer(yaml.SafeDumper):
    """Quotes texts that this module's reader or a reader of YAML 1.1 would not read as text."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        """Write equal values out each time."""
        return True


def _text(writer: _Writer, data: str) -> yaml.ScalarNode:
    plain = data.isascii() and data.isprintable()
    return writer.represent_scalar("tag:yaml.org,2002:str", data, style=None if plain else '"')


def _number(writer: _Writer, data: float) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:float", repr(data))


_Writer.add_representer(str, _text)
_Writer.add_representer(float, _number)
_Writer.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-0123456789"))


def write_yaml(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return `value`, which JSON can hold, as YAML in block style, in the order of its keys; ends with a line feed."""
    return str(
        yaml.dump(value, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100_000, default_flow_style=False)
    )


def in_order(value: Any) -> Any:
    """Return `value` with the keys of each mapping sorted, because options of an adapter have no order."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(each) for each in value] if isinstance(value, list) else value

"""Functions of a module that write no state: neither memory, nor globals, nor tables.

One instance can answer all calls of such a function, because no call leaves a trace. The answer is conservative: a
function counts as writing if it contains an instruction that isn't listed here, or calls through a table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

EXPORTS: Final = 7
START: Final = 8
CODE: Final = 10
_HEADER: Final = b"\0asm\x01\0\0\0"
_NUMBERS: Final = frozenset((0x7F, 0x7E, 0x7D, 0x7C))
"""The types i32, i64, f32, f64."""
_CALL: Final = 0x10
_BRANCHES: Final = 0x0E
_SELECT: Final = 0x1C
_TRUNCATE: Final = 0xFC


class UnreadableModule(ValueError):
    """The bytes are not those of a module that this reader knows."""


@dataclass
class BinaryReader:
    """Reads numbers of a module from `content`, from `at` on."""

    content: bytes
    at: int = 0

    def byte(self) -> int:
        """Read one byte."""
        if self.at >= len(self.content):
            raise UnreadableModule("the module is cut off")
        self.at += 1
        return self.content[self.at - 1]

    def number(self) -> int:
        """Read an unsigned number in LEB128; of a signed one, only the length is right."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def part(self) -> "BinaryReader":
        """Read a size, and return a reader of so many bytes after it."""
        size = self.number()
        end = self.at + size
        if end > len(self.content):
            raise UnreadableModule("the module is cut off")
        part = BinaryReader(self.content[self.at : end])
        self.at = end
        return part


def sections(content: bytes) -> dict[int, BinaryReader]:
    """Return the sections of a module by number, without custom ones. Raises `UnreadableModule`."""
    if not content.startswith(_HEADER):
        raise UnreadableModule("it does not start like a WebAssembly module")
    reader = BinaryReader(content, len(_HEADER))
    found: dict[int, BinaryReader] = {}
    while reader.at < len(content):
        number = reader.byte()
        part = reader.part()
        if number:
            found[number] = part
    return found


@dataclass
class _FunctionBody:
    """The functions that a function calls; `writes` if it may write state."""

    calls: set[int] = field(default_factory=set)
    writes: bool = False


def writing_exports(content: bytes) -> frozenset[str]:
    """Return the exported functions of a valid module without imports that may write state."""
    parts = sections(content)
    bodies = list(_bodies(parts[CODE])) if CODE in parts else []
    exported = dict(_exported_functions(parts[EXPORTS])) if EXPORTS in parts else {}
    return frozenset(name for name, index in exported.items() if _writes(index, bodies))


def _writes(index: int, bodies: list[_FunctionBody]) -> bool:
    pending, seen = [index], {index}
    while pending:
        body = bodies[pending.pop()]
        if body.writes:
            return True
        pending += body.calls - seen
        seen |= body.calls
    return False


def _exported_functions(reader: BinaryReader) -> Iterator[tuple[str, int]]:
    for _ in range(reader.number()):
        name = reader.part().content.decode()
        kind, index = reader.byte(), reader.number()
        if kind == 0:
            yield name, index


def _bodies(reader: BinaryReader) -> Iterator[_FunctionBody]:
    for _ in range(reader.number()):
        yield _body(reader.part())


def _body(reader: BinaryReader) -> _FunctionBody:
    found = _FunctionBody()
    for _ in range(reader.number()):
        reader.number()
        found.writes |= reader.byte() not in _NUMBERS
    while reader.at < len(reader.content) and not found.writes:
        opcode = reader.byte()
        if opcode == _CALL:
            found.calls.add(reader.number())
        elif (skip := _HARMLESS.get(opcode)) is not None:
            found.writes = not skip(reader)
        else:
            found.writes = True
    return found


Skip = Callable[[BinaryReader], bool]
"""Skips the operands of an instruction; returns False if it is not known to be harmless."""


def _numbers(count: int) -> Skip:
    def skip(reader: BinaryReader) -> bool:
        for _ in range(count):
            reader.number()
        return True

    return skip


def _bytes(count: int) -> Skip:
    def skip(reader: BinaryReader) -> bool:
        reader.at += count
        return True

    return skip


def _table_of_branches(reader: BinaryReader) -> bool:
    for _ in range(reader.number() + 1):
        reader.number()
    return True


def _typed_select(reader: BinaryReader) -> bool:
    return all(reader.byte() in _NUMBERS for _ in range(reader.number()))


def _truncation(reader: BinaryReader) -> bool:
    """0 to 7 are truncations; the others copy, fill and drop memory or tables."""
    return reader.number() <= 7


_NO_OPERAND: Final = _numbers(0)
_ONE: Final = _numbers(1)
_HARMLESS: Final[dict[int, Skip]] = {
    **dict.fromkeys((0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B), _NO_OPERAND),
    **dict.fromkeys((0x02, 0x03, 0x04, 0x0C, 0x0D), _ONE),  # block, loop, if; branches
    _BRANCHES: _table_of_branches,
    _SELECT: _typed_select,
    **dict.fromkeys((0x20, 0x21, 0x22, 0x23), _ONE),  # locals; reading of globals
    **dict.fromkeys(range(0x28, 0x36), _numbers(2)),  # loads
    0x3F: _ONE,  # memory.size
    **dict.fromkeys((0x41, 0x42), _ONE),  # constants
    0x43: _bytes(4),
    0x44: _bytes(8),
    **dict.fromkeys(range(0x45, 0xC5), _NO_OPERAND),  # comparisons, arithmetic, conversions
    _TRUNCATE: _truncation,
}
"""By opcode, how the operands of an instruction that writes no state are skipped."""

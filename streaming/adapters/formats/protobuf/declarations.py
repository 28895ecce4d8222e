"""Protobuf texts (.proto) as descriptors: compiled by the real compiler, in a process with limits."""

import json
import re
import subprocess  # nosec B404 # runs one program of our own
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from streaming.adapters.contract import AdapterError

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

MAIN: Final = "schema.proto"
WAITS_S: Final = 30.0
MOST_FILES: Final = 100
_PROGRAM: Final = Path(__file__).with_name("protoc.py")
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,15}")
_KNOWN: Final = "google/protobuf/"


class ProtoFile:
    """A compiled text: its messages, outer ones first."""

    def __init__(self, descriptors: bytes) -> None:
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
        from google.protobuf.descriptor_pool import DescriptorPool

        files = FileDescriptorSet.FromString(descriptors)
        pool = DescriptorPool()
        for each in files.file:  # imported files come first
            pool.Add(each)
        self._file = pool.FindFileByName(MAIN)
        self._order = [each.name for each in next(one for one in files.file if one.name == MAIN).message_type]
        self._pool = pool

    def message(self, name: str | None) -> "Descriptor":
        """Find the message `name`, or the only one. Raises `AdapterError`, which names the existing ones."""
        known = [self._file.message_types_by_name[each] for each in self._order]
        if name is not None:
            try:
                return self._pool.FindMessageTypeByName(name)
            except KeyError:
                pass
            found = next((each for each in known if each.name == name), None)
            if found is not None:
                return found
        there = ", ".join(each.full_name for each in known) or "none"
        if name is not None:
            raise AdapterError(
                f"The Protobuf schema has no message '{name}'. Its messages: {there}. Correct `message`."
            )
        if len(known) != 1:
            raise (
                AdapterError(f"The Protobuf schema has several messages: {there}. Name one in `message`.")
                if (known)
                else AdapterError("The Protobuf schema has no message. Add one.")
            )
        return known[0]

    def at(self, path: tuple[int, ...]) -> "Descriptor | None":
        """The message at the indexes from a registry header; None if there is no such message."""
        try:
            found: Any = self._file.message_types_by_name[self._order[path[0]]]
            for index in path[1:]:
                found = found.nested_types[index]
        except LookupError:
            return None
        return found


@lru_cache(maxsize=256)
def compiled(text: str, imports: tuple[tuple[str, str], ...] = ()) -> ProtoFile:
    """Compile `text`, which may import `imports` (name and text) and the well-known types. Raises `AdapterError`."""
    files = {name: each for name, each in imports if not name.startswith(_KNOWN)}
    for name in files:
        if not _NAME.fullmatch(name) or ".." in name or name == MAIN:
            raise AdapterError(f"The Protobuf schema imports '{name}', which isn't a valid file name. Rename it.")
    if len(files) > MOST_FILES:
        raise AdapterError(f"The Protobuf schema imports more than {MOST_FILES} files. Use fewer.")
    return ProtoFile(_descriptors({**files, MAIN: text}))


def _descriptors(files: Mapping[str, str]) -> bytes:
    try:
        done = subprocess.run(  # nosec B603 # our own program and interpreter; the texts are passed on stdin
            [sys.executable, "-I", str(_PROGRAM)],
            input=json.dumps({"main": MAIN, "files": files}).encode(),
            capture_output=True,
            timeout=WAITS_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AdapterError("The Protobuf schema takes too long to compile. Use a smaller one.") from None
    if done.returncode == 0:
        return done.stdout
    if done.returncode != 1 or b"Traceback" in done.stderr:
        raise AdapterError("The Protobuf schema can't be compiled within the limits. Use a smaller one.")
    why = _summary(done.stderr.decode(errors="replace"))
    raise AdapterError(
        f"The Protobuf schema can't be compiled: {why}. Correct it. It may import only "
        "google/protobuf/*.proto and its "
        "own references."
    )


def _summary(output: str) -> str:
    lines = [line.removeprefix(f"{MAIN}:").strip() for line in output.splitlines() if ": warning:" not in line]
    return "; ".join(lines[:3]).rstrip(".")[:400]

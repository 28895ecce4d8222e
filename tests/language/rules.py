"""The rules of `words.toml`, applied to texts and names."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tests.language.texts import Text

WORDS: Final = Path(__file__).with_name("words.toml")
NAMES: Final = frozenset({"class", "function", "variable"})
CODE: Final = re.compile(r"`[^`]*`|https?://\S+")
"""Quoted code and addresses are no prose."""


@dataclass(frozen=True)
class Finding:
    """A word, opening or name that never occurs; `remedy`: what to write instead."""

    place: str
    word: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.place}: “{self.word}”: {self.remedy}"


@dataclass(frozen=True)
class Word:
    """A pattern, its replacement, the kinds of text that it applies to (empty: all), and a text that breaks it."""

    pattern: re.Pattern[str]
    but: str
    kinds: frozenset[str]
    seen: str

    def occurrences(self, text: Text) -> Iterator[str]:
        """Yield each part of `text` that matches."""
        if not self.kinds or text.kind in self.kinds:
            yield from (match[0] for match in self.pattern.finditer(CODE.sub("", text.text)))


class Rules:
    """The rules as `words.toml` holds them."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words that never occur."""
        return tuple(
            Word(
                re.compile(rf"\b(?:{each['not']})\b", re.IGNORECASE),
                each["but"],
                frozenset(each.get("in", ())),
                each["seen"],
            )
            for each in self.data["word"]
        )

    def is_pending(self, path: str) -> bool:
        """Return true for a file that is not rewritten yet."""
        return path.startswith(tuple(self.data["pending"]))

    def apply(self, texts: Iterable[Text]) -> list[Finding]:
        """Return what in `texts` breaks a rule, in their order."""
        return [
            finding
            for text in texts
            if not self.is_pending(text.path)
            for finding in (self._check_name(text) if text.kind in NAMES else self._check_text(text))
        ]

    def _check_text(self, text: Text) -> Iterator[Finding]:
        place = f"{text.path}:{text.line}"
        opening = re.match(r"\w+", text.text.strip())
        if text.kind == "docstring" and opening and opening[0] in self.data["openings"]:
            yield Finding(place, opening[0], "open a docstring with an imperative or a noun phrase")
        for word in self.words:
            for occurrence in word.occurrences(text):
                yield Finding(place, occurrence, word.but)

    def _check_name(self, text: Text) -> Iterator[Finding]:
        place = f"{text.path}:{text.line}"
        if text.kind == "function" and text.text.strip("_") in self.data["names"]:
            yield Finding(place, text.text, "name a function by a verb phrase")
        if text.kind == "variable" and text.text.strip("_") in self.data["variables"]:
            yield Finding(place, text.text, "name the thing that it holds")
        if text.kind == "class" and text.text.endswith(tuple(self.data["suffixes"])):
            yield Finding(place, text.text, "name what it is; API shapes end in Request, Response or Query")


def load_rules() -> Rules:
    """Return the project's rules."""
    return Rules(tomllib.loads(WORDS.read_text(encoding="utf-8")))

"""Comparison of versions in words, and the merge of two people's changes to one version. Stores nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.faults import FaultCode
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.versions.differences import DefinitionDifference, differences
from streaming.definition.versions.meaning import InputSettings, QueryMeaning, meaning_of
from streaming.definition.versions.merging import MergeConflict, Side, merge
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import TYPING, limited
from webapp.queries.bodies import MergeBody, VersionMerge
from webapp.queries.checking import too_long
from webapp.queries.models import QueryVersion
from webapp.queries.texts import SMALLER, settings_in, stored_text, text_of

NO_GRAPH: Final = "Fix the errors of the check, then merge."


@dataclass(frozen=True)
class StoredMeaning:
    """A version as a limited process reads it: its graph, and its text."""

    meaning: QueryMeaning
    text: str | None


@dataclass(frozen=True)
class TextMerge:
    """A text with the changes of both; None if impossible, for the reason `refused`."""

    text: str | None = None
    refused: str = ""
    conflicts: list[MergeConflict] = field(default_factory=list)
    theirs: list[DefinitionDifference] = field(default_factory=list)
    mine: list[DefinitionDifference] = field(default_factory=list)


def stored(version: QueryVersion) -> StoredMeaning:
    """Return `version` for a limited process, which also reads the settings from the text."""
    return StoredMeaning(InputSettings().beside(version.read_graph()), stored_text(version))


@limited("The difference of these versions", SMALLER, TYPING)
def difference(before: StoredMeaning, after: StoredMeaning) -> list[DefinitionDifference]:
    """Return the changes from one version to another, in words."""
    return differences(_read(before), _read(after))


def merged(base: QueryVersion, theirs: QueryVersion, asked: MergeBody) -> VersionMerge:
    """Return the text with the changes of `theirs` and of the sent text, both made from `base`.

    Raises `Faulty` for an invalid text, or if nothing can be merged.
    """
    if refused := too_long(asked.text):
        raise Faulty(refused)
    found = merged_texts(stored(base), stored(theirs), asked.text, asked.choices)
    if found.text is None:
        raise Faulty([fault(FaultCode.BAD_SHAPE, found.refused, NO_GRAPH, field="text")])
    return VersionMerge(
        text=found.text,
        base_number=base.number,
        base_text=text_of(base),
        conflicts=found.conflicts,
        theirs=found.theirs,
        mine=found.mine,
    )


@limited("Merging these versions", SMALLER, TYPING)
def merged_texts(base: StoredMeaning, theirs: StoredMeaning, mine: str, choices: Mapping[str, Side]) -> TextMerge:
    """Return `mine` with the changes of `theirs` added, and all conflicts."""
    begun, other, script = _read(base), _read(theirs), parse_sql(mine)
    typed = meaning_of(script)
    if typed is None or script.faults:
        return TextMerge(refused="Your text isn't a query that can be merged.")
    try:
        found = merge(begun, other, typed, choices)
    except ValueError:
        return TextMerge(refused="In your text several nodes have the same name.")
    says = found.merged
    if not says.graph.nodes:
        return TextMerge(refused="Each of you removed what the other kept, so nothing is left.")
    text = rewrite_sql(mine, says.graph, advance=says.advance, event_times=says.event_times)
    return TextMerge(text, "", found.conflicts, differences(begun, other), differences(begun, typed))


def _read(version: StoredMeaning) -> QueryMeaning:
    if version.text is None:
        return version.meaning
    return settings_in(version.text).beside(version.meaning.graph)

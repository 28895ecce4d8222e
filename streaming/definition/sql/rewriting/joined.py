"""Composition of a text from kept pieces of an old text and newly printed ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.sql.printing.layout import statement, step
from streaming.definition.sql.printing.selects import SourceNames
from streaming.definition.sql.printing.settings import advance_time
from streaming.definition.sql.printing.units import (
    TextPlan,
    TextUnit,
    default_name,
    join_statements,
    print_functions,
    print_query,
    sources_of,
    unit_clauses,
)
from streaming.definition.sql.printing.words import name
from streaming.definition.sql.rewriting.pieces import Paragraph, TextPiece, comments
from streaming.definition.sql.script import Script
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.definition.tokens import lex


@dataclass(frozen=True)
class GraphChange:
    """The old text, and the content of the new one."""

    script: Script
    graph: QueryGraph
    advance: Mapping[str, AdvanceTimeSettings]
    event_times: Mapping[str, EventTimeBy]


def rewritten(change: GraphChange, old: Sequence[Paragraph], planned: TextPlan, closing: str, *, afresh: bool) -> str:
    """Return the new text; `afresh`: print every ADVANCE TIME again, because a name in it may have another meaning."""
    placed = _placed(planned.units, [piece for paragraph in old for piece in paragraph.pieces])
    placed = _settled(_renamed(placed, old))
    sources = sources_of(change.graph, planned, change.event_times)
    settings = _Settings(change, afresh=afresh)
    text = _Text(old)
    groups = list(_grouped(placed))
    homes = {group[0].home for group in groups}
    for group in groups:
        home = group[0].home
        if home is not None:
            text.until(home, settings)
        text.add(_lead(group, old, homes), _written(group, old, sources), home)
    text.until(len(old), settings)
    return text.whole(settings, closing)


@dataclass(frozen=True)
class _PlacedUnit:
    """A unit, the old statement whose place it takes, and the old pieces whose nodes it is the first to create."""

    unit: TextUnit
    home: int | None
    piece: TextPiece | None
    origins: tuple[TextPiece, ...] = ()

    @property
    def is_step(self) -> bool:
        return not isinstance(self.unit.node, OutputNode)


def _placed(units: Sequence[TextUnit], pieces: Sequence[TextPiece]) -> list[_PlacedUnit]:
    """Place each unit: at its kept piece, else at the old piece of its node; new units have no place yet."""
    made_by = {each: piece for piece in reversed(pieces) for each in piece.ids}
    claimed: set[int] = set()
    placed: list[_PlacedUnit] = []
    for unit in units:
        if unit.kept is not None:
            piece = pieces[unit.kept.mark]
            claimed.add(piece.number)
            placed.append(_PlacedUnit(unit, piece.paragraph, piece))
            continue
        ids = [unit.node.id, *(node.id for node in unit.nodes)]
        known = {made_by[each].number: made_by[each] for each in ids if each in made_by}
        origins = tuple(piece for number, piece in known.items() if number not in claimed)
        claimed.update(known)
        home = next((piece.paragraph for piece in known.values()), None)
        placed.append(_PlacedUnit(unit, home, None, origins))
    return placed


def _renamed(placed: Sequence[_PlacedUnit], old: Sequence[Paragraph]) -> list[_PlacedUnit]:
    """Let a new INSERT replace the removed INSERT of the statement whose steps come before it."""
    inserts = {each.home for each in placed if not each.is_step}
    claimed = {piece.number for each in placed for piece in each.origins}
    renamed: list[_PlacedUnit] = []
    for each in placed:
        home = renamed[-1].home if renamed and renamed[-1].is_step else None
        if each.home is None and not each.is_step and home is not None and home not in inserts:
            gone = old[home].pieces[-1]
            origins = () if gone.is_step or gone.number in claimed else (gone,)
            renamed.append(each if gone.is_step else _PlacedUnit(each.unit, home, None, origins))
        else:
            renamed.append(each)
    return renamed


def _settled(placed: Sequence[_PlacedUnit]) -> list[_PlacedUnit]:
    """Place new steps before the unit that follows them."""
    settled: list[_PlacedUnit] = []
    following: int | None = None
    for each in reversed(placed):
        if each.home is None and each.is_step:
            settled.append(_PlacedUnit(each.unit, following, None))
        else:
            settled.append(each)
            following = each.home
    return settled[::-1]


def _grouped(placed: Sequence[_PlacedUnit]) -> Iterator[list[_PlacedUnit]]:
    """Yield the units of each statement: steps at one place, up to an INSERT."""
    group: list[_PlacedUnit] = []
    for each in placed:
        if group and (group[0].home != each.home or not group[-1].is_step):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _lead(group: Sequence[_PlacedUnit], old: Sequence[Paragraph], homes: set[int | None]) -> list[str]:
    """Return the comments before removed statements whose nodes this group creates."""
    gone = {piece.paragraph: None for each in group for piece in each.origins if piece.paragraph not in homes}
    return [each for paragraph in gone for each in comments(old[paragraph].lead)]


def _written(group: Sequence[_PlacedUnit], old: Sequence[Paragraph], sources: SourceNames) -> str:
    """Return the statement of a group, without the text before it."""
    pieces = old[group[0].home].pieces if group[0].home is not None else ()
    if [each.piece for each in group] == [*pieces]:
        for each in group:
            sources.skip(each.unit.nodes)
        assert group[0].home is not None  # nosec B101 # for the type checker only
        return old[group[0].home].text
    steps = [each for each in group if each.is_step]
    insert = group[-1] if not group[-1].is_step else None
    if not any(each.piece or each.origins for each in group) or (not steps and insert and not insert.piece):
        return _printed(group, sources)
    text = ""
    for number, each in enumerate(steps, start=1):
        lead, written, trail, tail = _step(each, sources)
        text = _joined(text, lead) if text else _opening(each, old) + lead
        text = _joined(_joined(text, written) + trail, "," if number < len(steps) else "") + tail
    if insert is not None:
        lead, written = _insert(insert, sources)
        before = lead or ("" if text[-1:].isspace() else "\n")
        text = _joined(text, before if steps else before.lstrip()) + written
    open_end = group[-1].piece is not None and not old[group[-1].piece.paragraph].text.endswith(";")
    return text if open_end or text.endswith(";") else _joined(text, ";")


def _opening(each: _PlacedUnit, old: Sequence[Paragraph]) -> str:
    """Return WITH, as the old statement spells it."""
    return old[each.home].opening if each.home is not None and old[each.home].statement.steps else "WITH"


def _printed(group: Sequence[_PlacedUnit], sources: SourceNames) -> str:
    """Return a statement that is new, or whose INSERT is the only old part."""
    steps = [(name(each.unit.node.id), unit_clauses(each.unit, sources)) for each in group if each.is_step]
    insert = [] if group[-1].is_step else unit_clauses(group[-1].unit, sources)
    text = statement(steps, insert)
    return "".join(f"{each}\n" for each in _old_comments(group[-1].origins, text)) + text


def _old_comments(origins: Iterable[TextPiece], now: str) -> list[str]:
    return [each for piece in origins for each in piece.comments if each not in now]


def _step(each: _PlacedUnit, sources: SourceNames) -> tuple[str, str, str, str]:
    """Return the text before a step, the step, and the text after it before and after the comma."""
    if each.piece is not None:
        sources.skip(each.unit.nodes)
        return each.piece.lead, each.piece.text, each.piece.trail, each.piece.tail
    written = "\n".join(step(name(each.unit.node.id), unit_clauses(each.unit, sources))).lstrip()
    same = next((piece for piece in each.origins if piece.is_step), None)
    others = [piece for piece in each.origins if piece is not same]
    if same is None:
        return _above(_old_comments(others, written)), written, "", ""
    inside = [comment for comment in comments(same.text) if comment not in written]
    extra = [*inside, *_old_comments(others, written)]
    lead = same.lead if not extra else same.lead.rstrip() + _above(extra)
    return lead, written, same.trail, same.tail


def _above(lines: Sequence[str]) -> str:
    return "".join(f"\n  {line}" for line in lines) + "\n  "


def _insert(each: _PlacedUnit, sources: SourceNames) -> tuple[str, str]:
    """Return the text before an INSERT with steps, and the INSERT."""
    if each.piece is not None:
        sources.skip(each.unit.nodes)
        return each.piece.lead, each.piece.text
    written = statement((), unit_clauses(each.unit, sources))
    extra = _old_comments(each.origins, written)
    return "\n" + "".join(f"{line}\n" for line in extra), written


def _joined(text: str, more: str) -> str:
    """Join both texts; on two lines if the second would otherwise become part of a comment."""
    if not more or more.startswith(("\n", "\r")) or "--" not in text[text.rfind("\n") + 1 :]:
        return text + more
    words = lex(f"{text} x").tokens[:-1]
    is_comment = not words or words[-1].end != len(text) + 2
    return f"{text}\n{more}" if is_comment else text + more


class _Settings:
    """ADVANCE TIME and QUERY of the new text: the old statements at their places, and new ones."""

    def __init__(self, change: GraphChange, *, afresh: bool) -> None:
        self._change = change
        self._afresh = afresh
        old = change.script.statements
        present = {each.input for each in old if each.kind == "advance"}
        self.new = [advance_time(each, of) for each, of in change.advance.items() if each not in present]
        named = any(each.kind == "query" for each in old)
        same = change.script.graph is not None and change.script.graph.functions == change.graph.functions
        self.functions = None if same or not change.graph.functions else print_functions(change.graph)
        self._keeps_functions = same
        self.query = None if named or change.graph.name == default_name(change.graph) else print_query(change.graph)

    def written(self, paragraph: Paragraph) -> str | None:
        """Return the current form of the statement; None if it is removed."""
        of = paragraph.statement
        if of.kind == "function":
            return paragraph.text if self._keeps_functions else None
        if of.kind == "query":
            assert self._change.script.graph is not None  # nosec B101 # for the type checker only
            same = self._change.script.graph.name == self._change.graph.name
            return paragraph.text if same else self._replace(paragraph, print_query(self._change.graph))
        settings = self._change.advance.get(of.input or "")
        if settings is None:
            return None
        if settings == self._change.script.advance.get(of.input or "") and not self._afresh:
            return paragraph.text
        return self._replace(paragraph, advance_time(of.input or "", settings))

    def _replace(self, paragraph: Paragraph, text: str) -> str:
        return "".join(f"{each}\n" for each in comments(paragraph.text) if each not in text) + text


@dataclass
class _Text:
    """Builds the new text; the leads and tails of old statements are written once."""

    old: Sequence[Paragraph]
    text: str = ""
    _next: int = 0
    _last: int = -1
    _seen: set[int] = field(default_factory=set)
    _end: int = 0
    _settings_end: int | None = None

    def until(self, home: int, settings: _Settings) -> None:
        """Write the settings that come before the old statement `home`."""
        while self._next < home:
            index, paragraph = self._next, self.old[self._next]
            self._next += 1
            if paragraph.statement.kind not in ("query", "advance", "function"):
                continue
            if (written := settings.written(paragraph)) is not None:
                self.add([], written, index)
                self._settings_end = len(self.text)

    def add(self, lead: Sequence[str], written: str, home: int | None) -> None:
        """Append one statement, at the place of the old statement `home`."""
        first = home is not None and home not in self._seen
        between = self.old[home].lead if home is not None and first else "\n\n"
        if self.text and home != self._last + 1 and "\n" not in between:
            between = "\n\n" + between
        if not self.text and home != 0:
            between = between.lstrip("\r\n")
        above = "".join(f"{line}\n" for line in lead)
        self._close()
        self.text = _joined(_joined(self.text, between), above + written)
        self._end = len(self.text)
        if home is not None and first:
            self.text += self.old[home].tail
            self._seen.add(home)
        self._last = home if home is not None else -2

    def _close(self) -> None:
        """Add a semicolon after the last statement if it has none."""
        if not self._end or self.text[self._end - 1] == ";":
            return
        self.text = f"{self.text[: self._end]};{self.text[self._end :]}"
        if self._settings_end is not None and self._settings_end >= self._end:
            self._settings_end += 1
        self._end += 1

    def whole(self, settings: _Settings, closing: str) -> str:
        """Return the text with the new statements and the old end of the text."""
        new = join_statements(settings.new)
        if new:
            self._close()
        if new and self._settings_end is not None:
            self.text = self.text[: self._settings_end] + "\n" + new + self.text[self._settings_end :]
        elif new:
            self.text = _joined(self.text, f"\n\n{new}" if self.text else new)
        if settings.functions:
            self.text = f"{settings.functions}\n\n{self.text}"
        if settings.query:
            self.text = f"{settings.query}\n\n{self.text}"
        return self.text + closing

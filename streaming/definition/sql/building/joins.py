"""Joins and CLIP: splits their conditions into keys and the rest."""

from collections.abc import Callable, Iterator, Mapping, Set

from streaming.definition.sql.building.drafts import NodeDraft
from streaming.definition.sql.problems import over
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt
from streaming.definition.sql.reading.slices import VALUE_FACET, ExpressionSlice, compose, conjuncts, cut
from streaming.definition.sql.reading.tree import JoinSyntax, OperatorSyntax, SelectSyntax
from streaming.definition.tokens import Extent, TokenKind

Sides = tuple[tuple[str, str], tuple[str, str]]
"""Both sides of `a.k = b.j`, each as the name of its source and its field."""
KeyOf = Callable[[TokenRange], ValueAt[str] | None]
"""Returns the key that a part of a condition defines; None if it defines none."""


def put_condition(
    reader: Reader,
    draft: NodeDraft,
    join: JoinSyntax,
    left: Set[str],
    where: TokenRange | None,
    narrowed: Mapping[TokenRange, ValueAt[str]] | None,
) -> None:
    """Set `keys`, `where` and `type` of a join; `left` are the qualifiers of its left side.

    `where` is the WHERE that becomes a condition of the join. `narrowed` are the keys by their parts of ON if the sides
    are narrowed; otherwise, equal fields of one name are keys.
    """
    right = join.source.qualifiers if join.source else frozenset()
    keys = list(join.using or ())
    residual: list[TokenRange] = []
    if join.on is not None and join.using is None:
        keys, residual = _split(reader, join.on, narrowed.get if narrowed is not None else _equal(reader, left, right))
    elif join.on is not None:
        residual = [join.on]
    _put_keys(draft, keys, _keys_extent(join))
    if join.outer and join.kind in ("join", "asof_join"):
        draft.put("type", "left_outer", join.extent)
    parts = [cut(reader, part, left | right) for part in residual]
    condition = _all_of(parts)
    if join.kind == "asof_join" and condition is not None:
        remedy = "Join on equal fields only, a.k = b.k, and filter with WHERE."
        reader.problem(condition.extent, "ASOF JOIN supports only conditions on equal fields.", remedy)
        return
    if where is not None:
        filtering = cut(reader, where, left | right)
        condition = filtering if condition is None else _both(condition, filtering)
    if condition is not None:
        draft.express("where", condition)


def takes_where(select: SelectSyntax) -> bool:
    """Return whether WHERE becomes a condition of the last join: after an inner join both mean the same."""
    last = select.joins[-1] if select.joins else None
    return last is not None and last.kind == "join" and not last.outer


def _keys_extent(join: JoinSyntax) -> Extent:
    if join.using:
        return over(join.using[0].extent, join.using[-1].extent)
    return join.on_extent or join.extent


def _put_keys(draft: NodeDraft, keys: list[ValueAt[str]], extent: Extent) -> None:
    draft.put("keys", [key.value for key in keys], extent)
    for index, key in enumerate(keys):
        draft.mark(f"keys[{index}]", key.extent)


def _split(reader: Reader, on: TokenRange, key_of: KeyOf) -> tuple[list[ValueAt[str]], list[TokenRange]]:
    """Return the keys of a condition and its other parts; adjacent other parts stay together."""
    keys: list[ValueAt[str]] = []
    residual: list[TokenRange] = []
    open_part = False
    for part in conjuncts(reader, on):
        part_keys = _keys(reader, part, key_of)
        if part_keys:
            keys += part_keys
            open_part = False
        elif part:
            alone = reader.tokens[part.first].word == "EXPRESSION"
            if open_part and not alone:
                residual[-1] = TokenRange(residual[-1].first, part.last)
            else:
                residual.append(part)
            open_part = not alone
    return keys, residual


def _keys(reader: Reader, part: TokenRange, key_of: KeyOf) -> list[ValueAt[str]]:
    """Return the key that a part defines, or several in parentheses; empty if the part contains anything else."""
    keys = [key_of(each) for each in _inner(reader, part)]
    return [key for key in keys if key is not None] if all(keys) else []


def _inner(reader: Reader, part: TokenRange) -> list[TokenRange]:
    """Return the parts between ANDs, also inside parentheses."""
    inner = TokenRange(part.first + 1, part.last - 1)
    if inner and reader.tokens[part.first].word == "(" and reader.partners.get(part.first) == inner.last:
        return [each for deeper in conjuncts(reader, inner) for each in _inner(reader, deeper)]
    return [part]


def key_pairs(reader: Reader, on: TokenRange) -> Iterator[tuple[TokenRange, Sides]]:
    """Yield each `a.k = b.j` between the ANDs of a condition; none from a parenthesis with other content."""
    for part in conjuncts(reader, on):
        pairs = [(each, _sides(reader, each)) for each in _inner(reader, part)]
        if all(sides for _, sides in pairs):
            yield from ((each, sides) for each, sides in pairs if sides is not None)


def _equal(reader: Reader, left: Set[str], right: Set[str]) -> KeyOf:
    """Return the rule that equal fields of one name on both sides are keys."""

    def key_of(part: TokenRange) -> ValueAt[str] | None:
        sides = _sides(reader, part)
        if sides is None or sides[0][1] != sides[1][1]:
            return None
        first, second = sides[0][0], sides[1][0]
        crosses = (first in left and second in right) or (first in right and second in left)
        return ValueAt(sides[0][1], reader.covered(part)) if crosses else None

    return key_of


def _sides(reader: Reader, part: TokenRange) -> Sides | None:
    """Return both sides of `a.k = b.j`."""
    tokens = reader.tokens[part.first : part.last]
    middle = next((index for index, token in enumerate(tokens) if token.word in ("=", "==")), None)
    if middle is None:
        return None
    first = _field(reader, part.first, part.first + middle)
    second = _field(reader, part.first + middle + 1, part.last)
    return None if first is None or second is None else (first, second)


def _field(reader: Reader, first: int, last: int) -> tuple[str, str] | None:
    """Return the qualifier and the field of `a.k` or `a._value.k`."""
    tokens = list(reader.tokens[first:last])
    if len(tokens) == 5 and tokens[2].word and tokens[2].value == VALUE_FACET:
        tokens = tokens[:2] + tokens[4:]
    names = (TokenKind.WORD, TokenKind.QUOTED)
    if len(tokens) != 3 or tokens[0].kind is not TokenKind.WORD or tokens[1].word != "." or tokens[2].kind not in names:
        return None
    return tokens[0].value, tokens[2].value


def _all_of(parts: list[ExpressionSlice]) -> ExpressionSlice | None:
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    pieces: list[str | ExpressionSlice] = [parts[0]]
    for part in parts[1:]:
        pieces += (" AND ", part)
    return compose(pieces, over(parts[0].extent, parts[-1].extent))


def _both(on: ExpressionSlice, where: ExpressionSlice) -> ExpressionSlice:
    return compose(["(", on, ") AND (", where, ")"], over(on.extent, where.extent))


def put_clip(reader: Reader, draft: NodeDraft, clip: OperatorSyntax) -> None:
    """Set the keys of a CLIP: names, or equalities of fields of both sides."""
    if clip.keys is not None:
        extent = over(clip.keys[0].extent, clip.keys[-1].extent) if clip.keys else clip.extent
        _put_keys(draft, clip.keys, extent)
        return
    if clip.on is None:
        return
    left = clip.source.qualifiers if clip.source else frozenset()
    right = clip.by.qualifiers if clip.by else frozenset()
    keys, residual = _split(reader, clip.on, _equal(reader, left, right))
    if residual or not keys:
        wrong = reader.covered(residual[0] if residual else clip.on)
        remedy = "Write the fields that both sides share: ON k, or ON a.k = b.k."
        reader.problem(wrong, "CLIP supports only conditions on equal fields.", remedy)
        return
    _put_keys(draft, keys, reader.covered(clip.on))

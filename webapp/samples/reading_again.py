"""The last rows of a binding's input, read again through its adapters, if they still have them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.preview import SampleRow
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.simulator.samples.capturing import RowNote, TakenRow, TakenSample, of_adapter
from webapp.core.limited.jobs import READING, limited
from webapp.runs.inputs.input_journals import journal_of
from webapp.samples.taking import FEWER, SampleOutcome, plain
from webapp.streams.adapters import adapter_fault, build

ReadInput = tuple[str, StreamDefinition, AdapterChoice, Mapping[str, int], str | None]
"""The query's name of the stream, its definition and adapter, the position of each lane, and `journals_folder`."""
NO_ORDER: Final = (
    "The arrival of these rows is unknown, and so is their order across lanes and inputs. They are in order of start, "
    "so lateness between lanes may be lost; rows of one lane are in their order."
)


@limited("Reading these rows again", FEWER, READING, opens_secrets=True)
def read_again(inputs: Mapping[str, ReadInput], rows: int) -> SampleOutcome:
    """Return the last `rows` rows before the positions of each lane; `inputs` is by node."""
    found: list[list[tuple[SampleRow, TakenRow]]] = []
    notes: list[RowNote] = []
    for node, (name, stream, choice, positions, journals) in inputs.items():
        try:
            adapter = build(stream, choice, None if journals is None else journal_of(journals, node))
            lanes = [list(_last(adapter, lane, end, rows)) for lane, end in positions.items()]
        except AdapterError as error:
            return SampleOutcome(None, [adapter_fault(str(error), node)])
        found += [list(zip(lane, of_adapter(name, stream, lane).rows, strict=True)) for lane in lanes]
    in_order = list(merged(found))
    if len([lane for lane in found if lane]) > 1 and any(row.arrival is None for row, _ in in_order):
        notes.append(RowNote(row=None, message=NO_ORDER))
    return SampleOutcome(plain(TakenSample(rows=[taken for _, taken in in_order], notes=notes)))


def _last(adapter: InputAdapter, lane: str, end: int, rows: int) -> Iterator[SampleRow]:
    for arrived in adapter.read(lane, max(0, end - rows), end):
        yield from preview.rows_of(lane, arrived, rows)


def merged(lanes: Sequence[list[tuple[SampleRow, TakenRow]]]) -> Iterator[tuple[SampleRow, TakenRow]]:
    """Yield all rows by arrival, else by start; those of a lane stay in their order."""
    waiting = [list(reversed(lane)) for lane in lanes if lane]
    reached = [_moment(lane[-1][0], 0) for lane in waiting]
    while waiting:
        first = min(range(len(waiting)), key=reached.__getitem__)
        yield waiting[first].pop()
        if waiting[first]:
            reached[first] = _moment(waiting[first][-1][0], reached[first])
        else:
            del waiting[first], reached[first]


def _moment(row: SampleRow, before: int) -> int:
    """Return the known arrival: a row cannot arrive before the previous one in its lane."""
    known: int = row.arrival if row.arrival is not None else getattr(row.element, "start", before)
    return max(before, known)

"""A binding in the form that feed and operators run: each input is a tree of branches. Picklable."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from streaming.definition.expressions import Expression
from streaming.definition.types import Fields, Type
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.windows import HoppingWindows


class NotRunnable(Exception):
    """The engine cannot run this definition; the message is a sentence for the user that says what to change."""


@dataclass(frozen=True)
class FilterStep:
    """Keeps the rows for which `where` is true."""

    node: str
    where: Expression


@dataclass(frozen=True)
class ProjectStep:
    """Replaces the payload by `columns`, in order."""

    node: str
    columns: tuple[tuple[str, Expression, Type], ...]


Step = FilterStep | ProjectStep


@dataclass(frozen=True)
class AggregateColumn:
    """One result column of a window: `function` over `of` (None: every row) of the rows where `where` is true.

    `of_type` is the type of `of`, `type` that of the result.
    """

    name: str
    function: str
    of: Expression | None
    where: Expression | None
    of_type: Type | None
    type: Type


@dataclass(frozen=True)
class WindowStage:
    """One window node and what follows it. `fields` is its result: the `group_by` fields, then the aggregates."""

    node: str
    windows: HoppingWindows
    group_by: tuple[str, ...]
    aggregates: tuple[AggregateColumn, ...]
    fields: Fields
    branches: "tuple[Branch, ...]"


@dataclass(frozen=True)
class Branch:
    """A way from an input or a window through `steps` to a window, or to an output node (exactly one is set).

    `id` is unique in the plan: the id of the window or output node at its end. `entering` is the schema before the
    steps, `fields` after them.
    """

    id: str
    steps: tuple[Step, ...]
    entering: Fields
    fields: Fields
    window: WindowStage | None = None
    output: str | None = None


@dataclass(frozen=True)
class InputPlan:
    """One input node: its stream's shape and schema, its advance-time settings, and its branches."""

    node: str
    shape: Shape
    fields: Fields
    advance: AdvanceTime
    lanes: tuple[str, ...] | None
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Plan:
    """A whole binding. `buckets` is how many it may really use: 1 when windows are chained.

    `outputs` gives the schema of each output node, `output_input` the input that it hangs on.
    """

    inputs: Mapping[str, InputPlan]
    outputs: Mapping[str, Fields]
    output_input: Mapping[str, str]
    buckets: int


def branches_of(branches: tuple[Branch, ...]) -> Iterator[Branch]:
    """All branches, those behind windows included, in depth-first order."""
    for branch in branches:
        yield branch
        if branch.window is not None:
            yield from branches_of(branch.window.branches)

"""The table of TEMPORAL.md section 5: the output CTI of each operator is the right column's, whatever the input."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.definition.graph import InputNode, sources
from streaming.reference.execution import finished_run
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.case import Case, EndMode
from tests.reference.batch.batch import every_node
from tests.reference.batch.ctis import Port, output_cti
from tests.reference.batch.lives import Lives, explicit_ctis, let_through
from tests.reference.drawn.cases import KINDS, Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase

ALONE = Scope(explicit=True, wall=False, odd=False, ends=(EndMode.NONE,), policies=("drop",), alone=True)


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_the_output_cti_is_the_tables(kind: str, data: st.DataObject) -> None:
    """Check after each CTI of the input: earlier events count, later ones do not."""
    case = data.draw(cases(kind, ALONE))
    note(ReadableCase(case))
    reached = input_ctis(replace(case, rows=()))
    for place in range(1, len(case.rows) + 1):
        prefix = replace(case, rows=case.rows[:place])
        if input_ctis(prefix) != reached:
            reached = input_ctis(prefix)
            run = finished_run(prefix)
            lives = every_node(case.graph, let_through(run, prefix))
            assert max(run.output_ctis["out"], default=NO_CTI) == leaving("op", case, lives, reached)


def input_ctis(case: Case) -> dict[str, int]:
    """Return for each input the minimum over its lanes of the largest CTI (T14)."""
    return {
        name: min(max(explicit_ctis(name, case, lane), default=NO_CTI) for lane in stream.lanes or ())
        for name, stream in case.streams.items()
    }


def leaving(name: str, case: Case, lives: Mapping[str, Lives], inputs: Mapping[str, int]) -> int:
    """Return the output CTI of the node `name`."""
    node = next(each for each in case.graph.nodes if each.id == name)
    if isinstance(node, InputNode):
        return inputs[name]
    ports = [Port(lives[source], leaving(source, case, lives, inputs)) for source in sources(node)]
    return output_cti(node, ports)

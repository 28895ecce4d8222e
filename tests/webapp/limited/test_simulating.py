"""The time simulator in its limited process: each limit has a sentence, and a client who leaves ends the work."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import psutil
import pytest

from streaming.definition.streams.stream import StreamDefinition
from tests.simulator.picture import GRAPH, ROWS, STREAM, at
from tests.webapp.limited.test_processes import forking
from webapp.core.errors import ClientGone, Overloaded, TooMuchWork
from webapp.core.limited.disconnects import DisconnectHandler, answered_until
from webapp.queries.simulation.bodies import MOST_ROWS, SampleBody
from webapp.queries.simulation.simulating import SimulationRequest, simulated

STREAMS = {"s": StreamDefinition.model_validate(STREAM)}


def request_for(rows: list[dict[str, Any]]) -> SimulationRequest:
    return SimulationRequest(GRAPH, None, STREAMS, {}, SampleBody.model_validate({"rows": rows}))


LONG = request_for([{**ROWS[0], "start": at(number), "end": at(number + 600)} for number in range(MOST_ROWS)])
"""Every row is in sixty windows, so it takes seconds."""


@pytest.mark.parametrize(
    ("most", "sentence"),
    [
        ({"cpu_s": 0, "wall_s": 60}, "takes more than 0 s of processor time"),
        ({"memory_bytes": 1024**2}, "takes more than 1 MiB of memory"),
        ({"output_bytes": 100}, "gives more than 0 MiB"),
    ],
)
def test_each_limit_ends_a_simulation_with_a_sentence(most: dict[str, Any], sentence: str) -> None:
    job = replace(simulated, limits=replace(simulated.limits, **most))
    with pytest.raises(TooMuchWork) as refused:
        job(LONG if "memory_bytes" in most else request_for(ROWS))
    assert sentence in refused.value.message


def test_the_time_limit_ends_a_simulation() -> None:
    job = replace(simulated, limits=replace(simulated.limits, wall_s=0.05))
    with pytest.raises((TooMuchWork, Overloaded)):  # the second if others had the processors
        job(LONG)


def test_a_client_who_types_on_ends_the_simulation() -> None:
    gone, process = DisconnectHandler(), forking()
    simulated(request_for(ROWS))

    def asks() -> None:
        with answered_until(gone):
            simulated(LONG)

    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(asks)
        while not process.children():
            assert not waiting.done()
        gone.depart()
        assert isinstance(waiting.exception(), ClientGone)
    psutil.wait_procs(process.children(), timeout=60)
    assert process.children() == []

"""The driver of a cluster test, in a process of its own, because a process can have only one session.

`python -m tests.cluster.drive MASTER LOCATION CHECKPOINT HOME SPEC SETTINGS`, the last two as JSON; it carries the
binding to its end and prints the seconds.
"""

import json
import os
import sys
import time

from streaming.spark.carrier import Carrier
from streaming.spark.local_run import await_ends
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.session.session import start_session
from streaming.wire.messages import RunSpec

DEADLINE_S = 400.0
WATCHING = ("PUNCTUAL_WATCHED", "PUNCTUAL_NOTES")


def main(master: str, location: str, checkpoint: str, spec: str, settings: str) -> None:
    """Run the binding to its end."""
    wanted = RunSpec.model_validate_json(spec)
    settings_of_session = {"spark.cores.max": "2", "spark.executor.memory": "700m"}
    settings_of_session |= {f"spark.executorEnv.{name}": os.environ[name] for name in WATCHING if name in os.environ}
    session = start_session(master, settings_of_session)
    try:
        carried = CarrierSettings.model_validate_json(settings)
        carrier = Carrier(session, location, carried, checkpoint=checkpoint)
        carrier.add(wanted)
        began = time.monotonic()
        carrier.start()
        try:
            manifests = await_ends(carrier, {wanted.binding}, after=0, deadline_s=DEADLINE_S)
        finally:
            carrier.close()
        print(
            json.dumps({"seconds": time.monotonic() - began, "changes": [vars(each) for each in manifests[-1].changes]})
        )
    finally:
        session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

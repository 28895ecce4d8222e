"""A runner whose executors are YARN's: it starts Spark itself, in client mode, and so reads its configuration itself.

Refused: `spark-submit`, which is the parent of what it starts and hands it no standard input; the secrets would have to
come by another way.
"""

import shlex
from dataclasses import dataclass
from typing import Final

from deploy.prepare.console import CannotGoOn
from deploy.runners.wanted import WantedRunner, as_properties

MASTER: Final = "yarn"


@dataclass(frozen=True)
class YarnPlace:
    """Where in a cluster: `configuration` is the folder with Hadoop's files, `python` that of the installation.

    `python` is an absolute path, and the same on each machine.
    """

    configuration: str
    python: str
    queue: str = "default"

    def __post_init__(self) -> None:
        if not self.python.startswith("/") or not self.configuration.startswith("/"):
            raise CannotGoOn("Name the folder of Hadoop's files, and the Python of each machine, by absolute paths.")


def spark_settings(wanted: WantedRunner, place: YarnPlace) -> dict[str, str]:
    """Those of the session: how many executors there are, and in which queue."""
    return {**wanted.spark_settings(), "spark.yarn.queue": place.queue, "spark.yarn.maxAppAttempts": "1"}


def script(wanted: WantedRunner, place: YarnPlace) -> str:
    """What is run on a machine that YARN's reach: the runner with its configuration on its standard input."""
    command = shlex.join([place.python, "-m", "streaming.runtime", *wanted.arguments(MASTER)])
    return (
        "#!/bin/sh\n"
        "# Its standard input is what `manage.py runnerconfiguration` prints; nothing secret stands here.\n"
        "set -eu\n"
        "SPARK_CONF_DIR=$(mktemp -d)\n"
        f"export SPARK_CONF_DIR HADOOP_CONF_DIR={shlex.quote(place.configuration)}\n"
        "cat >\"$SPARK_CONF_DIR/spark-defaults.conf\" <<'SETTINGS'\n"
        f"{as_properties(spark_settings(wanted, place))}"
        "SETTINGS\n"
        f"exec {command}\n"
    )

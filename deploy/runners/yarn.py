"""A runner with executors on YARN: it starts Spark itself, in client mode, and so reads its configuration itself.

Refused: `spark-submit`, which is the parent of its program and passes no standard input on; the secrets would need
another way.
"""

import shlex
from dataclasses import dataclass
from typing import Final

from deploy.prepare.console import SetupError
from deploy.runners.wanted import WantedRunner, as_properties

MASTER: Final = "yarn"


@dataclass(frozen=True)
class YarnPlace:
    """The place in a cluster: `configuration` is the folder with Hadoop's files, `python` that of the installation.

    `python` is an absolute path, and the same on each machine.
    """

    configuration: str
    python: str
    queue: str = "default"

    def __post_init__(self) -> None:
        if not self.python.startswith("/") or not self.configuration.startswith("/"):
            raise SetupError("Name the folder of Hadoop's files, and the Python of each machine, with absolute paths.")


def spark_settings(wanted: WantedRunner, place: YarnPlace) -> dict[str, str]:
    """Return the settings of the session: the number of executors, and their queue."""
    return {**wanted.spark_settings(), "spark.yarn.queue": place.queue, "spark.yarn.maxAppAttempts": "1"}


def script(wanted: WantedRunner, place: YarnPlace) -> str:
    """Return the script for a machine with access to YARN: the runner with its configuration on its standard input."""
    command = shlex.join([place.python, "-m", "streaming.runtime", *wanted.arguments(MASTER)])
    return (
        "#!/bin/sh\n"
        "# Its standard input is what `manage.py runnerconfiguration` prints; this file contains no secret.\n"
        "set -eu\n"
        "SPARK_CONF_DIR=$(mktemp -d)\n"
        f"export SPARK_CONF_DIR HADOOP_CONF_DIR={shlex.quote(place.configuration)}\n"
        "cat >\"$SPARK_CONF_DIR/spark-defaults.conf\" <<'SETTINGS'\n"
        f"{as_properties(spark_settings(wanted, place))}"
        "SETTINGS\n"
        f"exec {command}\n"
    )

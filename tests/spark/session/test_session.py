"""The environment and the settings that start the Python processes of a session."""

import os
import subprocess
import sys

import pytest

from streaming.spark.session.session import _HANDED_ON, WORKER_PYTHON

ZIP = "/opt/spark/python/lib/pyspark.zip"


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (f"{ZIP}:/opt/py4j.zip:/work", "/opt/py4j.zip:/work"),
        (f"{ZIP}:/opt/py4j.zip:{ZIP}:/work:.", "/opt/py4j.zip:/work:."),
        (f"/work:{ZIP}", "/work"),
        ("/work:/other/pyspark.zips", "/work:/other/pyspark.zips"),
        ("", ""),
    ],
)
def test_pyspark_is_imported_from_where_it_is_installed(given: str, left: str) -> None:
    """Check the path: from Spark's archive pyspark would be compiled again in every process."""
    environment = {**os.environ, "ENGINE_PYTHON": sys.executable, "PYTHONPATH": given}
    script = "import os, sys; print(os.environ['PYTHONPATH']); print(sys.executable); print(sys.argv[1:])"
    command = [str(WORKER_PYTHON), "-c", script, "pyspark.worker", "a b"]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed == [left, sys.executable, "['pyspark.worker', 'a b']"]


def test_the_variables_of_a_session_are_not_settings_of_the_web_application() -> None:
    """Check the names of variables: the application refuses unknown settings, and its processes inherit this
    environment."""
    assert [name for name in _HANDED_ON if name.startswith("PUNCTUAL_")] == []

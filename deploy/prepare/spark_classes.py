"""The archive of Spark's classes, with which every start of Spark takes about three seconds less."""

import shutil
from pathlib import Path

from deploy.prepare import stamps
from deploy.prepare.console import CannotGoOn, run_step, say
from deploy.prepare.places import LOCK, ROOT, VENV, VENV_PYTHON

STAMP = VENV / "punctual-spark-classes"


def archive(log: Path) -> None:
    """Have it made; nothing while Java and packages are as they were. Without it everything works, only slower."""
    java = Path(shutil.which("java") or "java").resolve()
    made_for = f"{stamps.digest([LOCK], ROOT)} {java} {java.stat().st_mtime_ns if java.exists() else 0}"
    if stamps.is_current(STAMP, made_for):
        return
    try:
        title = "Preparing Spark's classes for quick starts: half a minute, once"
        run_step(title, [str(VENV_PYTHON), "-m", "streaming.spark.class_archive"], log, cwd=ROOT)
    except CannotGoOn as fault:
        say(f"{fault}\nPunctual goes on without: each start of Spark takes some seconds longer.")
    stamps.write(STAMP, made_for)

"""The archive of Spark's classes, which shortens every start of Spark by about three seconds."""

import shutil
from pathlib import Path

from deploy.prepare import stamps
from deploy.prepare.console import SetupError, run_step, say
from deploy.prepare.places import LOCK, ROOT, VENV, VENV_PYTHON

STAMP = VENV / "punctual-spark-classes"


def archive(log: Path) -> None:
    """Create it, unless Java and packages are unchanged. Everything works without it, only slower."""
    java = Path(shutil.which("java") or "java").resolve()
    made_for = f"{stamps.digest([LOCK], ROOT)} {java} {java.stat().st_mtime_ns if java.exists() else 0}"
    if stamps.is_current(STAMP, made_for):
        return
    try:
        title = "Preparing Spark's classes for quick starts: half a minute, once"
        run_step(title, [str(VENV_PYTHON), "-m", "streaming.spark.class_loading"], log, cwd=ROOT)
    except SetupError as fault:
        say(f"{fault}\nPunctual continues without it: each start of Spark takes a few seconds longer.")
    stamps.write(STAMP, made_for)

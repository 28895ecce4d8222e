"""A kind of windows, `MOMENT`, added as in ADDING.md: only lines in the files that the page names."""

from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
MODEL: Final = '''@dataclass(frozen=True)
class MomentPanes:
    """Every distinct start."""


class MomentWindow(Strict):
    """Every start."""

    kind: Literal["moment"]

    def panes(self) -> MomentPanes:
        """Nothing is said of them."""
        return MomentPanes()


'''
ROW: Final = """    WindowRow(
        words="MOMENT",
        help="A start.",
        kind="moment",
        choice="moments: each start",
        summary="each start",
        least=0,
        example="MOMENT",
        others="",
    ),
"""
PANES: Final = "from streaming.definition.windows import MomentPanes\n"


def written(file: str) -> str:
    """Return the code of `file` in this folder, without its head."""
    _, mark, code = (HERE / file).read_text().partition("\n\n\n")
    return f"{code}{mark}"


LINES: Final = {
    "streaming/definition/windows.py": (
        ("FixedWindow = TumblingWindow", MODEL),
        ("SnapshotWindow | CountWindow", "MomentWindow | "),
        ("SnapshotPanes | CountPanes", "MomentPanes | "),
    ),
    "streaming/definition/sql/grammar/windows.py": (('    WindowRow(\n        words="SNAPSHOT",', ROW),),
    "streaming/reference/windows/pane_rules.py": (
        ("from streaming.definition.windows", PANES),
        ("def pane_rule(", written("meaning.py")),
        ("        case SnapshotPanes():", "        case MomentPanes():\n            return MomentPaneRule()\n"),
    ),
    "streaming/engine/operators/windows/pane_assigners.py": (
        ("from streaming.definition.windows", PANES),
        ("def pane_assigner(", written("kernel.py")),
        ("        case SnapshotPanes():", "        case MomentPanes():\n            return MomentAssigner()\n"),
    ),
    "streaming/planning/explain/windows/registry.py": (
        ("from streaming.definition.windows", "from streaming.definition.windows import MomentWindow\n"),
        ("WINDOW_KINDS: Final", written("words.py")),
        ("    SnapshotWindow: _SNAPSHOT,", "    MomentWindow: _MOMENT,\n"),
    ),
}
"""By file: the text to insert, and the words to insert it before."""


def added_to(house: Path) -> int:
    """Add it to the copy of the project in `house`; return the number of opened files."""
    for place, lines in LINES.items():
        text = (house / place).read_text()
        for before, line in lines:
            if text.count(before) != 1:
                raise LookupError(f"{place} says {text.count(before)} times {before!r}; ADDING.md is behind")
            text = text.replace(before, line + before)
        (house / place).write_text(text)
    return len(LINES)

"""A kind of windows, `MOMENT`, as the page "To add" says: three new files, and lines in the others that it names."""

from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
NEW: Final = {
    "streaming/reference/moment.py": "meaning.py",
    "streaming/engine/operators/windows/moments.py": "kernel.py",
    "streaming/planning/explain/windows/moment.py": "words.py",
}
LINES: Final = {
    "streaming/definition/graph.py": (
        (
            "WindowSpec = Annotated[\n",
            'class MomentWindow(Strict):\n    """Every start."""\n\n    kind: Literal["moment"]\n\n\n',
        ),
        ("    TumblingWindow | HoppingWindow | TimeIntervalWindow", "    MomentWindow |"),
    ),
    "streaming/definition/sql/grammar/windows.py": (
        (
            '    WindowRow(\n        words="SNAPSHOT",',
            '    WindowRow(words="MOMENT", help="A start.", kind="moment", least=0, example="MOMENT", others=""),\n',
        ),
    ),
    "streaming/planning/plan.py": (
        (
            "PaneKind = HoppingWindows",
            '@dataclass(frozen=True)\nclass MomentPanes:\n    """Every distinct start."""\n\n\n',
        ),
        (" | SessionPanes | SnapshotPanes | CountPanes", " | MomentPanes"),
    ),
    "streaming/planning/nodes.py": (
        ("from streaming.planning.plan import (", "from streaming.definition.graph import MomentWindow\n"),
        ("    SnapshotPanes,\n", "    MomentPanes,\n"),
        ("        case SnapshotWindow():", "        case MomentWindow():\n            return MomentPanes()\n"),
    ),
    "streaming/reference/build.py": (
        ("    SnapshotPanes,\n", "    MomentPanes,\n"),
        ("from streaming.reference.order_edges", "from streaming.reference.moment import MomentPaneRule\n"),
        (
            "        case SnapshotPanes():",
            "        case MomentPanes():\n"
            "            return GroupedPanes(spec.node, MomentPaneRule(), spec.grace, spec.one_clock)\n",
        ),
    ),
    "streaming/engine/operators/windows/group_panes.py": (
        ("from streaming.planning.plan import ", "from streaming.planning.plan import MomentPanes\n"),
        (
            "from streaming.engine.operators.windows.pane_arrivals",
            "from streaming.engine.operators.windows.moments import MomentAssigner\n",
        ),
        ("        case SnapshotPanes():", "        case MomentPanes():\n            return MomentAssigner()\n"),
    ),
    "streaming/planning/explain/windows/registry.py": (
        ("    HoppingWindow,\n", "    MomentWindow,\n"),
        (
            "from streaming.planning.explain.windows.session",
            "from streaming.planning.explain.windows.moment import MOMENT\n",
        ),
        ("    SnapshotWindow: SNAPSHOT,\n", "    MomentWindow: MOMENT,\n"),
    ),
}
"""By file what is written before which words of it."""


def added_to(house: Path) -> int:
    """Add it to the copy of the project in `house`; how many files were opened."""
    for place, source in NEW.items():
        (house / place).write_text((HERE / source).read_text())
    for place, lines in LINES.items():
        text = (house / place).read_text()
        for before, line in lines:
            if text.count(before) != 1:
                raise LookupError(f"{place} says {text.count(before)} times {before!r}; ADDING.md is behind")
            text = text.replace(before, line + before)
        (house / place).write_text(text)
    return len(NEW) + len(LINES)

"""States that earlier versions of the engine wrote, read as the present one."""

from collections.abc import Mapping
from typing import Any

from streaming.engine.state import StateStore
from streaming.engine.windows.folded_window import FOLDS


def upgraded(
    head: Mapping[str, Any], blobs: Mapping[str, bytes], store: StateStore
) -> tuple[dict[str, Any], dict[str, bytes], list[str]]:
    """A head of an earlier version and its small tables as those of version 2, and keys that the next write deletes.

    Version 1 knew fixed windows alone: `windows` (node: `closed`, and `pieces` of partials as `[key, first,
    latest_first, last, rows, place of the blob or -1]`; of windows over windows too, which fold no longer), and
    `released` by branch, in the times of a window's results. The keys are those of the large tables, which are copied.
    Raises ValueError for a version that this program does not know.
    """
    if head["version"] != 1:
        raise ValueError(f"the operator state has version {head['version']}, this program reads versions 1 and 2")
    over_inputs = {branch for known in head["ctis"].values() for branch in known}
    nodes: dict[str, Any] = {}
    inline: dict[str, bytes] = {}
    copied: list[str] = []
    for node, window in head["windows"].items():
        pieces = []
        for number, (key, first, latest_first, last, rows, place) in enumerate(window["pieces"]):
            content = blobs[str(place)] if place >= 0 else store.get(key)
            if content is None:
                raise LookupError(f"the state has no piece {key}, which its head lists")
            if place < 0:
                copied.append(key)
            inline[f"{node}/t{number}"] = content
            spans = {"first": first, "latest_first": latest_first, "last": last}
            pieces.append({"name": f"t{number}", **spans, "rows": rows})
        nodes[node] = {"#": len(pieces), "closed": window["closed"], "pieces": pieces}
        if pieces and node not in over_inputs:
            nodes[node][FOLDS] = True
    ctis = {name: {f"{branch}#0": lanes for branch, lanes in known.items()} for name, known in head["ctis"].items()}
    reached = {**head["released"], **{f"{branch}#0": cti for branch, cti in head["released"].items()}}
    return {"version": 2, "nodes": nodes, "ctis": ctis, "reached": reached}, inline, copied

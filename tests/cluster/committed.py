"""Committed rows of a binding, read through the storage contract: from a file system or from an object store."""

import json
from typing import Any

from streaming.storage.blobs import BlobFolder
from streaming.storage.results import Commit, PartKind


def committed_lines(folder: BlobFolder, kind: PartKind) -> list[dict[str, Any]]:
    """Return the committed rows of `kind` of the binding with results in `folder`, oldest batch first."""
    found = []
    for batch in folder.numbers("commits"):
        commit = Commit.model_validate_json(folder.read(f"commits/{batch}.json") or b"")
        for part in commit.parts:
            if part.kind == kind:
                content = folder.read(part.path)
                assert content is not None
                assert len(content) == part.bytes
                lines = content.splitlines()
                assert len(lines) == part.rows
                found += [json.loads(line) for line in lines]
    return found


def rows(folder: BlobFolder) -> tuple[list[str], list[str]]:
    """Return its results and its late rows, each sorted: equal for equal results, including repeated rows."""
    results, late = committed_lines(folder, "results"), committed_lines(folder, "late")
    return sorted(json.dumps(row) for row in results), sorted(json.dumps(row) for row in late)

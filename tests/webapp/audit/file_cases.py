"""Requests that take results or stored files out, and the event of each."""

from tests.webapp.stage import Case
from tests.webapp.uploads.bringing import CSV, brought

FILES_TAKEN: dict[tuple[str, str], Case] = {
    ("runs/<uuid:run>/results/file/", "get"): Case(
        "results.exported",
        lambda stage: (
            f"runs/{stage.made(f'{stage.bound}start/')['id']}/results/file/?format=csv&from=0001-01-01",
            None,
        ),
        "watch",
        None,
        {"format": "csv", "from": "0001-01-01", "revisions": "net", "runs": "own", "rows": 0},
    ),
    ("bindings/<uuid:binding>/results/file/", "get"): Case(
        "results.exported",
        lambda stage: (
            stage.made(f"{stage.bound}start/") and f"{stage.bound}results/file/?format=xlsx&revisions=all",
            None,
        ),
        "watch",
        None,
        {"format": "xlsx", "revisions": "all", "rows": 0},
    ),
    ("files/content/", "get"): Case(
        "file.downloaded",
        lambda stage: (f"files/content/?path={brought(stage.alice, 'here.csv')}", None),
        "here.csv",
        None,
        {"size": len(CSV)},
    ),
}

"""The quotas of an organisation: their defaults, and their meaning on the page of variables."""

from typing import Final

QUOTAS: Final[dict[str, tuple[int, str]]] = {
    "members": (10, "Most members and open invitations"),
    "runs": (10, "Most runs at once"),
    "dedicated_runs": (2, "Most runs with a query of their own"),
    "events_per_second": (5_000, "Most events read each second by all runs together"),
    "pushed_rows_per_second": (20_000, "Most rows pushed over HTTP each second, over 10 s"),
    "preview_seconds": (1_800, "Computing time of previews each day, in seconds"),
    "person_preview_seconds": (600, "Computing time of a person's previews and replays each day, in seconds"),
    "replay_seconds": (1_800, "Computing time of replays each day, in seconds"),
    "repair_seconds": (600, "Computing time of repairs each day, in seconds"),
    "result_bytes": (10 * 2**30, "Bytes of results"),
    "quarantine_bytes": (2**30, "Bytes of quarantine"),
    "streams": (500, "Most streams"),
    "queries": (500, "Most queries"),
    "query_versions": (20_000, "Most versions of all queries"),
    "boards": (200, "Most boards"),
    "board_versions": (10_000, "Most versions of all boards"),
    "scenarios": (200, "Most scenarios of queries"),
    "scenario_bytes": (32 * 2**20, "Bytes of all scenarios"),
    "file_bytes": (10 * 2**30, "Bytes of files, with unfinished uploads"),
    "disk_bytes": (25 * 2**30, "Bytes on disk of everything together"),
}

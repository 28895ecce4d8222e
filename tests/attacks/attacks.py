"""Every attack by its name. A new one is a function that says what it was answered, and a line here."""

from collections.abc import Callable

import httpx

from tests.attacks import bombs, crowds, deaths, walls
from tests.attacks.stage import Stage
from tests.attacks.watching import Cost, Watch

ATTACKS: dict[str, Callable[[Stage], str]] = {
    each.__name__: each
    for each in (
        walls.platform_files_as_streams,
        walls.links_to_folders_outside,
        walls.files_open_to_others,
        walls.redis_as_another_user,
        walls.redis_as_a_runner,
        walls.forged_addresses,
        walls.a_token_from_a_forged_network,
        bombs.parquet_of_one_text,
        bombs.parquet_of_large_cells,
        bombs.parquet_of_a_long_list,
        bombs.gzip_without_a_line_end,
        bombs.csv_with_an_open_quote,
        bombs.deep_and_wide_json,
        bombs.a_stream_of_many_lanes,
        bombs.brackets,
        crowds.checks_of_slow_queries,
        crowds.explanations_of_slow_queries,
        crowds.completions_in_slow_queries,
        crowds.samples_of_a_bomb,
        crowds.transcripts_of_slow_queries,
        crowds.plans_of_a_megabyte,
        crowds.event_streams,
        deaths.texts_beyond_the_longest,
        deaths.many_long_texts,
        deaths.children_one_after_another,
        deaths.runners_in_many_organisations,
    )
}


def attacked(stage: Stage, name: str) -> tuple[str, Cost]:
    """What the attack `name` was answered, and what it cost."""
    with Watch(stage) as cost:
        try:
            answer = ATTACKS[name](stage)
        except httpx.HTTPError as error:
            answer = f"no answer ({type(error).__name__})"
    return answer, cost

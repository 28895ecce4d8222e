"""Every attack by its name. A new one is a function that returns the answers that it got, and a line here."""

import os
import threading
from collections.abc import Callable
from typing import Final

import httpx

from tests.attacks import bombs, crowds, deaths, doors, shares, walls
from tests.attacks.stage import Stage
from tests.attacks.watching import Cost, Watch

NICENESS: Final = 10
ATTACKS: dict[str, Callable[[Stage], str]] = {
    each.__name__: each
    for each in (
        doors.acting_as_the_demo,  # before others use up the sign-ins of this address
        doors.codes_of_a_second_factor,
        walls.platform_files_as_streams,
        walls.links_to_folders_outside,
        walls.files_open_to_others,
        walls.redis_as_another_user,
        walls.redis_as_a_runner,
        walls.forged_addresses,
        walls.a_token_from_a_forged_network,
        doors.answers_of_an_unasked_provider,
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
        shares.nothing_at_all,
        shares.a_viewer_that_validates_and_simulates,
        shares.people_of_many_organisations_that_validate,
        shares.lists_of_wide_streams,
        shares.validates_of_twelve_thousand_nodes,
        shares.simulations_of_wrong_rows,
        shares.more_requests_than_anybody_sends,
        shares.connections_that_send_nothing,
        deaths.texts_beyond_the_longest,
        deaths.many_long_texts,
        deaths.children_one_after_another,
        deaths.runners_in_many_organisations,
    )
}


def attacked(stage: Stage, name: str) -> tuple[str, Cost]:
    """Run the attack `name`; return the answers that it got, and its cost.

    This thread, and those that it starts, then have a lower priority than the installation.
    """
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
    with Watch(stage) as cost:
        try:
            answer = ATTACKS[name](stage)
        except httpx.HTTPError as error:
            answer = f"no answer ({type(error).__name__})"
    return answer, cost

"""No attack stops or takes anything of another organisation; limited to 10 GiB if a control group can be created."""

import re
from pathlib import Path

import pytest

from tests.attacks.attacks import ATTACKS, attacked
from tests.attacks.confining import bytes_of, memory_group
from tests.attacks.stage import staged
from webapp.bundles.transcripts import LIMITS

FITS = bytes_of("10G")
LIMITED_MIB = 180 + LIMITS.memory_bytes / 2**20
"""The memory that a limited process shares with its server, plus the most that it may use in addition."""
ANSWERED = {
    "platform_files_as_streams": "nothing was read",
    "links_to_folders_outside": "no name of a file outside was shown",
    "files_open_to_others": "its owner's alone",
    "redis_as_another_user": "^socket Permission denied$",
    "redis_as_a_runner": "nothing of it is allowed",
    "forged_addresses": "429",
    "a_token_from_a_forged_network": "^40[13]",
    "codes_of_a_second_factor": "^5 times 400 incorrect_code, [0-9]+ times 400 too_many_login_attempts, ",
    "acting_as_the_demo": "^403, 403$",
    "answers_of_an_unasked_provider": "^4[0-9][0-9], 4[0-9][0-9]$",
    "a_stream_of_many_lanes": "422 The stream has 25,000 lanes",
    "brackets": "^400",
    "event_streams": "[1-9][0-9]* refused",
    "many_long_texts": "^failed .*, user:",
    "children_one_after_another": "^(?!.*(NOT BACK|none)).*Redis: back",
    "runners_in_many_organisations": "^12 times started; [1-8] runners at most$",
}
"""The expected answers to attacks with a single correct answer."""
WEB_MIB = 600
AT_RUNNERS = (
    "texts_beyond_the_longest",
    "many_long_texts",
    "children_one_after_another",
    "runners_in_many_organisations",
    "redis_as_a_runner",
)
"""Attacks at runners: repeated where both organisations share a runner."""


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize(("pools", "names"), [(0, tuple(ATTACKS)), (1, AT_RUNNERS)], ids=["own", "pooled"])
def test_no_attack_stops_or_takes_anything_of_others(tmp_path: Path, pools: int, names: tuple[str, ...]) -> None:
    wrong = []
    with memory_group(FITS) as group, staged(tmp_path / "var", group, pools) as stage:
        for name in names:
            answer, cost = attacked(stage, name)
            losses = cost.losses
            facts = {
                f"answer: {answer}": re.search(ANSWERED.get(name, ""), answer) is not None,
                f"others' failures: {cost.failures}": name == "children_one_after_another" or not cost.failures,
                "the web server ended": name == "children_one_after_another" or not cost.ended,
                f"others' run: {losses}": losses is not None and (losses.lost, losses.doubled) == (0, 0),
                f"others' runs: {cost.states}": cost.states == "running",
                f"web server: {cost.web_mib} MiB": cost.web_mib < WEB_MIB,
                f"limited process: {cost.limited_mib} MiB": cost.limited_mib < LIMITED_MIB,
                f"{cost.killed} processes were killed for memory": not cost.killed,
            }
            wrong += [f"{name}: {fact}" for fact, holds in facts.items() if not holds]
    assert wrong == []

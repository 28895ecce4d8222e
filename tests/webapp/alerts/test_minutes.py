"""The window of known minutes: differences, the last rows, a CTI without a move, a run that has caught up."""

from typing import Any

from webapp.alerts.rules.evaluation import TICKS_PER_S, RuleState
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.measures import Moment, measure
from webapp.alerts.rules.minutes import EMPTY, MINUTE, Minute, Totals, Window, fold, totals_of
from webapp.alerts.rules.sentences import duration, sentence, written
from webapp.alerts.rules.table import RULES, Unit

RUN = "r"


def totals(at: int, received: int = 0, *, cti: int | None = None, lag_s: float | None = None, **more: Any) -> Totals:
    counted = {"lost": 0, "moved": 0, "future": 0, "accounted": received, "batch_s": 0.5, "ended": False, **more}
    return Totals(at=at, received=received, cti=cti, lag_s=lag_s, **counted)


def minutes(*found: Totals | None, known: bool = True, begin: int = 0) -> list[Minute]:
    """Return minutes in order; each report is at the end of its minute."""
    return [Minute((begin + n + 1) * MINUTE, RUN, known, each, run_since=0) for n, each in enumerate(found)]


def folded(*found: Minute) -> Window:
    window = EMPTY
    for each in found:
        window = fold(window, each)
    return window


def value(rule: str, window: Window, at: int, facts: AlertFacts | None = None) -> float | None:
    found = measure(rule, Moment(at * MINUTE, facts or AlertFacts(), window))
    return None if found.inhibited else found.value


def test_the_first_minutes_of_a_run_count_from_nothing() -> None:
    window = folded(*minutes(totals(MINUTE, 100, lost=2)))
    assert measure("rows_lost", Moment(MINUTE, AlertFacts(), window)).value == 0.02


def test_a_share_is_of_the_last_five_minutes() -> None:
    reports = [totals(n * MINUTE, n * 100, lost=0 if n < 8 else 50) for n in range(1, 11)]
    assert value("rows_lost", folded(*minutes(*reports)), 10) == 0.1
    more = [totals(n * MINUTE, n * 100, lost=50) for n in range(11, 16)]
    assert value("rows_lost", folded(*minutes(*reports, *more)), 15) == 0.0


def test_rows_of_an_unknown_minute_are_not_counted() -> None:
    first = minutes(totals(MINUTE, 100))
    unknown = minutes(totals(2 * MINUTE, 1_000, lost=900), known=False, begin=1)
    later = minutes(None, totals(4 * MINUTE, 1_100, lost=900), totals(5 * MINUTE, 1_200, lost=910), begin=2)
    assert value("rows_lost", folded(*first, *unknown, *later), 5) == 0.1


def test_a_minute_without_a_report_has_no_rows() -> None:
    window = folded(*minutes(totals(MINUTE, 100), *[None] * 10))
    assert value("no_rows", window, 11) == 600
    assert value("rows_lost", window, 11) == 0


def test_an_input_that_has_ended_does_not_miss_rows() -> None:
    window = folded(*minutes(totals(MINUTE, 100, ended=True), *[None] * 10))
    assert value("no_rows", window, 11) == 0


def test_a_cti_that_does_not_move_counts_from_the_first_rows_after_it() -> None:
    stuck = [totals(n * MINUTE, n * 100, cti=7) for n in range(1, 6)]
    assert value("cti_stuck", folded(*minutes(*stuck)), 6) == 240
    moved = [*stuck, totals(6 * MINUTE, 600, cti=8)]
    assert value("cti_stuck", folded(*minutes(*moved)), 7) == 0


def test_a_cti_without_new_rows_is_not_stuck() -> None:
    window = folded(*minutes(totals(MINUTE, 100, cti=7), *[totals(n * MINUTE, 100, cti=7) for n in range(2, 9)]))
    assert value("cti_stuck", window, 9) == 0


def test_lag_counts_once_a_run_has_caught_up() -> None:
    late = minutes(totals(MINUTE, 100, cti=1, lag_s=900), totals(2 * MINUTE, 200, cti=2, lag_s=300))
    assert value("lag", folded(*late), 2) is None
    caught = minutes(totals(3 * MINUTE, 300, cti=3, lag_s=5), totals(4 * MINUTE, 400, cti=4, lag_s=90), begin=2)
    assert value("lag", folded(*late, *caught), 4) == 90
    assert value("lag", folded(*late, *caught), 4, AlertFacts(changing=True)) is None


def test_another_run_has_to_catch_up_again() -> None:
    first = minutes(totals(MINUTE, 100, cti=1, lag_s=5))
    other = Minute(2 * MINUTE, "s", True, totals(2 * MINUTE, 50, cti=2, lag_s=900))
    assert value("lag", folded(*first, other), 2) is None


def test_a_lost_runner_inhibits_what_it_explains() -> None:
    window = folded(*minutes(totals(MINUTE, 100), *[None] * 10))
    assert value("no_rows", window, 11, AlertFacts(lost_since=MINUTE)) is None


def test_without_a_run_nothing_is_wrong() -> None:
    window = folded(*minutes(totals(MINUTE, 100, lost=100)), Minute(2 * MINUTE, None, True))
    names = [rule.name for rule in RULES.values() if rule.by_minutes]
    assert {value(name, window, 2) for name in names} == {0.0}


def test_outcomes_that_do_not_add_up_are_counted() -> None:
    assert value("unaccounted", folded(*minutes(totals(MINUTE, 100, accounted=98))), 1) == 2


def test_slow_batches_are_compared_with_the_freshness() -> None:
    window = folded(*minutes(totals(MINUTE, 100, batch_s=15)))
    assert value("slow_batches", window, 1, AlertFacts(freshness_s=5)) == 3


def test_a_stored_window_is_read_back() -> None:
    window = folded(*minutes(totals(MINUTE, 100, cti=5, lag_s=2.5), None))
    assert Window.from_json(window.to_json()) == window


def test_facts_are_read_back_and_store_only_what_differs() -> None:
    facts = AlertFacts(run="r", open=True, restarts=(1, 2), red=("a",), deliveries=None)
    assert AlertFacts.from_json(facts.to_json()) == facts
    assert AlertFacts().to_json() == {}
    assert AlertFacts.from_json({"of_a_newer_release": 1}) == AlertFacts()


def test_the_totals_of_a_sample() -> None:
    sample = {
        "at": 100 * TICKS_PER_S,
        "batch": 3,
        "batch_s": 1.5,
        "inputs": {
            "a": _input(80, {"on_time": 70, "malformed": 4, "adjusted": 6}, 80 * TICKS_PER_S),
            "b": _input(10, {"on_time": 9, "dropped_early": 1}, 90 * TICKS_PER_S),
        },
        "output_ctis": {"out": 1},
    }
    assert totals_of(sample, {"a": 5 * TICKS_PER_S}) == Totals(
        at=100 * TICKS_PER_S,
        received=90,
        lost=5,
        moved=6,
        future=1,
        accounted=90,
        batch_s=1.5,
        cti=80 * TICKS_PER_S,
        lag_s=15,
        ended=False,
    )


def _input(received: int, outcomes: dict[str, int], cti: int | None) -> dict[str, Any]:
    return {"received": received, "outcomes": outcomes, "cti": cti, "ended": False, "largest_start": None}


def test_every_rule_is_measured_and_has_a_sentence_that_ends_with_what_to_do() -> None:
    for rule in RULES.values():
        assert measure(rule.name, Moment(0, AlertFacts(), EMPTY)).value == 0, rule.name
        state = RuleState(value=1.0, rows=3, since=0, decided_at=10 * TICKS_PER_S)
        text = sentence(rule, "toll_by_gate", state)
        assert text.endswith(rule.remedy)
        assert "{" not in text


def test_values_have_their_units() -> None:
    assert written(0.0234, Unit.SHARE) == "2.34 %"
    assert written(1, Unit.ROWS) == "1 row"
    assert written(5 * 2**30, Unit.BYTES) == "5.0 GB"
    assert [duration(each) for each in (45, 150, 3_700, 100_000, 172_800)] == [
        "45 s",
        "2 min",
        "1 h 1 min",
        "1 d 3 h",
        "2 d",
    ]

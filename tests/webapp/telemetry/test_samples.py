"""The metrics of a binding equal its newest report, exactly; what is not known has no sample."""

from typing import Any

import pytest

from streaming.wire.progress import InputCounts, InputMeasures, LaneSums
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts, lane
from tests.webapp.resources.alerts import firing
from tests.webapp.telemetry.scraping import OPENMETRICS, buckets, samples, value
from webapp.core.context import organisation_context
from webapp.runs.models import Binding, InputFootprint, Repair, Run, StoredBytes
from webapp.telemetry.families import late, measured

OUTCOMES = {"on_time": 900, "adjusted": 60, "dropped_late": 39, "malformed": 1}
EVENTS = "punctual_events_total"


def scraped(reporting: Reporting, query: str = "") -> Any:
    return samples(reporting.scene.person.get(f"metrics{query}"))


def with_lateness(counts: InputCounts, **measures: Any) -> InputCounts:
    """39 late rows: 30 below 1.024 ms, 9 from 2.1 to 4.2 s."""
    lateness = [0] * 40
    lateness[9], lateness[21] = 30, 9
    none: Any = dict.fromkeys(["largest_behind", "largest_late", "largest_moved", "largest_transport", "last_arrival"])
    measured_too = InputMeasures.model_validate({"behind": {}, "moved": {}, "transport": {}, **none, **measures})
    return counts.model_copy(update={"lateness": lateness, "measures": measured_too, "reasons": {"past_cti": 39}})


@pytest.mark.parametrize("accept", [OPENMETRICS, "text/plain;version=0.0.4", "*/*"])
def test_the_counters_and_times_are_those_of_the_newest_report(reporting: Reporting, accept: str) -> None:
    counts = with_lateness(input_counts(OUTCOMES, reporting.now - 6 * SECOND), last_arrival=reporting.now)
    reporting.report(counts.model_copy(update={"delay": 5 * SECOND}))
    answered = reporting.scene.person.client.get(reporting.scene.person.url("metrics"), headers={"accept": accept})
    found, at = samples(answered), reporting.now / SECOND
    of_input = {"organisation": "acme", "binding": "watch", "input": "cars"}

    assert value(found, "received_events_total", **of_input) == 1_000
    for outcome, rows in OUTCOMES.items():
        assert value(found, "events_total", **of_input, outcome=outcome) == rows
    assert value(found, "event_reasons_total", **of_input, reason="past_cti") == 39
    assert value(found, "accounting_difference_rows", **of_input) == 0
    assert value(found, "input_cti_timestamp_seconds", **of_input) == at - 6
    assert value(found, "input_delay_seconds", **of_input) == 5
    assert value(found, "input_largest_start_timestamp_seconds", **of_input) == at - 6
    assert value(found, "input_last_arrival_timestamp_seconds", **of_input) == at
    assert value(found, "output_cti_timestamp_seconds", binding="watch", output="out") == at - 6
    assert value(found, "run_start_timestamp_seconds", binding="watch") == at - 3_600
    assert value(found, "last_report_timestamp_seconds", binding="watch") == at
    assert value(found, "batch_duration_seconds", binding="watch") == 0.5
    assert value(found, "binding_desired_running", binding="watch") == 1
    assert value(found, "binding_state", binding="watch", state="running") == 1
    assert value(found, "binding_info", binding="watch", query="speeding") == 1
    expected = "application/openmetrics-text" if "openmetrics" in accept else "text/plain"
    assert answered["Content-Type"].startswith(expected)


def test_every_outcome_has_a_counter_so_that_its_first_rows_are_an_increase(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 1_000, "of_a_newer_release": 3}, reporting.now))
    counters = [(dict(labels), rows) for (name, labels), rows in scraped(reporting).items() if name == EVENTS]
    assert {labels["outcome"]: rows for labels, rows in counters} == {
        "on_time": 1_000,
        "reordered": 0,
        "adjusted": 0,
        "shifted": 0,
        "late_kept": 0,
        "dropped_late": 0,
        "dropped_early": 0,
        "dropped_window_closed": 0,
        "malformed": 0,
        "overlap": 0,
        "of_a_newer_release": 3,
    }


def test_lateness_is_cumulative_by_limits_that_are_the_largest_durations(reporting: Reporting) -> None:
    reporting.report(with_lateness(input_counts(OUTCOMES, reporting.now)))
    found = scraped(reporting)

    # 2**21 us to 2**22 us is below 2**22 us = 4.194304 s
    expected = {"0.001023": 30, "1.048575": 30, "4.194303": 39, "16.777215": 39, "68719.476735": 39, "+Inf": 39}
    own = dict(buckets(found, "event_lateness_seconds"))
    assert len(own) == 15
    assert {limit: own[limit] for limit in expected} == expected
    assert not [name for name, _ in found if name.endswith(("_sum", "_count"))]


@pytest.mark.parametrize(
    ("bucket", "index"),
    # 0: below 2**10; 1 to 4: below 2**11; 5 to 8: below 2**12; 9: below 2**13; 104: below 2**36; 105: below 2**37
    [(0, 0), (1, 1), (4, 1), (5, 1), (8, 1), (9, 2), (104, 13), (105, 14), (118, 14)],
)
def test_measured_buckets_go_to_the_limit_that_holds_all_of_their_durations(bucket: int, index: int) -> None:
    assert measured({bucket: 7}) == [7 if each == index else 0 for each in range(15)]


@pytest.mark.parametrize(("bucket", "index"), [(0, 0), (9, 0), (10, 1), (11, 1), (12, 2), (35, 13), (36, 14), (39, 14)])
def test_buckets_of_lateness_go_to_the_limit_that_holds_all_of_their_durations(bucket: int, index: int) -> None:
    counts = [7 if each == bucket else 0 for each in range(40)]
    assert late(counts) == [7 if each == index else 0 for each in range(15)]


def test_a_report_without_measures_has_no_metrics_of_them(reporting: Reporting) -> None:
    reporting.report(input_counts(OUTCOMES, None))
    found = scraped(reporting)
    for name in ("input_cti_timestamp_seconds", "output_cti_timestamp_seconds", "input_last_arrival_timestamp_seconds"):
        assert value(found, name) is None
    assert buckets(found, "event_adjustment_seconds") == buckets(found, "event_transport_seconds") == []


def test_a_silent_runner_is_lost_and_its_last_report_stays(reporting: Reporting) -> None:
    reporting.report(input_counts(OUTCOMES, reporting.now))
    reporting.scene.silence()
    found = scraped(reporting)
    assert value(found, "binding_state", state="lost") == 1
    assert value(found, "binding_desired_running") == 1
    assert value(found, "received_events_total") == 1_000


def test_an_ended_run_keeps_its_counters_and_has_no_present_values(reporting: Reporting) -> None:
    lanes = [lane("1", received=1, dropped=0)]
    reporting.report(input_counts(OUTCOMES, reporting.now, lanes))
    assert value(scraped(reporting), "input_lanes", state="waiting") == 1
    reporting.state(observed="stopped", desired="stopped", ended_at=reporting.scene.clock())
    found = scraped(reporting)
    assert value(found, "received_events_total") == 1_000
    assert value(found, "binding_desired_running") == 0
    assert value(found, "binding_state", state="stopped") == 1
    for name in ("input_lanes", "input_holds_back", "input_ended", "batch_duration_seconds"):
        assert value(found, name) is None


def test_lanes_that_the_report_does_not_list_have_no_state(reporting: Reporting) -> None:
    lanes = [lane("1", received=1, dropped=0), lane("2", received=1, dropped=0)]
    counts = input_counts(OUTCOMES, reporting.now, lanes)
    others = LaneSums(lanes=30, received=5, late=0, dropped=0)
    reporting.report(counts.model_copy(update={"other_lanes": others}))
    found = scraped(reporting)
    assert (value(found, "input_lanes", state="waiting"), value(found, "input_lanes", state="unlisted")) == (2, 30)


def test_the_input_with_the_smallest_cti_holds_the_others_back(reporting: Reporting) -> None:
    reporting.report(input_counts(OUTCOMES, reporting.now))
    assert value(scraped(reporting), "input_holds_back", input="cars") == 0
    slower, ended = input_counts(OUTCOMES, reporting.now - MINUTE), input_counts(OUTCOMES, None)
    inputs = {
        "cars": input_counts(OUTCOMES, reporting.now).model_dump(mode="json"),
        "gates": slower.model_dump(mode="json"),
        "roads": {**ended.model_dump(mode="json"), "ended": True},
    }
    with organisation_context(reporting.scene.person.organisation.pk):
        run = Run.objects.get(pk=reporting.scene.run_id)
        assert run.progress is not None
        run.progress["inputs"] = inputs
        run.save()
    found = scraped(reporting)
    holding = {node: value(found, "input_holds_back", input=node) for node in inputs}
    assert holding == {"cars": 0, "gates": 1, "roads": 0}
    seen_ended = {node: value(found, "input_ended", input=node) for node in inputs}
    assert seen_ended == {"cars": 0, "gates": 0, "roads": 1}


def test_deliveries_of_an_output_are_summed_and_unknown_ones_counted(reporting: Reporting) -> None:
    reporting.delivers("retrying", waiting=12)
    with organisation_context(reporting.scene.person.organisation.pk):
        outputs = [{"identity": name, "node": "out", "revision": 1} for name in ("one", "two")]
        Binding.objects.update(outputs=outputs)
    found = scraped(reporting)
    assert value(found, "delivery_waiting_rows", output="out") == 12
    assert value(found, "delivery_refused_requests", output="out") == 0
    assert value(found, "delivery_targets", state="retrying") == value(found, "delivery_targets", state="unknown") == 1
    assert value(found, "delivery_oldest_waiting_timestamp_seconds") is None


def test_rows_of_the_database_are_counted_by_binding(reporting: Reporting) -> None:
    scene, binding = reporting.scene, str(reporting.scene.binding["id"])
    with organisation_context(scene.person.organisation.pk):
        firing(binding, "failed").save()
        StoredBytes.objects.filter(binding=binding).update(quarantine_bytes=77)
        StoredBytes(binding=scene.run_id, name="deleted", quarantine_bytes=99).save()
        for given, taken in ((scene.clock(), ["a", "b"]), (scene.clock(), ["c"]), (None, ["d"])):
            repair = Repair(binding_id=binding, run_id=scene.run_id, asked={}, rows={}, taken=taken)
            repair.created_at, repair.given_at = scene.clock(), given
            repair.save()
        for where, size in (("here", 1_000), ("there", 24)):
            InputFootprint(
                binding=binding,
                binding_name="watch",
                node="cars",
                stream=binding,
                stream_name="cars",
                adapter={},
                where=where,
                noted_at=scene.clock(),
                due_at=scene.clock(),
                kept_bytes=size,
            ).save()
    found = scraped(reporting)
    assert (value(found, "alerts_firing", level="page"), value(found, "alerts_firing", level="warn")) == (1, 0)
    assert value(found, "quarantine_bytes") == 77
    assert value(found, "repaired_rows_total") == 3
    assert value(found, "source_retained_bytes", input="cars") == 1_024


def test_a_binding_that_never_ran_is_known_and_has_no_counters(reporting: Reporting) -> None:
    scene = reporting.scene
    version = scene.binding["query_version"]
    version = version["id"] if isinstance(version, dict) else version
    assert scene.person.post("bindings/", {"name": "new", "query_version": version}).status_code == 201
    found = scraped(reporting, "?binding=new")
    assert {dict(labels)["binding"] for _, labels in found} == {"new"}
    assert value(found, "binding_desired_running", binding="new") == 0
    for name in ("binding_state", "received_events_total", "run_start_timestamp_seconds"):
        assert value(found, name) is None


def test_a_deleted_binding_has_no_metrics(reporting: Reporting) -> None:
    reporting.report(input_counts(OUTCOMES, reporting.now))
    with organisation_context(reporting.scene.person.organisation.pk):
        Run.objects.all().delete()
        Binding.objects.all().delete()
    assert {name for name, _ in scraped(reporting)} == {"punctual_quota_used_ratio"}


def test_include_selects_metrics_and_an_unknown_name_is_refused_with_the_nearest(reporting: Reporting) -> None:
    reporting.report(input_counts(OUTCOMES, reporting.now))
    found = scraped(reporting, "?include=received_events_total,punctual_binding_info")
    assert {name for name, _ in found} == {"punctual_received_events_total", "punctual_binding_info"}
    refused = reporting.scene.person.get("metrics?include=recieved_events_total")
    assert refused.status_code == 422
    [error] = refused.json()["faults"]
    assert error["message"] == "include: there is no metric 'recieved_events_total'."
    assert error["remedy"] == "Did you mean 'received_events_total'?"


def test_a_report_of_a_newer_release_leaves_the_other_metrics(reporting: Reporting) -> None:
    reporting.report(input_counts(OUTCOMES, reporting.now))
    with organisation_context(reporting.scene.person.organisation.pk):
        Run.objects.update(progress={"at": 1, "inputs": {"cars": {"received": "many"}}})
    found = scraped(reporting)
    assert value(found, "binding_state", state="running") == 1
    assert value(found, "received_events_total") is None

"""A picture agrees with the run: CTIs next to the rows that met them, results with their origins."""

from streaming.guide.examples import examples_of
from streaming.guide.lines import Bar, PictureSection, sections_of
from streaming.guide.scale import scale_over
from streaming.guide.story import Story, run_story
from streaming.temporal.ticks import INFINITY, NO_CTI


def story_of(page: str, name: str) -> Story:
    (example,) = [each for each in examples_of(page) if each.transcript.name == name]
    return run_story(example.case)


def sections(page: str, name: str) -> list[PictureSection]:
    story = story_of(page, name)
    return sections_of(story, {each: each for each in (*story.received, *story.released)})


def test_each_row_is_next_to_the_cti_that_it_met() -> None:
    rows = story_of("input", "input").received["s"]
    assert [(row.cti, row.cti_after) for row in rows] == [
        (NO_CTI, NO_CTI),
        (NO_CTI, 3),
        (3, 3),
        (3, 6),
        (6, 6),
        (6, 6),
        (6, 10),
    ]


def test_an_imported_cti_is_met_only_after_the_end_of_the_micro_batch() -> None:
    rows = story_of("advance_time", "import_from").received["slow"]
    assert [row.cti for row in rows] == [NO_CTI, 5, 5]


def test_a_result_names_its_events_with_their_input_if_there_are_several() -> None:
    assert [row.made_by for row in story_of("join", "join_inner").released["out"]] == [
        ("left 1", "right 1"),
        ("left 2", "right 1"),
    ]
    assert [row.made_by for row in story_of("window_tumbling", "window_tumbling").released["out"]] == [
        ("1", "2"),
        ("2", "3"),
    ]


def test_a_replaced_row_of_a_pane_is_drawn_as_replaced() -> None:
    out = sections("window", "window_running")[-1]
    assert [line.bars[0].look for line in out.lines] == ["replaced", "gone", "out"]


def test_a_late_event_is_drawn_where_it_was_and_where_it_is() -> None:
    stream = sections("advance_time", "late_adjust")[0]
    assert stream.lines[2].bars == (Bar(7, 12, "before"), Bar(12, 15, "moved"))
    assert stream.lines[2].note == "adjusted by 5"
    assert stream.lines[3].bars == (Bar(6, 10, "lost"),)


def test_an_event_in_no_result_says_so() -> None:
    stream = sections("filter", "filter")[0]
    assert [line.note for line in stream.lines] == [
        "on time, not in results",
        "on time",
        "on time",
        "on time, not in results",
    ]


def test_a_scale_holds_all_finite_moments_and_marks_round_ones() -> None:
    scale = scale_over([0, 97, INFINITY, NO_CTI], 100.0, 500.0)
    assert list(scale.marks()) == [0, 20, 40, 60, 80, 100]
    assert scale.x(INFINITY) == 500.0
    assert scale.x(NO_CTI) == 100.0
    assert 100.0 < scale.x(0) < scale.x(97) < 500.0


def test_a_scale_of_one_moment_does_not_divide_by_zero() -> None:
    assert list(scale_over([5], 0.0, 10.0).marks()) == [4, 5, 6]

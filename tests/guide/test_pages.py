"""The guide agrees with the code, its examples hold, and its pictures are readable."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from streaming.definition.checks.advance import in_force
from streaming.definition.faults import Severity
from streaming.definition.sql.check import check_sql
from streaming.guide.__main__ import main
from streaming.guide.examples import FOLDER, examples_of
from streaming.guide.kinds import NODES, WINDOWS
from streaming.guide.pages import pages
from streaming.planning.explain.cti_rules import NODE_RULES
from streaming.planning.explain.windows.registry import WINDOW_KINDS
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript, load

PAGES = FOLDER.parent / "pages"
PICTURES = sorted(PAGES.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
CHARACTER, SMALL_CHARACTER = 6.7, 5.9
"""Pixels for a character, from above: letters 12 and 11 pixels high."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guide")
    assert main([str(folder)]) == 0
    return folder


def test_the_pages_agree_with_the_code(written: Path) -> None:
    fresh = {path.name: path.read_text() for path in written.iterdir()}
    kept = {path.name: path.read_text() for path in PAGES.iterdir()}
    old = sorted(name for name in fresh | kept if fresh.get(name) != kept.get(name))
    assert old == [], "run `.venv/bin/python -m streaming.guide streaming/guide/pages`; remove what it no longer writes"


def test_no_page_or_picture_overwrites_another() -> None:
    names = [name for name, _ in pages()]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("example", load([FOLDER]), ids=lambda loaded: loaded.transcript.name)
def test_an_example_holds_for_every_cut(example: LoadedTranscript) -> None:
    (verdict,) = judge([example], "reference", "all")
    assert verdict.differs == ""


@pytest.mark.parametrize("example", load([FOLDER]), ids=lambda loaded: loaded.transcript.name)
def test_an_example_lists_its_output_ctis(example: LoadedTranscript) -> None:
    expect = example.transcript.expect
    assert expect is not None
    assert expect.ctis is not None or example.transcript.name == "import_from"  # its CTIs depend on batches (T26)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_example_has_equivalent_sql_next_to_its_picture(path: Path) -> None:
    page = (PAGES / f"{path.stem}.md").read_text()
    for example in examples_of(path.stem):
        _, _, behind = page.partition(f"]({example.transcript.name}.svg)")
        found = re.match(r"\s+As SQL:\s+```sql\n(.+?)\n```", behind, re.DOTALL)
        assert found, example.transcript.name
        case = example.case
        read = check_sql(found[1], case.streams, own_ctis=case.streams)
        assert [each.message for each in read.faults if each.severity is Severity.ERROR] == []
        assert read.script.graph is not None
        assert read.script.graph.nodes == case.graph.nodes
        assert read.script.advance == in_force(case.graph, case.streams, case.advance)


def test_each_kind_has_a_rule_for_its_ctis() -> None:
    assert NODE_RULES.keys() == NODES.keys()
    assert WINDOW_KINDS.keys() == set(WINDOWS.values())


def test_every_link_leads_to_a_file() -> None:
    links = [
        (page.name, link) for page in PAGES.glob("*.md") for link in re.findall(r"\]\(([^)]+)\)", page.read_text())
    ]
    assert len(links) > 100
    assert [(page, link) for page, link in links if not (PAGES / link).exists()] == []


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_720_wide_and_has_a_description_and_no_script(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    assert root.get("width") == "720"
    assert root.get("role") == "img"
    assert [len(root.findtext(f"{SVG}{name}") or "") > 10 for name in ("title", "desc")] == [True, True]
    assert {element.tag for element in root.iter()} <= {
        f"{SVG}{name}"
        for name in ("svg", "title", "desc", "style", "rect", "circle", "line", "polyline", "polygon", "text")
    }


def spans(root: ElementTree.Element) -> Iterator[tuple[str, float, float, str]]:
    """Return for each text its height on the picture, its leftmost and rightmost position, and its words."""
    for text in root.iter(f"{SVG}text"):
        words, x = text.text or "", float(text.get("x", ""))
        looks = (text.get("class") or "").split()
        width = len(words) * (SMALL_CHARACTER if "small" in looks else CHARACTER)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "start")]
        yield text.get("y", ""), left, left + width, words


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_the_words_of_a_picture_do_not_overlap_or_overflow(path: Path) -> None:
    by_height = defaultdict(list)
    for y, left, right, words in spans(ElementTree.parse(path).getroot()):
        by_height[y].append((left, right, words))
        assert left >= 0, words
        assert right <= 720, words
    for texts in by_height.values():
        texts.sort()
        for (_, end, first), (begin, _, second) in pairwise(texts):
            assert end <= begin, (first, second)

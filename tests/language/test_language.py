"""Each rule of the language check finds what breaks it, and nothing else."""

from pathlib import Path

import pytest

from tests.language.rules import Rules, Word, load_rules
from tests.language.subjects import check_subject
from tests.language.texts import Text, browser_texts, markdown_texts, python_texts

RULES = load_rules()
MODULE = '''
"""Whether rows are late."""

LIMIT = 5  # rows of before
"""Nothing goes on."""


class RunShown:
    """A run of `what stands here`."""

    def told(self, said: str) -> str:
        """Return the sentence."""
        return f"{said} stands here"


def test_a_late_row_is_mended() -> None:
    told = "anew"
'''
PAGE = """
// rows of before
export type RunShown = { id: string }
/** Whether rows are late. */
export function told(said: string) {
  const shown = (row: string) => row
  const label = 'The query has faults'
  return <p title={`${said} stands here`}>Nothing goes on</p>
}
"""


def words_found(texts: list[Text]) -> list[str]:
    return [finding.word for finding in Rules({**RULES.data, "pending": []}).apply(texts)]


@pytest.mark.parametrize("word", RULES.words, ids=lambda word: word.seen)
def test_each_word_has_an_example(word: Word) -> None:
    kind = min(word.kinds, default="comment")
    assert list(word.occurrences(Text("page.md", 1, kind, word.seen))) != []


def test_python_texts_and_names_are_checked() -> None:
    assert sorted(words_found(list(python_texts("webapp/page.py", MODULE)))) == [
        "RunShown", "Whether", "goes on", "mended", "of before", "said", "stands", "told", "told",
    ]  # fmt: skip


def test_browser_texts_and_names_are_checked(tmp_path: Path) -> None:
    page = tmp_path / "page.tsx"
    page.write_text(PAGE)
    words = words_found(browser_texts([page]))
    assert sorted(words) == ["RunShown", "Whether", "faults", "goes on", "of before", "said", "shown", "stands", "told"]


def test_code_in_markdown_is_not_checked() -> None:
    page = "The run goes on.\n```\nit stands\n```\nThe state `told`.\n"
    assert words_found(list(markdown_texts("README.md", page))) == ["goes on"]


def test_a_pending_room_is_not_checked() -> None:
    texts = list(markdown_texts("webapp/README.md", "The run goes on."))
    assert Rules({**RULES.data, "pending": ["webapp/"]}).apply(texts) == []
    assert Rules({**RULES.data, "pending": ["streaming/"]}).apply(texts) != []


@pytest.mark.parametrize(
    "subject",
    [
        "Added a page", "Adding a page", "A page of runs", "Adds a page", "add a page", "Add a page.",
        "Add a page " + "that is long " * 6,
    ],
)  # fmt: skip
def test_a_subject_that_breaks_the_form_is_found(subject: str) -> None:
    assert list(check_subject("a1", subject)) != []


@pytest.mark.parametrize("subject", ["Add a page", "Pass the plan on", "Focus the field", "Embed the font"])
def test_an_imperative_subject_passes(subject: str) -> None:
    assert list(check_subject("a1", subject)) == []

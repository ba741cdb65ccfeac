"""The sentences of benchlib: few, all used, each as its example reads, without a word that readers struck."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import benchlib.tell
from benchlib.tell.sentences import SENTENCES, begun, say, without_stop

#: A field of a template; what is left without them is what a writer wrote.
FIELD = re.compile(r"\{\w+\}")
#: Identifiers of code; `study.toml` is a file that the reader has.
IDENTIFIER = re.compile(r"\w_\w|[a-z][A-Z]|`")
#: Words that readers struck, each with a better one.
BANNED = (
    r"gomaxprocs|rows?|cells?|cannot be told|none of \d+|measurably|as measured|puts? in doubt|in the middle|"
    r"one more such|costs nothing|levels off|flat from|a plateau|less and less|step efficiency|best balance|"
    r"speedup|efficiency|probability|full with|limit breaks|stands apart|set apart|twins?|mends?|minds?|told by|"
    r"holds the|what was said|what differs|warn|no targets|candidates?|baselines?|significant(ly)?|n = \d+"
)


def reads_like(template: str) -> str:
    """Return a pattern of what a template reads like: its own words, anything in its fields."""
    return ".*?".join(re.escape(piece) for piece in FIELD.split(template))


def names_said() -> set[str]:
    """Every string that stands in the first argument of a call of `say`."""
    names = set()
    for path in Path(next(iter(benchlib.tell.__path__))).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                names |= {part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)}
    return {name for name in names if isinstance(name, str)}


def test_sentences_are_few_and_all_are_said() -> None:
    """At most sixty-three; none that nothing says, and nothing that is not there is said."""
    assert len(SENTENCES) <= 70
    assert names_said() == set(SENTENCES)
    templates = [sentence.template for sentence in SENTENCES.values()]
    assert len(set(templates)) == len(templates)


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_says_when_it_is_used_and_reads_like_its_example(name: str) -> None:
    """The example has the words of the template around its fields, and begins as `say` begins."""
    template, when, example = SENTENCES[name]
    assert when
    assert re.fullmatch(reads_like(template), example), (template, example)
    assert "{" not in example
    assert not (template[0] == "{" and example.endswith(".") and example[0].islower())


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_has_no_word_that_readers_struck_and_no_identifier(name: str) -> None:
    """Of the table of page.md; names of fields are no words."""
    words = FIELD.sub(" ", SENTENCES[name].template)
    for text in (words, SENTENCES[name].example):
        assert not re.search(rf"\b(?:{BANNED})\b", text, re.IGNORECASE), text
    assert not IDENTIFIER.search(words)


def test_a_sentence_begins_with_a_capital_and_a_title_has_no_stop() -> None:
    """A field at the start begins the sentence; a clause stays small."""
    assert say("use", verb="use", what="4 threads") == ("Use 4 threads.",)
    assert say("comparison.unreached", moved="slowed") == ("code that the change cannot reach slowed",)
    assert begun(()) == ("",)
    assert without_stop(say("scaling.many", what="Throughput", within="", places="2 and 8")) == (
        "Throughput stops growing at 2 and 8",
    )

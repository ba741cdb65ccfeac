"""Documents as text: the answer block, the table, the widths, and names that would steer a terminal."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchlib.answers.asking import Refusal
from benchlib.document.blocks import (
    Code,
    Column,
    Confidence,
    Document,
    Doubt,
    Fact,
    Fold,
    Link,
    List,
    Number,
    Paragraph,
    Section,
    Table,
    from_json,
    to_json,
)
from benchlib.render.terminal import terminal
from benchlib.tell.scaling import document
from tests.shipped_studies import study, summary

RATE = Number(value=10300.0, unit="req/sec")


@pytest.fixture(scope="module")
def hash_sweep() -> Document:
    answer = summary("http-endpoints").scaling
    assert not isinstance(answer, Refusal)
    refusal = Refusal(question="latency", reason="not asked", advice="ask")
    return document(replace(answer, curves=answer.curves[:1]), refusal, study("http-endpoints"))


def made(**parts: object) -> Document:
    whole: dict[str, object] = {
        "title": "t",
        "about": ("t",),
        "status": "Answered",
        "answer": ("It serves ", RATE, "."),
        "decision": ("Use 2 connections.",),
        "confidence": Confidence(level="high", reason=("6 runs each.",)),
        "figure": None,
        "facts": (),
        "doubts": (),
        "sections": (),
        "answers": {},
    }
    return Document(**(whole | parts))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_stays_within_its_width(hash_sweep: Document, width: int) -> None:
    lines = terminal(hash_sweep, width=width, full=True).splitlines()
    prose = [line for line in lines if "benchlib" not in line and "wrk" not in line]
    assert max(map(len, prose)) <= width


def test_tells_everything_in_full() -> None:
    table = Table(caption="Levels", columns=(Column(head="n"),), rows=tuple((str(row),) for row in range(12)), shown=8)
    blocks = (
        table,
        List(items=(("one",), ("two ", RATE))),
        Fold(line=("Laws",), blocks=(Paragraph(text=("inside",)),)),
        Doubt(anchor="d", text=("Single runs.",), fix=("Repeat.",)),
    )
    told = made(sections=(Section(title="Evidence", anchor="e", blocks=blocks),))
    short, full = terminal(told, width=80), terminal(told, width=80, full=True)
    assert "and 4 more rows" in short
    assert "inside" not in short
    assert "and 4 more rows" not in full
    assert full.endswith("\n- one\n- two 10,300 req/s\n* Laws\n  inside\n! Single runs.\n  Fix: Repeat.")


def test_leaves_out_doubts_and_numbers_before_the_answer() -> None:
    facts = tuple(Fact(value=(RATE,), line=("with many connections at the same time",)) for _ in range(3))
    long = made(answer=("word " * 60,), facts=facts, doubts=(Link("single runs", "d"),) * 3)
    block = terminal(long, width=40).splitlines()
    assert len(block) == 10
    assert block[-1] == "Decision    Use 2 connections."


def test_continues_a_wide_table_below_with_its_first_column() -> None:
    heads = tuple(Column(head=f"column {place}") for place in range(6))
    table = Table(caption="Wide", columns=heads, rows=(tuple("abcdef"),))
    told = made(sections=(Section(title="Evidence", anchor="e", blocks=(table,)),))
    lines = terminal(told, width=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert [line.split()[0] for line in lines if line[:1] == "a"] == ["a", "a"]


def test_writes_out_what_would_steer_the_terminal() -> None:
    hostile = "\x1b[2Jgone\x07\n‮evil"
    table = Table(caption=hostile, columns=(Column(head=hostile),), rows=((hostile,), ((hostile, Code(hostile)),)))
    told = made(
        title=hostile,
        about=(hostile,),
        answer=(hostile,),
        doubts=(Link(hostile, "d"),),
        sections=(Section(title="Evidence", anchor="e", blocks=(table, Paragraph(text=(hostile,)))),),
    )
    for full in (False, True):
        text = terminal(told, full=full, width=80)
        assert text.replace("\n", "").isprintable()
        assert "\\x1b[2Jgone\\x07\\n\\u202eevil" in text.replace("\n", "")


def test_a_document_from_json_reads_the_same(hash_sweep: Document) -> None:
    again = from_json(json.loads(json.dumps(to_json(hash_sweep), allow_nan=False)))
    assert terminal(again, full=True, width=100) == terminal(hash_sweep, full=True, width=100)

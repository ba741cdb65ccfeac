"""What an exploring engineer does, each in three lines at most, with public names alone.

Tasks 1 to 27 are those of a trial in JupyterLab with an earlier interface, of which 10 could be done so; the others are
what such users did next.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import benchlib as bl

ROOT = Path(__file__).parents[2]
MOST_LINES = 3

#: What a task is, its lines, and what has to hold of its last one.
TASKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "1 load my own folder": ('bl.read("data/lplex")', lambda got: len(got.frame) == 2268),
    "2 show what was read": ('repr(bl.read("data/token-sdk"))', lambda got: got.startswith("3,830 values")),
    "3 filter to one benchmark": (
        'bl.read("data/lplex").select(benchmark="Decode", metric="time").frame',
        lambda got: set(got["benchmark"]) == {"Decode"},
    ),
    "4 raw repeats as a strip plot": (
        'bl.read("data/lplex").select(benchmark="Decode", metric="time").plot("run", kind="strip")',
        lambda got: len(got.data) == 60,
    ),
    "5 throughput against workers, two curves, error bars": (
        'bl.fit_scaling("data/http-endpoints").plot()',
        lambda got: len(got.data) >= 24,
    ),
    "6 the law of one curve, its parameters": (
        'bl.fit_scaling("data/reference", law="usl")[0].params',
        lambda got: round(got.at["contention", "value"], 4) == 0.0277,
    ),
    "7 overlay two laws": (
        'fit = bl.fit_scaling("data/reference", law="usl")[0]\nfit.plot(fit.with_law("amdahl"))',
        lambda got: {"usl", "amdahl"} <= set(got.data["series"]),
    ),
    "8 predictions with a band as a DataFrame": (
        'bl.fit_scaling("data/reference")[0].predict([24, 32])',
        lambda got: list(got["n"]) == [24, 32] and (got["low"] < got["value"]).all(),
    ),
    "9 compare two runs, draw the worst 5": (
        'bl.compare("data/lplex/old.txt", "data/lplex/new.txt").worst(5).plot()',
        lambda got: "5" in got.alt,
    ),
    "10 heat map of two axes": (
        'sender = bl.read("data/token-sdk").select("source=transfer/* benchmark=Sender", metric="time")\n'
        'sender.plot("outputs", "bits", kind="heat")',
        lambda got: len(got.data) == 6,
    ),
    "11 pivot of medians": (
        'sender = bl.read("data/token-sdk").select("source=transfer/* benchmark=Sender")\n'
        'sender.table("bits", "outputs", metric="time")',
        lambda got: got.shape == (2, 3) and "inputs" in got.columns.name,
    ),
    "12 drop an outlier file, fit again": (
        'bl.fit_scaling(bl.read("data/http-endpoints").drop(source="sweep/json_c8_r1.txt"))["json"]',
        lambda got: got.points["measurements"].tolist().count(4) == 1,
    ),
    "13 residuals": (
        'bl.fit_scaling("data/reference")[0].residuals',
        lambda got: abs(got["share"]).max() < 0.3,
    ),
    "14 change units": (
        'bl.read("data/lplex").select("benchmark=Decode", metric="time").units(time="ns").frame["value"].median()',
        lambda got: 1 < got < 1000,
    ),
    "15 file and line of one value": (
        'data = bl.read("data/lplex")\ndata.where_is(data.frame.index[0])',
        lambda got: got == "new.txt:5",
    ),
    "16 one figure as SVG": (
        'bl.fit_scaling("data/reference")[0].plot().save(folder / "fit.svg").read_text()',
        lambda got: got.startswith("<svg") and got.rstrip().endswith("</svg>"),
    ),
    "17 what ends a report of one's own": (
        'bl.verdict("fail", "Too slow.", p99=0.3)',
        lambda got: got.status == "fail" and repr(got).startswith("FAIL: Too slow."),
    ),
    "18 a notebook from a template": (
        'bl.new("scaling", "data/reference", folder / "mine.ipynb")',
        lambda got: got.is_file(),
    ),
    "20 compare latency percentiles": (
        'bl.read("data/http-endpoints").latency().table',
        lambda got: len(got) == 8,
    ),
    "21 join with a table of costs": (
        'costs = pd.DataFrame({"endpoint": ["cheap", "hash", "json"], "team": ["a", "b", "b"]})\n'
        'bl.read("data/http-endpoints").join(costs, on="endpoint").table("team", metric="throughput")',
        lambda got: list(got.index) == ["a", "b"],
    ),
    "22 Amdahl on two lists": (
        'bl.fit_scaling([1, 2, 4, 8], [100, 182, 308, 471], law="amdahl").params.at["serial_fraction", "value"]',
        lambda got: round(got, 3) == 0.1,
    ),
    "23 compare two arrays": (
        'bl.compare(np.full(6, 10.0) + np.arange(6) / 100, np.full(6, 12.0) + np.arange(6) / 100, unit="ms")',
        lambda got: got.table["verdict"].tolist() == ["worse"],
    ),
    "24 how many more repeats": (
        'bl.compare("data/lplex").repeats_needed("10%")',
        lambda got: got["needed"].max() <= 200,
    ),
    "25 help": ("bl.fit_scaling.__doc__", lambda got: "Examples" in got and "Raises" in got),
    "26 a page of everything": (
        'bl.summary("data/onix-adapter-published").sentence',
        lambda got: got.startswith("Four threads per adapter"),
    ),
    "27 a slip is explained": (
        'bl.read("data/htp-endpoints")',
        lambda got: isinstance(got, bl.BenchlibError) and "http-endpoints" in str(got),
    ),
    "28 a DataFrame of one's own": (
        'frame = pd.DataFrame({"cores": [1, 2, 4, 8], "seconds": [10, 5.2, 3, 2]})\nbl.fit_scaling(frame)',
        lambda got: got.law in ("amdahl", "usl"),
    ),
    "29 a pattern of files": ('bl.read("data/lplex/*.txt")', lambda got: len(got.files) == 2),
    "30 two files under their names": (
        'bl.read("a=data/lplex/old.txt", "b=data/lplex/new.txt").frame["run"].unique().tolist()',
        lambda got: got == ["a", "b"],
    ),
    "31 filtered in pandas, given back": (
        'frame = bl.read("data/http-endpoints").frame\nbl.fit_scaling(frame[frame["endpoint"] == "json"])',
        lambda got: len(got.points) == 8,
    ),
    "32 what the cost model predicts": (
        'cost = bl.fit_effects("data/token-sdk", "time", where="source=transfer/* benchmark=Sender proof=csp")\n'
        'cost.predict("outputs=4 inputs=2")',
        lambda got: got.at[0, "low"] < got.at[0, "value"] < got.at[0, "high"],
    ),
    "33 which cells are special": (
        'bl.fit_effects("data/token-sdk", "time", where="source=transfer/* benchmark=Sender proof=csp").special',
        lambda got: set(got["outputs"]) == {1} and set(got["inputs"]) == {1},
    ),
    "34 how many nodes": (
        'plan = bl.plan_capacity("data/http-endpoints", 250_000)\nplan.cost["nodes"]',
        lambda got: got.tolist() == [4, 11, 34],
    ),
    "35 what if the load doubles": (
        'bl.plan_capacity("data/http-endpoints", "250000/s").what_if(target="500000/s").cost["nodes"]',
        lambda got: got.tolist() == [8, 22, 67],
    ),
    "36 where the noise lives": ('bl.examples.noise().noise().sentence', lambda got: "differ by" in got),
    "37 what to measure next": (
        'bl.fit_scaling([1, 2, 4, 8, 16], [100, 190, 340, 540, 700]).next(budget="2min")',
        lambda got: got["measure"].str.contains("measure at").all(),
    ),
    "38 where a throughput is reached": (
        'bl.fit_scaling([1, 2, 4, 8, 16], [100, 190, 340, 540, 700]).reach(600).at[0, "value"]',
        lambda got: 8 < got < 16,
    ),
    "39 sentences held to their data": (
        'bl.summary("data/onix-adapter-published").claims["verdict"]',
        lambda got: "contradicted" in got.tolist(),
    ),
    "40 a law without data": (
        "bl.laws.usl.throughput(10, 100.0, contention=0.05, coherency=0.002)",
        lambda got: round(float(got), 1) == 613.5,
    ),
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_three_lines_and_public_names(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    source, holds = TASKS[task]
    tree = ast.parse(source)
    assert len(source.splitlines()) <= MOST_LINES
    used = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_bl(node.value)]
    assert set(used) <= set(bl.__all__)
    assert not any(
        isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr != "__doc__"
        for node in ast.walk(tree)
    )
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names = {"bl": bl, "pd": pd, "np": np, "folder": tmp_path}
    try:
        exec(compile(tree, task, "exec"), names)
        got = eval(compile(ast.Expression(last.value), task, "eval"), names)
    except bl.BenchlibError as error:
        got = error
    assert holds(got), got


def _is_bl(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "bl"

"""Objects of the workbench: how they show themselves, what they refuse, and how they say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import benchlib as bl

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202ea" + "x" * 3000


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    """One object of each public kind."""
    fits = bl.fit_scaling(ROOT / "data/http-endpoints")
    assert not isinstance(fits, bl.BenchlibError)
    data = bl.examples.token_sdk()
    diff = bl.compare(ROOT / "data/lplex")
    return {
        "data": data,
        "fits": fits,
        "fit": fits["json"],
        "estimate": fits["json"].ceiling,
        "comparison": diff,
        "selection": diff.worst(5),
        "nothing": diff.better,
        "effects": bl.fit_effects(data, "time", where="source=transfer/* benchmark=Sender proof=csp"),
        "plan": bl.plan_capacity(ROOT / "data/http-endpoints"),
        "refusal": bl.fit_scaling(ROOT / "data/lplex"),
        "latency": bl.examples.onix().latency(),
        "summary": bl.summary(ROOT / "data/lplex"),
        "verdict": bl.verdict("pass", "Fine.", a=1),
        "law": bl.laws.usl,
        "chart": fits.plot(),
        "hostile": bl.table(**{"n": [1, 2, 4], "throughput": [1.0, 1.9, 3.5]}, unit="op/s", name=HOSTILE),
    }


def test_each_shows_itself_within_bounds(objects: dict[str, Any]) -> None:
    """At most 12 lines of 120 as text, 20 kB as HTML (a chart carries pictures instead), nothing that runs."""
    for name, shown in objects.items():
        bundle = shown._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        assert data["text/plain"] == repr(shown), name
        lines = repr(shown).splitlines()
        assert 0 < len(lines) <= 12, name
        assert max(map(len, lines)) <= 120, name
        assert "\x1b" not in repr(shown), name
        assert len(data.get("text/html", "").encode()) <= 20_000, name
        assert "<script" not in data.get("text/html", "").lower(), name


def test_tables_and_frames_are_dataframes(objects: dict[str, Any]) -> None:
    for name in ("fits", "fit", "comparison", "selection", "nothing", "effects", "plan", "latency", "summary", "law"):
        assert isinstance(objects[name].table, pd.DataFrame), name


def test_what_is_shown_is_in_fitting_units_and_tables_in_base_units(objects: dict[str, Any]) -> None:
    """A reader sees 677 ns, and computes with seconds."""
    row = objects["comparison"].table.iloc[0]
    assert (f"{row['old']:.3g}", row["unit"]) == ("6.77e-07", "sec/op")
    assert "677   918  ns/op" in repr(objects["comparison"])
    assert "11.4  11.0  11.9  ms/op" in repr(objects["effects"])
    assert set(objects["effects"].table["unit"]) == {"sec/op", "x"}


def test_an_axis_of_few_numbers_names_each_of_them(objects: dict[str, Any]) -> None:
    """Neither 1.2 inputs nor 64.0 bits."""
    sender = objects["data"].select("benchmark=Sender", metric="time")
    strip = sender.plot("inputs").figure.layout.xaxis
    assert (strip.tickvals, strip.ticktext) == ((1, 2, 3), ("1", "2", "3"))
    heat = sender.plot("bits", "outputs", kind="heat").figure.data[0]
    assert (heat.x, heat.y) == (("32", "64"), ("1", "2", "3"))


def test_a_refusal_is_false_and_says_why(objects: dict[str, Any]) -> None:
    """Whatever else is asked of it raises with the reason, so that no chain of calls goes on with nothing."""
    refusal = objects["refusal"]
    assert not refusal
    assert refusal.reason == "no axis of these results is named as concurrency"
    with pytest.raises(bl.BenchlibError, match=r"there is no \.predict: no axis of these results is named"):
        refusal.predict([1])


def test_an_estimate_is_a_number_with_a_unit(objects: dict[str, Any]) -> None:
    estimate = objects["estimate"]
    assert float(estimate) == pytest.approx(32_585, rel=1e-4)
    assert estimate.to("kreq/s").value == pytest.approx(32.585, rel=1e-4)
    assert f"{estimate:.0f}" == "32585"
    assert str(estimate.to("kreq/s")).endswith("; n = 40)")
    with pytest.raises(bl.BenchlibError, match="ms is no unit of req/sec"):
        estimate.to("ms")


def test_selections_hold_what_they_say(objects: dict[str, Any]) -> None:
    """The worst come first, the undecided are undecided, and a part of a name selects."""
    diff = objects["comparison"]
    ratios = objects["selection"].table["ratio"].tolist()
    assert ratios == sorted(ratios, reverse=True)
    assert set(diff.undecided.table["verdict"]) == {"cannot tell"}
    assert len(diff["Match"]) < len(diff)
    assert diff.drift == pytest.approx(2.2, abs=0.1)
    assert "pkg: github.com/sixfathoms/lplex\ncpu: AMD EPYC\n,old,,new" in diff.benchstat()
    of_allocations = bl.compare("data/lplex", metric="allocations").benchstat()
    assert "allocs/op" in of_allocations
    assert "sec/op" not in of_allocations
    assert diff.worst(1).sentence.startswith("1 row (the worst)")


def test_a_fit_of_typed_numbers_is_planned_with() -> None:
    """The axis n is concurrency for every question, and the target is in the unit of the curve."""
    plan = bl.plan_capacity(bl.fit_scaling([1, 2, 4, 8, 16], [100, 190, 340, 540, 700], unit="req/s"), 5000)
    assert plan
    assert plan.cost["nodes"].item() >= 5000 / 720
    named = bl.fit_scaling({"k": [1, 2, 4, 8, 16], "throughput (req/s)": [100, 190, 340, 540, 700]}, n="k")
    assert bl.plan_capacity(named, 5000).cost["nodes"].item() == plan.cost["nodes"].item()


@pytest.mark.parametrize(("study", "curve"), [("http-endpoints", "json"), ("reference", "raytracer")])
def test_a_curve_without_a_level_is_that_of_a_fit_without_it(study: str, curve: str) -> None:
    """Though the other curves are not fitted again; it keeps its name."""
    fits = bl.fit_scaling(ROOT / "data" / study)
    assert not isinstance(fits, bl.BenchlibError)
    fit = fits[curve]
    axis, last = fit.answer.axis, fit.answer.points[-1].concurrency
    whole = bl.fit_scaling(bl.read(ROOT / "data" / study).drop(**{axis: last}))[curve]
    again = fit.without(n=last)
    assert (again.name, again.sentence, again.why) == (curve, whole.sentence, whole.why)
    pd.testing.assert_frame_equal(again.points, whole.points)
    pd.testing.assert_frame_equal(again.params, whole.params)
    assert again.without(n=fit.answer.points[-2].concurrency).answer.curve.concurrency[-1] < last


def test_a_latency_allows_what_littles_law_does() -> None:
    """N = X R: on a curve without losses up to 10 a second each, 0.1 s allow any number; a slower one fewer."""
    fit = bl.fit_scaling([1, 2, 4, 8, 16, 32], [100, 190, 340, 540, 700, 740], unit="req/s")
    told = fit.at_latency("20ms").set_index("quantity")["value"]
    assert told["n"] / told["throughput"] == pytest.approx(0.020, rel=1e-3)
    at_n = fit.predict(told["n"])["value"].iloc[0]
    assert at_n == pytest.approx(told["throughput"], rel=0.02)


def test_sliders_show_what_the_methods_give() -> None:
    """A law chosen, levels left out, a larger load: the picture is that of the call."""
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    fit = bl.fit_scaling([1, 2, 4, 8, 16], [100, 190, 340, 540, 700], unit="req/s")
    slid = fit.sliders()
    law, up_to = slid.children[:2]
    law.value, up_to.value = "amdahl", 8.0
    assert slid.kwargs == {"law": "amdahl", "up_to": 8.0}
    slid.update()
    pd.testing.assert_frame_equal(slid.result.data, fit.without(n=16).with_law("amdahl").plot().data)
    plan = bl.plan_capacity(ROOT / "data/http-endpoints")
    more = plan.sliders()
    more.children[0].value = 2.0
    more.update()
    target = plan.answer.loads[0].target
    assert repr(more.result) == repr(plan.what_if(target=2 * target, headroom=0.0, survive=0))


def test_repeats_needed_follow_the_spread_and_the_effect() -> None:
    """Two samples of 3 % scatter: about 2 (1.96 + 0.84)^2 (s / log(1 + effect))^2 a side (Lehmann 1975, chapter 2)."""
    random = np.random.default_rng(1)
    old, new = (100 * np.exp(0.03 * random.standard_normal(200)) for _ in range(2))
    needed = bl.compare(old, new, unit="ms").repeats_needed
    spread = np.std(np.log(np.concatenate([old, new])))
    for effect in (0.02, 0.03):
        expected = 2 * 2.8**2 * (spread / np.log1p(effect)) ** 2
        assert needed(effect)["needed"].item() == pytest.approx(expected, rel=0.25)
    assert needed(0.3)["needed"].item() < needed(0.02)["needed"].item()


def test_numbers_of_a_cell_have_no_order_of_measurement() -> None:
    """Rows typed in order of concurrency are no recording in that order."""
    fit = bl.fit_scaling([1, 2, 4, 8], [100, 180, 300, 420])
    assert not [caveat for caveat in fit.caveats if "level and time" in caveat]


def test_the_same_numbers_give_the_same_fit_however_they_come(tmp_path: Path) -> None:
    """Lists, a dict, a DataFrame, a file and a table typed by column."""
    n, x = [1, 2, 4, 8, 16], [100.0, 190.0, 340.0, 540.0, 700.0]
    columns = {"n": n, "throughput (req/s)": x}
    pd.DataFrame(columns).to_csv(tmp_path / "run.csv", index=False)
    fits = [
        bl.fit_scaling(n, x, unit="req/s"),
        bl.fit_scaling(columns),
        bl.fit_scaling(pd.DataFrame(columns)),
        bl.fit_scaling(tmp_path / "run.csv", n="n"),
        bl.fit_scaling(bl.table(n=n, throughput=x, unit="req/s")),
        bl.fit_scaling(np.array(n), np.array(x), unit="req/s"),
    ]
    values = [fit.params["value"].tolist() for fit in fits]
    assert all(value == pytest.approx(values[0]) for value in values)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: bl.fit_scaling([1, 2, 4]), "these are concurrencies alone; give their throughput too"),
        (lambda: bl.fit_scaling([1, 2], [1]), "2 concurrencies and 1 throughputs; give one throughput for each"),
        (lambda: bl.fit_scaling("data/reference")[0].with_law("ussl"), "no law 'ussl'; did you mean 'usl'?"),
        (lambda: bl.fit_scaling("data/http-endpoints")["jsn"], "no curve is named 'jsn'; did you mean 'json'?"),
        (lambda: bl.fit_scaling("data/reference")[0].evidence(3), "no level 3; there are"),
        (lambda: bl.fit_scaling("data/reference")[0].predict(4, kind="old"), "kind 'old' is none of mean"),
        (lambda: bl.compare([1, 2, 3], [1, 2, 3]), "nothing says which way is better; give a unit"),
        (lambda: bl.compare(["a", "b"], [1, 2], unit="ms"), "these columns make no table"),
        (lambda: bl.compare("data/reference"), "one side only: name a second one, or the column to compare (col)"),
        (lambda: bl.compare("data/lplex", better="more"), "better 'more' is none of 'lower' and 'higher'"),
        (lambda: bl.compare("data/lplex")["nothing like it"], "no row is named 'nothing like it'; there are"),
        (lambda: bl.compare("data/lplex").repeats_needed("much"), "effect 'much' is no share; write"),
        (lambda: bl.read("data/lplex").drop(source="nope*"), "'source='nope*'' selects no row"),
        (lambda: bl.read("data/lplex", exclude="nope*"), "'source='nope*'' selects no row"),
        (lambda: bl.read("data/lplex")["tme"], "no metric 'tme'; did you mean 'time'?"),
        (lambda: bl.read("data/lplex").units(time="MB"), "time is in sec/op, and 'MB' is of another kind"),
        (lambda: bl.read("data/lplex").plot("rnu"), "no axis 'rnu'; did you mean 'run'?"),
        (lambda: bl.read("data/lplex").plot("run", kind="pie"), "kind 'pie' is none of strip, line, heat, ecdf"),
        (lambda: bl.read("data/lplex").table("run", value="mode"), "value 'mode' is none of median"),
        (lambda: bl.read([1, 2]), "list holds no results by itself; give a path, a DataFrame"),
        (lambda: bl.read({"a": [1], "b": [1, 2]}), "these columns make no table"),
        (lambda: bl.read(pd.DataFrame()), "the table is empty; there is nothing to analyse"),
        (lambda: bl.read({"name": ["a", "b"]}), "the table has no column that is known to hold results (name)"),
        (lambda: bl.table(), "a table needs columns, e.g. bl.table("),
        (lambda: bl.table(n=[1, 2], throughput=["a", "b"]), "these columns make no table"),
        (lambda: bl.verdict("good", "x"), "status 'good' is none of pass, warn, fail"),
        (lambda: bl.verdict("pass", " "), "a verdict needs a sentence; say what was found"),
    ],
)
def test_a_slip_is_said_in_one_line(act: Callable[[], object], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(bl.BenchlibError) as told:
        act()
    assert said in str(told.value)
    assert "\n" not in str(told.value)

"""The sections of a page, in the order a reader meets them: one function a section."""

from __future__ import annotations

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, compared_levels
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import label
from benchlib.answers.pooled import caveat_evidence, summary_evidence, tallies
from benchlib.answers.scaling import ScalingAnswer
from benchlib.caveats import merge
from benchlib.plots.effects import effects_figure
from benchlib.plots.effects_breakdown import breakdown_figure, interval_goes_on
from benchlib.plots.scaling import band_goes_on, scaling_figure
from benchlib.report.comparison_forest import forest_of
from benchlib.report.effects_captions import marks_words
from benchlib.report.efficiency_chart import efficiency_chart
from benchlib.report.hero import hero
from benchlib.report.load_blocks import under_load
from benchlib.report.plan_summary import planned
from benchlib.report.wording import facts
from benchlib.report.wording.bottleneck import bottleneck_table
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.cards.choice import cards
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.claims import claims_findings, claims_table, places_table
from benchlib.report.wording.comparison.sentences import comparison_findings
from benchlib.report.wording.effects_tables import cells_table
from benchlib.report.wording.effects_words import breakdown_words
from benchlib.report.wording.first_page import changed, changed_title, first_alerts, to_do
from benchlib.report.wording.growth_words import growth_finding
from benchlib.report.wording.headline import banner, question_order, verdict
from benchlib.report.wording.markup import Section, bullets, join, paragraph, render_table, tag
from benchlib.report.wording.measured_tables import files_table, latency_table, sample_table, spread_table
from benchlib.report.wording.method import method_notes
from benchlib.report.wording.scaling_tables import curve_table, fits_table
from benchlib.report.wording.scaling_words import capacity_findings, fit_findings, points_words, scaling_findings
from benchlib.report.wording.sentences import effects_findings, effects_verdict, latency_findings
from benchlib.report.wording.tables import comparison_table, targets_table
from benchlib.study import Study

__all__ = [
    "bottleneck",
    "caveats",
    "claims",
    "comparison",
    "effects",
    "environment",
    "headline",
    "key_results",
    "latency",
    "method",
    "provenance",
    "quality",
    "recommendation",
    "scaling",
    "tables",
    "tested",
]

#: Longer tables are folded after this many rows.
SHOWN_ROWS = 15
NOTHING = Section(title="", anchor="", blocks=())


def headline(summary: ExecutiveSummary) -> Section:
    """One page of A4: verdict, figures of merit, one figure, what changed, alerts, what to do."""
    said = verdict(summary)
    blocks: list[object] = [banner(summary), card_row(cards(summary)), *hero(summary)]
    lists = ((changed_title(summary), changed(summary, said), "findings"), ("Alerts", first_alerts(summary), "alerts"))
    for title, lines, css in lists:
        if lines:
            blocks += [
                tag("p", title, css="first-heading", role="heading", **{"aria-level": "2"}),
                bullets(lines, css=css),
            ]
    if todo := to_do(summary):
        blocks.append(paragraph(join([tag("strong", "What to do. "), todo]), css="todo"))
    return Section(title="", anchor="verdict", blocks=tuple(blocks))


def tested(summary: ExecutiveSummary) -> Section:
    """What was tested."""
    return Section(title="What was tested", anchor="tested", blocks=tuple(facts.tested(summary)))


def key_results(summary: ExecutiveSummary) -> Section:
    """The first finding of every answer, and no heading where none has one.

    A contrast that is compared is told by its comparison alone.
    """
    found: dict[str, list[str]] = {"scaling": [], "effects": [], "comparison": [], "latency": []}
    if not isinstance(summary.scaling, Refusal):
        found["scaling"] += scaling_findings(summary.scaling)
    if not isinstance(summary.operating, Refusal) and summary.operating.main is not None:
        found["scaling"].append(growth_finding(summary.operating.main, summary.operating.axis))
    for one in summary.comparisons:
        if not isinstance(one, Refusal):
            found["comparison"] += comparison_findings(one, summary.study.parallel, limit=4, once=True)
    if not isinstance(summary.effects, Refusal):
        found["effects"] += effects_findings(summary.effects, compared_levels(summary.comparisons))[:8]
    if not isinstance(summary.latency, Refusal):
        found["latency"] += latency_findings(summary.latency, limit=2)
    lines = [line for question in question_order(summary) for line in found[question]]
    targets = [render_table(targets_table(summary.targets))] if summary.targets else []
    if not lines and not targets:
        return NOTHING
    return Section(title="Key results", anchor="key-results", blocks=(*targets, bullets(lines)))


def scaling(summary: ExecutiveSummary) -> Section:
    """Scaling curves: figure, laws, points."""
    answer = summary.scaling
    if isinstance(answer, Refusal):
        return Section(title="Scaling", anchor="scaling", blocks=(refusal_line(answer), *under_load(summary)))
    findings = scaling_findings(answer)
    chart = scaling_figure(
        answer,
        alt=f"Throughput against {answer.axis}. {' '.join(findings)}",
        caption=f"{points_words(answer.curves)} {_law_caption(answer)}".strip(),
    )
    return Section(
        title="Scaling",
        anchor="scaling",
        blocks=(
            chart,
            bullets(fit_findings(answer)),
            efficiency_chart(answer),
            *(curve_table(one) for one in answer.curves),
            details("All fitted laws", render_table(fits_table(answer))),
            *under_load(summary),
        ),
    )


def bottleneck(summary: ExecutiveSummary) -> Section:
    """Where the time goes: components, shares, evidence."""
    title, anchor = "Where the time goes", "bottleneck"
    table = bottleneck_table(summary.breakdowns, summary.bottleneck)
    if table is None:
        refused = summary.bottleneck
        assert isinstance(refused, Refusal)
        unseen = f"It cannot be seen in these results: {refused.reason}. To see it, {refused.advice}."
        return Section(title=title, anchor=anchor, blocks=(paragraph(unseen),))
    blocks: list[object] = []
    for one in summary.breakdowns:
        told = breakdown_words(one)
        where = f", {label(one.key)}" if one.key else ""
        chart = breakdown_figure(
            one,
            alt=f"{one.name}{where}. {'. '.join(told)}.",
            caption=f"{one.name}{where}: shares of the geometric mean; hatched grey is what no part explains."
            f"{' Arrow: the interval goes on.' if interval_goes_on(one) else ''}"
            f"{f' Kept out of the scaling curves: {one.left_out}.' if one.left_out else ''}",
        )
        blocks += [chart] if chart is not None else []
    blocks.append(render_table(table, SHOWN_ROWS))
    lost = () if isinstance(summary.bottleneck, Refusal) else summary.bottleneck.caveats
    said = merge(*(one.caveats for one in summary.breakdowns), lost)
    blocks.append(caveat_list(said, caveat_evidence(*summary.breakdowns, summary.bottleneck)))
    return Section(title=title, anchor=anchor, blocks=tuple(blocks))


def _law_caption(answer: ScalingAnswer) -> str:
    drawn = [one.chosen is not None and not one.chosen.misses_points for one in answer.curves]
    told = "Line and band: the chosen law and its confidence band." if any(drawn) else ""
    if not all(drawn):
        told += " Where no law describes the points, a thin line joins them; a dashed one marks a plateau."
    if band_goes_on(answer):
        told += " Arrow: what is cut there goes on above."
    return told.strip()


def effects(summary: ExecutiveSummary) -> Section:
    """Effects of the factors: figure, sentences, cells."""
    answer = summary.effects
    if isinstance(answer, Refusal):
        return Section(title="Effects", anchor="effects", blocks=(refusal_line(answer),))
    blocks: list[object] = [bullets(effects_findings(answer))]
    first = answer.models[0]
    chart = effects_figure(
        first,
        alt=effects_verdict(answer),
        caption=f"{first.metric}: cell medians with intervals.{marks_words(first)}",
    )
    if chart is not None:
        blocks.insert(0, chart)
    blocks += [details(f"Cells: {name}", render_table(table, SHOWN_ROWS)) for name, table in cells_table(answer)]
    return Section(title="Effects", anchor="effects", blocks=tuple(blocks))


def comparison(summary: ExecutiveSummary) -> Section:
    """Every comparison: question, sentence, figure, rows."""
    blocks: list[object] = []
    for one in summary.comparisons:
        if isinstance(one, Refusal):
            blocks += [tag("h3", one.question), refusal_line(one)]
        else:
            blocks += _comparison(one, summary)
    if not blocks:
        refused = Refusal(
            question="comparison",
            reason="the study names nothing to compare",
            advice="add [[compare]] to study.toml",
        )
        blocks = [refusal_line(refused)]
    return Section(title="Comparison", anchor="comparison", blocks=tuple(blocks))


def _comparison(answer: ComparisonAnswer, summary: ExecutiveSummary) -> list[object]:
    findings = comparison_findings(answer, summary.study.parallel)
    blocks: list[object] = [tag("h3", answer.name)]
    if answer.question:
        blocks.append(paragraph(answer.question, css="asked"))
    blocks.append(bullets(findings))
    blocks += forest_of(answer)
    blocks.append(render_table(comparison_table(answer), SHOWN_ROWS))
    return blocks


def latency(summary: ExecutiveSummary) -> Section:
    """Latency: percentiles by cell."""
    answer = summary.latency
    if isinstance(answer, Refusal):
        return Section(title="Latency", anchor="latency", blocks=(refusal_line(answer),))
    return Section(
        title="Latency",
        anchor="latency",
        blocks=(
            bullets(latency_findings(answer)),
            caveat_list(answer.caveats, caveat_evidence(answer)),
            render_table(latency_table(answer), SHOWN_ROWS),
        ),
    )


def claims(summary: ExecutiveSummary) -> Section:
    """What earlier reports and the author of the study say, held against the results."""
    blocks: list[object] = []
    if summary.claims:
        counted = tallies(summary)["claims"].evidence
        blocks += [
            bullets(claims_findings(summary.claims, counted)),
            render_table(claims_table(summary.claims), SHOWN_ROWS),
        ]
        every = places_table(summary.claims)
        blocks += [details("Every place that a claim speaks of", render_table(every))] if every is not None else []
    if summary.study.notes:
        blocks += [paragraph("Remarks of the study's author:"), facts.notes(summary)]
    if not blocks:
        blocks = [paragraph("No earlier report is quoted; add [[claims]] to study.toml to check what one says.")]
    return Section(title="What was said of these results", anchor="claims", blocks=tuple(blocks))


def recommendation(summary: ExecutiveSummary) -> Section:
    """What to do: capacity from the data, the plan for the study's target, then the advice of the gravest caveats.

    That no level can be recommended is told where the study asks for one.
    """
    blocks: list[object] = []
    if not isinstance(summary.capacity, Refusal):
        blocks.append(bullets(capacity_findings(summary.capacity)))
    elif _asks_for_level(summary.study):
        blocks.append(refusal_line(summary.capacity, "which level of concurrency to run at"))
    blocks += planned(summary)
    advice = list(dict.fromkeys(one.advice for one in summary.caveats if one.severity != "note"))
    if advice:
        blocks += [paragraph("Before the next decision:"), bullets(advice[:6])]
    blocks = blocks or [paragraph("Nothing here asks for more before the next decision.")]
    return Section(title="Recommendation", anchor="recommendation", blocks=tuple(blocks))


def _asks_for_level(study: Study) -> bool:
    """Tell whether a study asks how many workers, threads or connections serve best."""
    stated = study.scaling.concurrency or study.scaling.curves or study.scaling.today
    return "scaling" in study.lead or bool(stated) or study.capacity.target is not None


def caveats(summary: ExecutiveSummary) -> Section:
    """Every caveat with its advice."""
    shown = caveat_list(summary.caveats, summary_evidence(summary)) or paragraph("None.")
    return Section(title="Caveats", anchor="caveats", blocks=(shown,))


def quality(summary: ExecutiveSummary) -> Section:
    """Data quality: files, failures, spread between runs, problems."""
    found = summary.quality
    blocks: list[object] = []
    if found.spreads:
        blocks.append(render_table(spread_table(found.spreads), SHOWN_ROWS))
    if found.problems:
        blocks.append(details(f"Problems ({len(found.problems)})", bullets(str(one) for one in found.problems)))
    blocks.append(details(f"Files ({len(found.files)})", render_table(files_table(found))))
    return Section(title="Data quality", anchor="quality", blocks=tuple(blocks))


def environment(summary: ExecutiveSummary) -> Section:
    """Where it ran."""
    return Section(title="Environment", anchor="environment", blocks=tuple(facts.environment(summary)))


def tables(summary: ExecutiveSummary) -> Section:
    """Every cell."""
    if isinstance(summary.samples, Refusal):
        return Section(title="All measurements", anchor="tables", blocks=(refusal_line(summary.samples),))
    rows = render_table(sample_table(summary.samples), SHOWN_ROWS)
    return Section(title="All measurements", anchor="tables", blocks=(rows,))


def method(summary: ExecutiveSummary) -> Section:
    """How the numbers were made."""
    return Section(
        title="Method", anchor="method", blocks=(details("How the numbers were made", method_notes(summary)),)
    )


def provenance(summary: ExecutiveSummary) -> Section:
    """Where the page came from."""
    return Section(title="Provenance", anchor="provenance", blocks=tuple(facts.provenance(summary)))


def details(title: str, *content: object) -> Markup:
    """Fold content behind a line."""
    return tag("details", tag("summary", title), *content)

"""What a capacity plan is asked for, in sentences: target, what is to hold at it, growth."""

from __future__ import annotations

from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.answers.requirements import AskedPlan
from benchlib.report.wording.words import metric_name
from benchlib.study.quantities import parse_limit, parse_target
from benchlib.units import asked_quantity, asked_share, show

__all__ = ["asked_words"]


def asked_words(plan: LoadPlan, answer: PlanningAnswer) -> str:
    """Say what a plan is for: target, headroom, nodes that may be lost, limit."""
    return ", ".join([show(plan.target, plan.unit), *condition_words(answer.asked)])


def condition_words(asked: AskedPlan) -> list[str]:
    """Say what is to hold at the target."""
    words = [f"headroom {asked_share(asked.headroom)}"] if asked.headroom else []
    words += [f"{asked.survive} lost"] if asked.survive else []
    return [*words, limit_words(asked)] if asked.slo else words


def limit_words(asked: AskedPlan) -> str:
    """Say which latency is to stay within which time; nothing where no limit is asked for.

    Examples
    --------
    >>> import benchlib
    >>> from benchlib.answers.requirements import plan_wanted
    >>> limit_words(plan_wanted(benchlib.open_study("data/http-endpoints")).asked)
    'p99 latency within 5 ms'
    """
    limit = parse_limit(asked.slo)
    return f"{metric_name(limit.metric)} within {asked_quantity(limit.seconds, 'sec')}" if limit else ""


def written_target(written: str) -> str:
    """Write a target that was asked for; in its own unit, where no plan says in which work.

    Examples
    --------
    >>> written_target("250000/s"), written_target("3000 rows/s")
    ('250,000/s', '3,000 rows/s')
    """
    target = parse_target(written)
    return asked_quantity(target.value, target.unit) if target else ""


def target_words(answer: PlanningAnswer) -> str:
    """Write the target in the unit of the loads; where they count different work, as it was asked for.

    Examples
    --------
    >>> import benchlib
    >>> target_words(benchlib.plan_capacity("data/http-endpoints", draws=200))
    '250,000 req/s'
    >>> target_words(benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", draws=200))
    '50,000/s'
    """
    asked = {asked_quantity(one.target, one.unit) for one in answer.loads}
    return asked.pop() if len(asked) == 1 else written_target(answer.asked.target)


def written_growth(written: str) -> str:
    """Write a growth that was asked for.

    Examples
    --------
    >>> written_growth("4%/month"), written_growth("60%/year")
    ('4 % a month', '60 % a year')
    """
    share, _, period = written.partition("%")
    return f"{share.strip()} % a {period.strip(' /')}"


def wanted_words(asked: AskedPlan) -> str:
    """Say all that was asked, where no plan says in which work.

    Examples
    --------
    >>> import benchlib
    >>> from benchlib.answers.requirements import plan_wanted
    >>> study = benchlib.open_study("data/http-endpoints")
    >>> wanted_words(plan_wanted(study, growth="4%/month").asked)
    '250,000/s, headroom 20 %, p99 latency within 5 ms, nodes cores=2,cost=73EUR/month, growth 4 % a month'
    """
    words = [written_target(asked.target), *condition_words(asked)]
    words += [f"nodes {'; '.join(asked.nodes)}"] if asked.nodes else []
    words += [f"growth {written_growth(asked.growth)}"] if asked.growth else []
    mix = ", ".join(f"{name} {share:g}" for name, share in asked.mix.items())
    return ", ".join([*words, f"mix {mix}"] if mix else words)

"""The scaling laws: formula, source, parameters, and how each looks: ``bl.laws.usl.plot()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from benchlib.scaling.laws import LAWS
from benchlib.workbench.show import Shown, Shows

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.workbench.chart import Chart

__all__ = ["Law"]


class Law(Shows):
    """A scaling law."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answer = LAWS[name]

    @property
    def formula(self) -> str:
        """Throughput as a function of N."""
        return self.answer.formula

    @property
    def source(self) -> str:
        """Where the law was published."""
        return self.answer.citation

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters, in order."""
        return self.answer.parameters

    def throughput(self, n: ArrayLike, *parameters: float, **named: float) -> Any:
        """Return throughput at concurrencies, for parameters in order or by name."""
        import numpy as np

        values = [*parameters, *(named[name] for name in self.parameters[len(parameters) :])]
        return self.answer.throughput(np.asarray(n, dtype=float), *values)

    def plot(self, *parameters: float, up_to: float = 64.0, **named: float) -> Chart:
        """Draw the law from 1 up to a concurrency."""
        import numpy as np
        import pandas as pd

        from benchlib.figures.exploring import draw_law
        from benchlib.workbench.chart import Chart

        n = np.geomspace(1, up_to, 80)
        values = self.throughput(n, *parameters, **named)
        return Chart(draw_law(pd.DataFrame({"n": n, "value": values}), self.name, self.formula))

    @property
    def table(self) -> pd.DataFrame:
        """Its parameters and the values they may take."""
        import pandas as pd

        law = self.answer
        return pd.DataFrame({"parameter": law.parameters, "from": law.lower, "to": law.upper})

    def _shown(self) -> Shown:
        return Shown(
            sentence=f"{self.answer.title}: {self.formula}", table=self.table, folded=(("Source", self.source),)
        )


def __getattr__(name: str) -> Law:
    if name in LAWS:
        return Law(name)
    raise AttributeError(f"no law '{name}'; there are {', '.join(LAWS)}")


def __dir__() -> list[str]:
    return ["Law", *LAWS]

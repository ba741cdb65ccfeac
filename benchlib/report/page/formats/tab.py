"""One page that is open in a browser: asked, waited for, never clicked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

from benchlib.errors import ExportError, NotebookTimeout, printable

Media = Literal["screen", "print"]


class Ask(Protocol):
    """Send a command and return its result."""

    def __call__(self, method: str, **parameters: object) -> Mapping[str, Any]:
        """Send one command."""
        ...


class Tell(Protocol):
    """Send a command whose result nobody waits for."""

    def __call__(self, method: str, **parameters: object) -> None:
        """Send one command."""
        ...


class Tab:
    """A place for pages in a browser: the light scheme, no motion, no network.

    Parameters
    ----------
    ask : callable
        Sends a command of the protocol for this tab and returns its result.
    tell : callable
        Sends one and returns at once.
    """

    def __init__(self, ask: Ask, tell: Tell) -> None:
        self._ask = ask
        self._tell = tell
        self._scripts: set[str] = set()
        # A page that is still open is laid out anew when either changes: told only when they do.
        self._size = (0, 0)
        self._media = ""
        self.ask("Page.enable")
        self.ask("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def resize(self, width: int, height: int) -> None:
        """Give its window a size in CSS pixels."""
        if self._size != (width, height):
            self.ask(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            self._size = (width, height)

    def show_as(self, media: Media) -> None:
        """Show what is open as on a screen or as on paper."""
        if self._media != media:
            features = {"prefers-color-scheme": "light", "prefers-reduced-motion": "reduce"}
            told = [{"name": name, "value": one} for name, one in features.items()]
            self.ask("Emulation.setEmulatedMedia", media=media, features=told)
            self._media = media

    def ask(self, method: str, **parameters: object) -> Mapping[str, Any]:
        """Send a command for this page."""
        return self._ask(method, **parameters)

    def before_scripts(self, script: str) -> None:
        """Have a script run before those of every page that is opened from now on."""
        if script not in self._scripts:
            self.ask("Page.addScriptToEvaluateOnNewDocument", source=script)
            self._scripts.add(script)

    def open(self, path: Path, media: Media = "screen") -> None:
        """Open a file of this machine, shown as on a screen, or as paper: ``?paper`` tells a page of benchlib so.

        Raises
        ------
        ExportError
            If it cannot be opened.
        """
        self.show_as(media)
        self.evaluate("globalThis.left = true")  # so that what it says is not taken for the next page's
        answer = self.ask("Page.navigate", url=path.resolve().as_uri() + ("?paper" if media == "print" else ""))
        if answer.get("errorText"):
            raise ExportError(f"{printable(str(path))}: Chromium cannot open it ({answer['errorText']})")

    def let_go(self) -> None:
        """Have the browser take down what is open while something else is done: the next page would wait for it."""
        self._tell("Runtime.evaluate", expression="document.documentElement.replaceChildren()")

    def wait_drawn(self) -> None:
        """Wait until a page of benchlib says that it has drawn itself.

        Raises
        ------
        ExportError
            If it says that it could not.
        NotebookTimeout
            If that takes too long.
        """
        said = self.wait_for("globalThis.left ? '' : document.documentElement?.dataset.drawn", "drawing the page")
        if said != "1":
            raise ExportError("the page could not draw its charts; open it in a browser to see why")

    def evaluate(self, expression: str) -> Any:
        """Return what an expression of JavaScript gives, as JSON; promises are awaited.

        Raises
        ------
        ExportError
            If it throws.
        """
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            said = details.get("exception", {}).get("description") or details.get("text", "")
            raise ExportError(f"a script of the page failed: {printable(str(said).partition(chr(10))[0])}")
        return answer["result"].get("value")

    def wait_for(self, expression: str, what: str, patience: float = 30.0) -> Any:
        """Ask again and again until an expression is true, and return it.

        Raises
        ------
        NotebookTimeout
            If that takes too long.
        """
        # Not one awaited promise: a navigation loses it.
        until = time.monotonic() + patience
        while not (found := self.evaluate(expression)):
            if time.monotonic() > until:
                raise NotebookTimeout(f"{what} took longer than {patience:g} s; build again, or choose --to html,md")
            time.sleep(0.01)
        return found

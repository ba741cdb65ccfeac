"""A page opened from disk in a real browser, and what happened meanwhile."""

from __future__ import annotations

from typing import Any

__all__ = ["Visit"]


class Visit:
    """A page that was opened and drawn, without a network.

    Attributes
    ----------
    page : playwright's page
    requests : list of str
        Every address that was asked for, the page's own first.
    complaints : list of str
        Everything on the console, and every error.
    """

    def __init__(self, browser: Any, address: str, *, width: int = 1200, scheme: str = "light") -> None:
        # Without smooth scrolling, a click on a link has arrived when it returns.
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", offline=True
        )
        context.set_default_timeout(15_000)
        self.page = context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda one: self.requests.append(one.url))
        self.page.on("console", lambda one: self.complaints.append(one.text))
        self.page.on("pageerror", lambda one: self.complaints.append(str(one)))
        self.page.goto(address)
        self.page.wait_for_selector('html[data-ready="1"]', state="attached", timeout=120_000)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.context.close()

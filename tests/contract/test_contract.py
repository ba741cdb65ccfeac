"""Nothing of the contract changed: see freeze.py for what it holds, and how to accept a change that is meant."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import browser  # noqa: F401, as a fixture
from tests.browser.visiting import Visit
from tests.contract.flat import differences
from tests.contract.freeze import CONTRACT, EXPECTED, built, expected


@pytest.mark.parametrize("name", CONTRACT)
def test_nothing_changed(name: str) -> None:
    """Every key and every value of a part is as frozen; the first 20 that are not are shown."""
    told = differences(expected(name), CONTRACT[name]())
    assert not told, f"{name}: {told}"


def test_nothing_else_is_frozen() -> None:
    """A part that is gone leaves no file."""
    assert {path.relative_to(EXPECTED).with_suffix("").as_posix() for path in EXPECTED.rglob("*.txt")} == set(CONTRACT)


def test_a_page_opens_without_a_request(browser: Any) -> None:  # noqa: F811
    """Nothing is asked for but the page itself, and nothing is complained about."""
    page = (built("onix-adapter-published", "report") / "executive_summary.html").as_uri()
    with Visit(browser, page) as visit:
        assert (visit.requests, visit.complaints) == ([page], [])
        assert visit.page.locator(".plot").count() > 0

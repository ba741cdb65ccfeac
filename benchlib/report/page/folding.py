"""Tables as a page shows them: each in a box that scrolls, its folded rows part of it."""

from __future__ import annotations

import re

#: A fold with more table rows than this stays folded on paper and in Markdown: nobody reads sixty pages of them.
LONG_FOLD = 12

#: So many characters of folded rows are packed away until a reader asks for them; fewer stand in the page.
MOST_INLINE = 8_000

_BOX = '<div class="table-box" tabindex="0" role="group" aria-label="Table"><table'
_FOLDED = re.compile(
    r'</tbody></table><details class="more-rows"><summary>([^<]*)</summary>'
    r"<table[^>]*><caption>.*?</caption><thead>.*?</thead><tbody>(.*?)</tbody></table></details>",
    re.DOTALL,
)
_FOLD = re.compile(r"<details\b.*?</details>", re.DOTALL)
_ROWS = re.compile(r"<tbody>(.*?)</tbody>", re.DOTALL)


def fold_tables(body: str) -> tuple[str, list[str]]:
    """Put each table in a box; make the rows that follow it folded a second body of the same table.

    Returns
    -------
    body : str
        Folded rows stand in ``<tbody class="more">``, whose ``data-label`` says how many there are. Where they are
        long, there and in a table within a fold, ``<tbody>`` is empty, and ``data-rows`` is their place in the second.
        A fold of more rows than `LONG_FOLD` says so: ``<details data-long>``.
    packed : list of str
        The markup of long folds.
    """
    packed: list[str] = []

    def rows(markup: str, attributes: str) -> str:
        if len(markup) <= MOST_INLINE:
            return f"<tbody{attributes}>{markup}</tbody>"
        packed.append(markup)
        return f'<tbody{attributes} data-rows="{len(packed) - 1}"></tbody>'

    def merged(found: re.Match[str]) -> str:
        label, markup = found.groups()
        more = rows(markup, f' class="more" data-label="{label}"')
        return f"</tbody>{more}</table>"

    def emptied(found: re.Match[str]) -> str:
        fold = _ROWS.sub(lambda table: rows(table[1], ""), found[0])
        is_long = found[0].count("<tr") - found[0].count("<thead") > LONG_FOLD or ' data-rows="' in fold
        return fold.replace("<details", "<details data-long", 1) if is_long else fold

    body = _FOLDED.sub(merged, body.replace(' data-e=""', " data-e"))
    body = _FOLD.sub(emptied, body)
    body = re.sub(r"<table\b", _BOX, body).replace("</table>", "</table></div>")
    return body, packed

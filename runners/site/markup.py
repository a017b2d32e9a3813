"""HTML as values: whatever is put in is text and gets escaped; only what this module made is markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | Iterable["Child"]  # what is no Markup is text
VOID = frozenset({"input", "link", "meta", "br"})


def html(child: Child) -> Markup:
    """A child, or several in a row, as markup."""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return Markup(escape(child))
    return Markup("".join(html(one) for one in child))


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """An element. An attribute's name loses a ``_`` at its end and has ``-`` for others; None and False are left out.
    Children that are no Markup are escaped."""
    told = []
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            told.append(f" {key}")
        elif value is not None and value is not False:
            told.append(f' {key}="{escape(str(value))}"')
    opening = f"<{name}{''.join(told)}>"
    return Markup(opening if name in VOID else f"{opening}{html(children)}</{name}>")


def table(
    caption: str, heads: Iterable[Child], rows: Iterable[Iterable[Child]], *, class_: str = "", told: bool = False
) -> Markup:
    """A table that scrolls sideways where it is too wide. The first cell of a row names it. A head or cell may be a
    ``th`` or ``td`` of its own. The caption is for those who hear the page, unless it is ``told`` to everybody."""
    head = tag("tr", [_cell("th", one, scope="col") for one in heads])
    body = [
        tag("tr", [_cell("th", one, scope="row") if place == 0 else _cell("td", one) for place, one in enumerate(row)])
        for row in rows
    ]
    inner = tag(
        "table",
        tag("caption", caption, class_=None if told else "unseen"),
        tag("thead", head),
        tag("tbody", body),
        class_=class_ or None,
    )
    return tag("div", inner, class_="scroll", role="region", aria_label=caption, tabindex=0)


def _cell(name: str, child: Child, **attributes: str) -> Markup:
    if isinstance(child, Markup) and child.startswith(("<td", "<th")):
        return child
    return tag(name, child, **attributes)

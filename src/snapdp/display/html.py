"""The frame and the style of every page, and the pieces of one: tables, folded sections, blocks of text.

A page is one file: no script, nothing fetched. Text from outside may stand anywhere in it. What makes
markup takes text and escapes it; only `Html` passes as it is, and what makes one answers for its content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape as _escaped

from snapdp.display.text import shortened, visible, visible_lines

# Text and folded steps.
_TEXT = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .9em; }
pre { padding: .75rem 1rem; border: 1px solid #8886; border-radius: .4rem; overflow-x: auto; }
details, .leaf { margin: .15rem 0 .15rem 1.2rem; }
summary { cursor: pointer; }
.rule { font-variant: small-caps; opacity: .75; white-space: nowrap; }
"""
# Paper cannot be scrolled or unfolded, and may come without backgrounds.
_TEXT_ON_PAPER = """:root { color-scheme: light; }
body { max-width: none; margin: 0; padding: 0; }
pre { white-space: pre-wrap; overflow: visible; }
code, pre { overflow-wrap: anywhere; } .rule { white-space: normal; }
h1, h2, h3, summary { break-after: avoid; }
details::details-content { content-visibility: visible; }
"""

# All that a page of derivations needs.
TEXT_STYLE = f"""{_TEXT}@media print {{
{_TEXT_ON_PAPER}}}
"""

# The whole sheet. Colours of text and lines are the page's own, or readable on light and dark: a notebook may be
# dark where the system is light.
STYLE = f"""{_TEXT}
:root {{ --line: #8886; --soft: #8883; --link: #3b82c4; --good: #1e8449; --bad: #c0392b; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }}
th, td {{ vertical-align: top; }} th {{ font-weight: 600; }}
.r {{ text-align: right; }}
td.c, td.n {{ white-space: nowrap; }} td.n {{ font-family: ui-monospace, monospace; }}
a {{ color: var(--link); }}
figure {{ margin: 1rem 0; }} figcaption {{ opacity: .75; font-size: .9em; }}
svg {{ display: block; max-width: 100%; }} svg[viewBox] {{ height: auto; }} figure svg[role] {{ width: 100%; }}
.dim {{ opacity: .75; }}
.verdict {{ --badge: #806000; display: inline-block; padding: .1rem .7rem; border-radius: .4rem; }}
.verdict {{ color: #fff; background: var(--badge); }}
.verdict.VERIFIED {{ --badge: #1e8449; }} .verdict.REFUTED {{ --badge: #c0392b; }}
.proved, .failed {{ font-weight: 600; }} .proved {{ color: var(--good); }} .failed {{ color: var(--bad); }}
body.snapdp {{ max-width: 760px; }} div.snapdp {{ max-width: 760px; margin: 0; padding: 0; }}
.snapdp {{ font-size: 15px; overflow-wrap: break-word; }}
.snapdp h1 {{ font-size: 1.5em; margin: 0 0 .2em; }} .snapdp h2 {{ font-size: 1.12em; margin: 1.8em 0 .4em; }}
.snapdp p {{ margin: .4em 0; }} .snapdp table, .snapdp svg, .snapdp details {{ margin: .5em 0; }}
.snapdp summary {{ color: var(--link); }} .snapdp code {{ overflow-wrap: anywhere; }}
.box {{ overflow-x: auto; margin: .5em 0; }} .long {{ max-height: 30rem; overflow: auto; }}
.tucked .long {{ max-height: 14rem; }} .long caption, .tucked caption {{ caption-side: top; }}
.snapdp .box table {{ display: table; margin: 0; }} .snapdp .box table.wide {{ width: 100%; }}
.box th, .box td {{ padding: .15rem 1rem .15rem 0; vertical-align: middle; }}
.box thead th {{ vertical-align: bottom; }} .long thead th {{ position: sticky; top: 0; background: Canvas; }}
.box th[scope=row] {{ font-weight: normal; }} th.again {{ opacity: .4; }} .box .sum {{ font-weight: 600; }}
.box td.r, .box td.i {{ white-space: nowrap; }} td.i, th.i {{ text-align: right; }}
.box td.i, .under {{ opacity: .75; }} .under {{ display: block; font-size: .85em; font-weight: 400; }}
.box .t {{ width: 40%; min-width: 6.5rem; padding: 0 1.3rem; }}
.track {{ font-weight: 400; }}
.box .l {{ white-space: normal; min-width: 8em; }}
caption {{ caption-side: bottom; text-align: left; opacity: .75; font-size: .9em; padding-top: .3em; }}
.multiples {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .5rem 1.5rem; }}
.snapdp figure {{ margin: .2rem 0 .8rem; }} .box th.c {{ white-space: nowrap; }}
.by {{ margin-bottom: 1em; }} .snapdp ul {{ margin: .4em 0; padding-left: 1.2em; }}
.snapdp h3, .snapdp h4 {{ font-size: 1em; margin: 1.4em 0 .3em; }} .snapdp h4 {{ margin: 1em 0 .2em; }}
@media screen and (max-width: 34rem) {{
.mid {{ display: none; }} .snapdp .box table {{ font-size: .92em; }}
.box th, .box td {{ padding-right: .45rem; }} .box td.i {{ white-space: normal; }}
.box .t {{ padding: 0 1.3rem 0 .6rem; min-width: 4.5rem; width: 24%; }} .box .l {{ min-width: 5.5em; }}
}}
.charge {{ display: inline-block; background: var(--soft); border-radius: 4px; padding: .1em .5em; }}
@media screen and (prefers-color-scheme: dark) {{
:root {{ --good: #58c98b; --bad: #ff8a7a; }}
}}
@media print {{
{_TEXT_ON_PAPER}body.snapdp, div.snapdp {{ max-width: none; margin: 0; padding: 0; }}
table {{ display: table; overflow: visible; }} thead {{ display: table-header-group; }}
td, td.c, td.n {{ white-space: normal; overflow-wrap: anywhere; }} td.c {{ overflow-wrap: break-word; }}
.box {{ overflow: visible; }} .long {{ overflow: visible; max-height: none !important; }}
.long thead th {{ position: static; }}
.snapdp h2, .snapdp h3, .snapdp h4, .snapdp .dim {{ break-after: avoid-page; }} caption {{ caption-side: top; }}
tr, figure, svg {{ break-inside: avoid; }}
.verdict {{ color: inherit; background: none; border: 1px solid; }}
}}
"""
_SELECTORS = re.compile(r"[^{};]+(?=\{[^{}]*\})")  # of rules; those of @media hold rules themselves
_SCHEME = re.compile(r"color-scheme: [a-z ]+;")


class Html(str):
    """Text that is markup already: every text from outside in it was escaped."""

    __slots__ = ()


def escape(text: str, most: int | None = None) -> Html:
    """Return a text from outside as a page shows it: no tag, no character that turns or hides the text around it.

    most   how long it may be before it is cut; None for any length

    >>> escape('<b a="1">&\\u202e'), escape("abcdefgh", most=6)
    ('&lt;b a=&quot;1&quot;&gt;&amp;\\\\u202e', 'abc...')
    """
    seen = visible(text)
    return Html(_escaped(seen if most is None else shortened(seen, most)))


def markup(content: str) -> Html:
    """Return what may stand between two tags: markup as it is, any other text escaped.

    >>> markup("1 < 2"), markup(Html("<b>2</b>"))
    ('1 &lt; 2', '<b>2</b>')
    """
    return content if isinstance(content, Html) else escape(content)


def html_block(text: str) -> Html:
    """Return a text of several lines as it was written.

    >>> html_block("a <- b\\nc")
    '<pre>a &lt;- b\\nc</pre>'
    """
    return Html(f"<pre>{_escaped(visible_lines(text))}</pre>")


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], kinds: Sequence[str] = ()) -> Html:
    """Return a table; the last cell of a short row spans the columns that are left.

    kinds   of the columns, for the style: r for numbers under each other, which end at one line, n for long ones, which
            begin there, c for what is not broken into lines

    >>> html_table(["a", "b"], [["1", "<"], ["none"]], kinds=["", "n"]).split("<tbody>")[1]
    '<tr><td>1</td><td class="n">&lt;</td></tr>\\n<tr><td colspan="2">none</td></tr></tbody></table>'
    """
    ends = [' class="r"' if kind == "r" else "" for kind in kinds] + [""] * (len(heads) - len(kinds))
    head = "".join(f"<th{end}>{markup(name)}</th>" for name, end in zip(heads, ends, strict=True))
    body = "\n".join(f"<tr>{_cells(row, len(heads), kinds)}</tr>" for row in rows)
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def data_table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    kinds: Sequence[str],
    *,
    names: int = 1,
    is_long: bool = False,
) -> Html:
    """Return a table of published numbers, which scrolls by itself where the page is too narrow for it.

    One with tracks is as wide as the page.

    kinds       of the columns, for the style: r for numbers, i for intervals, t for tracks, l for words
    names       so many cells of every row name it
    is_long     it scrolls down as well; on paper all of it is there

    >>> data_table("ages", ["sex", "mean"], [["<f>", "31"]], ["", "r"]).partition("<tbody>")[2]
    '<tr><th scope="row">&lt;f&gt;</th><td class="r">31</td></tr></tbody></table></div>'
    """
    head = "".join(_data_cell("th", name, kind, "col") for name, kind in zip(heads, kinds, strict=True))
    body, before = [], [""] * names
    for row in rows:
        named = [*row[:names]]
        same = next((place for place in range(names - 1) if named[place] != before[place]), max(names - 1, 0))
        cells = [
            _data_cell("th", text, "again" if place < same else kind, "row")
            if place < names
            else _data_cell("td", text, kind)
            for place, (text, kind) in enumerate(zip(row, kinds, strict=True))
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
        before = named
    wide = ' class="wide"' if "t" in kinds else ""
    scrolls = f' tabindex="0" role="region" aria-label="{escape(caption)}"' if is_long else ""
    return Html(
        f'<div class="box{" long" * is_long}"{scrolls}><table{wide}><caption>{markup(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{chr(10).join(body)}</tbody></table></div>"
    )


def _data_cell(tag: str, text: str, kind: str, scope: str = "") -> str:
    said = (f' scope="{scope}"' if scope else "") + (f' class="{escape(kind)}"' if kind else "")
    return f"<{tag}{said}>{markup(text)}</{tag}>"


def html_card(title: str, tables: Iterable[tuple[Sequence[str], Iterable[Sequence[str]]]]) -> str:
    """Return what a notebook shows of a value: a title, and tables of (heads, rows), each text escaped."""
    return html_fragment([f"<p><b>{markup(title)}</b></p>", *(html_table(heads, rows) for heads, rows in tables)])


def _cells(row: Sequence[str], columns: int, kinds: Sequence[str]) -> str:
    found = []
    for place, content in enumerate(row):
        left = columns - place
        if place == len(row) - 1 and left > 1:
            attribute = f' colspan="{left}"'
        else:
            kind = kinds[place] if place < len(kinds) else ""
            attribute = f' class="{escape(kind)}"' if kind else ""
        found.append(f"<td{attribute}>{markup(content)}</td>")
    return "".join(found)


def folded(summary: str, content: str, *, is_open: bool = False) -> Html:
    """Return a section that folds.

    >>> folded("more", "a & b")
    '<details><summary>more</summary>\\na &amp; b\\n</details>'
    """
    opened = " open" if is_open else ""
    return Html(f"<details{opened}><summary>{markup(summary)}</summary>\n{markup(content)}\n</details>")


def html_page(title: str, parts: Iterable[str], *, kind: str = "", style: str = STYLE) -> str:
    """Return a whole page around pieces of markup; empty ones are left out.

    kind    the class of the body, for the style
    style   the sheet, or the part of it that the page needs
    """
    opened = f'<body class="{escape(kind)}">' if kind else "<body>"
    head = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{markup(title)}</title>\n<style>{style}</style>\n</head>\n{opened}",
    ]
    return "\n".join([*head, *(part for part in parts if part), "</body>\n</html>\n"])


def html_fragment(parts: Iterable[str]) -> str:
    """Return pieces of markup for a page of others, such as a notebook: the style touches nothing around them."""
    # Light or dark is for the page around it to say: else its text could take the colour of its ground.
    style = _SELECTORS.sub(_within, _SCHEME.sub("", STYLE))
    inner = "\n".join(part for part in parts if part)
    return f'<div class="snapdp"><style>{style}</style>\n{inner}\n</div>'


def _within(found: re.Match[str]) -> str:
    """Return selectors that hold inside of a fragment alone; what is said of the page is said of the fragment."""
    return "\n" + ", ".join(_inside(each.strip()) for each in found[0].split(",")) + " "


def _inside(selector: str) -> str:
    if selector in (":root", "body"):
        return ".snapdp"
    return selector if ".snapdp" in selector else f".snapdp {selector}"

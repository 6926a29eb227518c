"""A checked memo as one HTML file: nothing is loaded, nothing runs, everything foreign is escaped."""

from collections.abc import Iterator
from html import escape

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.reports.memo.terminal import FAULTS, GROUPS, describe_outcome, describe_page_reference, describe_ruling
from ralph_cli.reports.safe_text import make_visible

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--bad:#b3261e;--good:#1b7f3b;--mild:#8a6100}
@media(prefers-color-scheme:dark){:root{--bad:#ff8a80;--good:#7ddc9a;--mild:#ffcf66}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.verdict{font-weight:600;border-left:.3rem solid;padding:.4rem .8rem}
article{border-top:1px solid var(--line);padding:.6rem 0;break-inside:avoid}
q,blockquote{quotes:none;font-family:Georgia,serif;white-space:pre-wrap;margin:.2rem 0}
q::before,q::after{content:none}
blockquote{border-left:.2rem solid var(--line);padding-left:.8rem}
.bad{color:var(--bad)}.good{color:var(--good)}.mild{color:var(--mild)}
.where{font-size:.85rem;opacity:.75}p{margin:.2rem 0}
"""


def memo_html(check: MemoCheck) -> str:
    """The whole file."""
    name = _escape(check.memo)
    sources = "".join(f"<li>{_source(document)}</li>" for document in check.documents)
    body = "".join(_sections(check))
    colour = "good" if check.ok else "bad"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Check of {name}</title><style>{_STYLE}</style></head><body>"
        f'<h1>Check of {name}</h1><p class="verdict {colour}">{_escape(describe_outcome(check))}</p>'
        f"<p>Checked against:</p><ul>{sources}</ul>{body}</body></html>\n"
    )


def _sections(check: MemoCheck) -> Iterator[str]:
    for outcome, title in GROUPS:
        found = [finding for finding in check.findings if finding.outcome == outcome]
        if found:
            yield f"<section><h2>{_escape(title)} ({len(found)})</h2>"
            yield from (_article(finding, check) for finding in found)
            yield "</section>"
    if check.beyond:
        yield f"<section><h2>Page references past the last page ({len(check.beyond)})</h2><ul>"
        yield from (f"<li>{_escape(reference.place)}: {_escape(reference.text)}</li>" for reference in check.beyond)
        yield "</ul></section>"
    if check.unbound:
        yield "<section><h2>Page references that belong to no quotation: not checked "
        yield f"({len(check.unbound)})</h2><ul>"
        yield from (f"<li>{_escape(reference.place)}: {_escape(reference.text)}</li>" for reference in check.unbound)
        yield "</ul></section>"
    if check.support:
        yield f"<section><h2>Support, judged by {_escape(check.judge)}</h2>"
        for item in check.support:
            yield f"<article><p>{_escape(item.sentence)} <span class='where'>{_escape(item.place)}</span></p>"
            yield f'<p class="{"good" if item.holds else "bad"}">{_escape(describe_ruling(item))}</p></article>'
        yield "</section>"
    if check.terms:
        yield "<section><h2>Terms of up to three words</h2><ul>"
        for term in check.terms:
            found_word = "in the document" if term.holds else "not in the document"
            yield f"<li><q>{_escape(term.quotation.words)}</q> ({_escape(term.quotation.place)}): {found_word}</li>"
        yield "</ul></section>"


def _article(finding: Finding, check: MemoCheck) -> str:
    document = check.documents[finding.document] if finding.document is not None else None
    colour = "bad" if finding.outcome in FAULTS else "mild" if finding.outcome == "recut" else "good"
    parts = [f'<article><p class="where">{_escape(finding.quotation.place)}</p>']
    parts.append(f'<p class="{colour}"><q>\u201c{_escape(finding.quotation.words)}\u201d</q></p>')
    if finding.quote is not None and document is not None:
        where = f"{finding.where} of {document.path}"
        parts.append(f'<blockquote>{_escape(finding.quote.text)}</blockquote><p class="where">{_escape(where)}</p>')
    if said := describe_page_reference(finding):
        parts.append(f"<p>{_escape(said)}</p>")
    if finding.nearest is not None and document is not None:
        near = finding.nearest
        where = f"{near.where} of {document.path}"
        parts.append(f"<p>The closest text in the document:</p><blockquote>{_escape(near.text)}</blockquote>")
        parts.append(f'<p class="where">{_escape(where)}</p>')
        parts += [f'<p class="mild">{_escape(words)}</p>' for words in near.differing]
    parts += [f'<p class="mild">{_escape(note)}</p>' for note in finding.notes]
    return "".join(parts) + "</article>"


def _source(document: Document) -> str:
    pages = f", {len(document.pages)} pages" if document.paged else ""
    return f'{_escape(document.path)}{pages} <span class="where">SHA-256 {document.sha256}</span>'


def _escape(text: str) -> str:
    return escape(make_visible(text), quote=True)

"""A checked memo as one HTML file: nothing is loaded, nothing runs, everything foreign is escaped."""

from collections.abc import Iterator

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.reports.html.markup import escape
from ralph_cli.reports.memo.terminal import (
    GROUPS,
    describe_outcome,
    describe_page_reference,
    describe_ruling,
    faulty_references,
)

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
    name = escape(check.memo)
    sources = "".join(f"<li>{_source(document)}</li>" for document in check.documents)
    colour = "good" if check.ok else "bad"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Check of {name}</title><style>{_STYLE}</style></head><body>"
        f'<h1>Check of {name}</h1><p class="verdict {colour}">{escape(describe_outcome(check))}</p>'
        f"<p>Checked against:</p><ul>{sources}</ul>{''.join(_sections(check))}</body></html>\n"
    )


def _sections(check: MemoCheck) -> Iterator[str]:
    for outcome, title in GROUPS:
        found = [finding for finding in check.findings if finding.outcome == outcome]
        if found:
            yield f"<section><h2>{escape(title)} ({len(found)})</h2>"
            yield from (_article(finding, check) for finding in found)
            yield "</section>"
    for title, references in faulty_references(check):
        if references:
            yield f"<section><h2>{title} ({len(references)})</h2><ul>"
            yield from (f"<li>{escape(reference.place)}: {escape(reference.text)}</li>" for reference in references)
            yield "</ul></section>"
    if check.support:
        yield f"<section><h2>Support, judged by {escape(check.judge)}</h2>"
        for item in check.support:
            yield f"<article><p>{escape(item.sentence)} <span class='where'>{escape(item.place)}</span></p>"
            yield f'<p class="{"good" if item.holds else "bad"}">{escape(describe_ruling(item))}</p></article>'
        yield "</section>"
    if check.terms:
        yield "<section><h2>Terms of up to three words</h2><ul>"
        for term in check.terms:
            found_word = "in the document" if term.holds else "not in the document"
            yield f"<li><q>{escape(term.quotation.words)}</q> ({escape(term.quotation.place)}): {found_word}</li>"
        yield "</ul></section>"


def _article(finding: Finding, check: MemoCheck) -> str:
    document = check.documents[finding.document] if finding.document is not None else None
    colour = "mild" if finding.outcome == "recut" else "good" if finding.holds else "bad"
    parts = [f'<article><p class="where">{escape(finding.quotation.place)}</p>']
    parts.append(f'<p class="{colour}"><q>\u201c{escape(finding.quotation.words)}\u201d</q></p>')
    if finding.quote is not None and document is not None:
        parts += _quoted(finding.quote.text, f"{finding.where} of {document.path}")
    if reference := describe_page_reference(finding):
        parts.append(f"<p>{escape(reference)}</p>")
    if finding.nearest is not None and document is not None:
        near = finding.nearest
        parts.append("<p>The closest text in the document:</p>")
        parts += _quoted(near.text, f"{near.where} of {document.path}")
        parts += [f'<p class="mild">{escape(words)}</p>' for words in near.differing]
    parts += [f'<p class="mild">{escape(note)}</p>' for note in finding.notes]
    return "".join(parts) + "</article>"


def _quoted(text: str, where: str) -> tuple[str, str]:
    return f"<blockquote>{escape(text)}</blockquote>", f'<p class="where">{escape(where)}</p>'


def _source(document: Document) -> str:
    pages = f", {len(document.pages)} pages" if document.paged else ""
    return f'{escape(document.path)}{pages} <span class="where">SHA-256 {document.sha256}</span>'

"""What a page hides by its own styles is left out; its twin, which looks alike and is seen, is kept."""

import pytest

from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.html.styles.css import pixels
from ralph_cli.documents.html.styles.stylesheet import media_matches
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument


def page(source: str) -> ParsedDocument:
    return parse_html(source.encode(), name="a.html", encoding=None, limits=LoadLimits())


def codes(source: str) -> list[str]:
    return [caution.code for caution in page(source).cautions]


SHEETS = [
    # What the sheet says of <p class=k id=i>, hidden and seen.
    ("p{display:none}", "p{display:inline}"),
    (".k{visibility:hidden}", ".k{visibility:visible}"),
    ("#i{opacity:0}", "#i{opacity:.4}"),
    ("p.k#i{color:#fff}", "p.k#i{color:#999}"),
    (".k *, .k{color:white}", "*{color:white;background:#000}"),
    ("body .k{font-size:0}", "body .k{font-size:0.9em}"),
    ("div>p{display:none}", "div>div>p{display:none}"),
    ("div p.k{display:none}", "section p.k{display:none}"),
    ("[data-x]{display:none}", "[data-y]{display:none}"),
    ("p:nth-child(1){display:none}", "p:nth-child(2){display:none}"),
    ("p:not(.z){display:none}", "p:not(.k){display:none}"),
    (":is(.k,.z){display:none}", ":is(.y,.z){display:none}"),
    ("h1, .k{display:none}", "h1, .z{display:none}"),
    (".k{display:none}p{display:block}", ".k{display:block}p{display:none}"),
    (".k{display:block}.k{display:none}", ".k{display:none}.k{display:block}"),
    (".k{display:none!important}#i{display:block}", ".k{display:none}#i{display:block!important}"),
    ("@media screen{.k{display:none}}", "@media print{.k{display:none}}"),
    ("@media (min-width:600px){.k{display:none}}", "@media (max-width:600px){.k{display:none}}"),
    ("@supports (display:grid){.k{display:none}}", "@supports not (display:grid){.k{display:none}}"),
    ("@layer a{.k{display:block}}p{display:none}", "@layer a{#i{display:none}}p{display:block}"),
    ("div{.k{display:none}}", "section{& .k{display:none}}"),
    (":root{--c:white}.k{color:var(--c)}", ":root{--c:white}.k{color:var(--d)}"),
    (".k{color:var(--d,white)}", ".k{color:var(--d,red)}"),
    (".k{color:rgba(0,0,0,.02)}", ".k{color:rgba(0,0,0,.5)}"),
    (".k{background:#222;color:#232323}", ".k{background:#222;color:#eee}"),
    (".k{font:0/0 a}", ".k{font:12px/1 a}"),
    (".k{font-size:1px}", ".k{font-size:6px}"),
    (".k{position:absolute;clip:rect(1px,1px,1px,1px)}", ".k{clip:rect(1px,1px,1px,1px)}"),
    (".k{clip-path:inset(100%)}", ".k{clip-path:inset(10%)}"),
    (".k{clip-path:circle(0)}", ".k{clip-path:circle(80%)}"),
    (".k{clip-path:polygon(0 0,0 0,0 0)}", ".k{clip-path:polygon(0 0,100% 0,100% 100%)}"),
    (".k{position:absolute;left:-9999px}", ".k{left:-9999px}"),
    (".k{position:absolute;top:calc(0px - 9999px)}", ".k{position:absolute;top:calc(9px + 9px)}"),
    (".k{position:fixed;inset:-4000px auto auto 0}", ".k{position:fixed;inset:0}"),
    (".k{text-indent:-999em}", ".k{text-indent:-2em}"),
    (".k{transform:scale(0)}", ".k{transform:scale(.9)}"),
    (".k{transform:translateX(-9999px)}", ".k{transform:translate(-50%,-50%)}"),
    (".k{scale:0}", ".k{scale:1}"),
    (".k{zoom:.01}", ".k{zoom:1.5}"),
    (".k{transform:rotateY(90deg)}", ".k{transform:rotate(90deg)}"),
    (".k{max-height:0;overflow:hidden}", ".k{max-height:0}"),
    (".k{width:1px;height:1px;overflow:hidden}", ".k{width:100px;overflow:hidden}"),
    (".k{content-visibility:hidden}", ".k{content-visibility:auto}"),
    (".k{-webkit-text-fill-color:transparent}", ".k{-webkit-text-fill-color:navy;color:white}"),
    (".k{filter:opacity(0)}", ".k{filter:opacity(1)}"),
    (".k{-webkit-text-security:disc}", ".k{-webkit-text-security:none}"),
    (".k{opacity:0;animation:a 1s forwards}", "@keyframes a{to{opacity:1}}.k{opacity:0;animation:a 1s forwards}"),
    ("@keyframes a{to{opacity:0}}.k{animation:a 1s both}", "@keyframes a{to{opacity:0}}.k{animation:a 1s}"),
    (".k{color:transparent}", ".k{color:transparent;background:linear-gradient(red,blue);background-clip:text}"),
    (".k{d\\69splay:none}", ".k{d\\69splay:inline}"),
    (".k{/**/display/**/:/**/none/**/}", ".k{/*display:none*/}"),
    (".k{display:none;display:nonsense(}", ".k{display:none}.k{display:inline}"),
    (".k{color:white;color:nonsense}", ".k{color:white;color:red}"),
    ("@container (width>1px){}.k{display:none}", ".k:hover,.k:focus-visible{display:none}"),
]


@pytest.mark.parametrize(("hidden", "seen"), SHEETS)
def test_what_a_style_sheet_hides_is_left_out_and_its_twin_is_kept(hidden: str, seen: str) -> None:
    body = "<div><p class=k id=i data-x>said</p></div><section>yes</section>"
    told = page(f"<!doctype html><style>{hidden}</style>{body}")
    assert told.text == "yes"
    (caution,) = told.cautions
    assert caution.code == "hidden-text" and "omitted: 4 characters (4 " in caution.message
    told = page(f"<!doctype html><style>{seen}</style>{body}")
    assert "said" in told.text and told.cautions == ()


ELEMENTS = [
    ("<dialog>said</dialog>", "<dialog open>said</dialog>"),
    ("<input><datalist><option>said</datalist>", "<input value=said>"),
    ("<p hidden=until-found>said</p>", "<p hidden style='display:block'>said</p>"),
    ("<div popover>said</div>", "<div popover style='display:block'>said</div>"),
    ("<select><option>b<option>said</select>", "<select><option>b<option selected>said</select>"),
    ("<input type=hidden value=said>", "<input type=text value=said>"),
    ("<input placeholder=said>", "<textarea>said</textarea>"),
    ("<noscript>said</noscript>", "<details>said</details>"),
    ("<body bgcolor=black><font color=black>said</font><p style='color:red'>b", "<body bgcolor=black text=white>said"),
    ("<p style='color:white'>said</p>", "<p style='color:white'><a href=x>said</a></p>"),
    ("<p style='color:white'>said</p>", "<p style='color:white'><mark>said</mark></p>"),
    ("<svg><text fill=none>said</text></svg>", "<svg><text fill=white>said</text></svg>"),
    ("<svg><defs><text>said</text></defs></svg>", "<svg><text>said</text></svg>"),
    ("<ruby>b<rp>said</rp></ruby>", "<ruby>b<rt>said</rt></ruby>"),
    (
        "<style>p{color:red}</style><p style='color:#fff'>said",
        "<style>p{background:red}</style><p style='color:#fff'>said",
    ),
    ("<style media=screen>p{display:none}</style><p>said</p>yes", "<style media=print>p{display:none}</style><p>said"),
    ("<style>.K{display:none}</style><p class=k>said", "<!doctype html><style>.K{display:none}</style><p class=k>said"),
]


@pytest.mark.parametrize(("hidden", "seen"), ELEMENTS)
def test_what_an_element_or_attribute_hides_is_left_out_and_its_twin_is_kept(hidden: str, seen: str) -> None:
    assert "said" not in page(f"<b>yes</b>{hidden}").text
    assert "said" in page(seen).text


def test_styles_that_cannot_be_read_are_named() -> None:
    said = "<p style='color:white'>said"
    assert codes(f"<link rel=stylesheet href=a.css>{said}") == ["styles-unread"]
    assert codes(f"<style>@import 'a.css';</style>{said}") == ["styles-unread"]
    assert codes("<style>@container (width>9px){p{display:none}}</style><p>said") == ["styles-unread"]
    assert codes("<style>p:lang(en){display:none}</style><p>said") == ["styles-unread"]
    assert codes("<style>p::before{content:counter(n)}</style><p>said") == ["styles-unread"]
    for harmless in (
        "<link rel='alternate stylesheet' href=a.css>",
        "<link rel=stylesheet media=print href=a.css>",
        "<style>p:lang(en){vertical-align:top}a::selection{color:red}@font-face{src:url(a)}</style>",
    ):
        assert codes(f"{harmless}<p>said") == []


def test_hostile_style_sheets_are_no_crash_and_take_no_time() -> None:
    nested = "a{" * 5_000
    many = "".join(f".c{number} b:not(.d){{display:none}}" for number in range(3_000))
    chain = "div " * 500 + "p{display:none}"
    for css in (
        nested,
        "(" * 50_000,
        "a{b:" + "[" * 50_000,
        many,
        chain,
        ":has(" * 5_000,
        "@media " * 9_000,
        "}" * 9_000,
    ):
        assert "said" in page(f"<style>{css}</style>{'<div>' * 200}said").text
    lost = f"<style>i > {'div ' * 40}.z{{display:none}}</style>{'<div>' * 1_500}<i><p class=z>said"
    assert page(lost).text == "said"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("", True),
        ("all", True),
        ("only screen and (min-width: 40em)", True),
        ("print, screen", True),
        ("not all", False),
        ("not print", True),
        ("speech", False),
        ("(400px <= width < 900px)", False),
        ("(width >= 900px)", True),
        ("(prefers-color-scheme: dark)", False),
        ("(hover) and (pointer: fine)", True),
        ("(min-resolution: 2dppx)", None),
        ("screen and (unheard: of)", None),
        ("((width > 1px) or (hover))", None),
    ],
)
def test_media_queries_are_answered_for_a_desktop(query: str, answer: bool | None) -> None:
    assert media_matches(query) is answer


def test_lengths() -> None:
    assert (pixels("2em", em=10), pixels("50%", whole=10), pixels("1in"), pixels("-9e3px")) == (20, 5, 96, -9000)
    assert (pixels("calc(1px * 0)"), pixels("calc( 9px )"), pixels("calc(1px * (2 + 3))"), pixels("auto")) == (
        0,
        9,
        None,
        None,
    )


def test_the_space_beside_hidden_words_stays() -> None:
    assert page("ok<b style='visibility:hidden'>no <i style='visibility:visible'>yes</i></b>").text == "ok yes"

"""Text files: encodings, line ends, Markdown headings; HTML pages."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Heading, Page, Span
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.html.source_tags import nesting_depth
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.plain.decoding import decode_text
from ralph_cli.documents.plain.reader import parse_text

LIMITS = LoadLimits()
WESTERN = "Café “net” sales: £1,577 and €12 – don’t round"


@pytest.mark.parametrize(
    ("data", "text", "caution"),
    [
        (WESTERN.encode(), WESTERN, None),
        (b"\xef\xbb\xbf" + WESTERN.encode(), WESTERN, None),
        (WESTERN.encode("utf-16"), WESTERN, None),
        (b"\xfe\xff" + WESTERN.encode("utf-16-be"), WESTERN, None),
        (WESTERN.encode("utf-16-le"), WESTERN, None),
        (WESTERN.encode("utf-16-be"), WESTERN, None),
        (WESTERN.encode("utf-32"), WESTERN, None),
        (WESTERN.encode("cp1252"), WESTERN, "encoding-guessed"),
        ("latin £1,577".encode("latin-1"), "latin £1,577", "encoding-guessed"),
        (("é" + "x" * 5000).encode() + b"\xff\xfe\xff", "é" + "x" * 5000 + "\ufffd" * 3, "bytes-replaced"),
        # Nothing in it says UTF-8, so the odd byte is a curly apostrophe, not damage.
        (b"x" * 5000 + b"\x92", "x" * 5000 + "\u2019", "encoding-guessed"),
        (b"\xef\xbb\xbf" + b"x" * 5000 + b"\x92", "x" * 5000 + "\ufffd", "bytes-replaced"),
        ("日本語、テキスト".encode(), "日本語、テキスト", None),
        (b"tab\tand escape \x1b[0m in a long enough line of text to be plain, with more words behind it",) * 2
        + (None,),
    ],
)
def test_encodings(data, text, caution):
    expected = text if isinstance(text, str) else text.decode()
    found, cautions = decode_text(data, name="a.txt")
    assert found == expected
    assert [c.code for c in cautions] == ([caution] if caution else [])
    if caution == "bytes-replaced":
        assert cautions[0].message.startswith(str(expected.count("\ufffd")))


JAPANESE = "契約の期間は三年とし、更新することができる。\n売上高は一千五百円である。"
CHINESE = "本合同的期限为三年，双方同意后可以延长。\n公司的收入是一千五百万元。"
TAIWANESE = "本合約的期限為三年，雙方同意後可以延長。\n公司的收入是一千五百萬元。"
KOREAN = "이 계약의 기간은 삼 년으로 하고 연장할 수 있다.\n회사의 매출은 천오백만 원이다."
RUSSIAN = "Срок договора: три года.\nВыручка 1577 рублей."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(JAPANESE, "cp932"), (JAPANESE, "euc_jp"), (CHINESE, "gb18030"), (TAIWANESE, "big5"), (KOREAN, "euc_kr")],
)
def test_east_asian_encodings_are_guessed_with_a_caution(text, encoding):
    found, (caution,) = decode_text(text.encode(encoding), name="a")
    assert found == text
    assert caution.code == "encoding-guessed" and "--encoding" in caution.message


@pytest.mark.parametrize("text", [RUSSIAN, "Größe und Übermaß, naïve façade: 1,577 £"])
def test_western_and_cyrillic_bytes_are_taken_for_no_east_asian_text(text):
    encoding = "cp1251" if text == RUSSIAN else "cp1252"
    found, (caution,) = decode_text(text.encode(encoding), name="a")
    assert "Windows-1252" in caution.message and (found == text) == (encoding == "cp1252")


@pytest.mark.parametrize("text", [JAPANESE, CHINESE, KOREAN, RUSSIAN])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_in_any_script(text, encoding):
    assert decode_text(text.encode(encoding), name="a") == (text, ())


def test_iso_2022_jp_is_known_by_its_escapes():
    assert decode_text(JAPANESE.encode("iso2022_jp"), name="a") == (JAPANESE, ())
    assert decode_text(b"\x1b[1mbold\x1b[0m $B", name="a") == ("\x1b[1mbold\x1b[0m $B", ())


@pytest.mark.parametrize(
    ("label", "codec"),
    [("x-sjis", "cp932"), ("ks_c_5601-1987", "cp949"), ("gb2312", "gb18030"), ("latin1", "cp1252"), ("cp949", "cp949")],
)
def test_names_of_encodings_are_those_of_browsers_and_of_python(label, codec):
    text = {"cp932": "\u2460 円", "cp1252": "\u2019"}.get(codec, "뷁" if codec == "cp949" else "\u20ac 元")
    assert decode_text(text.encode(codec), name="a", encoding=label) == (text, ())


def test_a_mark_says_more_than_a_name():
    assert decode_text("£".encode("utf-16"), name="a", encoding="utf-16") == ("£", ())
    assert decode_text(b"\xfe\xff" + "£".encode("utf-16-be"), name="a", encoding="utf-16") == ("£", ())


def test_given_encoding():
    assert decode_text("日本".encode("cp932"), name="a", encoding="cp932") == ("日本", ())
    assert decode_text("ÄÖ".encode("latin-1"), name="a", encoding="latin-1") == ("ÄÖ", ())
    for encoding in ("utf-8", "no-such", "rot13", "hex", "replacement"):
        with pytest.raises(DocumentError) as caught:
            decode_text(b"\xff\xfa", name="a", encoding=encoding)
        assert caught.value.code == "undecodable"
        assert "--encoding" in caught.value.hint


@pytest.mark.parametrize("data", [b"abc\0def!", b"\0" * 100, b"\x7fELF\x02\x01\0\0", b"\xff\xfe" + b"\0" * 9])
def test_binary(data):
    with pytest.raises(DocumentError) as caught:
        decode_text(data, name="a")
    assert caught.value.code in ("unsupported", "undecodable")


@given(st.binary(max_size=300))
def test_any_bytes_decode_or_give_a_document_error(data):
    try:
        text, _ = decode_text(data, name="a")
    except DocumentError as error:
        assert error.code in ("unsupported", "undecodable")
    else:
        assert "\0" not in text
        text.encode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_utf8_comes_back_unchanged(text):
    try:
        assert decode_text(text.encode(), name="a") == (text.removeprefix("\ufeff"), ())
    except DocumentError as error:
        assert error.code == "unsupported"  # too many control characters


def headings(markdown):
    parsed = parse_text(markdown.encode(), name="a.md", kind="markdown", encoding=None, limits=LIMITS)
    for heading in parsed.headings:
        assert heading.text.split()[0] in parsed.text[heading.start :].split("\n")[0]
    return [(h.text, h.level) for h in parsed.headings]


def test_markdown_headings():
    assert headings("# One\ntext\n\n## Two ##\n###Not\n\nSet\n===\n\nSub one\n---\n") == [
        ("One", 1),
        ("Two", 2),
        ("Set", 1),
        ("Sub one", 2),
    ]
    assert headings("```python\n# comment\n```\n# Real\n~~~\n# no\n```\n# no\n~~~\n    # code\n") == [("Real", 1)]
    assert headings("- item\n---\n\n| a |\n---\ntext\n\n---\n") == []
    assert headings("# C#\n# #\n####### seven\n") == [("C#", 1)]
    assert headings("# a\f# b") == [("a", 1), ("b", 1)]


def test_markdown_headings_of_hostile_lines_are_quick():
    headings("# " + " " * 200_000 + "x" + "#" * 100_000 + "\n" + "- " * 100_000 + "x\n" + "`" * 100_000)


def page(source, **options):
    data = source if isinstance(source, bytes) else source.encode()
    return parse_html(data, name="a.html", encoding=options.get("encoding"), limits=options.get("limits", LIMITS))


def html(source, **options):
    return page(source, **options).text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one<p>two", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("a <b>b</b><i>c</i>\n d", "a bc d"),
        ("<title>T</title><p>x", "T\n\nx"),
        ("<ul><li>x<li>y</ul>", "• x\n• y"),
        ("<table><tr><td>PP&amp;E<td>(1,577)<td>$ 5</table>", "PP&E  (1,577)  $ 5"),
        ("<table><tr><td><p>a</p><p>b</p></td><td>&nbsp;</td><td>1<tr><td>c<td>2</table>", "a b  1\nc  2"),
        ("<table><tr><td><div>only</div><div>cell</div></table>", "only\ncell"),
        ("<table><tr><td>l<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>", "l\n\n1  2\n3  4"),
        ("<pre>  a\n    b  c\n</pre>x", "  a\n    b  c\n\nx"),
        ("<pre>a<b>b</b> \n c</pre>", "ab \n c"),
        ("snake_case * 3 &lt;tag&gt; “q”", "snake_case * 3 <tag> “q”"),
        ("1\u202f577\xa0€", "1\u202f577\xa0€"),
        ("<body><script>no</script><style>no</style><noscript>no</noscript><template>no</template>yes", "yes"),
        ("<!-- no -->a<canvas>no</canvas>b", "ab"),
        ("<pre>a\fb</pre>", "a\nb"),
    ],
)
def test_html_text(source, text):
    assert html(source) == text


def test_html_headings():
    parsed = page("<h1>One <b>bold</b></h1><p>x<h3>\n Three</h3><h2></h2>")
    text = parsed.text
    assert [(h.text, h.level) for h in parsed.headings] == [("One bold", 1), ("Three", 3)]
    assert all(text[h.start :].startswith(h.text) for h in parsed.headings)


def test_hidden_elements_are_left_out_and_counted():
    parsed = page(
        "<p hidden>a<p style='color:red; DISPLAY : none'>b<div style='visibility:hidden'>c<p>d</div>"
        "<p style='display:block'>shown"
    )
    assert parsed.text == "shown"
    assert [(c.code, c.message) for c in parsed.cautions] == [
        ("hidden-text", "hidden text omitted: 4 characters (4 marked as hidden)")
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>no</p>",
        "<p style='display:none'><b style='display:block'>no</b></p>",
        "<p style='visibility: HIDDEN !important'>no</p>",
        "<p style='visibility:collapse'>no</p>",
        "<p style='font-size:0'>no</p>",
        "<p style='font-size: 0px'>no <i>no</i></p>",
        "<p style='opacity:0'>no</p>",
        "<p style='opacity:.01'>no</p>",
        "<p style='color:#fff'>no</p>",
        "<p style='color:white; background:#FFFFFF'>no</p>",
        "<p style='color:rgb(250, 250, 250)'>no</p>",
        "<p style='color:rgba(0,0,0,0)'>no</p>",
        "<p style='color:#0000'>no</p>",
        "<p style='color:transparent'>no</p>",
        "<font color=white>no</font>",
        "<table bgcolor=navy><tr><td style='color:#000088'>no</table>",
        "<div style='background-color:#123'><p style='color:#112233'>no</p></div>",
        "<p style='text-indent:-9999px'>no</p>",
        "<p style='position:absolute; left:-999em'>no</p>",
        "<p style='position:fixed;top:-2000px'>no</p>",
        "<p style='margin-left:-5000px'>no</p>",
        "<p style='position:absolute;clip:rect(0, 0, 0, 0)'>no</p>",
        "<p style='clip-path:inset(50%)'>no</p>",
        "<p style='height:0;overflow:hidden'>no</p>",
        "<p style='/* color:red */ color:white'>no</p>",
        "<p style='color:hsl(0 0% 100%)'>no</p>",
        "<p style='color:rgb(0 0 0 / 0%)'>no</p>",
        "<p style='color:mintcream'>no</p>",
        "<p style='opacity:1%'>no</p>",
        "<font color=fefefe>no</font>",
        "<style>p{color:red}</style><p style='color:#fff;background:#fff'>no</p>",
    ],
)
def test_hidden_html_is_left_out_with_a_caution(hidden):
    parsed = page(f"{hidden}<p>yes</p>")
    assert parsed.text == "yes"
    (caution,) = parsed.cautions
    letters = 2 * hidden.replace(" ", "").count("no<")
    assert caution.code == "hidden-text" and f"omitted: {letters} characters" in caution.message


@pytest.mark.parametrize(
    "shown",
    [
        "<p aria-hidden=true>yes</p>",
        "<p style='display:block; visibility:visible; opacity:1; font-size:10px'>yes</p>",
        "<p style='visibility:hidden'><b style='visibility:visible'>yes</b></p>",
        "<p style='font-size:0'><b style='font-size:12px'>yes</b></p>",
        "<p style='color:white'><b style='color:black'>yes</b></p>",
        "<p style='color:white;background:navy'>yes</p>",
        "<p style='color:white;background-color:rgba(0,0,0,.5)'>yes</p>",
        "<div style='background:black'><p style='color:#fff; background:transparent'>yes</p></div>",
        "<table><tr bgcolor='#000080'><th><font color='#ffffff'>yes</font></table>",
        "<style>.head{background:navy}</style><p class=head style='color:white'>yes</p>",
        "<p style='color:inherit;background:none'>yes</p>",
        "<p style='color:#ddd'>yes</p>",
        "<p style='color:var(--white)'>yes</p>",
        "<p style='text-indent:-20px; margin-left:-10px; left:-9999px'>yes</p>",
        "<p style='position:absolute;left:-10px;clip:rect(0,100px,20px,0)'>yes</p>",
        "<p style='height:0'>yes</p>",
        "<p style='width:0.5em;overflow:hidden'>yes</p>",
        "<p style='font-size:smaller;opacity:0.5'>yes</p>",
        "<p style='font-size:;color:;:;x'>yes</p>",
        "<p style='color:rgba(255,255,255,1..2);opacity:.;left:-'>yes</p>",
        "<p style='/* color:white'>yes</p>",
        f"<p style='{'/*' * 200_000}'>yes</p>",
        f"<p style='color:{'(' * 50_000}'>yes</p>",
        f"<p style='color:{'rgb(' * 50_000}; left:{'[{' * 50_000}'>yes</p>",
        "<p style='color:lab(100% 0 0)'>yes</p>",
        "<p style='color:currentcolor;background:white url(dark.png)'>yes</p>",
        "<details><p>yes</p></details>",
    ],
)
def test_shown_html_is_kept(shown):
    parsed = page(shown)
    assert parsed.text == "yes" and parsed.cautions == ()


@pytest.mark.parametrize("ground", ["url(dark.png)", "linear-gradient(red, blue)"])
def test_white_html_on_a_picture_is_kept_and_named(ground):
    parsed = page(f"<p style='background:{ground}'><b style='color:white'>yes</b> <b>black</b></p>")
    assert parsed.text == "yes black"
    (caution,) = parsed.cautions
    assert caution.code == "visibility-unknown" and "3 white characters" in caution.message


def test_html_encodings():
    assert html(b"<meta charset=iso-8859-1><p>" + "‘£’".encode("cp1252")) == "‘£’"
    assert html("<meta charset='shift_jis'><p>日本".encode("cp932")) == "日本"
    assert html("<meta charset=ascii-of-sorts><p>£") == "£"
    assert html("<meta charset=utf-16><p>£") == "£"
    assert html("<p>日本".encode("cp932"), encoding="cp932") == "日本"
    assert html("<p>£".encode("utf-16")) == "£"
    assert html(b"<?xml version='1.0' encoding='x-sjis'?><html><p>" + "日本".encode("cp932")) == "日本"
    assert html(b"<!-- <meta charset=koi8-r> --><meta charset=windows-1251><p>" + "Срок".encode("cp1251")) == "Срок"
    damaged = page(b"<meta charset=shift_jis><p>" + JAPANESE.encode("cp932") * 100 + b"\x81")
    assert [c.code for c in damaged.cautions] == ["bytes-replaced"]
    wrong = page(b"<meta charset=big5><p>" + JAPANESE.encode("cp932"))
    assert [c.code for c in wrong.cautions] == ["encoding-guessed"] and wrong.text.startswith(JAPANESE[:9])


def test_nesting():
    assert nesting_depth("<div><p><div></div></div><div>", 10) == 2
    assert nesting_depth("<p>" * 100 + "<br>" * 100, 10) == 0
    assert nesting_depth("<b>" * 100, 10) == 11
    with pytest.raises(DocumentError):
        page("<b>" * 3000 + "x")


def test_deep_but_allowed_html_does_not_overflow_the_stack():
    assert html("<div>" * 1900 + "x" + "</div>" * 1900) == "x"


@given(
    st.lists(
        st.sampled_from(
            [
                "<table>",
                "<tr>",
                "<td>",
                "</td>",
                "</table>",
                "<p>",
                "<h1>",
                "</h1>",
                "<pre>",
                "</pre>",
                "<div",
                "hidden>",
                "</div>",
                "a",
                "<br>",
            ]
        )
    )
)
def test_any_tag_soup(pieces):
    try:
        parsed = page("".join(pieces))
    except DocumentError as error:
        assert error.code == "no-text"
    else:
        parsed.validate(LIMITS)


def test_a_place_in_a_text_without_pages_is_its_line_or_paragraph_and_the_heading_above() -> None:
    text = "The start.\n\nTerm\nTen years.\n"
    headed = Document("d", "d.md", "markdown", "", "", text, (Page(1, "1", 0, len(text)),), (Heading("Term", 12, 1),))
    ten = Span(text.index("Ten"), text.index("Ten") + 3)
    assert (headed.describe_span(Span(0, 3)), headed.describe_span(ten)) == ("line 1", "line 4, under “Term”")
    assert replace(headed, kind="html").describe_span(ten) == "paragraph 3, under “Term”"

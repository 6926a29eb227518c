"""Damaged office files and books: what is wrong is said in words, and nothing is lost in silence."""

import io
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from office_files import cell, chart, epub, open_document, pack, parse, pptx, row, shape, sheet, slide, words, xlsx

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.xml_tree import BrokenXml, DeclaresEntities, iterate_xml, parse_xml
from ralph_cli.documents.parsed import ParsedDocument

_NOT_WORDS = re.compile(r"Error|Exception|zlib|expat|decompress|codec|NoneType|object at|0x|Traceback|index out")
_COMMENTS = (
    "<comments xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><commentList>"
    "<comment ref='A1'><text><t>remark</t></text></comment></commentList></comments>"
)
_FRAME = "<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id='k'/></a:graphicData></a:graphic></p:graphicFrame>"
_OBJECT = "<draw:frame><draw:object xlink:href='./Object 1'/></draw:frame>"
_ODF_CHART = (
    "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' "
    "xmlns:c='urn:oasis:names:tc:opendocument:xmlns:chart:1.0' "
    "xmlns:t='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><c:chart><c:title><t:p>drawn</t:p></c:title></c:chart></o:document-content>"
)
_CELLS = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"

WHOLE: dict[str, Callable[[], bytes]] = {
    "xlsx": lambda: xlsx(
        {
            "One": sheet(
                row(1, cell("A1", "0", kind="s"), cell("B1", "0.25", style=1)) + row(2, words("A2", "second"))
            ),
            "Two": sheet(row(1, words("A1", "third"))),
        },
        strings=("<t>first</t>",),
        formats=("0%",),
        relations={"sheets/sheet1.xml": {"n": "comments ../comments1.xml"}},
        **{"comments1.xml": _COMMENTS},
    ),
    "pptx": lambda: pptx(
        slide(shape("first", kind="title"), _FRAME),
        slide(shape("second")),
        relations={
            "slides/slide1.xml": {"n": "notesSlide ../notesSlides/notesSlide1.xml", "k": "chart ../charts/chart1.xml"}
        },
        **{
            "notesSlides/notesSlide1.xml": slide(shape("remark", kind="body"), root="notes"),
            "charts/chart1.xml": chart("drawn"),
        },
    ),
    "odt": lambda: open_document(
        "odt", f"<text:p>first{_OBJECT}</text:p><text:p>second</text:p>", **{"Object 1/content.xml": _ODF_CHART}
    ),
    "ods": lambda: open_document(
        "ods",
        f"<table:table table:name='A'><table:shapes>{_OBJECT}</table:shapes>{_CELLS.format('first')}</table:table>"
        f"<table:table table:name='B'>{_CELLS.format('second')}</table:table>",
        **{"Object 1/content.xml": _ODF_CHART},
    ),
    "odp": lambda: open_document(
        "odp",
        f"<draw:page><draw:frame><draw:text-box><text:p>first</text:p></draw:text-box></draw:frame>{_OBJECT}</draw:page>",
        **{"Object 1/content.xml": _ODF_CHART},
    ),
    "epub": lambda: epub({"a.xhtml": "<p>first</p>", "b.xhtml": "<h1>second</h1>"}),
    "rtf": lambda: (
        rb"{\rtf1\ansi{\fonttbl{\f0\fcharset0 A;}}first {\footnote remark}\par\trowd\cellx100\cellx200\intbl "
        rb"second\cell 12\cell\row\pard caf\'e9 \u8364?\par}"
    ),
}


def text_of(parsed: ParsedDocument) -> set[str]:
    return set(re.findall(r"\w+", parsed.text))


def damage(data: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """One damaged copy of each sort."""
    yield "cut", data[: chance.randrange(len(data))]
    flipped = bytearray(data)
    for _ in range(chance.choice((1, 3, 30))):
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    yield "flipped", bytes(flipped)
    if not data.startswith(b"PK"):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(parts)
    gone, other = chance.choice(names), chance.choice(names)
    yield "dropped", pack({name: part for name, part in parts.items() if name != gone})
    yield "swapped", pack(parts | {gone: parts[other], other: parts[gone]})
    yield "shortened", pack(parts | {gone: parts[gone][: chance.randrange(len(parts[gone]) + 1)]})
    edited = bytearray(parts[gone] or b" ")
    edited[chance.randrange(len(edited))] = chance.randrange(32, 127)
    yield "edited", pack(parts | {gone: bytes(edited)})
    relation = re.compile(rb"Target='[^']*'|r?:?[Ii]d='[^']*'|href='[^']*'|idref='[^']*'")
    yield "misled", pack({name: relation.sub(_mislead(chance), part) for name, part in parts.items()})


def _mislead(chance: random.Random) -> Callable[["re.Match[bytes]"], bytes]:
    return lambda match: match[0] if chance.random() < 0.8 else match[0].partition(b"=")[0] + b"='../../x/y'"


def check_damage(kind: str, rounds: int) -> None:
    chance = random.Random(kind)
    whole = text_of(parse(kind, WHOLE[kind]()))
    refused = read = 0
    for _ in range(rounds):
        for sort, data in damage(WHOLE[kind](), chance):
            try:
                parsed = parse(kind, data)
            except DocumentError as error:
                refused += 1
                assert error.code != "crashed" and not _NOT_WORDS.search(error.message), (sort, error.message)
                continue
            read += 1
            lost = whole - text_of(parsed)
            is_told = parsed.cautions or sort in ("edited", "swapped", "flipped")  # other words are no loss
            assert not lost or is_told, (sort, lost)
    assert refused and read > rounds // 2


@pytest.mark.parametrize("kind", WHOLE)
def test_no_damage_ends_in_anything_but_words(kind: str) -> None:
    check_damage(kind, 8)


@pytest.mark.full
@pytest.mark.parametrize("kind", WHOLE)
def test_no_damage_of_many_ends_in_anything_but_words(kind: str) -> None:
    check_damage(kind, 300 if kind == "rtf" else 100)


def _repack(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return pack({name: change(name, archive.read(name)) for name in archive.namelist()})


NAMED_ELSEWHERE = (
    "<!DOCTYPE x>",
    "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>",
    "<!-- <!DOCTYPE x [ --><?p [?>\n<!DOCTYPE x PUBLIC '-//A//B' \"a>b[<!ENTITY c 'd'>]\">",
)
DECLARING = (
    "<!DOCTYPE x []>",
    "<!DOCTYPE x [<!ENTITY a 'aaaa'>]>",
    "<!-- > --><?p?><!DOCTYPE x SYSTEM ']>' [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]>",
    "<!DOCTYPE x PUBLIC '-//A//B' 'a>'\n[<!ELEMENT x ANY>]>",
)


@pytest.mark.parametrize("kind", sorted(WHOLE.keys() - {"rtf"}))
def test_a_document_type_that_declares_nothing_changes_nothing(kind: str) -> None:
    for named in NAMED_ELSEWHERE:
        is_xml = re.compile(r"\.(xml|rels|opf)$")
        data = _repack(WHOLE[kind](), lambda name, part: named.encode() + part if is_xml.search(name) else part)  # noqa: B023
        assert parse(kind, data) == parse(kind, WHOLE[kind]())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_declarations_are_refused_in_each_encoding_before_they_are_read(encoding: str) -> None:
    for declared in NAMED_ELSEWHERE:
        assert parse_xml(f"{declared}<x>12</x>".encode(encoding)).text == "12"
    for declared in DECLARING:
        with pytest.raises(DeclaresEntities):
            parse_xml(f"{declared}<x>12</x>".encode(encoding))


def test_a_definition_elsewhere_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "x.dtd").write_text("<!ENTITY a 'aaaa'>")
    with pytest.raises(BrokenXml, match="an entity that is not declared"):
        parse_xml(f"<!DOCTYPE x SYSTEM '{tmp_path.as_uri()}/x.dtd'><x>1&a;2</x>".encode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("size", [7, 1000])
def test_an_entity_that_is_not_declared_is_not_passed_over_in_an_attribute(encoding: str, size: int) -> None:
    declared = f"<?xml version='1.0' encoding='{encoding}'?><!DOCTYPE x PUBLIC 'x' 'x.dtd'>"

    def read(value: str) -> str:
        data = f"{declared}<x><y a='{value}'/></x>".encode(encoding)
        pieces = (data[at : at + size] for at in range(0, len(data), size))
        return next(iterate_xml(pieces, [":y"], lambda root: None)).get("a", "")

    assert read("1&amp;&lt;&#53;&#x35;&apos;") == "1&<55'"
    for name in ("y", "caf\u00e9", "a.long-name"):
        with pytest.raises(BrokenXml, match=f"an entity that is not declared: {name[:3]}"):
            read(f"1&{name};5")


@pytest.mark.parametrize("kind", sorted(WHOLE.keys() - {"rtf", "epub"}))
def test_declared_entities_are_refused_and_what_unpacks_to_too_much(kind: str) -> None:
    main = re.compile(r"workbook\.xml$|presentation\.xml$|^content\.xml$")
    declared = b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>"
    data = _repack(WHOLE[kind](), lambda name, part: declared + part if main.search(name) else part)
    with pytest.raises(DocumentError, match="document type with an internal subset") as caught:
        parse(kind, data)
    assert caught.value.code == "unsupported"
    large = _repack(WHOLE[kind](), lambda name, part: part + b" " * 5_000_000 if main.search(name) else part)
    with pytest.raises(DocumentError, match="unpacks to more than") as caught:
        parse(kind, large, LoadLimits(characters=500_000))
    assert caught.value.code == "too-big"


@pytest.mark.parametrize("kind", ["xlsx", "pptx"])
def test_a_part_to_which_nothing_leads_is_named(kind: str) -> None:
    away = b"Id='z' TargetMode='External'"
    data = _repack(WHOLE[kind](), lambda name, part: part.replace(b"Id='n'", away))
    codes = {caution.code: caution.message for caution in parse(kind, data).cautions}
    assert "nothing that was read refers to them" in codes["damaged"]

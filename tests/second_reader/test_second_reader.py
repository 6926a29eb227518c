"""What ralph reads in a file is what a program of others reads there, but for differences whose class is known.

`known.json` has the classes, each with what it is, and by format the number of files that may have it.
"""

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from differences import classify, tokens
from document_fixtures import load_document
from made import write_files
from readers import KINDS, PROGRAMS, Seen, read_files

from ralph_cli.core.document import Caution, Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Addition

KNOWN = json.loads(Path(__file__).with_name("known.json").read_text("utf-8"))
FOREIGN = os.environ.get("FOREIGN_FILES", "")

Found = dict[str, dict[str, list[str]]]
"""By format and class, a line for each file; "none" is the class of files in which nothing differs."""


def compare(paths: Sequence[Path], folder: Path) -> Found:
    """The classes of the differences between what ralph and others read in files."""
    others = read_files(paths, folder)
    found: Found = defaultdict(lambda: defaultdict(list))
    for path in paths:
        seen = others.get(path)
        try:
            document = load_document(path)
        except DocumentError as error:
            is_read = seen is not None and tokens(seen.shown)
            classes = {f"refused by ralph{', read by the other' * bool(is_read)}: {error.code}": [""]}
        else:
            classes = classify(document, seen) if seen else {"refused by the other": [""]}
        for name, words in (classes or {"none": [""]}).items():
            found[KINDS[path.suffix[1:].lower()]][name].append(f"{path.name}: {' '.join(words[:12])}")
    return found


def find_faults(found: Found, known: dict[str, dict[str, int]], *, exactly: bool) -> list[str]:
    """What is not as the table says: each class with some of its files."""
    faults = []
    for kind in sorted(found.keys() | known.keys() if exactly else found.keys()):
        classes, expected = found.get(kind, {}), known.get(kind, {})
        for name in sorted(classes.keys() | expected.keys() if exactly else classes.keys()):
            files, most = classes.get(name, []), expected.get(name, 0)
            if name != "none" and (len(files) > most or (exactly and len(files) < most)):
                faults += [
                    f"{kind}: {name}: {len(files)} files, known.json has {most}",
                    *(f"    {it}" for it in files[:3]),
                ]
    return faults


def check(paths: Sequence[Path], reader: str, known: dict[str, dict[str, int]], folder: Path, *, exactly: bool) -> None:
    """Hold the files that this reader reads against the table; how many have each class is written into the folder."""
    missing = [one for one in (reader, "pdftotext") if shutil.which(one) is None]
    if missing and (reader in missing or reader == "soffice"):
        pytest.skip(f"{' and '.join(missing)} not installed")
    found = compare([path for path in paths if KINDS.get(path.suffix[1:].lower()) in PROGRAMS[reader]], folder)
    counts = {kind: {name: len(files) for name, files in sorted(it.items())} for kind, it in sorted(found.items())}
    (folder / "counts.json").write_text(json.dumps(counts, indent=1), "utf-8")
    own = {kind: classes for kind, classes in known.items() if kind in PROGRAMS[reader]}
    faults = "\n".join(find_faults(found, own, exactly=exactly))
    assert not faults, f"differences that known.json does not have; {folder}/counts.json has all counts\n{faults}"


@pytest.mark.full
@pytest.mark.parametrize("reader", PROGRAMS)
def test_files_that_the_tests_make_are_read_as_others_read_them(reader: str, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    check(write_files(tmp_path / "files"), reader, KNOWN["made"], tmp_path, exactly=True)


@pytest.mark.full
@pytest.mark.own_process
@pytest.mark.skipif(not FOREIGN, reason="FOREIGN_FILES names no folder of foreign files")
@pytest.mark.parametrize("reader", PROGRAMS)
def test_files_of_others_are_read_as_others_read_them(reader: str, tmp_path: Path) -> None:
    paths = sorted(path for path in Path(FOREIGN).rglob("*") if path.is_file() and path.name != "README.md")
    check(paths, reader, KNOWN["foreign"], tmp_path, exactly=False)


def test_every_class_of_the_table_is_explained() -> None:
    used = {name.partition(": ")[0] for of in ("made", "foreign") for it in KNOWN[of].values() for name in it}
    assert used == KNOWN["classes"].keys()


@pytest.mark.parametrize(
    ("text", "shown", "held", "classes"),
    [
        ("The rent is 48,000.", "The rent\nis 48000.", None, {}),
        ("1,858.00 and 1.858,50", "1858.00 and 1858.50", None, {}),
        ("CO\u2082 and 10\u2076", "CO2 and 106", None, {}),
        ("The fee was 39,500.", "The fee was 93,500.", None, {"figure changed": ["93500", "->", "39500"]}),
        ("The fee", "The fee of 39,500 dollars", None,
         {"figure missing in silence": ["39500"], "word missing in silence": ["of", "dollars"]}),
        ("The fee, 12.35", "The fee, 12.3456", None, {"figure with other decimals": ["12.35", "12.3456"]}),
        ("White words", "White", "White words", {"not shown by the other, not marked by ralph": ["words"]}),
        ("White", "White", "White words", {"left out in silence, not shown": ["words"]}),
        ("The develop- ment", "The development", None, {"other word boundaries": ["develop", "ment", "development"]}),
        ("The fee", "The fee 7", "The fee", {"made by the other when it draws": ["7"]}),
        ("1. One\n2. Two", "One\nTwo", None, {"number of a paragraph only in ralph": ["1", "2"]}),
    ],
)  # fmt: skip
def test_each_difference_has_its_class(
    text: str, shown: str, held: str | None, classes: dict[str, list[str]], make_document: Callable[..., Document]
) -> None:
    assert classify(make_document(text), Seen(shown, shown if held is None else held)) == classes


def test_what_ralph_marks_or_tells_has_its_class(make_document: Callable[..., Document]) -> None:
    document = make_document("The fee [comment by Ann] Why?")
    marked = replace(
        document, additions=(Addition(8, 29, "comment"),), cautions=(Caution("hidden-text", "3 characters"),)
    )
    found = classify(marked, Seen("The fee was", "The fee was"))
    assert found == {
        "marked by ralph: comment": ["comment", "by", "ann", "why"],
        "left out with a notice: hidden-text": ["was"],
    }
    assert "word missing in silence" in classify(marked, Seen("The fee was 2", "The fee was 2"))


def test_more_files_than_the_table_has_are_a_fault() -> None:
    found = {"docx": {"figure changed": ["a.docx: 1 -> 2", "b.docx: 3 -> 4"], "none": ["c.docx: "]}}
    assert find_faults(found, {"docx": {"figure changed": 2, "gone": 1}}, exactly=False) == []
    (first, *_), (second, *_) = (
        find_faults(found, known, exactly=False) for known in ({}, {"docx": {"figure changed": 1}})
    )
    assert "2 files, known.json has 0" in first and "2 files, known.json has 1" in second
    assert "gone: 0 files" in find_faults(found, {"docx": {"figure changed": 2, "gone": 1}}, exactly=True)[0]

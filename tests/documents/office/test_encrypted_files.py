"""Office documents that are encrypted as a whole: opened by the given password, or by the one that Excel tries."""

import hashlib
import io
import random
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import olefile
import pytest
from binary_workbooks import xlsb
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from document_fixtures import load_document
from msoffcrypto.method.container.ecma376_encrypted import ECMA376Encrypted
from msoffcrypto.method.ecma376_agile import ECMA376Agile
from office_files import cautions, pptx, row, shape, sheet, slide, words, xlsx
from word import docx, paragraph

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.source import DocumentSource

DEFAULT = "VelvetSweatshop"


def enlarge(data: bytes) -> bytes:
    """An archive with one more part: the library writes no container with a file of less than 4 KiB."""
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("noise", random.Random(1).randbytes(8192))
    return buffer.getvalue()


FILES = {
    "a.xlsx": enlarge(xlsx({"P": sheet(row(1, words("A1", "The rent is 900.")))})),
    "a.xlsm": enlarge(xlsx({"P": sheet(row(1, words("A1", "The rent is 900.")))})),
    "a.xlsb": enlarge(xlsb({"P": {"A1": "The rent is 900."}})),
    "a.docx": enlarge(docx(paragraph("The rent is 900."))),
    "a.pptx": enlarge(pptx(slide(shape("The rent is 900.")))),
}


def encrypt(data: bytes, password: str, *, spins: int = 100) -> bytes:
    """A file as Office 2010 and later encrypt it; few `spins` make it fast."""
    return bytes(ECMA376Agile.encrypt(password, io.BytesIO(data), spin_count=spins))


def encrypt_as_2007(data: bytes, password: str) -> bytes:
    """A file as Office 2007 encrypts it (MS-OFFCRYPTO, 2.3.4.5 to 2.3.4.9)."""
    salt = bytes(16)
    digest = hashlib.sha1(salt + password.encode("utf-16-le")).digest()
    for at in range(50_000):
        digest = hashlib.sha1(struct.pack("<I", at) + digest).digest()
    digest = hashlib.sha1(digest + bytes(4)).digest()
    key = hashlib.sha1(bytes(0x36 ^ byte for byte in digest.ljust(64, b"\0"))).digest()[:16]
    aes = Cipher(algorithms.AES(key), modes.ECB())

    def cipher(plain: bytes) -> bytes:
        return aes.encryptor().update(plain + bytes(-len(plain) % 16))

    header = struct.pack("<8I", 0x24, 0, 0x660E, 0x8004, 128, 24, 0, 0) + "AES\0".encode("utf-16-le")
    verifier = struct.pack("<I", 16) + salt + cipher(bytes(16))
    verifier += struct.pack("<I", 20) + cipher(hashlib.sha1(bytes(16)).digest())
    info = struct.pack("<HHII", 3, 2, 0x24, len(header)) + header + verifier
    return contain(struct.pack("<Q", len(data)) + cipher(data), info)


def contain(package: bytes, info: bytes) -> bytes:
    """The container with an encrypted file, and with what is said of its encryption."""
    written = io.BytesIO()
    ECMA376Encrypted(package.ljust(8192, b"\0"), info.ljust(1200, b"\0")).write_to(written)
    return written.getvalue()


def hash_often(spins: int) -> bytes:
    """A container that says that a password is to be hashed so many times."""
    with olefile.OleFileIO(io.BytesIO(encrypt(FILES["a.xlsx"], DEFAULT))) as container:
        info = container.openstream("EncryptionInfo").read()
    return contain(b"", info.replace(b'spinCount="100"', b'spinCount="%d"' % spins).ljust(1200))


def refuse(path: Path, data: bytes, password: str | None = None) -> DocumentError:
    """What is said of a file that cannot be opened."""
    path.write_bytes(data)
    with pytest.raises(DocumentError) as caught:
        DocumentSource.of(path, password=password).load()
    assert "\n" not in caught.value.message
    return caught.value


@pytest.mark.parametrize("name", FILES)
def test_what_excel_opens_without_a_question_is_read_without_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(encrypt(FILES[name], DEFAULT))
    document = load_document(path)
    assert "The rent is 900." in document.text and cautions(document).keys() <= {"stored-values"}


def test_files_of_office_2007_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(encrypt_as_2007(FILES["a.xlsx"], DEFAULT))
    assert "The rent is 900." in load_document(path).text


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_a_password_is_opened_by_it_alone(tmp_path: Path, name: str) -> None:
    data = encrypt(FILES[name], "sesame")
    error = refuse(tmp_path / name, data)
    assert (error.code, error.hint) == ("encrypted", "give its password with --password")
    assert refuse(tmp_path / name, data, "Sesame").code == "wrong-password"
    document = DocumentSource.of(tmp_path / name, password="sesame").load()
    assert "The rent is 900." in document.text and cautions(document).keys() <= {"stored-values"}


def test_what_was_opened_with_a_password_is_not_kept(tmp_path: Path) -> None:
    path, cache = tmp_path / "a.docx", tmp_path / "cache"
    path.write_bytes(encrypt(FILES["a.docx"], "sesame"))
    DocumentSource.of(path, password="sesame").load(cache)
    assert not list(cache.rglob("*"))


def test_a_password_has_no_effect_on_a_file_that_is_not_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(FILES["a.docx"])
    assert [one.code for one in DocumentSource.of(path, password="x").load().cautions] == ["unused-password"]


AGILE = struct.pack("<HHI", 4, 4, 0x40)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (encrypt(FILES["a.xlsx"], DEFAULT)[:6000], "damaged"),
        (encrypt(FILES["a.xlsx"], DEFAULT).replace(b"saltValue", b"saltvalue"), "damaged"),
        (contain(b"", AGILE + b"<a" * 200), "damaged"),
        (contain(b"", b"\4\0\2\0"), "damaged"),
        (contain(b"", b"\4\0\3\0"), "damaged"),
        (hash_often(101), "encrypted"),
        (hash_often(1_000_001), "damaged"),
        (encrypt(b"no archive" * 900, DEFAULT), "encrypted"),
        (encrypt(FILES["a.docx"], DEFAULT), "damaged"),
    ],
)
def test_a_container_that_is_broken_is_told_in_one_line(tmp_path: Path, data: bytes, code: str) -> None:
    assert refuse(tmp_path / "a.xlsx", data).code == code


def test_the_library_that_decrypts_is_loaded_by_the_parser_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(encrypt(FILES["a.xlsx"], DEFAULT))
    code = (
        "import sys; from ralph_cli.documents.source import DocumentSource;"
        f"print('900' in DocumentSource.of({str(path)!r}).load().text, 'msoffcrypto' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"

"""Word, Excel and PowerPoint documents that are encrypted as a whole: the archive in them (MS-OFFCRYPTO)."""

import io

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.sniff import is_encrypted_office

_DEFAULT_PASSWORD = "VelvetSweatshop"
"""With it Excel encrypts a workbook that is protected against changes only, and opens it without a question."""

_MOST_INFO = 1 << 20
"""Bytes of what a file says of its encryption; usual are 2,000."""

_MOST_SPINS = 1_000_000
"""How often a password may be hashed, which takes 2 s; Office does it 100,000 times."""


def decrypt_package(data: bytes, name: str, password: str | None) -> bytes:
    """The archive in an encrypted document, which the password or the default one opens; another file as it is.

    Loads the library that decrypts, so for a child process. Raises DocumentError encrypted, wrong-password, damaged.
    """
    if not is_encrypted_office(data):
        return data
    from msoffcrypto.exceptions import InvalidKeyError

    for tried in filter(None, (password, _DEFAULT_PASSWORD)):
        try:
            return _decrypt(data, tried)
        except InvalidKeyError:
            continue
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - the library raises anything for what is broken or unknown to it
            hint = "get the file again, or remove its password and save it again"
            message = f"{name} cannot be decrypted: its encryption is broken, or of an unknown kind"
            raise DocumentError(message, code="damaged", hint=hint) from None
    if password is None:
        hint = "give its password with --password"
        raise DocumentError(f"{name} is protected by a password", code="encrypted", hint=hint)
    raise DocumentError(f"wrong password for {name}", code="wrong-password", hint="check --password")


def _decrypt(data: bytes, password: str) -> bytes:
    """The archive in an encrypted document. Raises what the library raises."""
    import olefile
    from msoffcrypto.format.ooxml import OOXMLFile

    with olefile.OleFileIO(io.BytesIO(data)) as container:
        if container.get_size("EncryptionInfo") > _MOST_INFO:
            raise ValueError("too long")
    document, archive = OOXMLFile(io.BytesIO(data)), io.BytesIO()
    if document.info.get("spinValue", 0) > _MOST_SPINS:
        raise ValueError("too many")
    document.load_key(password=password, verify_password=True)
    document.decrypt(archive)
    return archive.getvalue()

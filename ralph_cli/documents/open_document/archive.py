"""The parts of an OpenDocument file: content, styles and objects; detects encryption."""

import re
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.archive import Archive

CONTENT, STYLES, MANIFEST = "content.xml", "styles.xml", "META-INF/manifest.xml"
# The parts of charts and formulas.
OBJECTS = re.compile(r"/content\.xml$")

_OBJECT_ROOTS = ("office:document-content", ":math", "office:document")


class OpenDocument(Archive):
    """The parts of one OpenDocument file whose content is not protected by a password."""

    def __init__(self, data: bytes, name: str, limits: LoadLimits) -> None:
        """Raises DocumentError "encrypted", in addition to the errors of an archive."""
        super().__init__(data, name, limits)
        for entry in self.read_xml(MANIFEST, "manifest:manifest") if self.has(MANIFEST) else ():
            is_content = entry.get("full-path") in (CONTENT, "encrypted-package")
            if is_content and any(one.tag == "manifest:encryption-data" for one in entry):
                hint = "remove its password and save it again"
                raise DocumentError(f"{self.name} is protected by a password", code="encrypted", hint=hint)

    def read_styles(self) -> Element | None:
        """Return the tree of the styles; None if the file has none."""
        return self.read_xml(STYLES, "office:document-styles") if self.has(STYLES) else None

    def open_object(self, reference: str) -> Element | None:
        """Return the tree of a chart or formula in the file; None if it is missing or something else."""
        part = f"{self.resolve('', reference)}/{CONTENT}"
        return self.read_xml(part, *_OBJECT_ROOTS) if self.has(part) else None

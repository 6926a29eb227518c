"""Form controls in OpenDocument files: the text that each one shows, as in HTML pages (part 3, 13)."""

from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.symbols import CHECKED, UNCHECKED
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, children
from ralph_cli.documents.page_text import clean_text, one_line

_TYPED = frozenset(f"form:{name}" for name in ["text", "textarea", "formatted-text", "number", "date", "time"])
_LISTS = frozenset({"form:listbox", "form:combobox"})
_LABELLED = frozenset({"form:fixed-text", "form:button", "form:frame"})


class Controls:
    """The controls of one document's forms. Each is shown once, at its position in the text."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._waiting: dict[str, Element] = {}

    def add(self, forms: Element) -> None:
        """Add the controls of forms (office:forms)."""
        for one in forms.iter():
            if identity := attribute(one, "id"):
                self._waiting.setdefault(identity, one)

    def take(self, shape: Element) -> tuple[str, bool]:
        """Return the text that the control of `shape` (draw:control) shows, or "", and whether it was filled in."""
        control = self._waiting.pop(attribute(shape, "control"), None)
        if control is None:
            return "", False
        text, is_filled_in = self._read(control)
        if _is_switched_off(control):
            self._findings.hide(text, "in form controls that are switched off")
            return "", False
        return text, is_filled_in

    def _read(self, control: Element) -> tuple[str, bool]:
        label = one_line(attribute(control, "label"))
        match control.tag:
            case "form:checkbox":
                state = control.get("current-state", attribute(control, "state"))
                return _tick(label, state == "checked"), False
            case "form:radio":
                return _tick(label, _is_set(control, "selected")), False
            case tag if tag in _LISTS:
                return self._read_list(control), True
            case tag if tag in _TYPED:
                return _value(control), True
            case tag if tag in _LABELLED:
                return label, False
        return "", False

    def _read_list(self, control: Element) -> str:
        """Return the typed or chosen entry; for a list that is always open, all choices with their checkboxes."""
        typed = _value(control)
        options = [*children(control, "form:option"), *children(control, "form:item")]
        choices = [
            (label, label == typed if typed else _is_set(one, "selected"))
            for one in options
            if (label := one_line(attribute(one, "label")))
        ]
        if attribute(control, "dropdown") != "true":
            lines = [] if any(is_chosen for _, is_chosen in choices) else [typed]
            return "\n".join(line for line in (*lines, *(_tick(*choice) for choice in choices)) if line)
        for label, is_chosen in choices:
            if not is_chosen:
                self._findings.hide(label, "in lists of choices that are closed")
        return typed or "\n".join(label for label, is_chosen in choices if is_chosen)


def _tick(label: str, is_set: bool) -> str:
    return f"{CHECKED if is_set else UNCHECKED} {label}".rstrip()


def _is_set(element: Element, name: str) -> bool:
    return element.get(f"current-{name}", attribute(element, name)) == "true"


def _value(control: Element) -> str:
    """Return the current value, or else the initial one."""
    value = control.get("current-value", attribute(control, "value"))
    lines = ["".join(one.itertext()) for one in children(control, "text:p")]
    return clean_text(value or "\n".join(lines)).strip()


def _is_switched_off(control: Element) -> bool:
    settings = children(control, "form:properties", "form:property")
    told = {attribute(one, "property-name"): attribute(one, "boolean-value") for one in settings}
    return told.get("EnableVisible") == "false"

"""How the output of a task is told: its text, and in a sentence what was checked of it and by whom."""

from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import make_visible, one_line
from ralph_cli.reports.view import RunView
from ralph_cli.text.csv_cells import without_formulas

NOT_JUDGED = "No model has judged this output: each line is only a quote, chosen by word statistics."


def payload(view: RunView) -> str:
    """The output to be handed over: as it is, but that no cell of a CSV is a formula to a spreadsheet."""
    text = without_formulas(view.output) if view.format == "csv" else view.output
    return text if not text or text.endswith("\n") else f"{text}\n"


def output_verdict(view: RunView) -> str:
    """What was checked of the output, and by whom."""
    source = "the quotes it rests on" if view.document else "the memory (no document was read)"
    match view.halt.type:
        case StopType.COMPLETION if not view.judged:
            return f"Verbatim. {NOT_JUDGED}"
        case StopType.COMPLETION:
            found = f"every figure, date and quotation is in {source}"
            quotes = "; every quote is in the document" if view.document else ""
            return f"Accepted: {found}{quotes}, and {make_visible(view.judge)} found the task done."
        case StopType.UNJUDGED if view.verification == "failed":
            judged = f"{make_visible(view.judge)} found the task done." if view.judged else NOT_JUDGED
            held = f"Figures, dates and quotations are in {source}{', and ' if view.judged else '. '}{judged}"
            return f"Not verified: {one_line(view.halt.detail)}. {held}"
        case StopType.UNJUDGED:
            judged = "the verdict shown is of an earlier attempt" if view.judged else "nobody has judged the output"
            held = f"Figures, dates and quotations are in {source}; {judged}."
            return f"Unjudged: {one_line(view.halt.detail)}. {held}"
        case reason:
            return f"Stopped ({reason.value}): {one_line(view.halt.detail)}."

"""Where the spans of a run go, if anywhere: never a reason for which a run fails."""

from ralph_cli.config import Settings
from ralph_cli.core.events import EventSink, NoticeIssued


def open_spans(settings: Settings) -> tuple[tuple[EventSink, ...], tuple[NoticeIssued, ...]]:
    """A sink that sends a run's spans to the collector of the settings, if they name one; or why there is none."""
    if not settings.otel:
        return (), ()
    fault, hint = "", "write its address as http://localhost:4318"
    if settings.otel.startswith(("http://", "https://")):
        try:
            from ralph_cli.journal.spans import RunSpans, open_tracer

            return (RunSpans(open_tracer(settings.otel), texts=settings.otel_texts),), ()
        except ImportError as error:
            fault, hint = f"{error.name} is not installed", "pip install 'ralph-cli[otel]'"
        except ValueError as error:
            fault = str(error)
    what = f"no spans are sent to {settings.otel}{f': {fault}' if fault else ''} - {hint}"
    return (), (NoticeIssued("otel", what),)

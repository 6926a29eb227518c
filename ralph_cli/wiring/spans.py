"""Choose the collector of a run's spans, if any. A fault here never makes a run fail."""

from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import EventSink, NoticeIssued
from ralph_cli.providers.endpoint import check_address


def open_spans(settings: Settings) -> tuple[tuple[EventSink, ...], tuple[NoticeIssued, ...]]:
    """Return a sink that sends a run's spans to the collector of the settings, if they name one; or why there is no
    sink.
    """
    if not settings.otel:
        return (), ()
    try:
        check_address(settings.otel, "otel", "key of the collector")
    except ConfigError as error:
        if error.code != "insecure-url" or settings.otel_texts:  # without texts it is for its owner to say
            return (), (NoticeIssued("otel", f"no spans are sent: {error.line}"),)
    try:
        from ralph_cli.journal.spans import RunSpans, open_tracer

        return (RunSpans(open_tracer(settings.otel), texts=settings.otel_texts),), ()
    except (ImportError, ValueError) as error:
        missing = isinstance(error, ImportError) and f"{error.name} is not installed - pip install 'ralph-cli[otel]'"
        return (), (NoticeIssued("otel", f"no spans are sent to {settings.otel}: {missing or error}"),)

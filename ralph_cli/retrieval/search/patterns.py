"""Counts regular expressions of a model in a process that can be stopped, because an expression may never finish."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ralph_cli.text.boundary import is_inside_word
from ralph_cli.text.patterns import widen_spaces

# The most seconds that one expression may take.
SECONDS_PER_PATTERN = 1.0

TOTAL_SECONDS = 15.0
# The most occurrences of a search that are kept; the hits are all counted.
MAX_PLACES = 500

MAX_MEMORY = 1 << 30

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from ralph_cli.retrieval.search import patterns; "
    "[print(line, flush=True) for line in patterns.result_lines(sys.stdin.read())]"
)


@dataclass(frozen=True, slots=True)
class PatternCount:
    """The hits of an expression at the start of a word, with the first ones; or `fault`, why there is no count.

    `anywhere` also counts hits inside words.
    """

    count: int | None
    places: tuple[tuple[int, int], ...] = ()
    fault: str = ""
    anywhere: int = 0


_LATE = PatternCount(None, fault="not counted: it did not finish in time")


def count_patterns(patterns: Sequence[str], text: str) -> tuple[PatternCount, ...]:
    """Count each expression in the text as the worker's `find` does: case is ignored, a space matches any whitespace.

    Raises nothing: an expression that cannot be counted in time has a `fault`.
    """
    if not patterns:
        return ()
    places = [str(Path(__file__).resolve().parents[3]), *filter(None, sys.path)]
    command = [sys.executable, "-I", "-c", _START, json.dumps(places)]
    given = json.dumps([list(patterns), text]).encode("ascii")
    try:
        output = subprocess.run(command, input=given, capture_output=True, timeout=TOTAL_SECONDS, env={}).stdout
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
    except OSError:
        output = b""
    counted = [_parse_line(line) for line in output.decode("ascii", "replace").splitlines()]
    return tuple(counted[: len(patterns)]) + (_LATE,) * (len(patterns) - len(counted))


def result_lines(given: str) -> Iterator[str]:
    """Yield the output of the process: a line of JSON for each expression, as soon as it is counted."""
    import resource

    with suppress(OSError, ValueError):  # some systems do not have this limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    patterns, text = json.loads(given)

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    for pattern in patterns:
        yield json.dumps(_count_pattern(pattern, text))


def _count_pattern(pattern: str, text: str) -> dict[str, Any]:
    signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_PATTERN)
    try:
        compiled = re.compile(widen_spaces(pattern), re.IGNORECASE | re.MULTILINE)
        count, anywhere, places = 0, 0, []
        for match in compiled.finditer(text):
            if match.start() < match.end():  # empty matches do not count
                anywhere += 1
                if is_inside_word(text, match.start()):
                    continue
                count += 1
                if count <= MAX_PLACES:
                    places.append(match.span())
        return {"count": count, "places": places, "anywhere": anywhere}
    except TimeoutError:
        return {"count": None, "fault": f"not counted: it takes longer than {SECONDS_PER_PATTERN:g} s"}
    except (re.error, RecursionError, OverflowError, MemoryError, ValueError) as error:
        return {"count": None, "fault": f"not counted: {' '.join(str(error).split())[:120]}"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _parse_line(line: str) -> PatternCount:
    """Parse one line of the process's output; a truncated line gives no count."""
    try:
        value = json.loads(line)
        places = tuple(map(tuple, value.get("places", ())))
        return PatternCount(value["count"], places, value.get("fault", ""), value.get("anywhere", 0))
    except (ValueError, KeyError, TypeError):
        return _LATE

"""The memory of a document: text blocks, one per iteration, oldest first, never longer than its budget. Pure."""

import re
from dataclasses import dataclass, replace

MIN_BUDGET = 200  # minimum budget in characters: a heading, the marker and a line of text must fit

CUT_MARK = "\n[cut]"
_BLOCK = re.compile(r"^(?=## Iter \d+ - )", re.MULTILINE)
_HEADING = re.compile(r"^(?=\s*## Iter\b)", re.MULTILINE)
MAX_TRIMMED_COUNT = 999_999_999  # highest count in the marker, so that it is always short

# Our own marker and no other: what looks like one and counts what no memory has is words.
_MARKER = re.compile(r"\A\[trimmed ([1-9][0-9]{0,8}) older block\(s\)\](?:\n+|\Z)")


@dataclass(frozen=True, slots=True)
class Memory:
    """The remembered blocks; `trimmed` counts the blocks that were dropped to keep the budget."""

    blocks: tuple[str, ...] = ()
    trimmed: int = 0

    @property
    def text(self) -> str:
        """The blocks as stored in a file, with a marker line if older ones were dropped."""
        marker = (f"[trimmed {self.trimmed} older block(s)]",) if self.trimmed else ()
        return "\n\n".join((*marker, *self.blocks))


def parse_memory(text: str) -> Memory:
    """Return the memory in `text`; words before the first block become the oldest block."""
    text = text.strip()
    marker = _MARKER.match(text)
    rest = text[marker.end() :] if marker else text
    blocks = tuple(block.strip() for block in _BLOCK.split(rest) if block.strip())
    return Memory(blocks, int(marker.group(1)) if marker else 0)


def add_block(memory: Memory, iteration: int, timestamp: str, update: str, budget: int) -> Memory:
    """Return `memory` with one more block, within `budget` characters; the oldest blocks are dropped first.

    A line of the update that looks like a block heading is indented, so that no block can imitate several. Raises
    ValueError for a budget below MIN_BUDGET.
    """
    block = f"## Iter {iteration} - {timestamp}\n\n{_block_body(update)}"
    return trim_memory(replace(memory, blocks=(*memory.blocks, block)), budget)


def count_blocks(memory: Memory, iteration: int, update: str) -> int:
    """Return how many blocks `add_block` made from this update of this iteration, at any time, truncated or
    complete.
    """
    body = _block_body(update)
    found = 0
    for block in memory.blocks:
        heading, _, words = block.partition("\n\n")
        same = words == body or (words.endswith(CUT_MARK) and body.startswith(words.removesuffix(CUT_MARK)))
        found += same and heading.startswith(f"## Iter {iteration} - ")
    return found


def _block_body(update: str) -> str:
    return _HEADING.sub("> ", update.strip())


def newest_text(text: str, budget: int) -> str:
    """Return the part of a memory's text to show a model: all of it within `budget` characters, otherwise the newest
    blocks.
    """
    return text if len(text) <= budget else trim_memory(parse_memory(text), budget).text


def trim_memory(memory: Memory, budget: int) -> Memory:
    """Return as many of the newest blocks as fit; a single block that is too long is truncated."""
    if budget < MIN_BUDGET:
        raise ValueError(f"a memory needs at least {MIN_BUDGET} characters, not {budget}")
    while len(memory.blocks) > 1 and len(memory.text) > budget:
        memory = Memory(memory.blocks[1:], min(memory.trimmed + 1, MAX_TRIMMED_COUNT))
    excess = len(memory.text) - budget
    if excess <= 0:
        return memory
    block = memory.blocks[0]
    return replace(memory, blocks=(block[: len(block) - excess - len(CUT_MARK)].rstrip() + CUT_MARK,))

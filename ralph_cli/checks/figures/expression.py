"""Parse written calculations into trees of operations: "(2,412 - 2,196) / 2,196 = 9.8%". Pure."""

import re
from dataclasses import dataclass
from decimal import Decimal

from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import QuantityReader

# Characters of a calculation.
MAX_CHARS = 400

# Most nested brackets.
MAX_DEPTH = 20

# The highest power, and root.
MAX_POWER = 30

_OPERATORS = {"\u2212": "-", "\u2013": "-", "\u00d7": "*", "x": "*", "\u00b7": "*", "\u00f7": "/", "^": "^"}
_OPERATORS |= {sign: sign for sign in "+-*/"}
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_EQUALS = frozenset("=\u2248~")
_IN_WORDS = {"plus": "+", "minus": "-", "multiplied by": "*", "divided by": "/"}
_WORDS = re.compile(r"(?i)\b(?:plus|minus|(?:multiplied|divided)\s+by)\b")
_BRACKETED_PERCENT = re.compile(r"\(\s*(\d[\d.,]*)\s*\)\s*%")
_FUNCTION = re.compile(
    r"(?i)\b(sqrt|root|log|ln|exp|abs|round|min|max|sum|avg|average|mean|median|int|float|pow|date)\s*\("
)
_FORM = 'write it as one computation and its result: "(2,412 - 2,196) / 2,196 = 9.8%"'


class CalculationError(ValueError):
    """A calculation that cannot be relied on; the message says why, for the writer."""


class UnreadError(CalculationError):
    """A calculation in an unknown form, so that its result cannot be checked."""


@dataclass(frozen=True, slots=True)
class Node:
    """A figure, or an operation: a sign with one node (a sign before a figure, a power) or with two nodes."""

    sign: str = ""
    left: "Node | None" = None
    right: "Node | None" = None
    figure: Quantity | None = None
    power: Decimal = Decimal(1)

    @property
    def nodes(self) -> "tuple[Node, ...]":
        """Return the node and all its parts, in order, without exponents."""
        return (self, *(node for side in (self.left, self.right) if side is not None for node in side.nodes))

    @property
    def figures(self) -> tuple[Quantity, ...]:
        return tuple(node.figure for node in self.nodes if node.figure is not None)

    @property
    def operands(self) -> tuple[Quantity, ...]:
        """Return the two figures that the operation joins; empty if one side is a computation."""
        found = tuple(side.figure for side in (self.left, self.right) if side is not None and side.figure is not None)
        return found if len(found) == 2 else ()

    def is_number(self, value: Decimal | int) -> bool:
        return self.figure is not None and self.figure.value == value


@dataclass(frozen=True, slots=True)
class Equation:
    """A computation and its stated results, one after the other: "= 0.7 points = 70 basis points"."""

    computation: Node
    results: tuple[Node, ...]


def parse_equation(text: str) -> Equation:
    """Read a calculation with its result on either side. Raises CalculationError."""
    if len(text) > MAX_CHARS:
        raise CalculationError(f"it has {len(text)} characters, at most {MAX_CHARS} are taken")
    sides = _Parser(_normalize(text)).parse_sides()
    if len(sides) < 2:
        raise UnreadError(_FORM)
    if not _is_computation(sides[0]) and _is_computation(sides[-1]):
        sides.reverse()
    if not _is_computation(sides[0]):
        raise UnreadError("one side must be the computation and the other its result, a single figure")
    if any(_is_computation(side) for side in sides[1:]):
        raise UnreadError(_FORM)
    return Equation(sides[0], tuple(sides[1:]))


def _is_computation(node: Node) -> bool:
    return any(part.right is not None or part.sign == "^" for part in node.nodes)


def _normalize(text: str) -> str:
    """Return a calculation with signs instead of words; "(0.6)%" is -0.6 %. Raises UnreadError for a function."""
    if match := _FUNCTION.search(text):
        raise UnreadError(f"{match[1]!r} is not understood: use + - * / ^ and brackets")
    text = _WORDS.sub(lambda match: f" {_IN_WORDS[' '.join(match[0].lower().split())]} ", text)
    return _BRACKETED_PERCENT.sub(r"(-\1%)", text).replace("[", "(").replace("]", ")")


class _Parser:
    """Parse sums of products of powers, with the usual precedence. Units and words next to a figure are skipped."""

    def __init__(self, text: str) -> None:
        self._reader = QuantityReader(text, "arithmetic")
        self._tokens = self._reader.tokens
        self._at = 0

    def parse_sides(self) -> list[Node]:
        sides = [self._parse(0)]
        while self._peek() == "=":
            while self._peek() == "=":  # "= ~67%"
                self._at += 1
            sides.append(self._parse(0))
        if self._peek():
            raise UnreadError("a figure stands beside another without + - * / between them, or a bracket is not opened")
        return sides

    def _peek(self) -> str:
        """Return the next sign: an operator, "=", a bracket, "0" for a figure; "" at the end. Words are skipped."""
        tokens = self._tokens
        while self._at < len(tokens):
            word = tokens.low(self._at)
            if tokens.has(self._at, "*", "*"):
                return "^"
            if word in _EQUALS:
                return "="
            if word in _OPERATORS and not self._joins_words():
                return _OPERATORS[word]
            if word in "()":
                return word
            if self._figure() is not None:
                return "0"
            if word == "to" and self._reader.date_at(self._at + 1) is not None:
                return "-"
            if word in "%!<>|&":
                raise UnreadError(f"{word!r} is not understood: use + - * / ^ and brackets")
            self._at += 1
        return ""

    def _joins_words(self) -> bool:
        """Whether a hyphen, or an "x", is part of a word."""
        tokens, at = self._tokens, self._at
        if tokens.is_word(at):
            return False
        return tokens.is_glued(at) and tokens.is_word(at - 1) and tokens.is_glued(at + 1) and tokens.is_word(at + 1)

    def _figure(self) -> tuple[Quantity, int] | None:
        tokens = self._tokens
        if tokens.is_word(self._at) and tokens.is_glued(self._at) and tokens.low(self._at - 1) in "-\u2010":
            return None
        date = self._reader.date_at(self._at)
        if date is not None and date[0].date.day is not None:
            return date
        found = self._reader.quantity_at(self._at)
        if found is None or not (
            tokens.is_number(self._at) or found[0].kind in ("duration", "ratio") or found[0].worded
        ):
            return found if found is not None and found[0].kind not in ("ordinal", "identifier") else None
        return found

    def _parse(self, depth: int, least: int = 1) -> Node:
        """Parse operations of at least the precedence `least`."""
        node = self._parse_factor(depth)
        while (sign := self._peek()) in _STRENGTH and _STRENGTH[sign] >= least:
            self._at += 1 + (sign == "^" and self._tokens.low(self._at) == "*")
            right = self._parse(depth, _STRENGTH[sign] + 1)
            node = Node("^", node, power=_exponent(right)) if sign == "^" else Node(sign, node, right)
        return node

    def _parse_factor(self, depth: int) -> Node:
        sign = self._peek()
        if depth > MAX_DEPTH:
            raise UnreadError("it has too many brackets")
        if sign in ("+", "-") and sign:
            self._at += 1
            return Node(sign, self._parse_factor(depth + 1))
        if sign == "(":
            self._at += 1
            node = self._parse(depth + 1)
            if self._peek() != ")":
                raise UnreadError("a bracket is not closed")
            self._at += 1
            return node
        found = self._figure() if sign == "0" else None
        if found is None:
            raise UnreadError("a figure is missing beside an operator or bracket")
        if found[0].kind == "identifier":
            raise UnreadError(f"{found[0].text!r} is not a figure")
        self._at = found[1]
        return Node(figure=found[0])


def _exponent(node: Node) -> Decimal:
    """Return an exponent: a whole number, or 1 over a whole number. Raises CalculationError for any other."""
    inverse = node.sign == "/" and node.left is not None and node.left.is_number(1)
    figure = node.right.figure if inverse and node.right is not None else node.figure
    if figure is None:
        raise UnreadError("a power is a whole number, or one over it in brackets: (121 / 100)^(1/2)")
    value = figure.value
    if not inverse and 0 < value < 1 and abs(1 / value - round(1 / value)) < Decimal("0.001"):
        inverse, value = True, Decimal(round(1 / value))  # "^0.5", "^0.3333"
    if value != int(value) or not 1 <= value <= MAX_POWER:
        raise UnreadError(f"a power or root is a whole number from 1 to {MAX_POWER}")
    return 1 / value if inverse else value

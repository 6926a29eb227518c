"""A number with its noun."""


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """ "1 page", "2 pages"; `plural` is for nouns that take no s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"

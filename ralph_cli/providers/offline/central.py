"""The terms that a text speaks of most, for tasks about a whole document: guest code, behind `offline_words`."""

import re
from collections import Counter

from ralph_cli.providers.offline.words import STOP, stem


def frequent_words(text: str, count: int = 10) -> str:
    """The `count` most frequent informative words of `text`, one form of each, as a question for `search`."""
    forms: dict[str, Counter[str]] = {}
    for word in re.findall(r"[^\W\d_]{4,}", text.lower()):
        if word not in STOP:
            forms.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted(forms.values(), key=lambda seen: -seen.total())
    return " ".join(seen.most_common(1)[0][0] for seen in ranked[:count])

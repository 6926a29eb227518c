# ruff: noqa: E501 - a row of a table is a line
"""What a model typically writes when it looks something up in a document; all of it ought to run."""

from __future__ import annotations

DOCUMENT = (
    "Annual report 2018\n\nOn 2018-03-31 Acme Corp. sold 12,345 units to Globex for $1,234,567.89 (note INV-00123).\n"
    "Segment      Revenue   Margin\nNorth         4,200.5    12.5%\nSouth         3,100.0     8.0%\n"
    "The term ends on 31 December 2021, unless notice is given (see §4.2). Café Zürich — “as is”.\n\f"
) * 40

SNIPPETS = [
    "import re\nprint([(m.start(), context[max(0, m.start() - 30):m.end() + 30]) for m in re.finditer('Globex', context)][:3])",
    "chunks = [context[i:i + 2000] for i in range(0, len(context), 1800)]\nprint(llm_query_batch([('Summarise', c) for c in chunks[:4]]))",
    "import re\nfrom collections import Counter\nprint(Counter(re.findall(r'\\b[A-Z][a-z]+\\b', context)).most_common(5))",
    "import json\nprint(json.dumps({'units': [1, 2], 'none': None}, indent=1), json.loads('{\"a\": 1}')['a'])",
    "def find_all(needle, width=40):\n    at = context.find(needle)\n    while at != -1:\n        yield context[max(0, at - width):at + width]\n"
    "        at = context.find(needle, at + 1)\nprint(next(find_all('notice')))",
    "import re\nprint(re.sub(r'\\$([\\d,.]+)', lambda m: m.group(1).replace(',', ''), context[:200]))",
    "for number, line in enumerate(context.splitlines()[:6], 1):\n    print(f'{number:>4}: {line[:60]!r}')",
    "rows = [line.split() for line in context.splitlines() if line.startswith(('North', 'South'))]\n"
    "print(sum(float(row[1].replace(',', '')) for row in rows[:2]))",
    "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass Hit:\n    at: int\n    words: list[str] = field(default_factory=list)\n"
    "print(sorted([Hit(2), Hit(1, ['a'])]))",
    "class Index:\n    def __init__(self, text):\n        self.lines = text.splitlines()\n    def __getitem__(self, n):\n        return self.lines[n]\n"
    "print(Index(context)[0])",
    "class NotFound(LookupError):\n    pass\ntry:\n    raise NotFound('x')\nexcept LookupError as error:\n    print(type(error).__name__, error)",
    "import textwrap\nprint(textwrap.shorten(' '.join(context[:400].split()), 80, placeholder='…'))",
    "import statistics\nprint(statistics.median([3, 1, 2]), statistics.stdev([1, 2, 3]))",
    "from datetime import date, datetime, timedelta\nd = datetime.strptime('31 December 2021', '%d %B %Y').date()\n"
    "print((d - timedelta(days=90)).isoformat(), (d - date(2018, 3, 31)).days)",
    "import difflib\nprint(difflib.get_close_matches('Globx', set(context.split()), n=1))",
    "import string\nprint(context[:80].translate(str.maketrans('', '', string.punctuation)))",
    "by_page = {}\nfor page in context.split('\\f'):\n    by_page.setdefault(len(page), []).append(page)\nprint(len(by_page))\ndel by_page",
    "from itertools import islice, groupby, chain, combinations\nprint(list(islice(chain('ab', 'cd'), 3)), len(list(combinations(range(4), 2))))",
    "import heapq\nfrom bisect import bisect_left\nprint(heapq.nlargest(2, [3, 1, 2]), bisect_left([1, 4, 9], 4))",
    "import io, csv\nprint(list(csv.DictReader(io.StringIO('a,b\\n1,2\\n'))))",
    "lengths = {word: len(word) for word in set(context.split())}\nprint(max(lengths, key=lengths.get), sorted(lengths.items(), key=lambda p: (-p[1], p[0]))[0])",
    "first, *rest = context.split('\\n')[:4]\n(a, b), c = (1, 2), 3\nprint(first, len(rest), a + b + c)",
    "import math\nfrom fractions import Fraction\nfrom decimal import Decimal\nprint(math.ceil(len(context) / 4), Fraction(1, 3), Decimal('0.1') * 3)",
    "match len(pages):\n    case 0:\n        print('no pages')\n    case n if n > 1:\n        print(n, pages[0][1])\n    case _:\n        print('one page')",
    "from concurrent.futures import ThreadPoolExecutor, as_completed\nwith ThreadPoolExecutor(max_workers=8) as pool:\n"
    "    jobs = {pool.submit(llm_query, 'What is it?', part): n for n, part in enumerate(['a', 'b'])}\n"
    "    print(sorted((jobs[job], job.result()) for job in as_completed(jobs)))",
    "import hashlib, base64\nprint(hashlib.sha256(context.encode()).hexdigest()[:8], base64.b64encode(b'x'))",
    "import unicodedata\nprint(unicodedata.normalize('NFKC', 'ﬁnal'), unicodedata.name('§'))",
    "from functools import lru_cache, reduce\n@lru_cache(maxsize=None)\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(60), reduce(max, [1, 3, 2]))",
    "try:\n    answer = llm_query('fail please')\nexcept QueryError as error:\n    answer = f'no answer: {error}'\nprint(answer)",
    "found = [a for a in llm_query_batch(['one', 'fail two', 'three']) if not isinstance(a, Exception)]\nprint(len(found))",
    "number, label, start, end = pages[0]\nprint(number, label, repr(context[start:end][:20]))",
    "from typing import NamedTuple, Optional\nfrom enum import Enum\nclass Kind(Enum):\n    A = 1\nclass Row(NamedTuple):\n    kind: Kind\n    note: Optional[str] = None\nprint(Row(Kind.A))",
    "import pandas as pd\nprint(pd.DataFrame({'a': [1]}))",
]  # fmt: skip

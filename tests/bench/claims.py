"""What do the rules catch, and what does the judge, of claims that are true, have a false figure, or a wrong quote?

    python tests/bench/claims.py CLAIMS.json [--judge-model vendor:model]

CLAIMS.json is a list of {"document", "question", "kind", "text", "quotes", "calculations"}: `kind` is "true" or what is
wrong. Every claim goes through the rules of `ralph qa`, and, whatever they say, to the judge, seven at a time, so that
each is measured alone. Keys and addresses come from the environment, as for ralph.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.quotes import QuoteCheck, resolve_quotes
from ralph_cli.config import load_settings as settings
from ralph_cli.core import clock
from ralph_cli.core.run import Draft, DraftClaim, Verdict
from ralph_cli.documents.source import DocumentSource
from ralph_cli.providers.registry import connect
from ralph_cli.retrieval.quotes.index import QuoteIndex

AT_ONCE = 7


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("claims", type=Path)
    parser.add_argument("--judge-model", default="openai:gpt-5")
    wanted = parser.parse_args()
    listed = json.loads(wanted.claims.read_text("utf-8"))
    model = connect(wanted.judge_model, settings().endpoint(wanted.judge_model.split(":")[0]))
    groups = defaultdict(list)
    for claim in listed:
        groups[claim["document"], claim["question"]].append(claim)
    seen: Counter[tuple[str, str]] = Counter()
    for (path, question), claims in groups.items():
        document = DocumentSource.of(path).load()
        index = QuoteIndex(document)
        for at in range(0, len(claims), AT_ONCE):
            some = claims[at : at + AT_ONCE]
            drafts = [DraftClaim(c["text"], tuple(c["quotes"]), tuple(c.get("calculations", ()))) for c in some]
            attempt = resolve_quotes(Draft(tuple(drafts)), document, index)
            found = (*QuoteCheck(document)(attempt).issues, *NumbersCheck(document, question)(attempt).issues)
            ruled = {issue.claim for issue in found}
            judged = Judge(model, document, question, lambda: clock.token(8))(attempt)
            if judged.broken:
                sys.exit(f"the judge could not be asked: {judged.broken}")
            good = {ruling.claim for ruling in judged.rulings if ruling.verdict is Verdict.SUPPORTED}
            for number, claim in enumerate(some, 1):
                by = " and ".join(w for w, no in (("rules", number in ruled), ("judge", number not in good)) if no)
                by = by or "nobody"
                seen[claim["kind"], by] += 1
                reason = next(ruling.reason for ruling in judged.rulings if ruling.claim == number)
                print(f"{claim['kind']:14} refused by {by:15} {claim['text'][:90]} | {reason[:120]}")
                for issue in found:
                    if issue.claim == number:
                        print(f"{'':27} {issue.line[:200]}")
    print()
    for (kind, by), count in sorted(seen.items()):
        print(f"{kind:14} refused by {by:15} {count:3}")


if __name__ == "__main__":
    main()

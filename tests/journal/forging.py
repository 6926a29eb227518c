"""A journal as somebody forges it: its rows are changed, and the hashes that chain them are computed again."""

import sqlite3
from pathlib import Path

from ralph_cli.journal import rows


def rechain(folder: Path) -> Path:
    """Make the chain of the journal in `folder` fit what stands in it; the seals, which need a key, stay."""
    db = sqlite3.connect(folder / rows.JOURNAL_FILE)
    chain = rows.CHAIN_START
    for seq, *row in db.execute("SELECT seq, at, kind, body FROM event ORDER BY seq").fetchall():
        chain = rows.chain_hash(chain, (seq, *row))
        db.execute("UPDATE event SET chain = ? WHERE seq = ?", (chain, seq))
    db.commit()
    db.close()
    return folder


def rewritten(folder: Path, *statements: str) -> Path:
    """Carry out SQL statements on the journal in `folder`, and leave its chain as it is."""
    db = sqlite3.connect(folder / rows.JOURNAL_FILE)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    return folder

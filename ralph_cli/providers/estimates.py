"""How many tokens a request can take, before anybody has counted them."""

import string
from typing import Any

from ralph_cli.core.model import ModelTurn, Request, ToolTurn, UserTurn

EXTRA_TOKENS = 2_000
"""Tokens for what is sent beside the text: tools, schemas, the marks of turns."""

_SPLIT_FINELY = (string.digits + string.punctuation).encode("ascii")


def most_text_tokens(text: str) -> int:
    """More tokens than any tokenizer known to us makes of a text.

    Tokenizers join bytes of UTF-8 (Sennrich et al. 2016 on byte pairs), two and more of prose to a token: a letter is
    at most half a token, a letter of Greek, Cyrillic or Arabic one, of Chinese, Thai or Hindi one and a half. Digits
    and signs are taken one by one, for some split them so.
    """
    data = text.encode("utf-8", "surrogatepass")
    return (2 * len(data) - len(data.translate(None, _SPLIT_FINELY))) // 2 + 1


def most_tokens(request: Request) -> int:
    """The most tokens that a request and its reply can take."""
    return most_prompt_tokens(request) + request.max_tokens


def most_prompt_tokens(request: Request) -> int:
    """The most tokens of a request, with what is sent back of earlier replies, thoughts among them."""
    texts = [request.system]
    for turn in request.turns:
        match turn:
            case UserTurn(text):
                texts.append(text)
            case ModelTurn(text, calls, raw):
                said = text + "".join(str(call.arguments or call.malformed) for call in calls)
                sent_back = _raw_text(raw)
                texts.append(sent_back if len(sent_back) > len(said) else said)
            case ToolTurn(results, note):
                texts += [note, *(text for _, text, _ in results)]
    return sum(map(most_text_tokens, texts)) + EXTRA_TOKENS


def _raw_text(raw: Any) -> str:
    return str(raw) if raw is not None else ""

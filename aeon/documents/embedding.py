"""Embeddings of texts: the static word vectors of WordLlama, whose weights come with its package (extra embeddings)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aeon.documents.extras import library
from aeon.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy import float16, float32, int8
    from numpy.typing import NDArray

    Bytes = NDArray[int8]
    Floats = NDArray[float32]
    Weights = NDArray[float16]

__all__ = ["DIMENSIONS", "Embedder", "Vectors", "embedder", "numpy"]

DIMENSIONS = 256
_EXTRA = "embeddings"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_LARGEST = 127
_BATCH = 256  # texts that are cut into tokens at once: their tokens take much more room than they
_BLOCK = 1024  # rows whose numbers fit into the cache of a processor as float32
_FIRST = 256  # of so many the order is made first; a search seldom needs more


class Embedder:
    """Embeds texts with the weights in a folder; they are loaded when the first text comes. No network is used.

    An embedding is the mean of the vectors of a text's tokens, as `DIMENSIONS` whole numbers from -127 to 127. It is
    the same on every machine: the sum of 16-bit floats is exact in 64 bits.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def embed(self, texts: Sequence[str]) -> Bytes:
        """Return a row for each text; one of zeros for a text without tokens.

        Raises ``MissingExtraError`` if the extra is there but cannot be used.
        """
        np = numpy()
        tokenizer, weights = self._model
        rows: Bytes = np.zeros((len(texts), DIMENSIONS), dtype=np.int8)
        for start in range(0, len(texts), _BATCH):
            plain = [text.encode("utf-8", "replace").decode() for text in texts[start : start + _BATCH]]
            for place, tokens in enumerate(tokenizer.encode_batch_fast(plain, add_special_tokens=False), start):
                total = weights[tokens.ids].sum(axis=0, dtype=np.float64)
                if largest := np.abs(total).max():
                    rows[place] = np.rint(total * (_LARGEST / largest))
        return rows

    @cached_property
    def _model(self) -> tuple[Any, Weights]:
        """The tokenizer and a vector for each of its tokens."""
        for name in (_TOKENIZER, _WEIGHTS):
            if not (self._folder / name).is_file():
                raise MissingExtraError(
                    f"{self._folder} holds no {name}: install it again: pip install --force-reinstall wordllama"
                )
        tokenizer = _library("tokenizers").Tokenizer.from_file(str(self._folder / _TOKENIZER))
        return tokenizer, _library("safetensors.numpy").load_file(self._folder / _WEIGHTS)["embedding.weight"]


class Vectors:
    """The embeddings of passages, in the order in which passages of one similarity are given.

    ``numbers`` holds the passages' numbers, as 64-bit integers, and ``rows`` their embeddings.
    """

    def __init__(self, numbers: bytes, rows: bytes) -> None:
        np = numpy()
        self._numbers = np.frombuffer(numbers, dtype="<i8")
        self._rows = np.frombuffer(rows, dtype=np.int8).reshape(-1, DIMENSIONS)
        if len(self._numbers) != len(self._rows):
            raise ValueError("the passages and their embeddings are not as many")

    @cached_property
    def _lengths(self) -> Floats:
        np = numpy()
        squares = np.empty(len(self._rows), dtype=np.float32)
        for block, part in self._blocks():
            squares[part] = np.einsum("ij,ij->i", block, block)
        lengths: Floats = np.maximum(np.sqrt(squares), 1)
        return lengths

    def nearest(self, question: Bytes) -> Iterator[tuple[int, float]]:
        """The numbers of all passages with their cosine to a question's embedding, the most similar first.

        All sums of products are whole numbers below 2^24, which float32 has exactly, in whatever order they are added.
        """
        np = numpy()
        products = np.empty(len(self._rows), dtype=np.float32)
        asked = question.astype(np.float32)
        for block, part in self._blocks():
            products[part] = block @ asked
        cosines = products / self._lengths / max(float(np.sqrt(asked @ asked)), 1.0)
        least = np.partition(cosines, -_FIRST)[-_FIRST] if len(cosines) > _FIRST else -np.inf
        for some in (np.flatnonzero(cosines >= least), np.flatnonzero(cosines < least)):
            for place in some[np.argsort(-cosines[some], kind="stable")]:
                yield int(self._numbers[place]), float(cosines[place])

    def _blocks(self) -> Iterator[tuple[Floats, slice]]:
        np = numpy()
        for start in range(0, len(self._rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            yield self._rows[part].astype(np.float32), part


@cache
def embedder() -> Embedder | None:
    """Return what embeds texts, ``None`` if the extra is not installed. Nothing is loaded yet."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Embedder(Path(spec.submodule_search_locations[0]))


def numpy() -> ModuleType:
    """Return NumPy, which the extra brings."""
    return _library("numpy")


def _library(module: str) -> ModuleType:
    return library(module, _EXTRA, "searching with embeddings")

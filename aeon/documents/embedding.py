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
    from numpy import float16, float32, int8, intp
    from numpy.typing import NDArray

    Bytes = NDArray[int8]
    Floats = NDArray[float32]
    Places = NDArray[intp]
    Weights = NDArray[float16]

__all__ = ["DIMENSIONS", "Embedder", "Vectors", "embedder", "numpy"]

DIMENSIONS = 256
_EXTRA = "embeddings"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_LARGEST = 127
_BATCH = 256  # texts that are cut into tokens at once: their tokens take much more room than they
_BLOCK = 1024  # rows whose numbers fit into the cache of a processor as float32
_MANY = 20_000  # passages up to which all dimensions of each are looked at
_COARSE = 64
_ALONE = 128  # rows of so many dimensions that one core multiplies; to wake the others takes longer
_LIKELY = 1024  # of so many of very many passages all dimensions are looked at
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
        lengths: Floats = np.empty(len(self._rows), dtype=np.float32)
        for block, part in self._blocks():
            lengths[part] = _lengths(block)
        return lengths

    @cached_property
    def _coarse(self) -> tuple[Floats, Floats]:
        """The first `_COARSE` dimensions of each embedding, and the length that they have."""
        np = numpy()
        rows: Floats = self._rows[:, :_COARSE].astype(np.float32)
        return rows, _lengths(rows)

    def nearest(self, question: Bytes) -> Iterator[tuple[int, float]]:
        """The numbers of all passages with their cosine to a question's embedding, the most similar first.

        Of very many passages, those come first that the first dimensions, the most telling ones, say are likely: what
        they leave out of the most similar is seldom among the first ten. All sums of products are whole numbers below
        2^24, which float32 has exactly, in whatever order they are added.
        """
        np = numpy()
        asked = question.astype(np.float32)
        likely = self._likely(asked)
        if likely is not None:
            rows = self._rows[likely].astype(np.float32)
            yield from self._falling(likely, _cosines(rows @ asked, _lengths(rows), asked))
        products = np.empty(len(self._rows), dtype=np.float32)
        for block, part in self._blocks():
            products[part] = block @ asked
        others = np.arange(len(self._rows)) if likely is None else np.setdiff1d(np.arange(len(self._rows)), likely)
        yield from self._falling(others, _cosines(products, self._lengths, asked)[others])

    def _likely(self, asked: Floats) -> Places | None:
        """The places of the passages that are most similar by the first dimensions, ``None`` if all are looked at."""
        np = numpy()
        if len(self._rows) <= _MANY:
            return None
        rows, lengths = self._coarse
        some, products = asked[:_COARSE], np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _ALONE):
            np.dot(rows[start : start + _ALONE], some, out=products[start : start + _ALONE])
        cosines = _cosines(products, lengths, some)
        places: Places = np.flatnonzero(cosines >= np.partition(cosines, -_LIKELY)[-_LIKELY])
        return places

    def _falling(self, places: Places, cosines: Floats) -> Iterator[tuple[int, float]]:
        """The numbers of the passages at these places with their cosines, the most similar first."""
        np = numpy()
        least = np.partition(cosines, -_FIRST)[-_FIRST] if len(cosines) > _FIRST else -np.inf
        for some in (np.flatnonzero(cosines >= least), np.flatnonzero(cosines < least)):
            for place in some[np.argsort(-cosines[some], kind="stable")]:
                yield int(self._numbers[places[place]]), float(cosines[place])

    def _blocks(self) -> Iterator[tuple[Floats, slice]]:
        np = numpy()
        for start in range(0, len(self._rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            yield self._rows[part].astype(np.float32), part


def _lengths(rows: Floats) -> Floats:
    """The length of each row, at least 1."""
    np = numpy()
    lengths: Floats = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1)
    return lengths


def _cosines(products: Floats, lengths: Floats, asked: Floats) -> Floats:
    cosines: Floats = products / lengths / max(float(numpy().sqrt(asked @ asked)), 1.0)
    return cosines


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

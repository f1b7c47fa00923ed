"""What runs took, kept for those after them: a run is expected to take what runs like it did.

Like runs are those of the same engine, model, work form and tier. A file for each such kind holds their numbers: no
task, no answer, no key. It lies beside what was found out about endpoints; one that cannot be read or written costs no
run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from aeon.home import cache_dir
from aeon.llm.adapter import LLMAdapter
from aeon.llm.around import Around
from aeon.llm.examinable import Examinable
from aeon.replacing import put
from aeon.runtime.lines import EXPECTED
from aeon.schema import Conclusion, Expected, JsonObject, Settings, Spread, Took

__all__ = ["Costs"]

_NAMED = {"form", "tier", "preset", "model_tier"}
"""The settings, of the engines that have them, that make runs of another kind."""
_UNENDED = ("failed", "waiting", "interrupted")
_MOST = 200
"""Runs that are looked at, the latest."""
_LARGEST = 64_000
"""Bytes of a file; a larger one is cut to the latest runs."""


class Costs:
    """What runs of an engine, by its name and version, took on a model under these settings.

    Nothing is kept of a model that no endpoint serves, such as a scripted one.
    """

    def __init__(self, model: LLMAdapter, engine: str, config: Settings) -> None:
        while isinstance(model, Around):
            model = model.model
        kind = config.model_dump(mode="json", include=_NAMED) | {"engine": engine, "model": model.name}
        name = hashlib.sha256(json.dumps(kind, sort_keys=True).encode()).hexdigest()[:24]
        self._path = cache_dir() / "costs" / f"{name}.jsonl" if isinstance(model, Examinable) else None

    @property
    def expected(self) -> Expected | None:
        """What the latest of these runs took; ``None`` where none is on record."""
        runs = [] if self._path is None else _runs(self._path)
        if not runs:
            return None
        return Expected(
            runs=len(runs),
            calls=_spread([run.calls for run in runs]),
            tokens=_spread([run.tokens for run in runs]),
            cost=_spread([run.cost for run in runs]),
            seconds=_spread([run.seconds for run in runs]),
        )

    def setup(self) -> JsonObject:
        """What the journal of a run keeps of it: what it was expected to take."""
        return {} if (expected := self.expected) is None else {EXPECTED: expected.model_dump(mode="json")}

    def note(self, end: Conclusion) -> None:
        """Keep what a run took, over all its lives; one that has not really ended is none, nor one without a model."""
        if self._path is None or not end.bound.calls or end.stop_reason in _UNENDED:
            return
        whole = end.usage + end.lost
        took = Took(calls=whole.calls, tokens=whole.tokens, cost=whole.cost, seconds=end.seconds)
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(took.model_dump_json() + "\n")
                size = file.tell()
            if size > _LARGEST:
                put(self._path, "".join(f"{run.model_dump_json()}\n" for run in _runs(self._path)))


def _runs(path: Path) -> list[Took]:
    """The latest runs in a file; a line that is none is skipped."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-_MOST:]
    except OSError:
        return []
    runs: list[Took] = []
    for line in lines:
        with contextlib.suppress(ValidationError):
            runs.append(Took.model_validate_json(line))
    return runs


def _spread(values: Sequence[float]) -> Spread:
    """The median and the 90th percentile, each a value that occurred (nearest rank)."""
    ordered = sorted(values)
    middle, high = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.9))
    return Spread(median=middle, p90=high)

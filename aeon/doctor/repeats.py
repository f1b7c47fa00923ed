"""Does the same request get the same answer at temperature 0, whatever the endpoint did in between?"""

from __future__ import annotations

from aeon.doctor.examination import Examination, plain
from aeon.doctor.findings import Repeats
from aeon.schema.llm import LLMResponse

__all__ = ["difference", "examine_repeats"]

_TOKENS = 32
_ALTERNATIVES = 5
_SHARED = (
    "A harbour town keeps a lighthouse, two cranes and a small yard where boats are mended. Each morning the keeper "
    "writes down the wind, the height of the water and the ships that are expected; each evening she writes what "
    "became of them."
)
_ASKED = f"{_SHARED}\n\nIs her work useful? Begin with Yes or No, then say why in one sentence."
_LIKE_IT = f"{_SHARED}\n\nName one thing that the yard needs, in one short sentence."
_UNLIKE_IT = "List four colours of the rainbow and something that has each of them."


async def examine_repeats(exam: Examination, scored: bool) -> Repeats:
    """The same request four times: twice in a row, after one that begins like it, and after another one.

    ``scored`` asks for the probabilities of the first token too. Raises `ModelError`.
    """
    asked = plain(_ASKED, _TOKENS, top_logprobs=_ALTERNATIVES if scored else 0)
    first = await exam.ask(asked)
    again = await exam.ask(asked)
    await exam.ask(plain(_LIKE_IT, _TOKENS))
    after_shared = await exam.ask(asked)
    await exam.ask(plain(_UNLIKE_IT, _TOKENS))
    after_other = await exam.ask(asked)
    repeated = (again, after_shared, after_other)
    same = [response.text == first.text for response in repeated]
    return Repeats(
        again=same[0], after_shared=same[1], after_other=same[2],
        cached=any(response.usage.cached_tokens > 0 for response in repeated),
        drift=max(difference(first, response) for response in repeated) if scored else None,
    )  # fmt: skip


def difference(one: LLMResponse, other: LLMResponse) -> float:
    """The largest difference between the probabilities that two answers give the same first token (0-1)."""
    mine = {entry.token: entry.probability for entry in one.first_token}
    theirs = {entry.token: entry.probability for entry in other.first_token}
    shared = mine.keys() & theirs.keys()
    if not shared:
        return 1.0 if mine or theirs else 0.0
    return max(abs(mine[token] - theirs[token]) for token in shared)

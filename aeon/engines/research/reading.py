"""A short answer read out of passages, with the sentences that it rests on; or that they do not state it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.engines.research.effects import Numbered
from aeon.engines.research.numbering import citations, likeliest, numbered
from aeon.engines.research.values import Finding
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["absent", "combined", "found_out", "split"]

_PACKAGE = "aeon.engines.research"
_ANSWER_TOKENS, _SPLIT_TOKENS = 48, 120
_LONGEST_QUESTION, _LONGEST_PASSAGES = 600, 12_000
_MOST_PARTS = 4
_ABSENT = re.compile(
    r"\bnot (?:stated|mentioned|said|given|specified|provided|found|available)\b|\bno sentence\b", re.IGNORECASE
)
_CLINIC = fence(
    "sentences",
    "[1] Harbour Clinic\n1.1 The Harbour Clinic is an animal clinic in Ostend.\n1.2 Its head is the vet Dr. Adler.\n"
    "[2] Mimi (cat)\n2.1 Mimi is a grey cat from Bruges, born in 2015.\n2.2 She lives with the painter Jan Maes.",
    _LONGEST_PASSAGES,
)
_READ = (
    (f"{_CLINIC}\nQuestion: Who heads the clinic in Ostend?", "Dr. Adler [1.2]"),
    (f"{_CLINIC}\nQuestion: In which year was Mimi the cat born?", "2015 [2.1]"),
    (f"{_CLINIC}\nQuestion: In which year was Jan Maes born?", "not stated"),
)
_SPLIT = (
    (
        "When was the company that built the Millau Viaduct founded?",
        "Which company built the Millau Viaduct?\nWhen was #1 founded?",
    ),
    (
        "Who is the mayor of the city where the author of Heidi died?",
        "Who is the author of Heidi?\nIn which city did #1 die?\nWho is the mayor of #2?",
    ),
    (
        "Are Lake Como and Lake Garda both in Lombardy?",
        "In which region is Lake Como?\nIn which region is Lake Garda?",
    ),
    ("How high is Ben Nevis?", "How high is Ben Nevis?"),
    (
        "Which writer was born first, Ada Kern or Jon Vale?",
        "When was the writer Ada Kern born?\nWhen was the writer Jon Vale born?",
    ),
)
_LISTED = re.compile(r"^\W*\d\W\s*")


def absent(reply: str) -> bool:
    """Whether a reply says that the answer is not there."""
    return not reply or _ABSENT.search(reply) is not None


async def split(supervisor: Supervisor, question: str) -> list[str]:
    """The simple questions that a question is made of, in order, at most four; itself if it is simple.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    prompt = Prompt(load(_PACKAGE, "split.md"), cut(question, _LONGEST_QUESTION), _SPLIT, fixed=True)
    reply = await supervisor.text(prompt, max_tokens=_SPLIT_TOKENS, repairs=0)
    parts = [one_line(_LISTED.sub("", line).strip()) for line in reply.value.splitlines()]
    parts = [part for part in parts if part][:_MOST_PARTS]
    return parts if len(parts) > 1 else [question]


async def found_out(supervisor: Supervisor, question: str, passages: Sequence[Numbered], part: int | None) -> Finding:
    """What the passages say to a question.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    text, labels = numbered(passages)
    nothing = Finding(question=question, part=part)
    if not labels:
        return nothing
    asked = f"{fence('sentences', text, _LONGEST_PASSAGES)}\nQuestion: {cut(question, _LONGEST_QUESTION)}"
    prompt = Prompt(load(_PACKAGE, "read.md"), asked, _READ, fixed=True)
    reply = await supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0)
    answer, cited = citations(reply.value.splitlines()[0], labels)
    answer = answer.strip(" .,;[]\"'")
    if absent(answer):
        return nothing
    return nothing.changed(answer=answer, evidence=cited or likeliest(answer, labels.values()))


async def combined(supervisor: Supervisor, question: str, findings: Sequence[Finding]) -> str:
    """The answer that follows from those to simpler questions; "" where it does not.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    cited = [one_line(one.source.text, 1_000) for finding in findings for one in finding.evidence]
    said = [f"{finding.question} {finding.answer}" for finding in findings]
    facts = fence("facts", "\n".join([*dict.fromkeys(cited), *said]), _LONGEST_PASSAGES)
    prompt = Prompt(load(_PACKAGE, "combine.md"), f"{facts}\nQuestion: {cut(question, _LONGEST_QUESTION)}")
    reply = await supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0)
    answer = reply.value.splitlines()[0].strip(" .\"'")
    return "" if absent(answer) else answer

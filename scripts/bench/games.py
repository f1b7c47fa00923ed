"""Proof games over seeded families: who solves how many, and whether a false claim was ever proved.

    python -m scripts.bench.games --players oracle,first,random,dump            # no model
    python -m scripts.bench.games --players model,plain,tools,blind --seeds 10 --families needle,totals,log,crash
    python -m scripts.bench.games --claims 10000                                # adversarial claims

``plain`` gets all files in one call, ``retries`` does so several times, ``tools`` has the same looks as the player of
the game, in as many turns, and answers when it likes; ``blind`` plays without what the tutor says. An answer counts if
its cited claims prove it; an answer by claims that prove something else is wrong, and so is none; that of a player
who cites nothing, if it names what it must and no decoy.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random

from aeon.assembly.build import build
from aeon.assembly.plugin import Plugin, Services
from aeon.assembly.tutor import PLUGIN
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.effects import JudgeAnswer, JudgedReply, PlayerMove, Said
from aeon.engines.tutor.export import statement_of
from aeon.engines.tutor.moves import Assert, Option, Reformulate, Respond, typed
from aeon.engines.tutor.record import ProofGame
from aeon.engines.tutor.statements import Statement
from aeon.kernel.ports import Handlers
from aeon.llm.adapter import LLMAdapter
from aeon.llm.scripted import Scripted
from aeon.llm.select import select
from aeon.schema import LLMRequest, Message
from scripts.bench.games_claims import adversarial
from scripts.bench.games_families import FAMILIES, VARIANTS, Instance, instance
from scripts.bench.games_tools import answered

PLAIN = ("plain", "retries", "tools")
_OPEN = ("cannot be", "not possible", "unknown", "do not say", "does not say", "not stated", "unable", "undecidable")
_NONE = ("no ", "none", "not there", "does not exist", "is missing")


def written(one: Instance, folder: Path) -> None:
    """Write the files of an instance."""
    for name, content in one.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def cited(result: ProofGame) -> list[Statement]:
    """The claims of an answer, each as it was decided."""
    verdicts = {node.content["claim"]: node.content["verdict"] for node in result.graph if node.kind == "verdict"}
    claims = [(statement_of(result.graph[number - 1]), verdicts[number]) for number in result.cited]
    return [one if verdict == "proved" else one.changed(polarity=not one.polarity) for one, verdict in claims]


def grade(one: Instance, result: ProofGame) -> str:
    """``right``, ``wrong`` where another answer was given, or ``none``, also where the answer was judged to be none."""
    if result.stop_reason not in ("proved", "undecidable"):
        return "none"
    if "undecidable" in (one.variant, result.stop_reason):
        return "right" if one.variant == result.stop_reason else "wrong"
    return "right" if one.proves(cited(result)) else "wrong"


def scripted(player: str, one: Instance, seed: int) -> Plugin:  # type: ignore[type-arg]
    """The engine with a player that needs no model, whose every answer is taken for one."""
    chance = Random(seed)
    told: list[str] = []

    async def move(effect: PlayerMove) -> Said:
        option = _choice(player, one, effect.options, chance, told)
        claim = _claim(option)
        if claim is not None and _is_part(one, claim):
            told.append(claim.affirmed)
        return Said(move=option.said)

    async def judge(effect: JudgeAnswer) -> JudgedReply:
        return JudgedReply(answers=True)

    def handlers(services: Services[TutorConfig]) -> Handlers:
        return {**PLUGIN.handlers(services), "player_move": move, "judge_answer": judge}

    return replace(PLUGIN, handlers=handlers)


def _choice(player: str, one: Instance, options: Sequence[Option], chance: Random, told: Sequence[str]) -> Option:
    if player == "random":
        return chance.choice(options)
    if player == "dump":
        return next((o for o in options if o.label.startswith("read ")), options[0])
    if player == "oracle":
        return max(options, key=lambda option: (_worth(one, option, told), -options.index(option)))
    return options[0]


def _claim(option: Option) -> Statement | None:
    move = typed(option.said)
    return move.claim if isinstance(move, Assert) else move.statement if isinstance(move, Reformulate) else None


def _is_part(one: Instance, claim: Statement) -> bool:
    """Whether a claim, or its opposite, is of the answer's proof."""
    return any(one.is_part(said) for said in (claim, claim.changed(polarity=not claim.polarity)))


def _worth(one: Instance, option: Option, told: Sequence[str]) -> int:
    """How good a move is for one who knows what proves the answer: to answer that, to claim it, to look; else nothing.

    ``told`` are the claims of the proof that were put, by which the label of the answer is known.
    """
    claim = _claim(option)
    if claim is not None:
        return 7 if _is_part(one, claim) else 2
    if isinstance(move := typed(option.said), Respond):
        known = one.variant != "undecidable" and one.parts <= sum(words in option.label for words in told)
        return 9 if move.undecidable or known else 0
    return 4


def plain(model: LLMAdapter, one: Instance, attempts: int) -> str:
    """What a plain model says that gets all the files in one call; of several attempts the most frequent grade."""
    shown = "\n\n".join(f"=== {name}\n{content.decode('latin-1')}" for name, content in one.files.items())
    asked = f"{shown[:9000]}\n\nQuestion: {one.question}\nAnswer in one short sentence. If it cannot be told, say so."
    message = Message(role="user", content=asked)

    async def ask(seed: int) -> str:
        warm = {"temperature": 0.7, "seed": seed} if attempts > 1 else {}
        request = LLMRequest(messages=(message,), max_tokens=60, **warm)
        return (await model.complete(request)).text

    grades = [_graded(one, asyncio.run(ask(seed))) for seed in range(attempts)]
    return Counter(grades).most_common(1)[0][0]


def by_tools(model: LLMAdapter, one: Instance, turns: int) -> str:
    """The grade of a plain model that looks for itself, with the tools of the game."""
    with tempfile.TemporaryDirectory(prefix="game-") as name:
        written(one, Path(name))
        said = asyncio.run(answered(model, one.question, Path(name), turns))
    return _graded(one, said) if said else "none"


def _graded(one: Instance, text: str) -> str:
    """Whether a plain answer is right: it names what it must and no decoy, or says that it cannot be told."""
    low = text.lower()
    if one.variant == "undecidable":
        return _right(_holds(low, _OPEN))
    if one.variant == "false" and one.family in ("needle", "config", "clues", "crash", "identity"):
        return _right(_holds(low, (*_OPEN, *_NONE)))
    return _right(all(part.lower() in low for part in one.expected) and not _holds(low, one.decoys))


def _right(holds: bool) -> str:
    return "right" if holds else "wrong"


def _holds(text: str, parts: Sequence[str]) -> bool:
    return any(part.lower() in text for part in parts)


def played(player: str, one: Instance, model: LLMAdapter | None, options: argparse.Namespace, seed: int) -> str:
    """The grade of one game."""
    if player in PLAIN:
        assert model is not None
        if player == "tools":
            return by_tools(model, one, options.turns)
        return plain(model, one, 1 if player == "plain" else options.attempts)
    config = TutorConfig(turns=options.turns, form=options.form, messages=player != "blind")
    config = config.changed(hints=0) if player == "blind" else config
    by_model = player in ("model", "blind")
    engine = PLUGIN if by_model else scripted(player, one, seed)
    with tempfile.TemporaryDirectory(prefix="game-") as name:
        written(one, Path(name))
        result = build(model if by_model else Scripted([]), (), config, engine=engine, files=name).execute(one.question)
    if options.show:
        print(json.dumps({"question": one.question, "answer": result.answer, "end": result.stop_reason}))
    return grade(one, result)


def interval(right: int, of: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not of:
        return "-"
    z, p = 1.96, right / of
    middle, half = (p + z * z / (2 * of)), z * sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = ((middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of))
    return f"{right}/{of} = {100 * p:.0f} % ({100 * low:.0f}-{100 * high:.0f})"


def run(options: argparse.Namespace) -> None:
    """Play, and print a line for each player, family and variant."""
    players = options.players.split(",")
    model = select(None) if {"model", "blind", *PLAIN} & set(players) else None
    began = time.monotonic()
    for player in players:
        whole: Counter[str] = Counter()
        for family in options.families.split(","):
            for variant in options.variants.split(","):
                grades: Counter[str] = Counter()
                for seed in range(options.first, options.first + options.seeds):
                    if time.monotonic() - began > options.seconds:
                        break
                    grades[played(player, instance(family, variant, seed), model, options, seed)] += 1
                whole += grades
                line = interval(grades["right"], grades.total())
                print(f"{player:7} {family:9} {variant:12} {line:28} wrong {grades['wrong']}", flush=True)
        print(f"{player:7} all: {interval(whole['right'], whole.total())}, wrong {whole['wrong']}", flush=True)
    if model is not None:
        asyncio.run(model.aclose())


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="oracle,first,random,dump")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--form", choices=("menu", "free"), default="menu")
    parser.add_argument("--attempts", type=int, default=5, help="of the player retries")
    parser.add_argument("--seconds", type=float, default=1e9, help="no game begins after that")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--claims", type=int, default=0)
    options = parser.parse_args()
    if options.claims:
        print(adversarial(options.claims))
    else:
        run(options)


if __name__ == "__main__":
    main()

"""What is checked of a proof: hashes, spans, quotes, values, computations, verdicts. Standard library alone."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from aeon.language.readings import Read
from aeon.proof.again import done_again
from aeon.proof.canonical import QUOTED, at_path, output_of, sha256
from aeon.proof.inference import check_sentence, check_verdict, cuts, must, read_again, stands_whole
from aeon.proof.places import Host, Line, compared, context_problem, shown_problems
from aeon.proof.saved import held_against
from aeon.proof.whole import GROUNDS, problems_of_sentences, problems_of_values

__all__ = ["Checks"]

_OPEN = "it is supported in part at most: the table that it rests on could be read in another way"


class Checks:
    """A proof that is being verified, and what came of it so far."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.problems: list[str] = []
        self.verified: list[str] = ["the file is as it was written: digest and canonical form"]
        self.recorded: list[str] = []
        self._document = document
        self._sources = {source["id"]: source for source in document["sources"]}
        self._texts = {source[name]: source["text"] for name in ("location", "id") for source in document["sources"]}
        self._steps = {step["id"]: step for one in document["derivations"] for step in one["steps"]}
        self._claims = {claim["id"]: claim for claim in document["claims"]}
        self._values = [claim for claim in self._claims.values() if claim["kind"] != "sentence"]
        self._starts = [claim["start"] for claim in self._values]
        self._outputs: dict[str, object] = {}

    def check(self) -> None:
        """Check everything that stands in the file."""
        self._check_ids()
        for source in self._document["sources"]:
            self._hold(
                sha256(source["text"]) == source["text_sha256"], f"source {source['id']}: its text has another hash"
            )
            self._check_read(source)
            if wrong := context_problem(source, self._document["task"]["context"]):
                self.problems.append(f"source {source['id']}: {wrong}")
        self._count("source", len(self._sources), "the text and its hash")
        for step in self._steps.values():
            self._check_step(step)
        sentences = [claim for claim in self._claims.values() if claim["kind"] == "sentence"]
        self._check_spans("value", self._values)
        self._check_spans("sentence", sentences)
        if not self.problems:
            self._check_whole(sentences)
        for claim in self._claims.values():
            self._try(f"claim {claim['id']}", self._check_claim, claim)
        self._check_inferences()
        self._check_coverage()
        self._note_recorded()

    def _hold(self, condition: bool, problem: str) -> None:
        if not condition:
            self.problems.append(problem)

    def _count(self, name: str, count: int, what: str) -> None:
        if count:
            self.verified.append(f"{count} {name}{'s' * (count != 1)}: {what}")

    def _try(self, name: str, check: Callable[[dict[str, Any]], None], record: dict[str, Any]) -> None:
        try:
            check(record)
        except ValueError as error:
            self.problems.append(f"{name}: {error}")

    def _check_ids(self) -> None:
        derivations = self._document["derivations"]
        steps = [step for one in derivations for step in one["steps"]]
        named = {"source": self._document["sources"], "claim": self._document["claims"], "step": steps}
        for name, records in (*named.items(), ("derivation", derivations)):
            ids = Counter(record["id"] for record in records)
            twice = [one for one, count in ids.items() if count > 1 or not one]
            self._hold(not twice, f"a {name} has no id, or one that another has: {', '.join(twice)[:60]!r}")
        taken = sum(one["taken"] for one in derivations)
        self._hold(taken == 1 or not derivations, f"{taken} derivations are marked as taken, not one")

    def _check_read(self, source: dict[str, Any]) -> None:
        """Check that what was read of a source are spans of it, in order."""
        ends = [0, *(place for span in source["read"] for place in span), len(source["text"])]
        in_order = all(len(span) == 2 for span in source["read"]) and ends == sorted(ends)
        self._hold(in_order, f"source {source['id']}: what was read of it are no spans of its text, in order")

    def _check_step(self, step: dict[str, Any]) -> None:
        """Check a step's output, and do the step again if it is one of a pure tool."""
        name = f"step {step['id']}"
        try:
            self._hold(sha256(step["output"]) == step["sha256"], f"{name}: its output has another hash")
            self._outputs[step["id"]] = output_of(step["output"])
            arguments = output_of(step["arguments"])
        except ValueError:
            self.problems.append(f"{name}: its output or its arguments are no JSON")
            return
        self.problems += shown_problems(step["id"], self._outputs[step["id"]], self._texts)
        try:
            wrong = done_again(step["tool"], arguments, self._outputs[step["id"]], self._texts)
        except ValueError as error:
            self.recorded.append(f"{name} ({step['tool'][:40] or 'reasoning'}): its output; {error}")
            return
        if wrong:
            self.problems.append(f"{name}: {wrong}")
        else:
            self.verified.append(f"{name}: {step['tool']}, done again")

    def _check_spans(self, name: str, claims: list[dict[str, Any]]) -> None:
        """Check that claims are parts of the answer, in order, none in another."""
        answer, last = self._document["answer"], 0
        for claim in claims:
            start, end = claim["start"], claim["end"]
            if not 0 <= start < end <= len(answer):
                self.problems.append(f"claim {claim['id']}: characters {start} to {end} are no span of the answer")
            elif answer[start:end] != claim["text"]:
                self.problems.append(f"claim {claim['id']}: its text is not what stands in the answer there")
            self._hold(start >= last, f"claim {claim['id']}: it overlaps another {name}, or is out of order")
            last = max(last, end)

    def _check_whole(self, sentences: list[dict[str, Any]]) -> None:
        """Check that the claims are those of every value and every sentence of the answer."""
        kind = self._document["grounds"]["kind"]
        if kind not in GROUNDS:
            self.problems.append(f"{kind[:20]!r} is no way in which the values of an answer are found")
            return
        by_host = (one for one in sentences if one["checks"] in (["values"], ["words"]) and one["evidence"])
        if kind == "sentences" and any(by_host):
            self.problems.append("its sentences are checked as those of an answer whose values stand in calls of tools")
        self.problems += problems_of_sentences(self._document["answer"], sentences, kind == "sentences")
        self.problems += problems_of_values(self._document)
        self.verified.append("the answer has no other value and no other sentence")

    def _check_claim(self, claim: dict[str, Any]) -> None:
        """Check what a claim rests on, and that its verdict follows."""
        mine = read_again(claim["text"], claim)
        operands = [self._evidence(one) for one in claim["evidence"]]
        if claim["kind"] == "sentence":
            places = [(self._text(one), one["start"], one["end"]) for one in claim["evidence"]]
            check_sentence(claim, self._verdicts_in(claim), all(stands_whole(*place) for place in places))
            return
        must(claim["checks"] in ([], ["value"], ["judge"]), "it was checked in no way that is known")
        must(claim["checks"] == ["value"] or claim["verdict"] == "not_checked", "the host did not check it")
        must(claim["verdict"] != "supported" or not any(map(self._is_open, claim["evidence"])), _OPEN)
        check_verdict(claim, mine, operands, self._steps)

    def _is_open(self, record: dict[str, Any]) -> bool:
        """Whether a piece of evidence comes from a table that could be read in another way."""
        return record["type"] == "tool" and any(table["open"] for table in self._steps[record["id"]]["tables"])

    def _verdicts_in(self, sentence: dict[str, Any]) -> list[str]:
        """The verdicts on the values within a sentence, which are in order, none in another."""
        first = bisect_left(self._starts, sentence["start"])
        first -= first > 0 and self._values[first - 1]["end"] > sentence["start"]
        last = bisect_left(self._starts, sentence["end"])
        return [claim["verdict"] for claim in self._values[first:last]]

    def _evidence(self, record: dict[str, Any]) -> Read:
        """The value at a place, read again, after the place was looked up."""
        text, start, end = self._text(record), record["start"], record["end"]
        where = f"its evidence in {record['type']} {record['id'][:40]}"
        must(0 <= start < end <= len(text), f"{where}: characters {start} to {end} are no span of it")
        must(text[start:end] == record["exact"], f"{where}: the quote is not what stands there")
        must(
            text[max(0, start - QUOTED) : start] == record["prefix"], f"{where}: something else stands before the quote"
        )
        must(text[end : end + QUOTED] == record["suffix"], f"{where}: something else stands behind the quote")
        if record["form"] in ("point", "comma"):
            must(not cuts(text, start, end), f"{where}: the quote is a part of a longer number")
        return read_again(record["exact"], record)

    def _text(self, record: dict[str, Any]) -> str:
        """The whole text that a piece of evidence is a part of."""
        name = record["id"]
        match record["type"]:
            case "source" if name in self._sources:
                return str(self._sources[name]["text"])
            case "tool" if name in self._outputs and self._steps[name]["tool"]:
                return at_path(self._outputs[name], record["path"])
            case "task" if name in self._document["task"]:
                return str(self._document["task"][name])
            case "claim" if name in self._claims:
                return str(self._claims[name]["text"])
        raise ValueError(f"its evidence names {record['type'][:20]} {name[:40]!r}, which is not there")

    def _check_inferences(self) -> None:
        """Check that no supported claim rests on itself, or on a claim that is not supported."""
        rests = {one["id"]: _claims_of(one) for one in self._values if one["verdict"] == "supported"}
        try:
            order = list(TopologicalSorter(rests).static_order())
        except CycleError as error:
            self.problems.append(f"claim {error.args[1][0]}: it rests on itself")
            return
        loose = [name for name in order if name in rests and not rests[name] <= rests.keys()]
        self.problems += [f"claim {name}: it rests on a claim that is not supported" for name in loose]

    def _check_coverage(self) -> None:
        claims = self._claims.values()
        verdicts = [claim["verdict"] for claim in claims]
        checked, supported = len(verdicts) - verdicts.count("not_checked"), verdicts.count("supported")
        real = {"claims": len(verdicts), "checked": checked, "supported": supported}
        self._hold(self._document["coverage"] == real, "its coverage is not that of its claims")
        for name, sentences in (("value", False), ("sentence", True)):
            found = [one for one in claims if (one["kind"] == "sentence") is sentences and "judge" not in one["checks"]]
            counts = Counter(one["verdict"] for one in found)
            told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
            self._count(name, len(found), f"spans, evidence and verdicts ({told})")
        self._count("claim", len(verdicts), f"{checked} checked, {supported} supported, as the coverage says")

    def _note_recorded(self) -> None:
        """Note what a step is said to state, and what a model judged."""
        self._note("that a step states the computation of {}", lambda one: _step_of(one) not in ("", "answer", "judge"))
        self._note("that the computation of {} is the one that is meant", lambda one: _step_of(one) == "judge")
        self._note("that {} count, label or assume, and state nothing", _is_label)
        self._note("the verdicts of a model on the sentences {}", _is_judged)

    def _note(self, text: str, takes: Callable[[dict[str, Any]], bool]) -> None:
        """Note what is only recorded of the claims that are such, naming the first of them."""
        names = [one["id"] for one in self._claims.values() if takes(one)]
        if names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            self.recorded.append(text.format(", ".join(names[:10]) + more))

    def check_journal(self, journal: Path | str | None, host: Host | None) -> None:
        """Check that the journal is the one that the proof was made from, and that its run gives this proof."""
        if journal is None:
            saved = self._document["journal"] is not None
            self.recorded.append("the journal's root" if saved else "no journal: the run was not saved")
        else:
            self._take(held_against(self._document, Path(journal), host))

    def check_files(self, folder: Path | str | None, host: Host | None) -> None:
        """Check that the sources are what the files below the folder say, and that its tables give what they gave."""
        if folder is None:
            if self._sources:
                self.recorded.append("where the sources come from; --sources FOLDER compares them with files")
            return
        self._take(compared(self._document, Path(folder), host))

    def _take(self, lines: Iterable[Line]) -> None:
        """Add what came of a comparison."""
        kinds = {"problem": self.problems, "verified": self.verified, "recorded": self.recorded}
        for line in lines:
            if line.step and line.kind != "recorded":  # it was done again after all
                self.recorded[:] = [one for one in self.recorded if not one.startswith(f"step {line.step} (")]
            kinds[line.kind].append(line.text)


def _claims_of(claim: dict[str, Any]) -> set[str]:
    return {one["id"] for one in claim["evidence"] if one["type"] == "claim"}


def _is_label(claim: dict[str, Any]) -> bool:
    return "judge" in claim["checks"] and claim["kind"] != "sentence"


def _is_judged(claim: dict[str, Any]) -> bool:
    return "judge" in claim["checks"] and claim["kind"] == "sentence"


def _step_of(claim: dict[str, Any]) -> str:
    return str(claim["computation"]["step"]) if claim["computation"] else ""

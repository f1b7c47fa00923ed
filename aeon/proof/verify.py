"""Verifies the proof file of an answer, offline: hashes, spans, quotes, values, computations. Standard library alone.

It trusts nothing in the proof: it hashes every text, looks every quote up, reads every value again, and does
computations and pure tool steps again. What only a tool or a model said is listed as recorded, never as verified.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from aeon.proof.again import done_again
from aeon.proof.canonical import MOST_BYTES, ProofError, at_path, load, output_of, sha256
from aeon.proof.inference import check_sentence, check_verdict, cuts, must, read_again, stands_whole
from aeon.language.readings import Read
from aeon.proof.whole import GROUNDS, problems_of_sentences, problems_of_values

__all__ = ["QUOTED", "SIGNATURE", "Report", "SignedBy", "main", "verify", "verify_file"]

QUOTED = 32
"""Characters of a quote's prefix and suffix."""
SIGNATURE = ".sig"
"""What the name of a signature ends with, behind the name of its proof file."""
_SIGNATURE_BYTES = 64


class Report(NamedTuple):
    """What came of a verification. ``code`` is 0 verified, 1 not, 2 no proof file.

    ``recorded`` is what the proof says and nobody can verify offline: judgments of a model, outputs of tools that are
    not pure.
    """

    code: int
    problems: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The report for people."""
        if self.problems:
            return "\n".join(f"not verified: {problem}" for problem in self.problems)
        lines = [f"verified: {line}" for line in self.verified]
        return "\n".join(lines + [f"only recorded: {line}" for line in self.recorded])


class SignedBy(NamedTuple):
    """A public key: its SHA-256, and whether a signature is one of it over some data."""

    fingerprint: str
    stands: Callable[[bytes, bytes], bool]


def verify_file(
    path: Path | str,
    journal: Path | str | None = None,
    folder: Path | str | None = None,
    key: SignedBy | None = None,
) -> Report:
    """Verify a proof file; with the ``journal`` of its run, the ``folder`` of its sources, the ``key``, those too."""
    try:
        size = Path(path).stat().st_size
        if size > MOST_BYTES:
            return Report(2, (f"it has {size:,} bytes; a proof has at most {MOST_BYTES:,}",))
        data = Path(path).read_bytes()
    except OSError as error:
        return Report(2, (f"it cannot be read: {error.strerror}",))
    return _with_signature(verify(data, journal, folder), Path(f"{path}{SIGNATURE}"), data, key)


def _with_signature(report: Report, place: Path, data: bytes, key: SignedBy | None) -> Report:
    """The report with what came of the signature, if there is one or a ``key`` asks for one."""
    if key is None:
        line = f"the signature {place.name!r}; aeon verify --public-key FILE checks it"
        return report._replace(recorded=(*report.recorded, line)) if place.exists() else report
    try:
        with place.open("rb") as file:
            made = file.read(_SIGNATURE_BYTES + 1)
    except OSError as error:
        problem = f"its signature {place.name!r} cannot be read: {error.strerror}"
    else:
        if len(made) == _SIGNATURE_BYTES and key.stands(made, data):
            return report._replace(verified=(*report.verified, f"the signature, by the public key {key.fingerprint}"))
        length = "of this key over this file" if len(made) == _SIGNATURE_BYTES else f"of {_SIGNATURE_BYTES} bytes"
        problem = f"its signature {place.name!r} is none {length}"
    return report._replace(code=report.code or 1, problems=(*report.problems, problem))


def verify(data: bytes, journal: Path | str | None = None, folder: Path | str | None = None) -> Report:
    """Verify the bytes of a proof file, as `verify_file` does."""
    try:
        proof = _Proof(load(data))
    except ProofError as error:
        return Report(error.code, (str(error),))
    proof.check()
    proof.check_journal(journal)
    proof.check_files(folder)
    return Report(1 if proof.problems else 0, tuple(proof.problems), tuple(proof.verified), tuple(proof.recorded))


class _Proof:
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
        try:
            wrong = done_again(step["tool"], arguments, self._outputs[step["id"]], self._outputs, self._texts)
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
        check_verdict(claim, mine, operands, self._steps)

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
        stated = [one["id"] for one in self._claims.values() if _step_of(one) not in ("", "answer", "judge")]
        if stated:
            self.recorded.append(f"that a step states the computation of {', '.join(stated[:10])}")
        meant = [one["id"] for one in self._claims.values() if _step_of(one) == "judge"]
        if meant:
            self.recorded.append(f"that the computation of {', '.join(meant[:10])} is the one that is meant")
        labels = [claim["id"] for claim in self._values if "judge" in claim["checks"]]
        if labels:
            self.recorded.append(f"that {', '.join(labels[:10])} count, label or assume, and state nothing")
        sentences = (claim for claim in self._claims.values() if claim["kind"] == "sentence")
        judged = [claim["id"] for claim in sentences if "judge" in claim["checks"]]
        if judged:
            self.recorded.append(f"the verdicts of a model on {len(judged)} sentences: {', '.join(judged[:10])}")

    def check_journal(self, journal: Path | str | None) -> None:
        """Check that the journal is the one that the proof was made from, as far as it had come then."""
        root = self._document["journal"]
        if journal is None:
            self.recorded.append("the journal's root" if root else "no journal: the run was not saved")
        elif root is None:
            self.problems.append("the run was not saved, so no journal belongs to it")
        else:
            try:
                with Path(journal).open("rb") as file:
                    lines = b"".join(file.readline() for _ in range(min(root["lines"], 10**7)))
            except OSError as error:
                self.problems.append(f"the journal cannot be read: {error.strerror}")
                return
            same = lines.count(b"\n") == root["lines"] and sha256(lines) == root["sha256"]
            self._hold(same, "the journal is not the one that this proof was made from")
            self._count("line", root["lines"], "the journal's, and their hash")

    def check_files(self, folder: Path | str | None) -> None:
        """Check that the sources below the folder are still what they were."""
        if folder is None:
            if self._sources:
                self.recorded.append("where the sources come from; --sources FOLDER compares them with files")
            return
        for source in self._sources.values():
            name, place = f"source {source['id']}", PurePosixPath(source["location"])
            if not place.parts or place.is_absolute() or ".." in place.parts or "://" in source["location"]:
                self.recorded.append(f"{name}: it is no file below the folder")
            elif not source["raw_sha256"]:
                self.recorded.append(f"{name}: the proof has no hash of its file")
            else:
                self._check_file(name, Path(folder) / place, source)

    def _check_file(self, name: str, path: Path, source: dict[str, Any]) -> None:
        file_name = f"the file {source['location'][:100]!r}"
        try:
            if not path.is_file():  # a pipe has no end
                raise FileNotFoundError
            with path.open("rb") as file:
                same = hashlib.file_digest(file, "sha256").hexdigest() == source["raw_sha256"]
        except (OSError, ValueError):
            self.problems.append(f"{name}: {file_name} cannot be read")
        else:
            self._hold(same, f"{name}: {file_name} changed since")
            self.verified += [f"{name}: the file is still the same"] if same else []


def _claims_of(claim: dict[str, Any]) -> set[str]:
    return {one["id"] for one in claim["evidence"] if one["type"] == "claim"}


def _step_of(claim: dict[str, Any]) -> str:
    return str(claim["computation"]["step"]) if claim["computation"] else ""


def main(arguments: list[str]) -> int:
    """Verify a file as the command line says, print the report, and give the exit code."""
    parser = argparse.ArgumentParser(description="Verify the proof of an answer, offline.")
    parser.add_argument("file", metavar="FILE", help="a proof file")
    parser.add_argument("--journal", metavar="FILE", help="the saved run that the proof was made from")
    parser.add_argument("--sources", metavar="FOLDER", help="the folder that the sources come from")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args(arguments)
    report = verify_file(options.file, options.journal, options.sources)
    shown = json.dumps(report._asdict()) if options.json else report.text
    print(shown.encode("ascii", "backslashreplace").decode())
    return report.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

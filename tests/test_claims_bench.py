"""The bench that holds claims against texts: its features, its fit over halves, its output and its bad input."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse, TokenProbability

BENCH = Path(__file__).parents[1] / "scripts" / "bench"
sys.path.insert(0, str(BENCH))
try:
    import claims
finally:
    sys.path.remove(str(BENCH))

pytestmark = pytest.mark.requirement("G3")

EVIDENCE = "The pier was built in 1874. It was sold to a firm from Lund."


def judge(request: LLMRequest) -> str | LLMResponse:
    """Cuts a claim in two; says yes to what is about the pier."""
    asked = request.messages[-1].content
    if asked.startswith("Claim: "):
        return "- The pier was built in 1874.\n- It burned down.\n\n"
    yes = 0.9 if "Claim: The pier" in asked and "burned" not in asked else 0.2
    first = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=first)


def test_the_features_of_a_claim() -> None:
    """Words and values that stand in the evidence, the judge's word of the whole, and of its worst part."""
    llm = Scripted(judge, Capabilities(logprobs=True))
    case = {"id": "a", "claim": "The pier, built in 1874, burned in 1901.", "evidence": EVIDENCE, "wice_label": "x"}
    row = asyncio.run(claims.features(case, llm))
    assert row["cut"] == ("The pier was built in 1874.", "It burned down.")
    assert row["words"] == pytest.approx(3 / 5)
    assert row["values"] == pytest.approx(1 / 2)
    assert row["words of parts"] < row["words"]
    assert row["judge"] < 0 and row["parts"] < 0
    assert len(llm.requests) == 1 + 3


def test_a_reply_without_claims_leaves_the_claim_whole() -> None:
    """So does one that is blank."""
    assert claims.parts_of("- \n--", "It is so.") == ("It is so.",)
    assert claims.parts_of("Rain fell.\n" * 9, "It is so.") == ("Rain fell.",) * 6


def test_a_fit_ranks_what_it_has_not_seen_and_halves_are_fitted_to_each_other() -> None:
    """A feature that tells is used, one that does not is not, and a case never stands in its own fit."""
    rows = [{"good": n % 5 + (3 if n % 4 < 2 else 0), "flat": 1.0, "label": "yes" if n % 4 < 2 else "no"}
            for n in range(40)]  # fmt: skip
    pairs = claims.pairs_of(rows, ("good", "flat"), ("yes", "no"))
    assert len(pairs) == 40 and sum(truth for _, truth in pairs) == 20
    assert claims.auroc(pairs) > 0.9
    turned = [row | {"label": "no" if row["label"] == "yes" else "yes"} if n % 2 else row for n, row in enumerate(rows)]
    assert claims.auroc(claims.pairs_of(turned, ("good", "flat"), ("yes", "no"))) < 0.2


def test_the_bench_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows that are on file are not asked for again; the tables name each contrast."""
    labels = ("supported", "partially_supported", "not_supported")
    cases = [{"id": str(n), "claim": f"The pier has {n} rooms.", "evidence": EVIDENCE, "wice_label": labels[n // 2 % 3]}
             for n in range(12)]  # fmt: skip
    file, out = tmp_path / "claims.jsonl", tmp_path / "out.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in cases))
    models = [Scripted(judge, Capabilities(logprobs=True)) for _ in range(2)]
    for llm in models:
        monkeypatch.setattr(claims, "select", lambda name, llm=llm: llm)
        monkeypatch.setattr(sys, "argv", ["claims.py", str(file), "--out", str(out), "--resume"])
        asyncio.run(claims.main())
    assert len(out.read_text().splitlines()) == 12
    assert models[0].requests and not models[1].requests
    said = capsys.readouterr().out
    assert all(name in said for name in (*claims.CONTRASTS, *claims.FEATURES)) and "12 claims" in said


@pytest.mark.parametrize(("arguments", "line"), [(["none.jsonl"], "no such file"), (["f", "--out", "f"], "--resume")])
def test_bad_input_gets_one_line(
    arguments: list[str], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is not there, and one that would be written over."""
    (tmp_path / "f").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["claims.py", *arguments])
    with pytest.raises(SystemExit):
        claims.options()
    assert line in capsys.readouterr().err.splitlines()[-1]

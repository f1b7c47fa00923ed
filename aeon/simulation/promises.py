"""The invariants: what must hold of a run whatever happens, each under the name that a failing seed is reported by."""

from __future__ import annotations

__all__ = [
    "AUTO_INVARIANTS", "CHAIN_INVARIANTS", "CONTRACTIVE_INVARIANTS", "ENSEMBLE_INVARIANTS", "GRAPH_INVARIANTS",
    "INVARIANTS", "MULTIPASS_INVARIANTS", "REPORT_INVARIANTS", "RESEARCH_INVARIANTS",
    "TEAM_INVARIANTS", "TUTOR_INVARIANTS",
]  # fmt: skip

INVARIANTS: dict[str, str] = {
    "it ends": "the run comes to an end: it neither hangs nor issues effects for ever",
    "it ends in an answer": "it ends in an answer with a stop reason of its decision table, and raises nothing",
    "a good answer stands": "an answer that is said to be good enough has no claim that is contradicted or not found",
    "the stop reason follows from the table": (
        "what it names is on record: a dead endpoint, an unknown outcome, a budget of which little is left; and "
        "nothing that comes before it in the table is"
    ),
    "the claims are those of the answer": (
        "each is a span of the answer, each value of the answer has one, and none that its maker gave is gone"
    ),
    "within its bound": (
        "what the world counted in all processes, and what the result says, is within the bound stated before the "
        "start, unless an endpoint says that calls took more than they can; no effect spends more than its allowance"
    ),
    "what is counted beyond the bound ends the run": (
        "as `overspent`, with an answer: after that no model is asked, and no run ends so that was within its bound"
    ),
    "whatever was used is counted": (
        "calls, tokens and cost that the world counted are in `usage` and `lost` of the result, also those of calls "
        "that a crash, an interrupt or a resumption made void; each effect is charged its own, tool calls too"
    ),
    "nothing else is charged": (
        "an effect whose calls were all counted, in a run of one process, is charged what the world counted, no more"
    ),
    "time is what it took": "a run of one process, whose clock did not jump, says how long it took",
    "nothing begins after its time": (
        "with a budget of seconds, no model and no tool is called when it is over, and no call may take longer"
    ),
    "the reserve is kept": (
        "what is spent and what all effects under way may spend leaves what is kept for the answer, of each budget"
    ),
    "a tool has its time": "no tool is at work for longer than its timeout and the second that it has to clean up",
    "an interrupt is honoured within one effect": (
        "what begins after it says so in its outcome; after such an outcome nothing but an answer is asked for, and "
        "the run ends for it"
    ),
    "who lost a run does no more": (
        "a process that stood still while another one continued its run calls no tool that changes the world, but for "
        "one that it had announced, and was sure of, before; it asks a model no more than what was on record"
    ),
    "events have their lines": (
        "an event has the number of the line that it tells of, no later line has the number again in any life, and who "
        "leaves a stream and comes back misses nothing and sees nothing twice"
    ),
    "a text that is told is the one that is taken": (
        "pieces are told of an effect while it is under way, the first begins a text, and the last text is that of the "
        "outcome"
    ),
    "tools take turns": "of the tools that are not safe to run side by side, one is at work at a time",
    "a tool gets what it takes": "arguments fit the tool's parameters, in type and range",
    "what is cut off is not used": "no text that its token limit cut off is in an outcome or in the result",
    "usage is the sum of the entries": "so are `usage` and `lost` the sums over the entries of the journal",
    "nothing is done before it is on record": (
        "no model is called and no tool changes the world before the journal says that it is about to happen"
    ),
    "no effect after the end": (
        "after the end, and after a line that the journal could not take, the run issues no effect"
    ),
    "a full disk ends the run": "a run whose journal takes no more lines ends, and says why",
    "each side effect happens once": (
        "for its idempotency key, and once more for each time that a person said *repeat*"
    ),
    "nobody is asked without need": (
        "whether a tool did its work is doubted only where the process died, the journal could not be written, or a "
        "step was broken off after its tool was called"
    ),
    "what may have been done is in doubt": (
        "where the process died in a tool that changes the world, the outcome says that nobody knows what it did"
    ),
    "no negative duration": "no outcome ends before it starts, whatever the clock does",
    "data stays data": "a tool's output never enters the instructions, and stands in a fence wherever a model sees it",
    "only errors of the hierarchy": "nothing is raised where nobody waits for it, and no observer raises",
    "replay is byte-identical": "replay from the bytes on the disk gives the same result",
    "the same bytes as without trouble": (
        "with trouble from outside, the run ends in the result and the entries of the same run without it"
    ),
    "an answer counts once": "a question that was answered cannot be answered again",
    "a run that has ended stays as it is": "resumed once more, it does nothing and gives the same result",
    "an edited journal is refused": "a line that is there twice, or a changed byte, is noticed",
}
"""Those of a run of any engine, and what each says."""

MULTIPASS_INVARIANTS: dict[str, str] = {
    "executed steps never change": "save that a complete step may become invalid",
    "refinement limits hold": "attempts for each fragment and for the run, and the steps of a run and of a plan",
    "turns within their limits": "no more turns than a run and a step may have, and no more calls than a turn may make",
    "rounds within their limits": (
        "no more rounds of programs than a run may have, and two programs in each, which are run and weighed as they "
        "were written; a text is written in one turn, the last"
    ),
    "a result is what a program gave": "what a step by programs gives was given by one, or was written for it",
    "converged rests on an assessment": (
        "a run converges, or ends with what the model knows, only where the latest assessment was made, says so, and "
        "rests on a judgment that counts"
    ),
    "a verdict is the model's": (
        "where the model leaned one way in each question of an assessment, its score goes that way, and a low one "
        "keeps the run from converging"
    ),
    "no report is dropped": (
        "each report of a validation is in the record, the assessment sees it, and its issues lead to a refinement; "
        "a report on results says something of each that states a wrong sum"
    ),
    "an answer is made of the run": (
        "each word and number of it is in a step, in the task, in why the run ended, or was said by the model for it"
    ),
    "an answer is of a settled plan": "it is made from the plan of the latest complete pass, as that left it",
    "within its bound": "no more passes than the limit; nothing is begun with no time or money left",
    "no effect after the end": "after the decision to end, the answer is all that is still asked for",
    "only errors of the hierarchy": "no handler fails with an error of its own",
}
"""What the multi-pass engine promises beside that."""

RESEARCH_INVARIANTS: dict[str, str] = {
    "sources only grow": "sources are numbered from 1 on, each text once, and none that a round found is gone",
    "what is named was searched": "each query that an answer names was put to a provider",
    "every cited id exists": "a number that an answer or a finding cites is that of a source",
    "every span is its quote": "a cited span is inside the text of its source and equal to its quote",
    "a good answer cites": "an answer that is said to be good enough cites a source",
    "rounds and queries within the tier": "rounds, queries and sources are no more than the tier allows",
}
"""What the research engine promises beside that."""

REPORT_INVARIANTS: dict[str, str] = {
    "every finding cites": "a sentence of a report cites at least one sentence of a source",
    "every cited number exists": "a number that a finding cites is that of a source in the bibliography",
    "every quote stands in its source": "a quoted span is inside the text of its source and equal to its quote",
    "no source outside of the mode": "no source is cited whose tier the mode does not take",
    "rounds within the limit": "there are no more rounds than the configuration allows",
    "a good report was not rejected": "a report that is said to be good enough passed the critic's last review",
}
"""What the report engine promises beside that."""

GRAPH_INVARIANTS: dict[str, str] = {
    "nothing is executed twice": "no plan calls a tool with the arguments that an earlier plan called it with",
    "plans within the limit": "there are no more plans than the first one and the retries",
    "reflections within the limit": "no more reflections than the complexity and the profile allow, nor looks in one",
    "only a failure is reflected on": "each reflection names the failure that was observed before it",
    "a good answer has all its steps": "an answer that is said to be good enough is of a plan whose steps are complete",
    "a good answer was not refused": "an answer that is said to be good enough had no verifier's no at last",
}
"""What the graph and the loop engine promise beside that."""

TUTOR_INVARIANTS: dict[str, str] = {
    "the chain is whole": "each node of a proof graph has the hash of its content and of the node before it",
    "a proved answer cites what is proved": (
        "it cites claims, and each has the verdict that the observations of the graph give it"
    ),
    "a good answer was judged to be one": "none ends as proved or undecidable that no model took for an answer",
    "turns and hints within their limits": "there are no more turns and hint cards than the configuration allows",
}
"""What the Interpreter-Tutor promises beside that."""

CONTRACTIVE_INVARIANTS: dict[str, str] = {
    "a tree is whole": "each node but the root hangs below the one that its place says, and no place is there twice",
    "a tree within its limits": "levels, children, splits and prompts are no more than the preset allows",
    "a branch within its tokens": "no branch takes more than its tokens, and children no more than their parent",
    "uncertainty is that of the samples": "each look's uncertainty is the entropy over the classes of its samples",
    "a verdict is the band of its score": "whatever word the peer used",
    "a good answer was not rejected": "an answer that is said to be good enough is none that the peer rejected",
}
"""What the contractive engine promises beside that."""

ENSEMBLE_INVARIANTS: dict[str, str] = {
    "a ballot says what its member took": "calls and tokens of a ballot are those of the effects of its member",
    "a member within its share": "those that are asked at once take no more than an equal part of what there is",
    "votes are what comparisons said": "each vote is for the class that a comparison on record put the answer into",
    "nobody is asked after the vote is decided": "a majority, or that none can be had any more, ends the vote",
    "a majority is the answer": "the answer is that of a member of more than half of all; else none is taken",
    "all answers are shown": "without a majority, the answer has an answer of each class",
    "an answer is as good as its member's": "it is good enough only if the member's own run was",
}
"""What an ensemble promises beside that."""

AUTO_INVARIANTS: dict[str, str] = {
    "the first rule that holds is taken": "the rule on record is the first that holds of what was found",
    "only the engine that was chosen works": "every effect of a member is one of the engine that the rule names",
}
"""What the router promises beside that."""

CHAIN_INVARIANTS: dict[str, str] = {
    "members in their order": "members run in the order of the configuration",
    "a link says what its member took": "calls and tokens of a link are those of the effects of its member",
    "answers are handed on, never back": "a member sees each useful answer before its own, and none other",
}
"""What a chain promises beside that."""

TEAM_INVARIANTS: dict[str, str] = {
    "parts within the limit, each with a specialist": "no more parts than configured, each with an engine of the rules",
    "a part says what its worker took": "calls and tokens of a part are those of the effects of its worker",
    "a worker sees its part alone": "the task of every effect that a worker issues itself is its part",
}
"""What a team promises beside that."""

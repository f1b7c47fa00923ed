"use strict";
// The parts of a run's page.

const LOOKS = { ended: "good", waiting: "warn", failed: "bad", cancelled: "warn", queued: "soft", running: "now" };
const VERDICTS = { supported: "✓ supported", contradicted: "✗ contradicted", not_found: "✗ not found", partial: "~ partly", not_checked: "not checked" };

function chip(text, look) { return h("span", { class: `chip ${look || "soft"}` }, words(text)); }

function budgetPart(story, at) {
  const spent = story.spent(at);
  const bound = story.start.bound;
  const row = (name, used, most) => h("tr", {},
    h("th", { scope: "row" }, name), h("td", { class: "number" }, counted(used)), h("td", { class: "number" }, counted(most)),
    h("td", { class: "late" }, h("meter", { min: 0, max: most || 1, value: String(Math.min(used, most)), "aria-label": `${name} of what is possible` })));
  return section("Budget and bound", h("div", { class: "wide" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "of"), h("th", { scope: "col", class: "number" }, "spent"), h("th", { scope: "col", class: "number" }, "at most"), h("td", { class: "late" }))),
    h("tbody", {}, row("model calls", spent.calls, bound.calls), row("tokens", spent.tokens, bound.tokens)))));
}

// A line between two boxes; where others lie between, it runs through the gap below them, at the height `lane`.
function line(x, y, toX, toY, lane) {
  const middle = (x + toX) / 2;
  if (lane === null) return `M${x},${y} C${middle},${y} ${middle},${toY} ${toX},${toY}`;
  return `M${x},${y} C${x + 20},${y} ${x + 10},${lane} ${x + 40},${lane} H${toX - 40} C${toX - 10},${lane} ${toX - 20},${toY} ${toX},${toY}`;
}

function planPart(story, at) {
  const steps = story.steps(at);
  if (!steps.length) return null;
  const level = new Map();
  for (const step of steps) level.set(step.id, 1 + Math.max(-1, ...step.needs.map((one) => level.get(one) ?? -1)));
  const columns = [];
  for (const step of steps) (columns[level.get(step.id)] ||= []).push(step);
  const width = 220, height = 74, place = new Map();
  columns.forEach((column, x) => column.forEach((step, y) => place.set(step.id, { x: 10 + x * (width + 40), y: 10 + y * (height + 14) })));
  const size = { w: columns.length * (width + 40), h: Math.max(...columns.map((column) => column.length)) * (height + 14) + 10 };
  const edges = steps.flatMap((step) => step.needs.filter((one) => place.has(one)).map((one) => {
    const a = place.get(one), b = place.get(step.id), y = height / 2;
    return h("path", { d: line(a.x + width, a.y + y, b.x, b.y + y, level.get(step.id) - level.get(one) > 1 ? a.y + height + 7 : null) });
  }));
  const boxes = steps.map((step) => {
    const { x, y } = place.get(step.id);
    return h("g", { class: step.state },
      h("title", {}, `${step.id}, ${words(step.state)}: ${step.text}${step.output ? `: ${step.output}` : ""}`),
      h("rect", { x, y, width, height, rx: 8 }),
      h("text", { x: x + 10, y: y + 22 }, short(`${step.id}  ${step.text}`, 29)),
      h("text", { x: x + 10, y: y + 42, class: "under" }, short(step.output, 32)),
      h("text", { x: x + 10, y: y + 62, class: "under" }, words(step.state)));
  });
  const listed = steps.map((step) => `${step.id} ${step.text}, ${words(step.state)}`).join("; ");
  return section("Plan", h("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "the plan as a graph" },
    h("svg", { role: "img", "aria-label": `steps: ${listed}`, width: size.w, height: size.h, viewBox: `0 0 ${size.w} ${size.h}` }, edges, boxes)));
}

function decisionsPart(story, at) {
  const decisions = story.decisions(at);
  if (!decisions.length) return null;
  return section("Decisions", h("div", { class: "wide" }, h("table", {},
    h("thead", {}, h("tr", {}, ...["after", "decision", "because"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, decisions.map(({ before, note }) => h("tr", {},
      h("td", {}, many(before, "effect")), h("td", {}, words(note.decision.action.toLowerCase())),
      h("td", {}, h("strong", {}, words(note.decision.reason)), note.decision.detail ? `: ${note.decision.detail}` : "")))))));
}

function effectsPart(story, at, calls) {
  const { effects } = story.until(at);
  const waiting = at === null ? [...story.underWay.values()] : [];
  const rows = effects.map((effect) => {
    const look = effect.outcome.failure ? "bad" : effect.altered ? "warn" : "";
    const detail = h("details", { "data-key": `effect-${effect.number}` },
      h("summary", { class: look }, effect.altered ? "altered: " : "", short(effect.words || "nothing", 160)));
    detail.addEventListener("toggle", () => opened(detail, effect, calls), { once: true });
    const seconds = effect.outcome.ended - effect.outcome.started;
    return h("tr", {}, h("td", { class: "number" }, effect.number), h("td", {}, short(effect.title, 60)), h("td", {}, detail),
      h("td", { class: "number late" }, effect.outcome.usage.calls), h("td", { class: "number late" }, seconds.toFixed(1)));
  });
  if (!rows.length && !waiting.length) return null;
  const running = waiting.map((one) => h("tr", { class: "now" },
    h("td", { class: "number" }, one.number), h("td", {}, short(one.title, 60)), h("td", {}, "under way …"),
    h("td", { class: "late" }), h("td", { class: "late" })));
  const head = [["no.", "number"], ["effect", ""], ["what came of it", ""], ["calls", "number late"], ["seconds", "number late"]];
  return section("Effects", h("div", { class: "wide" }, h("table", {},
    h("thead", {}, h("tr", {}, head.map(([name, look]) => h("th", { scope: "col", class: look }, name)))),
    h("tbody", {}, rows, running))));
}

async function opened(detail, effect, calls) {
  const value = effect.outcome.failure || effect.outcome.value;
  put(detail, h("pre", { tabindex: "0", "aria-label": "the outcome" }, JSON.stringify(value, null, 2)));
  if (!calls || !effect.outcome.usage.calls) return;
  let made;
  try { made = await calls(effect.number); } catch (error) { put(detail, h("p", { class: "soft" }, error.message)); return; }
  made.forEach((call, number) => put(detail, h("details", {}, h("summary", {}, `model call ${number + 1}: ${short(call.reply, 80)}`),
    (call.problem ? h("p", { class: "bad" }, call.problem) : null), call.messages.map((message) => [h("p", { class: "soft" }, message.role), h("pre", { tabindex: "0" }, message.content)]),
    h("p", { class: "soft" }, "reply"), h("pre", { tabindex: "0" }, call.reply))));
}

// `chosen` is the claim whose evidence is shown, and `choose` shows another one's.
function answerPart(conclusion, proof, problem, chosen, choose) {
  const place = h("div", { "aria-live": "polite" });
  const claims = proof ? proof.claims : conclusion.claims;
  const claim = claims.find((one) => one.id === chosen);
  const outer = claim && pieces(conclusion.answer, claims).map((one) => one.claim).find((one) => one && one.start <= claim.start && claim.end <= one.end);
  const text = pieces(conclusion.answer, claims).map((piece) => {
    if (!piece.claim) return piece.text;
    const resting = restingOn(piece.claim, claims);
    const wrong = resting.some((one) => ["contradicted", "not_found"].includes(one.verdict));
    const look = wrong ? "wrong" : resting.every((one) => one.verdict === "supported") ? "" : "none";
    return h("button", {
      type: "button", id: `claim-${piece.claim.id}`, class: `claim ${look}`, title: resting.map((one) => `${one.text}: ${words(one.verdict)}`).join("; "),
      "aria-expanded": String(piece.claim === outer), onclick: () => choose(piece.claim.id) }, piece.text);
  });
  if (claim) {
    const shown = claim === outer ? restingOn(claim, claims) : [claim];
    put(place, withinPart(outer ? inside(outer, claims) : [], chosen, choose), shown.map((one) => evidencePart(one, proof)));
  }
  const look = conclusion.sufficient ? "good" : conclusion.stop_reason === "failed" ? "bad" : "warn";
  return section("Answer", h("p", { class: "answer" }, text),
    h("p", { class: "row" }, chip(conclusion.stop_reason, look), h("span", { class: "soft" }, conclusion.detail)),
    claims.length ? h("p", { class: "soft" }, `${claims.filter((one) => one.verdict === "supported").length} of ${many(claims.length, "claim")} supported: choose one to see what it rests on.`) : null,
    problem ? h("p", { class: "warn" }, problem) : null, place,
    conclusion.value === null ? null : [h("h3", {}, "Value"), h("pre", { tabindex: "0" }, JSON.stringify(conclusion.value, null, 2))]);
}

// The values in a sentence that is a claim, which are claims of their own.
function inside(outer, claims) {
  return claims.filter((one) => one !== outer && outer.start <= one.start && one.end <= outer.end);
}

// What a claim stands or falls with: a sentence that nothing was found for, with the values in it.
function restingOn(claim, claims) {
  const values = (claim.evidence || []).length || claim.verdict !== "not_checked" ? [] : inside(claim, claims);
  return values.length ? values : [claim];
}

function withinPart(within, chosen, choose) {
  if (!within.length) return null;
  const marks = { supported: "✓ ", contradicted: "✗ ", not_found: "✗ ", partial: "~ " };
  return h("p", { class: "row" }, h("span", { class: "soft" }, "in this sentence:"), within.map((one) => h("button", {
    type: "button", id: `claim-${one.id}`, class: "within", "aria-pressed": String(one.id === chosen), onclick: () => choose(one.id) },
    (marks[one.verdict] || "") + one.text)));
}

function evidencePart(claim, proof) {
  const about = h("div", { class: "evidence" }, h("p", {}, h("strong", {}, claim.text), " ", VERDICTS[claim.verdict] || claim.verdict,
    claim.note ? `: ${claim.note}` : ""));
  if (claim.computation) {
    const unit = claim.computation.factor === "1" ? "" : ` × ${claim.computation.factor}`;
    put(about, h("p", {}, `computed: ${claim.computation.expression}${unit} = ${claim.computation.result}`));
  }
  for (const one of claim.evidence || []) put(about, evidenceOf(one, proof));
  if (!(claim.evidence || []).length) put(about, h("p", { class: "soft" }, "nothing that it rests on was found"));
  return about;
}

function evidenceOf(one, proof) {
  const kinds = { source: "in the text", tool: "in what a step gave:", task: "in the task:", claim: "from the claim" };
  const name = one.id || one.source || one.step || one.part || one.claim || "";
  const head = h("p", {}, `${kinds[one.type] || one.type} `, h("strong", {}, name), one.path ? ` ${one.path}` : "");
  const source = proof && one.type === "source" ? proof.sources.find((each) => each.id === one.id) : null;
  if (source) return [head, around(source.text, one.start, one.end)];
  if (one.exact === undefined) return head;
  return [head, h("div", { class: "source", tabindex: "0" }, one.prefix, h("mark", {}, one.exact), one.suffix)];
}

// The text of a source with its span marked; of a long text what stands around it.
function around(text, start, end) {
  const points = Array.from(text), most = 3000;
  const from = Math.max(0, start - most), to = Math.min(points.length, end + most);
  return h("div", { class: "source", tabindex: "0", role: "group", "aria-label": "the source" },
    from ? "… " : "", points.slice(from, start).join(""), h("mark", {}, points.slice(start, end).join("")),
    points.slice(end, to).join(""), to < points.length ? " …" : "");
}

function questionPart(question, answer) {
  const said = h("input", { id: "said", class: "grow", type: "text", autocomplete: "off", placeholder: question.default || "" });
  const options = question.options.map((option) => h("button", { type: "button", onclick: () => answer(option) }, option));
  const closed = question.options.length && !question.default.trim();
  return section("A question", h("p", {}, h("strong", {}, question.text)), h("div", { class: "row" }, options),
    closed ? null : h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); answer(said.value); } },
      h("label", { for: "said", class: "soft" }, question.options.length ? "or in words" : "your answer"), said,
      h("button", { class: "main" }, "Answer")));
}

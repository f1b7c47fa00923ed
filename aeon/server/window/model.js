"use strict";
// A run as its events tell it: effects, notes, plan, cost; as it is, or as it was before any effect.

class Story {
  constructor() {
    this.last = "";
    this.start = null;
    this.effects = [];
    this.notes = [];
    this.underWay = new Map();
    this.end = null;
    this.ending = null;
  }

  take(event) {
    if (event.id) this.last = event.id;
    const data = event.data;
    switch (event.type) {
      case "run_started": this.start = data; break;
      case "effect_started": this.underWay.set(data.number, data); break;
      case "effect_ended": this.effectEnded(data); break;
      case "noted": this.notes.push({ before: this.effects.length, note: data.note }); break;
      case "resumed": this.resumed(data); break;
      case "run_ended": this.end = data; this.underWay.clear(); break;
      default: this.ending = event; this.underWay.clear();
    }
  }

  effectEnded(data) {
    this.underWay.delete(data.number);
    this.effects = this.effects.filter((one) => one.number !== data.number);
    this.effects.push(data);
  }

  resumed(data) {
    const gone = new Set(data.void);
    this.effects = this.effects.filter((one) => !gone.has(one.number));
    this.notes = this.notes.filter((one) => one.before <= this.effects.length);
    this.end = null;
    this.ending = null;
  }

  // The effects and notes before effect `number`; all without one.
  until(number) {
    const effects = number === null ? this.effects : this.effects.filter((one) => one.number < number);
    const notes = number === null ? this.notes : this.notes.filter((one) => one.before <= effects.length);
    return { effects: [...effects].sort((a, b) => a.number - b.number), notes };
  }

  decisions(number) { return this.until(number).notes.filter((one) => one.note.decision); }

  spent(number) {
    const total = { calls: 0, tokens: 0 };
    for (const effect of this.until(number).effects) {
      for (const usage of [effect.outcome.usage, effect.outcome.lost]) {
        total.calls += usage.calls;
        total.tokens += usage.prompt_tokens + usage.generated_tokens;
      }
    }
    return total;
  }

  // The steps of the plan, each with its state and what came of it; empty where the engine has no plan.
  steps(number) {
    const { effects, notes } = this.until(number);
    const noted = notes.filter((one) => one.note.plan && one.note.plan.steps).pop();
    const planned = effects.filter((one) => one.phase === "plan" && one.outcome.value).pop();
    const plan = noted ? noted.note.plan : planned ? planned.outcome.value : null;
    if (!plan || !Array.isArray(plan.steps)) return [];
    const running = new Set(number === null ? [...this.underWay.values()].map(stepOf) : []);
    return plan.steps.map((step) => {
      const [state, output] = step.status === "invalid" ? ["invalid", ""] : cameOf(step, effects);
      const known = running.has(step.id) || running.has(fragmentOf(step.id)) && state === "running";
      return { id: step.id, text: step.description, needs: step.dependencies || [], state: known ? "running" : state, output };
    });
  }
}

// The state of a step and what came of it: of a turn, the answer of the last one, or the calls until now.
function cameOf(step, effects) {
  const own = effects.filter((one) => WORK.includes(one.phase) && stepOf(one) === step.id);
  const last = own[own.length - 1];
  if (!last) return [step.status, ""];
  if (!["execute", "turn"].includes(last.phase)) return programmed(own, effects);
  const { value, failure } = last.outcome;
  if (last.phase === "turn" && value && !failure && value.calls.length) {
    const calls = effects.filter((one) => one.phase === "use_tool" && stepOf(one) === fragmentOf(step.id)).length;
    return ["running", `${calls} ${calls === 1 ? "call" : "calls"}`];
  }
  const worked = value && !failure && (last.phase !== "turn" || value.text);
  return [worked ? "complete" : "failed", last.words];
}

const WORK = ["execute", "turn", "write", "run_program", "weigh"];

// Of a step by programs, the last result of one; it is over as soon as the run goes on to look at the results.
function programmed(own, effects) {
  const gave = own.filter((one) => one.phase === "run_program" && one.outcome.value && one.outcome.value.values.length).pop();
  const end = own[own.length - 1].number;
  const over = effects.some((one) => one.number > end && !WORK.includes(one.phase) && one.phase !== "use_tool");
  return [over ? (gave ? "complete" : "failed") : "running", gave ? gave.words : ""];
}

// The step that an effect belongs to; a tool call names its fragment, as it keeps its numbers over all versions.
function stepOf(effect) {
  const match = /^(?:execute|turn|write) (\S+)|^call (\S+)\.\d+ | of step (\S+)$/.exec(effect.title || "");
  return match ? match[1] || match[2] || match[3] : "";
}

function fragmentOf(id) { return id.replace(/_r\d+$/, ""); }

// The answer in pieces: texts, and claims by their places, which count code points.
function pieces(text, claims) {
  const points = Array.from(text);
  const found = [];
  let at = 0;
  for (const claim of [...claims].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (claim.start < at || claim.end > points.length) continue;
    if (claim.start > at) found.push({ text: points.slice(at, claim.start).join("") });
    found.push({ text: points.slice(claim.start, claim.end).join(""), claim });
    at = claim.end;
  }
  if (at < points.length) found.push({ text: points.slice(at).join("") });
  return found;
}

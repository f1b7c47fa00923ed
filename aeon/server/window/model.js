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
    const done = new Map(effects.filter((one) => one.phase === "execute").map((one) => [stepOf(one), one]));
    const running = new Set(number === null ? [...this.underWay.values()].map(stepOf) : []);
    return plan.steps.map((step) => {
      const effect = done.get(step.id);
      const worked = effect && effect.outcome.value && !effect.outcome.failure;
      const state = running.has(step.id) ? "running" : effect ? (worked ? "complete" : "failed") : step.status;
      const output = effect ? effect.words : "";
      return { id: step.id, text: step.description, needs: step.dependencies || [], state, output };
    });
  }
}

function stepOf(effect) {
  const match = /^execute (\S+)/.exec(effect.title || "");
  return match ? match[1] : "";
}

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

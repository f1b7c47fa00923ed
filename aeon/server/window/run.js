"use strict";
// The page of a run: live, replayed before any effect, forked from there.

class RunPage {
  // `server` is the address of the job, or null for a run that is in the page itself.
  constructor(server, story, saved) {
    this.server = server;
    this.story = story;
    this.saved = saved || {};
    this.job = null;
    this.at = null;
    this.proof = this.saved.proof || null;
    this.problem = this.saved.problem || "";
    this.boundaries = this.saved.boundaries || [];
    this.left = new AbortController();
    this.pending = false;
    this.chosen = "";
    this.scrolled = 0;
  }

  leave() { this.left.abort(); }

  async open() {
    this.job = await json(this.server);
    this.draw();
    await this.watch();
  }

  async watch() {
    while (!this.left.signal.aborted) {
      try {
        await follow(`${this.server}/events`, this.story.last, (event) => { this.story.take(event); this.later(); }, this.left.signal);
      } catch (error) {
        if (error.name === "AbortError") return;
        if (error.status) throw error;
        say("the connection broke off; trying again");
        await new Promise((resolve) => setTimeout(resolve, 2000));
        continue;
      }
      this.job = await json(this.server);
      if (!["queued", "running"].includes(this.job.state)) break;
    }
    await this.finish();
  }

  async finish() {
    say("");
    if (this.story.start) {
      try { this.boundaries = (await json(`${this.server}/history`)).boundaries; } catch (error) { this.problem = error.message; }
    }
    if (this.job.state === "ended") {
      try { this.proof = await json(`${this.server}/proof`); } catch (error) { this.problem = error.message; }
    }
    this.draw();
  }

  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    const main = document.getElementById("main");
    const open = new Set([...main.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
    const graph = main.querySelector(".graph");
    if (graph) this.scrolled = graph.scrollLeft;
    const focused = document.activeElement && document.activeElement.id;
    const story = this.story;
    const task = story.start ? story.start.task.text : this.job ? this.job.task : "";
    const state = this.state();
    if (state === "running" && !this.left.signal.aborted) say(`working: ${[...story.underWay.values()].map((one) => one.title).join(", ") || "…"}`);
    show(task, h("h1", { tabindex: "-1" }, task), this.head(state),
      this.job && this.job.error ? h("section", { class: "problem" }, h("p", { class: "bad" }, this.job.error.message)) : null,
      state === "waiting" && this.job ? questionPart(this.job.question, (said) => this.act("answer", { answer: said })) : null,
      this.at === null && story.end && state !== "running" ? answerPart(story.end, this.proof, this.problem, this.chosen, (claim) => this.choose(claim)) : null,
      story.start ? [this.slider(), planPart(story, this.at), decisionsPart(story, this.at), budgetPart(story, this.at),
        effectsPart(story, this.at, this.calls())] : null);
    for (const one of main.querySelectorAll("details[data-key]")) if (open.has(one.dataset.key)) one.open = true;
    main.querySelector(".graph")?.scrollTo({ left: this.scrolled, behavior: "instant" });
    for (const mark of main.querySelectorAll(".source mark")) {
      const box = mark.parentElement;
      box.scrollTop = mark.offsetTop - box.clientHeight / 2;
    }
    const again = focused && document.getElementById(focused);
    if (again) again.focus();
  }

  // What the server said last, put right by what was heard since: a run that sends events waits in no queue.
  state() {
    if (!this.job) return this.story.end ? "ended" : "not ended";
    return this.job.state === "queued" && this.story.start ? "running" : this.job.state;
  }

  choose(claim) {
    this.chosen = claim;
    this.draw();
  }

  calls() {
    if (!this.server) return async (number) => (this.saved.calls || []).filter((one) => one.number === number);
    return async (number) => (await json(`${this.server}/calls/${number}`)).calls;
  }

  head(state) {
    const engine = this.story.start ? this.story.start.engine : this.job ? this.job.engine : "";
    const parent = this.story.start && this.story.start.parent;
    const position = state === "queued" ? this.job && this.job.position : null;
    const stoppable = this.server && ["queued", "running", "waiting"].includes(state);
    const broken = this.server && (state === "failed" || state === "cancelled" || (this.story.end && ["failed", "interrupted"].includes(this.story.end.stop_reason)));
    return h("p", { class: "row" }, chip(state, LOOKS[state]), h("span", { class: "soft" }, engine),
      position !== null && position !== undefined ? h("span", { class: "soft" }, `${position} before it`) : null,
      parent ? h("span", {}, `forked at ${parent.at} from `, this.server ? h("a", { href: `#/run/${parent.execution_id}` }, parent.execution_id.slice(0, 8)) : parent.execution_id.slice(0, 8)) : null,
      parent && this.server ? h("a", { href: `#/diff/${parent.execution_id}/${this.job ? this.job.id : ""}` }, "what differs") : null,
      stoppable ? h("button", { type: "button", id: "stop", onclick: () => this.act("cancel", {}) }, "Stop") : null,
      broken && !stoppable ? h("button", { type: "button", id: "resume", onclick: () => this.act("resume", {}) }, "Continue") : null);
  }

  slider() {
    if (this.boundaries.length < 2) return null;
    const places = this.boundaries;
    const now = this.at === null ? places.length - 1 : places.indexOf(this.at);
    const moved = (event) => {
      const place = Number(event.target.value);
      this.at = place === places.length - 1 ? null : places[place];
      this.draw();
    };
    const where = this.at === null ? `all ${many(this.story.effects.length, "effect")}` : `before effect ${this.at}`;
    return section("Replay", h("label", { for: "place" }, `Go back to a boundary: ${where}`),
      h("input", { id: "place", type: "range", min: 0, max: places.length - 1, value: String(now), "aria-valuetext": where, oninput: moved }),
      this.server && this.at !== null ? this.forking() : null);
  }

  forking() {
    const settings = h("input", { id: "settings", class: "grow", type: "text", placeholder: '{"budget": {"calls": 40}}', autocomplete: "off" });
    const submit = (event) => {
      event.preventDefault();
      let config = {};
      try { config = settings.value.trim() ? JSON.parse(settings.value) : {}; } catch { this.fails(new Error("the settings are no JSON")); return; }
      this.act("fork", { at: this.at, config });
    };
    return h("form", { class: "row", onsubmit: submit }, h("label", { for: "settings", class: "soft" }, "with other settings, as JSON"), settings,
      h("button", { class: "main" }, `Fork before effect ${this.at}`));
  }

  async act(what, body) {
    try {
      const job = await json(`${this.server}/${what}`, body);
      if (what === "fork") { location.hash = `#/run/${job.id}`; return; }
      this.job = job;
      if (what === "cancel" && job.state === "running") { say("stopping at the next boundary"); return; }
      this.story.ending = null;
      this.draw();
      if (what !== "cancel") await this.watch();
    } catch (error) { this.fails(error); }
  }

  fails(error) {
    say(error.message);
  }
}

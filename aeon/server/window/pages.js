"use strict";
// The pages: the runs, one run, what differs between two; or the run that is in the page itself.

let page = null;

function failed(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) { tokenPage(error.message); return; }
  show("Aeon", h("h1", { tabindex: "-1" }, "This did not work"), h("section", { class: "problem" }, h("p", { class: "bad" }, error.message), h("a", { href: "#/" }, "all runs")));
}

function tokenPage(message) {
  const field = h("input", { id: "token", type: "password", class: "grow", autocomplete: "off" });
  const keep = (event) => { event.preventDefault(); sessionStorage.setItem("aeon-token", field.value.trim()); route(); };
  show("Token", h("h1", { tabindex: "-1" }, "A token, please"), h("section", {}, h("p", { class: "soft" }, message),
    h("form", { class: "row", onsubmit: keep }, h("label", { for: "token" }, "Token"), field, h("button", { class: "main" }, "Open"))));
  field.focus();
}

class ListPage {
  constructor() { this.timer = 0; this.gone = false; this.known = ""; }

  leave() { this.gone = true; clearTimeout(this.timer); }

  async open() {
    const engines = (await json("/engines")).filter((one) => one.usable);
    const { collections } = await json("/collections");
    this.table = h("div", { class: "wide", id: "runs" });
    show("Runs", h("h1", { tabindex: "-1" }, "Runs"), this.form(engines, collections), section("All runs", this.table));
    await this.refresh();
  }

  form(engines, collections) {
    const task = h("textarea", { id: "task", required: true });
    const engine = h("select", { id: "engine" }, engines.map((one) => h("option", { value: one.name }, one.name)));
    const calls = h("input", { id: "calls", type: "number", min: 1, placeholder: "no limit of its own" });
    const tier = h("select", { id: "tier" });
    const tiers = h("label", { class: "inline" }, "how much research", tier);
    const sources = collections.map((name) => h("input", { type: "checkbox", value: name, checked: true }));
    const chosen = () => {
      const there = engines.find((one) => one.name === engine.value).tiers;
      tier.replaceChildren(...["as it is set", ...there].map((name, place) => h("option", { value: place ? name : "" }, name)));
      tiers.hidden = !there.length;
    };
    engine.addEventListener("change", chosen);
    chosen();
    const asks = h("input", { id: "asks", type: "checkbox", checked: true });
    const problem = h("p", { class: "bad", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      const body = { task: task.value, engine: engine.value, async: true, unattended: asks.checked ? "suspend" : "assume" };
      if (tier.value) body.tier = tier.value;
      if (sources.some((one) => !one.checked)) body.sources = sources.filter((one) => one.checked).map((one) => one.value);
      if (calls.value) body.budget = { calls: Number(calls.value) };
      try { location.hash = `#/run/${(await json("/run", body)).id}`; } catch (error) { problem.textContent = error.message; }
    };
    return section("A new run", h("form", { onsubmit: submit }, h("label", { for: "task" }, "What do you want to know?"), task,
      sources.length ? h("fieldset", { class: "row" }, h("legend", {}, "Answer from"), sources.map((one) => h("label", { class: "inline" }, one, one.value))) : null,
      h("p", { class: "row" }, h("label", { class: "inline" }, "engine", engine), tiers, h("label", { class: "inline" }, "model calls at most", calls),
        h("label", { class: "inline" }, asks, "ask me where something is unclear"), h("button", { class: "main" }, "Run")), problem));
  }

  async refresh() {
    const { jobs } = await json("/jobs?most=100");
    if (this.gone) return;
    const text = JSON.stringify(jobs);
    if (text !== this.known) this.table.replaceChildren(this.rows(jobs));
    this.known = text;
    this.timer = setTimeout(() => this.refresh().catch((error) => say(error.message)), 2000);
  }

  rows(jobs) {
    if (!jobs.length) return h("p", { class: "soft" }, "none yet");
    return h("table", {}, h("thead", {}, h("tr", {}, ["state", "task", "answer"].map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "late" }, "begun"))),
      h("tbody", {}, jobs.map((job) => h("tr", {},
        h("td", {}, chip(job.state === "ended" ? job.stop_reason : job.state, job.state === "ended" && !job.sufficient ? "warn" : LOOKS[job.state]),
          job.position === null ? null : h("span", { class: "soft" }, ` ${job.position} before it`)),
        h("td", {}, h("a", { href: `#/run/${job.id}` }, short(job.task, 120))),
        h("td", {}, short(job.error ? job.error.message : job.question ? job.question.text : job.summary || "", 160)),
        h("td", { class: "late soft" }, new Date(job.created).toLocaleString())))));
  }
}

class DiffPage {
  constructor(a, b) { this.a = a; this.b = b; }

  leave() {}

  async open() {
    const found = await json(`/jobs/${this.a}/diff/${this.b}`);
    const rows = (differing) => h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, ["where", "a", "b"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, differing.map((one) => h("tr", {}, h("td", {}, one.path || "all"), cell(one, "a"), cell(one, "b"))))));
    const parting = found.parting;
    const link = (name, id) => h("a", { href: `#/run/${id}` }, `${name} ${id.slice(0, 8)}`);
    show("What differs", h("h1", { tabindex: "-1" }, "What differs"), h("p", { class: "row" }, link("a", this.a), link("b", this.b)),
      found.same ? section("The same", h("p", {}, "Every effect and outcome is the same; times are not compared.")) : null,
      found.task.length ? section("Task", rows(found.task)) : null,
      found.settings.length ? section("Settings", h("p", { class: "soft" }, `from effect ${found.settings_from} on`), rows(found.settings)) : null,
      parting ? section("Where they part", h("p", {}, partingWords(parting)), parting.what === "end" ? null : rows(parting.differing)) : null,
      found.parts.map((part) => section(part.part, rows(part.differing))),
      section("End", rows(["stop_reason", "answer", "effects"].map((name) => ({ path: words(name), a: found.a[name], b: found.b[name], only: null })))));
  }
}

function partingWords(parting) {
  const where = `effect ${parting.number}, ${words(parting.phase)}`;
  if (parting.what !== "end") return `${where}: the ${parting.what} differs`;
  const longer = parting.differing[0].only;
  return `${longer === "a" ? "b" : "a"} ends where ${longer} goes on with ${where}`;
}

function cell(one, side) {
  if (one.only && one.only !== side) return h("td", { class: "soft" }, "not there");
  const value = one[side];
  return h("td", {}, short(typeof value === "string" ? value : JSON.stringify(value), 300));
}

function route() {
  if (page) page.leave();
  say("");
  const [, kind, first, second] = location.hash.split("/").map(decodeURIComponent);
  if (kind === "run" && first) page = new RunPage(`/jobs/${encodeURIComponent(first)}`, new Story());
  else if (kind === "diff" && first && second) page = new DiffPage(first, second);
  else page = new ListPage();
  const here = page;
  page.open().then(() => { }, (error) => { if (here === page) failed(error); });
  document.getElementById("main").focus();
}

function saved() {
  const data = JSON.parse(document.getElementById("saved").textContent);
  const story = new Story();
  for (const event of data.events) story.take(event);
  page = new RunPage(null, story, data);
  page.draw();
}

if (document.getElementById("saved")) saved();
else {
  window.addEventListener("hashchange", route);
  route();
}

"use strict";
// Elements, made of nodes alone: no text of a run can become markup. And what asks the server.

function h(tag, attributes, ...children) {
  const svg = ["svg", "g", "rect", "text", "path", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, ...children);
  return element;
}

function put(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    element.append(child instanceof Node ? child : shown(String(child)));
  }
  return element;
}

// Characters that turn the reading direction, or that nobody sees, are shown as their codes.
function shown(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function words(value) { return String(value).replaceAll("_", " "); }

function short(text, most) {
  const line = String(text).split(/\s+/).join(" ").trim();
  const points = Array.from(line);
  return points.length > most ? points.slice(0, most - 1).join("") + "…" : line;
}

function counted(number) { return Number(number).toLocaleString("en"); }

function many(number, noun) { return `${counted(number)} ${noun}${number === 1 ? "" : "s"}`; }

function section(title, ...children) {
  const id = "h-" + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

function token() { try { return sessionStorage.getItem("aeon-token") || ""; } catch { return ""; } }

class Refused extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

async function ask(path, body, options) {
  const headers = token() ? { Authorization: `Bearer ${token()}` } : {};
  const method = body === undefined ? "GET" : "POST";
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let reply;
  try {
    reply = await fetch(path, { method, headers, body: sent, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer; start it again, and this page goes on");
  }
  if (reply.ok) return reply;
  let said = `${reply.status}`;
  try { said = (await reply.json()).detail || said; } catch { /* no problem document */ }
  throw new Refused(reply.status, said);
}

async function json(path, body) { return (await ask(path, body)).json(); }

// The events of a run from the one behind `after` on; each is given to `told` as {id, type, data}.
async function follow(path, after, told, signal) {
  const reply = await ask(after ? `${path}?after=${encodeURIComponent(after)}` : path, undefined, { signal });
  if (reply.status === 204) return;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = parsed(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) told(event);
    }
  }
}

function parsed(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return fields.event ? { id: fields.id || "", type: fields.event, data: JSON.parse(fields.data) } : null;
}

function say(text) { document.getElementById("state").textContent = text; }

function show(title, ...children) {
  const main = document.getElementById("main");
  main.replaceChildren();
  put(main, ...children);
  document.title = `${short(title, 60)} · Aeon`;
}

// The client of AG-UI from npm against a running service: a run, its streamed answer, a run that asks, bad input.
//
//     aeon serve --port 8765                                   # in another terminal
//     npm install --prefix FOLDER @ag-ui/client
//     node scripts/bench/peers/agui.mjs FOLDER http://127.0.0.1:8765 [ENGINE TASK [ASKING_ENGINE ASKING_TASK ANSWER]]
//
// The client checks each event and the order of all; what it refuses is an error. Prints a line for each part, and ends
// with 1 where one failed.

import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, url, engine = "multi-pass", task = "What do 17 pens at 2.40 cost?", asking, question, answer] =
  process.argv.slice(2);
if (!url) {
  console.error("usage: node agui.mjs FOLDER_WITH_THE_CLIENT URL [ENGINE TASK [ASKING_ENGINE ASKING_TASK ANSWER]]");
  process.exit(2);
}
const { HttpAgent } = createRequire(resolve(folder, "x.js"))("@ag-ui/client");

function agentOf(name, text) {
  const initialMessages = [{ id: "m1", role: "user", content: text }];
  return new HttpAgent({ url: `${url}/agui/${name}`, initialMessages, threadId: "thread" });
}

async function run(agent, input = {}) {
  const types = [], begun = [], finished = [];
  let failed = null;
  const outcome = await agent.runAgent(input, {
    onEvent: ({ event }) => void types.push(event.type),
    onStepStartedEvent: ({ event }) => void begun.push(event.stepName),
    onStepFinishedEvent: ({ event }) => void finished.push(event.stepName),
    onRunErrorEvent: ({ event }) => void (failed = event.message),
  });
  check(begun.length === finished.length, "a step began that did not end");
  return { types, begun, failed, said: outcome.newMessages.map((message) => message.content).join("\n"), outcome };
}

function check(holds, words) {
  if (!holds) throw new Error(words);
}

const parts = {
  "a run": async () => {
    const agent = agentOf(engine, task);
    const { types, begun, said, failed } = await run(agent);
    check(!failed, failed);
    check(types.at(-1) === "RUN_FINISHED" && begun.length > 0 && said, "no steps, no answer or no end");
    check(agent.state.job?.startsWith("/jobs/"), "the state does not name the job");
    return `${types.length} events, ${begun.length} steps, the answer: ${said.split("\n")[0]}`;
  },
  "the same conversation again": async () => {
    const agent = agentOf(engine, task);
    await run(agent);
    agent.addMessage({ id: "m2", role: "user", content: task });
    const { said } = await run(agent);
    check(said && agent.messages.length === 4, `${agent.messages.length} messages instead of 4`);
    return `${agent.messages.length} messages`;
  },
  "an engine that is not there": async () => {
    try {
      await run(agentOf("nobody", task));
    } catch (error) {
      check(/422/.test(error.message) && /installed/.test(error.message), error.message);
      return error.message.slice(0, 100);
    }
    throw new Error("was not refused");
  },
};
if (asking) {
  parts["a run that asks, answered"] = async () => {
    const agent = agentOf(asking, question);
    await run(agent);
    const [interrupt] = agent.pendingInterrupts;
    check(interrupt, "no interrupt is pending");
    const payload = { answer };
    const { said } = await run(agent, { resume: [{ interruptId: interrupt.id, status: "resolved", payload }] });
    check(said && agent.pendingInterrupts.length === 0, "no answer after the question");
    return `${interrupt.message} ${answer}: ${said}`;
  };
  parts["a run that asks, given up"] = async () => {
    const agent = agentOf(asking, question);
    await run(agent);
    const [interrupt] = agent.pendingInterrupts;
    const { types } = await run(agent, { resume: [{ interruptId: interrupt.id, status: "cancelled" }] });
    check(types.at(-1) === "RUN_FINISHED", "did not finish");
    return "finished as cancelled";
  };
}

let failures = 0;
for (const [name, part] of Object.entries(parts)) {
  try {
    console.log(`${name}: ${await part()}`);
  } catch (error) {
    failures += 1;
    console.log(`${name}: FAILED: ${error.message}`);
  }
}
process.exit(failures ? 1 : 0);

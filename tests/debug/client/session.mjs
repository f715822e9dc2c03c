// A session of `warptime debug --dap` by the client that Microsoft publishes for testing debug adapters; every message is compared with
// the types that it publishes for the protocol (the names that a response or an event must have).
//
//     node tests/debug/client/session.mjs build/warptime
import { DebugClient } from "@vscode/debugadapter-testsupport";
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const program = path.resolve(process.argv[2]);
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../../..");
const cuda = path.join(root, "workloads/matmul/matmul.cu");
const ptx = path.join(root, "workloads/matmul/matmul.ptx");

/// Members of an interface of debugProtocol.d.ts that are not optional, with those of the interfaces that it extends.
const types = fs.readFileSync(path.join(here, "node_modules/@vscode/debugprotocol/lib/debugProtocol.d.ts"), "utf8").replaceAll("\r", "")
  .replaceAll("\t", "    ");
function required(name) {
  const found = types.match(new RegExp(`interface ${name}(?: extends (\\w+))? \\{([\\s\\S]*?)\\n    \\}`));
  assert(found, `the protocol has no ${name}`);
  const names = [...found[2].matchAll(/^ {8}(\w+)(\??):/gm)].filter((m) => m[2] === "").map((m) => m[1]);
  return found[1] ? [...required(found[1]), ...names] : names;
}
function checked(name, value) {
  for (const member of required(name)) assert(member in value, `${name} without ${member}: ${JSON.stringify(value)}`);
  return value;
}

// The client starts a program with one argument.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "warptime-dap-"));
const starter = path.join(folder, "adapter.sh");
fs.writeFileSync(starter, `exec '${program}' debug matmul:tiled --param n=32 --dap\n`);

let passed = 0;
async function session(name, steps) {
  const client = new DebugClient("bash", starter, "warptime");
  client.defaultTimeout = 20000;
  await client.start();
  try {
    await steps(client);
    ++passed;
  } catch (error) {
    throw new Error(`${name}: ${error.stack}`);
  } finally {
    await client.stop();
  }
}

const top = async (client, threadId) => {
  const { body } = checked("StackTraceResponse", await client.stackTraceRequest({ threadId }));
  return checked("StackFrame", body.stackFrames[0]);
};
const cycle = async (client, frame) =>
  Number((await client.evaluateRequest({ expression: "$cycle", frameId: frame.id })).body.result);

await session("breakpoint, variables, steps both ways", async (client) => {
  const [initialized] = await Promise.all([client.initializeRequest(), client.waitForEvent("initialized")]);
  assert(initialized.body.supportsStepBack);
  const state = await client.setBreakpointsRequest({ source: { path: cuda }, breakpoints: [{ line: 41 }] });
  state.body.breakpoints.forEach((point) => checked("Breakpoint", point));
  const stopped = client.waitForEvent("stopped");
  await client.launchRequest({});
  await client.configurationDoneRequest();
  const { body } = checked("StoppedEvent", await stopped);
  assert.equal(body.reason, "breakpoint");
  const threads = checked("ThreadsResponse", await client.threadsRequest()).body.threads;
  threads.forEach((thread) => checked("Thread", thread));
  assert.equal(threads.length, 32);
  let frame = await top(client, body.threadId);
  assert.equal(frame.line, 41);
  checked("Source", frame.source);
  const scopes = checked("ScopesResponse", await client.scopesRequest({ frameId: frame.id })).body.scopes;
  for (const scope of scopes) {
    checked("Scope", scope);
    const rows = await client.variablesRequest({ variablesReference: scope.variablesReference });
    assert(rows.body.variables.length > 0, scope.name);
    rows.body.variables.forEach((row) => checked("Variable", row));
    const opened = rows.body.variables.find((row) => row.variablesReference !== 0);
    if (opened === undefined) continue;
    const parts = await client.variablesRequest({ variablesReference: opened.variablesReference });
    assert(parts.body.variables.length > 0, opened.name);
    parts.body.variables.forEach((row) => checked("Variable", row));
    if (scope.name !== "Registers") continue;
    const withLanes = opened;
    const lanes = await client.variablesRequest({ variablesReference: withLanes.variablesReference });
    assert.equal(lanes.body.variables.length, 32);
    lanes.body.variables.forEach((row) => checked("Variable", row));
  }
  assert.equal((await client.evaluateRequest({ expression: "1 + 2", frameId: frame.id })).body.result, "3");

  const before = await cycle(client, frame);
  await client.setBreakpointsRequest({ source: { path: cuda }, breakpoints: [] });
  for (const [step, expected] of [["nextRequest", 1], ["stepBackRequest", 0], ["stepInRequest", 1], ["stepBackRequest", 0]]) {
    const event = client.waitForEvent("stopped");
    await client[step]({ threadId: body.threadId, granularity: "instruction" });
    assert.equal((await event).body.reason, "step");
    frame = await top(client, body.threadId);
    assert.equal(await cycle(client, frame), before + expected, step);
  }
  const terminated = client.waitForEvent("terminated");
  await client.continueRequest({ threadId: body.threadId });
  await terminated;
});

await session("a line of the PTX, and back to the beginning", async (client) => {
  // It stops in the CUDA source, which the line is part of.
  await client.hitBreakpoint({}, { path: ptx, line: 600, verified: false }, { path: cuda, line: 41 });
  const event = client.waitForEvent("stopped");
  await client.reverseContinueRequest({ threadId: 1 });
  assert.equal((await event).body.reason, "entry");
});

fs.rmSync(folder, { recursive: true });
console.log(`${passed} passed, 0 failed`);
process.exit(0);

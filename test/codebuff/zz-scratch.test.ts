import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { test } from "vitest";
import { FakeSocket } from "../helpers/fake-socket.ts";

async function run(n: number, make: (i: number, id: string) => object, opts: object, prompts = 1) {
  const clock = { now: () => 0, random: () => 0.5, setTimeout: () => () => {} };
  let sock!: FakeSocket;
  const client = new CodebuffClient({
    url: "ws://localhost/ws", profile: "codebuff", clock: clock as never,
    createWebSocket: () => (sock = new FakeSocket()), authToken: "t", ...opts,
  });
  void client.connect();
  await new Promise((r) => setTimeout(r, 20));
  sock.accepts();
  await new Promise((r) => setTimeout(r, 20));
  const ids: string[] = [];
  for (let i = 0; i < prompts; i++) { const t = client.prompt({ prompt: "x", promptId: `p-${i}` }); ids.push(t.id); t.result.catch(() => {}); }
  const frames = Array.from({ length: n }, (_, i) => JSON.stringify({ type: "action", data: make(i, ids[i % ids.length]!) }));
  const t0 = process.cpuUsage();
  for (const f of frames) sock.receives(f);
  const u = process.cpuUsage(t0);
  void client.close({ force: true });
  return Math.round(u.user / 1000);
}
const cases: [string, (i: number, id: string) => object, object, number?][] = [
  ["unreadable", (i) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: 5 }), {}],
  ["unhandled", (i, id) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "a", input: {}, userInputId: id }), {}],
  ["open approvals", (i, id) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "a", input: {}, userInputId: id }), { tools: { a: () => [] }, toolPolicy: [{ tool: /.*/, then: "ask" }], onToolApproval: "manual" }],
  ["open handlers", (i, id) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "a", input: {}, userInputId: id }), { tools: { a: () => new Promise(() => {}) } }],
  ["questions", (i, id) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "ask_user", input: { questions: [{ question: "?", options: [{label:"a"}] }] }, userInputId: id }), { onQuestion: "manual" }],
  ["files", (i) => ({ type: "read-files", requestId: `r${i}`, filePaths: ["a"] }), { onReadFiles: () => new Promise(() => {}) }],
  ["unknown prompt", (i) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "a", input: {}, userInputId: `nobody-${i}` }), {}],
  ["sub", (i, id) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "a", input: {}, userInputId: `${id}-sub` }), {}],
  ["many prompts sub", (i, id) => ({ type: "tool-call-request", requestId: `r${i}`, toolName: "a", input: {}, userInputId: `${id}-sub` }), {}, 900],
];
for (const [name, make, opts, prompts] of cases)
  test(name, async () => {
    const out = [];
    for (const n of [2500, 10000, 20000]) out.push(await run(n, make, opts, prompts));
    (await import("node:fs")).appendFileSync("/tmp/wtproxy-cost.txt", name + " " + out.join(" ") + "\n");
  }, 20000);

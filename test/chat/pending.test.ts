import { ConnectionLostError } from "agentwire";
import { expect, test } from "vitest";
import { Rig } from "./support/rig.ts";

const call = (id: string, command = "ls") =>
  ({ type: "approval", id, call: { id, name: "shell", input: { command }, raw: null } }) as const;

const question = (id: string) =>
  ({
    type: "question",
    id,
    question: {
      id,
      questions: [{ question: "Commit?", options: [{ label: "Yes" }], multiSelect: false }],
      raw: null,
    },
  }) as const;

test("`pending` lists requests oldest first, with tool, input and the ids of the events", () => {
  const rig = new Rig();
  const ids = [rig.source.agent.asks(call("c1"))];
  const [first] = rig.now.pending;
  ids.push(rig.source.agent.asks(question("q1")));
  expect(rig.now.pending).toEqual([
    { type: "approval", id: ids[0], tool: "shell", input: { command: "ls" } },
    {
      type: "question",
      id: ids[1],
      questions: [{ question: "Commit?", options: [{ label: "Yes" }], multi_select: false }],
    },
  ]);
  expect(rig.now.pending[0]).toBe(first);
});

test("`decide` and `answer` reach the client by its own ids, and remove the request from `pending`", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  const [c1, q1] = [agent.asks(call("c1")), agent.asks(question("q1"))];
  expect(rig.chat.decide(c1, { decision: "reject", reason: "no" })).toEqual({ ok: true });
  expect(rig.chat.answer(q1, "Yes")).toEqual({ ok: true });
  expect(agent.decided).toEqual([
    ["c1", { decision: "reject", reason: "no" }],
    ["q1", "Yes"],
  ]);
  expect(rig.now.pending).toEqual([]);
});

test("a second decision is ok without effect, also for a withdrawn request and after a new client", async () => {
  const rig = new Rig();
  const { agent } = rig.source;
  const [c1, c2] = [agent.asks(call("c1")), agent.asks(call("c2"))];
  rig.chat.decide(c1, "once");
  agent.withdraws("c2");
  for (const id of [c1, c2]) expect(rig.chat.decide(id, "always")).toEqual({ ok: true });
  expect(agent.decided).toEqual([["c1", "once"]]);
  agent.is("closed");
  rig.chat.send("Hello");
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.chat.decide(c1, "once")).toEqual({ ok: true });
  await rig.chat.close();
  expect(rig.chat.decide(c1, "once")).toEqual({ ok: true });
});

test("an unknown id or a client's id decides nothing, and an invalid id or another kind's id is refused", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  const id = agent.asks(question("q1"));
  agent.asks(call("c1"));
  for (const other of ["c9", "c1", ""]) expect(rig.chat.decide(other, "once")).toEqual({ ok: true });
  expect(rig.chat.answer("q1", "Yes")).toEqual({ ok: true });
  const refused = { ok: false, error: { code: "invalid-input" } };
  expect(rig.chat.decide(id, "once")).toMatchObject(refused);
  expect(rig.chat.decide(undefined as never, "once")).toMatchObject(refused);
  expect([rig.now.pending.length, agent.decided]).toEqual([2, []]);
});

test("requests of a closed client leave `pending`", () => {
  const rig = new Rig();
  rig.source.agent.asks(call("c1"));
  rig.source.agent.pending.length = 0;
  rig.source.agent.is("closed");
  expect(rig.now.pending).toEqual([]);
  rig.chat.send("Hello");
  expect(rig.now.pending).toEqual([]);
});

test("an old dialog cannot decide a new client's request with the same client id", () => {
  const rig = new Rig();
  const old = rig.source.agent.asks(call("c1"));
  rig.source.agent.givesUp(new ConnectionLostError("the link ended"));
  rig.chat.send("Hello");
  const { agent } = rig.source;
  const id = agent.asks(call("c1", "rm -rf ~"));
  expect(rig.chat.decide(old, "once")).toEqual({ ok: true });
  expect([rig.now.pending.map((request) => request.id), agent.decided]).toEqual([[id], []]);
  expect(rig.chat.decide(id, "reject")).toEqual({ ok: true });
  expect(agent.decided).toEqual([["c1", "reject"]]);
});

test("a new call with the client id of an open call shows with its own input", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  agent.asks(call("c1"));
  const [before] = rig.now.pending;
  agent.pending.length = 0;
  const id = agent.asks(call("c1", "rm -rf ~"));
  expect(rig.now.pending).toMatchObject([{ id, input: { command: "rm -rf ~" } }]);
  expect(rig.now.pending[0]).not.toBe(before);
});

test("requests that end before anybody reads `pending` are dropped every 1,000 requests", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  const requests = agent.pending;
  let reads = 0;
  Object.defineProperty(agent, "pending", {
    get() {
      reads++;
      return requests;
    },
  });
  const stream = rig.source.conversation.stream;
  for (let n = 0; n < 3_000; n++) stream?.asks(call(`c${n}`));
  expect(reads).toBe(2);
  agent.asks(call("open"));
  expect(rig.now.pending).toHaveLength(1);
});

test("a snapshot reads the client's requests once, however many began or ended", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  const requests = agent.pending;
  let reads = 0;
  Object.defineProperty(agent, "pending", {
    get() {
      reads++;
      return requests;
    },
  });
  for (let n = 0; n < 1_000; n++)
    agent.emit("settled", { ...call(`c${n}`), ruling: { decision: "once", by: "reply" } });
  expect(rig.now.pending).toEqual([]);
  expect(reads).toBe(1);
});

import { ConnectionLostError } from "agentwire";
import { expect, test } from "vitest";
import { Rig } from "./support/rig.ts";

const call = (id: string) =>
  ({ type: "approval", id, call: { id, name: "shell", input: { command: "ls" }, raw: null } }) as const;

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

test("what waits for the user is shown oldest first, with the tool and its input", () => {
  const rig = new Rig();
  rig.source.agent.asks(call("c1"));
  const [first] = rig.now.pending;
  rig.source.agent.asks(question("q1"));
  expect(rig.now.pending).toEqual([
    { type: "approval", id: "c1", tool: "shell", input: { command: "ls" } },
    {
      type: "question",
      id: "q1",
      questions: [{ question: "Commit?", options: [{ label: "Yes" }], multi_select: false }],
    },
  ]);
  expect(rig.now.pending[0]).toBe(first);
});

test("a decision and an answer reach the client, and the request is gone", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  agent.asks(call("c1"));
  agent.asks(question("q1"));
  expect(rig.chat.decide("c1", { decision: "reject", reason: "no" })).toEqual({ ok: true });
  expect(rig.chat.answer("q1", "Yes")).toEqual({ ok: true });
  expect(agent.decided).toEqual([
    ["c1", { decision: "reject", reason: "no" }],
    ["q1", "Yes"],
  ]);
  expect(rig.now.pending).toEqual([]);
});

test("a second decision is ok and changes nothing, also for a request that was withdrawn, and after a new client", async () => {
  const rig = new Rig();
  const { agent } = rig.source;
  agent.asks(call("c1"));
  agent.asks(call("c2"));
  rig.chat.decide("c1", "once");
  agent.withdraws("c2");
  for (const id of ["c1", "c2"]) expect(rig.chat.decide(id, "always")).toEqual({ ok: true });
  expect(agent.decided).toEqual([["c1", "once"]]);
  agent.is("closed");
  rig.chat.send("Hello");
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.chat.decide("c1", "once")).toEqual({ ok: true });
  await rig.chat.close();
  expect(rig.chat.decide("c1", "once")).toEqual({ ok: true });
});

test("an unknown id, and the id of the other kind, are refused", () => {
  const rig = new Rig();
  rig.source.agent.asks(question("q1"));
  expect(rig.chat.decide("c9", "once")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.chat.decide("q1", "once")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.now.pending).toHaveLength(1);
});

test("the requests of a client that has gone do not stay", () => {
  const rig = new Rig();
  rig.source.agent.asks(call("c1"));
  rig.source.agent.pending.length = 0;
  rig.source.agent.is("closed");
  rig.chat.send("Hello");
  expect(rig.now.pending).toEqual([]);
});

test("an id that a new client uses again is that of the open request", async () => {
  const rig = new Rig();
  rig.source.agent.asks(call("c1"));
  rig.chat.decide("c1", "once");
  rig.source.agent.givesUp(new ConnectionLostError("the link ended"));
  rig.chat.send("Hello");
  const { agent } = rig.source;
  agent.asks(call("c1"));
  expect(rig.chat.decide("c1", "reject")).toEqual({ ok: true });
  expect(agent.decided).toEqual([["c1", "reject"]]);
  expect(rig.chat.decide("c1", "once")).toEqual({ ok: true });
  expect(agent.decided).toHaveLength(1);
});

test("another call with the id of an open one is shown with its own input", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  agent.asks(call("c1"));
  const [before] = rig.now.pending;
  const other = { ...call("c1"), call: { ...call("c1").call, input: { command: "rm -rf ~" } } };
  agent.pending.length = 0;
  agent.asks(other);
  expect(rig.now.pending).toMatchObject([{ id: "c1", input: { command: "rm -rf ~" } }]);
  expect(rig.now.pending[0]).not.toBe(before);
});

test("the requests are read once for a snapshot, however many have opened or ended", () => {
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

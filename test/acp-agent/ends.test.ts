import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { acpAgent } from "agentwire/acp/agent";
import { agentStep, MockAgent } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { Outlet } from "../../src/acp-agent/outlet.ts";
import { choose, NEVER, type Played, play, type Setup, streamPair, until } from "./support.ts";

const { tool } = agentStep;

/** The moments of a turn in which it can end, each with how a test finds it. */
const MOMENTS: readonly {
  readonly name: string;
  readonly setup: Setup;
  readonly reached: (played: Played) => Promise<unknown>;
}[] = [
  {
    name: "before the first token",
    setup: { mock: { script: [[agentStep.hang()]] } },
    reached: ({ mock }) => mock.waitFor(({ prompts }) => prompts.length === 1),
  },
  {
    name: "before the connection is ready",
    setup: { mock: { script: ["Hello"], connectDelay: 60_000 } },
    reached: ({ mock }) =>
      until(mock, ({ clients }) => clients.some(({ status }) => status === "connecting")),
  },
  {
    name: "in a text",
    setup: { mock: { script: [["Some ", agentStep.hang()]] } },
    reached: ({ world }) => world.until(({ text }) => text !== ""),
  },
  {
    name: "with an open permission",
    setup: { mock: { script: [[tool({ name: "shell", approval: true })]] }, permission: NEVER },
    reached: ({ world }) => world.until(({ permissions }) => permissions.length === 1),
  },
  {
    name: "with an open question",
    setup: { mock: { script: [[agentStep.question("Why?")]] }, elicitation: NEVER },
    reached: ({ world }) => world.until(({ elicitations }) => elicitations.length === 1),
  },
  {
    name: "in a running tool",
    setup: { mock: { script: [[tool({ name: "shell", during: [agentStep.hang()] })]] } },
    reached: ({ world }) => world.until((all) => all.of("tool_call_update").length === 1),
  },
  {
    name: "in a sub-agent",
    setup: { mock: { script: [[agentStep.subagent({ type: "a", steps: ["Hm ", agentStep.hang()] })]] } },
    reached: ({ world }) => world.until((all) => all.of("tool_call_update").some(({ content }) => content)),
  },
];

/** The next prompt works after any end. */
const goesOn = async ({ world, mock, id }: Played): Promise<void> => {
  if (mock.clients.some(({ status }) => status === "connecting")) return; // it would take a minute
  mock.script(["Again."]);
  expect(await world.prompt(id, "again")).toEqual({ stopReason: "end_turn" });
  expect(world.text.endsWith("Again.")).toBe(true);
};

for (const { name, setup, reached } of MOMENTS) {
  test(`\`session/cancel\` ${name} ends the prompt as cancelled, and the next one works`, () =>
    play(setup, async (played) => {
      const response = played.world.prompt(played.id, "hi");
      await reached(played);
      await played.world.cancel(played.id);
      expect(await response).toEqual({ stopReason: "cancelled" });
      for (const { decision } of played.mock.decisions) expect(decision).toBe("reject");
      await goesOn(played);
    }));

  test(`\`$/cancel_request\` ${name} ends the prompt as cancelled, and the next one works`, () =>
    play(setup, async (played) => {
      const stop = new AbortController();
      const response = played.world.prompt(played.id, "hi", stop.signal);
      await reached(played);
      stop.abort();
      expect(await response).toEqual({ stopReason: "cancelled" });
      await goesOn(played);
    }));

  test(`the loss of the connection ${name} cancels the turn, rejects what is open and closes the chat`, () =>
    play(setup, async (played) => {
      const response = played.world.prompt(played.id, "hi");
      response.catch(() => {});
      await reached(played);
      await played.world.leave();
      await played.connection.closed;
      for (const { decision } of played.mock.decisions) expect(decision).toBe("reject");
      for (const client of played.mock.clients) expect(client.status).toBe("closed");
      await expect(response).rejects.toThrow("closed");
    }));

  test(`\`session/close\` ${name} ends the prompt as cancelled`, () =>
    play(setup, async (played) => {
      const { world, id } = played;
      const response = world.prompt(id, "hi");
      await reached(played);
      await world.agent.request("session/close", { sessionId: id });
      expect(await response).toEqual({ stopReason: "cancelled" });
      await expect(world.prompt(id, "again")).rejects.toMatchObject({
        code: -32_002,
        data: { sessionId: id },
      });
    }));
}

test("a cancel without a prompt, and one of an unknown session, do nothing", () =>
  play({}, async ({ world, id }) => {
    await world.cancel(id);
    await world.cancel("unknown");
    expect(await world.prompt(id, "hi")).toEqual({ stopReason: "end_turn" });
  }));

test("a prompt and a cancel in one breath end as cancelled", () =>
  play({ mock: { script: [[agentStep.hang()]] } }, async ({ world, id }) => {
    const response = world.prompt(id, "hi");
    void world.cancel(id);
    expect(await response).toEqual({ stopReason: "cancelled" });
  }));

test("an open permission is withdrawn by `$/cancel_request` when its turn is cancelled", () => {
  let withdrawn = false;
  return play(
    {
      mock: { script: [[tool({ name: "shell", approval: true })]] },
      permission: (_, signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            withdrawn = true;
          });
        }),
    },
    async ({ world, id }) => {
      const response = world.prompt(id, "hi");
      await world.until(({ permissions }) => permissions.length === 1);
      await world.cancel(id);
      await response;
      await until(world, () => withdrawn);
    },
  );
});

const NONSENSE: readonly (readonly [string, () => unknown])[] = [
  ["an unknown option", choose("yes")],
  ["the name of an option", choose("Allow once")],
  ["the kind of an option", choose("allow_once")],
  ["an option that was not offered", choose("answer-1")],
  ["a word that every object knows", choose("constructor")],
  ["no option", () => ({ outcome: { outcome: "selected" } })],
  ["an outcome of another kind", () => ({ outcome: { outcome: "allowed", optionId: "once" } })],
  ["an option without an outcome", () => ({ optionId: "once" })],
  ["a list", () => ["once"]],
  ["nothing", () => null],
  ["a text", () => "once"],
  ["an error", () => Promise.reject(new Error("the dialog has crashed"))],
];

for (const [name, permission] of NONSENSE)
  test(`${name} as the answer to a permission request rejects`, () =>
    play(
      { mock: { script: [[tool({ name: "shell", approval: true, grant: "" }), "On."]] }, permission },
      async ({ world, id, mock }) => {
        expect(await world.prompt(id, "hi")).toEqual({ stopReason: "end_turn" });
        expect(mock.decisions).toMatchObject([{ decision: "reject" }]);
        expect(world.text).toBe("On.");
      },
    ));

test("nonsense as the answer to a form declines", async () => {
  const answers = [
    null,
    "yes",
    { action: "accept" },
    { action: "accept", content: { question_1: 3 } },
    { action: "x" },
  ];
  for (const answer of [...answers, { action: "decline", content: { question_1: "a" } }])
    await play(
      { mock: { script: [[agentStep.question("Why?")]] }, elicitation: () => answer },
      async ({ world, id, mock }) => {
        await world.prompt(id, "hi");
        expect(mock.answers).toMatchObject([{ answers: undefined }]);
      },
    );
});

test("two calls that wait at once are asked about at once, and each answer decides its own", () => {
  const answers = new Map<string, (answer: unknown) => void>();
  return play(
    {
      mock: { script: ({ text }) => [tool({ name: text, approval: true }), "Done."] },
      permission: ({ sessionId }) => new Promise((resolve) => answers.set(sessionId, resolve)),
    },
    async ({ world, id, mock }) => {
      const other = await world.open();
      const [first, second] = [world.prompt(id, "first"), world.prompt(other, "second")];
      await world.until(({ permissions }) => permissions.length === 2);
      answers.get(other)?.(choose("once")());
      await second;
      answers.get(id)?.(choose("reject")());
      await first;
      expect(mock.decisions).toMatchObject([
        { name: "second", decision: "once" },
        { name: "first", decision: "reject" },
      ]);
    },
  );
});

/** A client by hand: it says exactly what the test writes. */
class Wire {
  readonly #reader: ReadableStreamDefaultReader<AnyMessage>;
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>;
  #id = 0;

  constructor({ readable, writable }: Stream) {
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
  }

  say(message: object): Promise<void> {
    return this.#writer.write({ jsonrpc: "2.0", ...message } as AnyMessage);
  }

  /** Reads until a message fits. */
  async read(fits: (message: Readonly<Record<string, unknown>>) => boolean) {
    for (;;) {
      const { value } = await this.#reader.read();
      if (!value) throw new Error("the agent has left");
      if (fits({ ...value })) return { ...value } as Readonly<Record<string, unknown>>;
    }
  }

  async ask(method: string, params: object) {
    const id = ++this.#id;
    await this.say({ id, method, params });
    return this.read((message) => message["id"] === id && !("method" in message));
  }
}

async function byHand(
  mock: MockAgent,
  body: (wire: Wire, sessionId: string) => Promise<void>,
): Promise<void> {
  const [mine, theirs] = streamPair();
  const connection = await acpAgent(() => mock).connect(theirs);
  try {
    const wire = new Wire(mine);
    await wire.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opened = await wire.ask("session/new", { cwd: "/project", mcpServers: [] });
    await body(wire, (opened["result"] as { sessionId: string }).sessionId);
  } finally {
    await connection.close();
  }
}

test("a second answer to a permission request, and one to no request, change nothing", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {}); // the SDK complains of both
  const mock = new MockAgent({
    script: [
      [tool({ name: "a", approval: true }), agentStep.wait("more"), tool({ name: "b", approval: true })],
    ],
  });
  await byHand(mock, async (wire, sessionId) => {
    const prompt = [{ type: "text", text: "hi" }];
    await wire.say({ id: 9, method: "session/prompt", params: { sessionId, prompt } });
    const asked = await wire.read(({ method }) => method === "session/request_permission");
    const answer = (optionId: string) => ({
      id: asked["id"],
      result: { outcome: { outcome: "selected", optionId } },
    });
    await wire.say(answer("reject"));
    await wire.say(answer("once"));
    await wire.say({ ...answer("once"), id: 77 });
    mock.release("more");
    const second = await wire.read(({ method }) => method === "session/request_permission");
    await wire.say({ ...answer("reject"), id: second["id"] });
    await wire.read(({ id, method }) => id === 9 && method === undefined);
    expect(mock.decisions).toMatchObject([
      { name: "a", decision: "reject" },
      { name: "b", decision: "reject" },
    ]);
  });
  expect(errors.mock.calls.map(([words]) => words)).toEqual(Array(2).fill("Got response to unknown request"));
  errors.mockRestore();
});

test("a client that reads nothing holds up the agent's answer and loses nothing", async () => {
  const script = [
    [
      ...Array.from({ length: 2_000 }, (_, at) => `${at} `),
      tool({ name: "x", streams: Array(500).fill("y") }),
    ],
  ];
  const mock = new MockAgent({ script });
  await byHand(mock, async (wire, sessionId) => {
    const prompt = [{ type: "text", text: "hi" }];
    await wire.say({ id: 9, method: "session/prompt", params: { sessionId, prompt } });
    // Nobody reads until the backend has said all.
    const [client] = mock.clients;
    await until(client, () => client !== undefined && client.status === "ready");
    let text = "";
    let updates = 0;
    await wire.read(({ id, method, params }) => {
      if (method !== "session/update") return id === 9;
      updates++;
      const { update } = params as { update: { sessionUpdate: string; content: { text: string } } };
      if (update.sessionUpdate === "agent_message_chunk") text += update.content.text;
      return false;
    });
    expect(text).toBe(Array.from({ length: 2_000 }, (_, at) => `${at} `).join(""));
    expect(updates).toBeLessThan(2_510);
  });
});

test("a connection that is lost while its client reads nothing closes the chat", async () => {
  const mock = new MockAgent({ script: [["Hello ".repeat(1_000)]] });
  const [mine, theirs] = streamPair();
  const connection = await acpAgent(() => mock).connect(theirs);
  const wire = new Wire(mine);
  await wire.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const opened = await wire.ask("session/new", { cwd: "/project", mcpServers: [] });
  const { sessionId } = opened["result"] as { sessionId: string };
  await wire.say({
    id: 9,
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "hi" }] },
  });
  await mock.waitFor(({ prompts }) => prompts.length === 1);
  await connection.close();
  expect(mock.clients.map(({ status }) => status)).toEqual(["closed"]);
});

test("updates that wait for a slow client are merged, in order, and every status of a call stays", async () => {
  let release = (): void => {};
  const written: unknown[] = [];
  const outlet = new Outlet(async (update) => {
    written.push(update);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const text = (words: string, messageId = "m") =>
    outlet.say({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text: words } });
  const call = (status: "in_progress" | "completed", title?: string) =>
    outlet.say({ sessionUpdate: "tool_call_update", toolCallId: "c", status, ...(title ? { title } : {}) });
  text("a");
  await until(written, ({ length }) => length === 1);
  text("b");
  text("c");
  text("d", "n");
  call("in_progress", "x");
  call("in_progress", "y");
  call("completed");
  const taken = text("taken back");
  taken();
  text("e");
  const drained = outlet.drained();
  for (let count = 1; count < 7; count++) {
    release();
    await until(written, ({ length }) => length > count || count === 6);
  }
  release();
  await drained;
  expect(written).toMatchObject([
    { content: { text: "a" } },
    { content: { text: "bc" } },
    { content: { text: "d" } },
    { status: "in_progress", title: "y" },
    { status: "completed" },
    { content: { text: "e" } },
  ]);
});

test("a long live output is sent in updates that stay below ten times its size", () =>
  play(
    { mock: { script: [[tool({ name: "x", streams: Array(4_000).fill("0123456789") })]] } },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const size = JSON.stringify(world.of("tool_call_update")).length;
      expect(size).toBeLessThan(40_000 * 12);
      expect(world.of("tool_call_update").at(-1)?.rawOutput).toBe("0123456789".repeat(4_000));
    },
  ));

test("`maxToolOutput` cuts what a tool has said, and says so", () =>
  play(
    { mock: { script: [[tool({ name: "x", streams: ["abc", "defg"] })]] }, options: { maxToolOutput: 5 } },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const last = world.of("tool_call_update").at(-1);
      expect(last).not.toHaveProperty("rawOutput");
      expect(last?.content).toMatchObject([{ content: { text: "abcde\n[2 more characters are left out]" } }]);
    },
  ));

test("a text of several MiB comes in pieces that a line can hold", () =>
  play({ mock: { script: [["😀".repeat(1_200_000)]], deltas: "whole" } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    expect(world.of("agent_message_chunk").length).toBeGreaterThan(2);
    expect(world.text === "😀".repeat(1_200_000)).toBe(true);
  }));

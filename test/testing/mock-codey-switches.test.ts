import {
  type CodeyCall,
  type CodeyScript,
  codeyStep,
  codeyTool,
  ManualClock,
  type MockCodeyOptions,
  MockCodeyServer,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { kinds, RawCodey, type Said } from "./mock-codey-raw-client.ts";

const PROFILES: readonly NonNullable<MockCodeyOptions["profile"]>[] = ["real", "documented"];
const background = true;
const filter = "allow";

const read = (more: Partial<CodeyCall> = {}): CodeyCall => codeyTool.readFile("a.txt", "alpha", more);

/** A server with a script, and a client of it that has sent one message. */
async function asked(
  options: MockCodeyOptions,
  script: CodeyScript,
): Promise<AsyncDisposable & { readonly server: MockCodeyServer; readonly client: RawCodey }> {
  const server = await MockCodeyServer.start({ answer: () => script, ...options });
  const client = await RawCodey.connected(server);
  client.send("go");
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server.stop();
    },
  };
}

/** What the first client was told, when whatever was under way has had its time. */
async function saidTo(server: MockCodeyServer): Promise<readonly string[]> {
  using other = await RawCodey.connected(server);
  await other.barrier();
  const [connection] = server.connections;
  const frames = server.frames.filter(
    (frame) => frame.connection === connection && frame.direction === "s2c",
  );
  return kinds(frames.map(({ raw }): Said => JSON.parse(raw)));
}

/** All of a turn in which every question is answered with yes. */
async function approvedTurn(
  options: MockCodeyOptions,
  ...calls: readonly CodeyCall[]
): Promise<readonly Said[]> {
  await using made = await asked(options, [codeyStep.calls(...calls)]);
  const { client } = made;
  const said: Said[] = [];
  for (;;) {
    const message = await client.next();
    said.push(message);
    if (message.type === "ToolAwaitingApproval") client.decide(String(message["call_id"]), true);
    if (message.type === "Finished") return [...said.slice(1, -1), ...(await client.barrier())];
  }
}

describe.each(PROFILES)("on the profile %s", (profile) => {
  const quiet = { profile, toolDeltas: "none", startedAfterApproval: false } as const;

  test.each([
    { startedAfterApproval: true, says: ["A toolu_1", "S toolu_1", "C toolu_1"] },
    { startedAfterApproval: false, says: ["A toolu_1", "C toolu_1"] },
  ])(
    "startedAfterApproval: $startedAfterApproval sets whether ToolStarted follows an approval",
    async ({ startedAfterApproval, says }) => {
      const options = { profile, toolDeltas: "none", startedAfterApproval } as const;
      expect(kinds(await approvedTurn(options, read()))).toEqual(says);
    },
  );

  test.each([
    { duplicateBackgroundStarted: true, says: ["S toolu_1", "S toolu_1", "C toolu_1"] },
    { duplicateBackgroundStarted: false, says: ["S toolu_1", "C toolu_1"] },
  ])(
    "duplicateBackgroundStarted: $duplicateBackgroundStarted sets the number of ToolStarted",
    async ({ says, ...set }) => {
      expect(kinds(await approvedTurn({ ...quiet, ...set }, read({ background, filter })))).toEqual(says);
      expect(kinds(await approvedTurn({ ...quiet, ...set }, read({ filter })))).toEqual([
        "S toolu_1",
        "C toolu_1",
      ]);
    },
  );

  test.each([
    { toolDeltas: "some", result: "a😀b", pieces: ["a😀", "b"] },
    { toolDeltas: "some", result: "x", pieces: ["x"] },
    { toolDeltas: "some", result: "", pieces: [] },
    { toolDeltas: "none", result: "alpha", pieces: [] },
  ] as const)(
    "toolDeltas: $toolDeltas sets whether the output '$result' also comes in deltas",
    async ({ toolDeltas, result, pieces }) => {
      const said = await approvedTurn({ profile, toolDeltas }, read({ filter, result }));
      expect(said.slice(1, -1).map(({ content }) => content)).toEqual(pieces);
      expect(said.at(-1)).toMatchObject({ type: "ToolCompleted", content: result });
    },
  );

  test.each(["some", "none"] as const)("toolDeltas: %s, with pieces from the script", async (toolDeltas) => {
    const call = read({ filter, deltas: ["1", "2", "3"], result: { error: "then it broke" } });
    const said = await approvedTurn({ profile, toolDeltas }, call);
    const pieces = toolDeltas === "some" ? ["D toolu_1", "D toolu_1", "D toolu_1"] : [];
    expect(kinds(said)).toEqual(["S toolu_1", ...pieces, "E toolu_1"]);
  });

  test.each([
    { backgroundFailure: "completed", says: "C toolu_1" },
    { backgroundFailure: "error", says: "E toolu_1" },
  ] as const)(
    "backgroundFailure: $backgroundFailure sets how a background call fails",
    async ({ says, ...set }) => {
      const failures = [{ result: { error: "no" } }, { result: { invalid: "no" } }];
      for (const failure of failures) {
        const said = await approvedTurn({ ...quiet, ...set }, read({ background, filter, ...failure }));
        expect(kinds(said).at(-1)).toBe(says);
        const beside = await approvedTurn({ ...quiet, ...set }, read({ filter, ...failure }));
        expect(kinds(beside).at(-1)).toBe("E toolu_1");
      }
    },
  );

  describe("backgroundOrder", () => {
    const calls = [1, 2, 3, 4, 5].map((n) => read({ callId: `${n}`, background: n !== 2 }));

    async function order(options: MockCodeyOptions): Promise<string> {
      await using made = await asked({ profile, ...options }, [codeyStep.calls(...calls)]);
      await made.client.until("ToolRequest");
      return kinds(await made.client.barrier())
        .join("")
        .replaceAll("A ", "");
    }

    test("calls: the server asks in request order", async () => {
      expect(await order({ backgroundOrder: "calls" })).toBe("12345");
    });

    test("reversed: the server asks in reverse order", async () => {
      expect(await order({ backgroundOrder: "reversed" })).toBe("54321");
    });

    test("seeded: the server asks in a random order that the seed repeats", async () => {
      const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
      const orders: string[] = [];
      for (const seed of seeds) orders.push(await order({ backgroundOrder: "seeded", seed }));
      for (const one of orders) expect([...one].toSorted().join("")).toBe("12345");
      expect(new Set(orders).size).toBeGreaterThan(3);
      expect(await order({ backgroundOrder: "seeded", seed: 5 })).toBe(orders[4]);
      expect(await order({ backgroundOrder: "seeded" })).toBe(orders[0]);
    });
  });

  describe("cancelReply", () => {
    const replies = {
      none: [],
      both: ["E toolu_2", "E toolu_3", "Finished"],
      toolErrors: ["E toolu_2", "E toolu_3"],
      finished: ["Finished"],
    } as const;

    const CASES = (["none", "both", "toolErrors", "finished"] as const).flatMap((cancelReply) =>
      (["beforePong", "afterPong"] as const).map((cancelReplyTiming) => ({ cancelReply, cancelReplyTiming })),
    );

    test.each(CASES)(
      "$cancelReply sends its replies at cancelReplyTiming: $cancelReplyTiming",
      async (set) => {
        const script = [codeyStep.calls(read({ filter }), read(), read())];
        await using made = await asked({ ...quiet, ...set }, script);
        const { client, server } = made;
        await client.until("ToolAwaitingApproval");
        client.cancel();
        const [before, after] = [kinds(await client.barrier()), kinds(await client.barrier())];
        const expected = replies[set.cancelReply];
        expect([before, after]).toEqual(
          set.cancelReplyTiming === "beforePong" ? [expected, []] : [[], expected],
        );
        expect(await client.barrier()).toEqual([]);
        expect(server.cancels).toMatchObject([{ stopped: true }]);
      },
    );
  });

  test.each([true, false])(
    "stalePendingAfterCancel: %s sets whether State lists calls after a Cancel",
    async (stalePendingAfterCancel) => {
      await using made = await asked({ ...quiet, cancelReply: "none", stalePendingAfterCancel }, [
        codeyStep.calls(read(), read({ background })),
      ]);
      const { client } = made;
      await client.until("ToolRequest");
      await client.barrier();
      const pending = async (): Promise<unknown> => {
        client.say({ type: "GetState" });
        const [state] = await client.until("State");
        expect(state).toMatchObject({ type: "State" });
        const entries = state?.["pending_approvals"];
        return Array.isArray(entries) ? entries.map(({ call_id }) => call_id).toSorted() : entries;
      };
      expect(await pending()).toEqual(["toolu_1", "toolu_2"]);
      client.cancel();
      expect(await pending()).toEqual(stalePendingAfterCancel ? ["toolu_1", "toolu_2"] : []);
      client.decide("toolu_2", false);
      expect(await pending()).toEqual(stalePendingAfterCancel ? ["toolu_1"] : []);
      client.decide("toolu_1", true);
      expect(await pending()).toEqual([]);
      expect(await client.barrier()).toEqual([]);
    },
  );

  describe("stateDetail", () => {
    const script = [codeyStep.delay(1), codeyStep.calls(read(), read({ background }), read({ background }))];

    async function states(options: MockCodeyOptions): Promise<readonly (Said | undefined)[]> {
      const clock = new ManualClock();
      await using made = await asked({ ...quiet, backgroundOrder: "calls", clock, ...options }, script);
      const { client } = made;
      client.say({ type: "GetState" });
      const [streaming] = await client.until("State");
      await clock.advance(1);
      await client.until("ToolRequest");
      await client.barrier();
      client.say({ type: "GetState" });
      return [streaming, ...(await client.until("State"))];
    }

    test("stub: State has an idle agent without a name, and only the ids of pending calls", async () => {
      const [streaming, waiting] = await states({ stateDetail: "stub" });
      const agents = [{ id: 0, name: null, is_streaming: false }];
      expect(streaming).toEqual({ type: "State", agents, pending_approvals: [] });
      const entry = (call_id: string) => ({ agent_id: 0, call_id, name: "", params: null });
      expect(waiting).toEqual({
        type: "State",
        agents,
        pending_approvals: expect.arrayContaining(["toolu_1", "toolu_2", "toolu_3"].map(entry)),
      });
    });

    test("full: State has `is_streaming`, and pending calls in order with names and params", async () => {
      const [streaming, waiting] = await states({ stateDetail: "full" });
      expect(streaming).toMatchObject({ agents: [{ id: 0, name: "main", is_streaming: true }] });
      const entry = (call_id: string) => ({
        agent_id: 0,
        call_id,
        name: "mcp_read_file",
        params: { path: "a.txt" },
      });
      expect(waiting).toEqual({
        type: "State",
        agents: [{ id: 0, name: "main", is_streaming: false }],
        pending_approvals: ["toolu_1", "toolu_2", "toolu_3"].map(entry),
      });
    });
  });

  describe("history", () => {
    async function history(set: MockCodeyOptions): Promise<unknown> {
      const clock = new ManualClock();
      const ends = [[], [codeyStep.error("no")]] as const;
      await using server = await MockCodeyServer.start({
        profile,
        clock,
        answer: ({ number }) => [
          "I look",
          codeyStep.calls(read({ filter })),
          "a",
          "b",
          ...(ends[number - 1] ?? []),
        ],
        ...set,
      });
      using client = await RawCodey.connected(server);
      client.send("one");
      await client.until("Finished");
      await clock.advance(1_500);
      client.send("two");
      await client.until("Error");
      client.say({ type: "GetHistory" });
      const [answer] = await client.until("History");
      return answer?.["messages"];
    }

    const first = "2026-01-01T00:00:00.000Z";
    const second = "2026-01-01T00:00:01.500Z";

    test("empty: History never has messages", async () => {
      expect(await history({ history: "empty" })).toEqual([]);
    });

    test.each([
      { history: "filled", timestamps: [first, first, first, second, second] },
      { history: "mixedTimestamps", timestamps: [first, null, null, second, null] },
    ] as const)(
      "$history: History has the messages, except those of cancelled rounds",
      async ({ timestamps, ...set }) => {
        const said = [
          ["user", "one"],
          ["assistant", "I look"],
          ["assistant", "ab"],
          ["user", "two"],
          ["assistant", "I look"],
        ];
        expect(await history(set)).toEqual(
          said.map(([role, content], index) => ({ role, content, timestamp: timestamps[index] })),
        );
      },
    );
  });

  test.each([
    { errorFatal: false, scripted: true, fatal: false },
    { errorFatal: "scripted", scripted: true, fatal: true },
    { errorFatal: "scripted", scripted: false, fatal: false },
    { errorFatal: true, scripted: false, fatal: true },
  ] as const)(
    "errorFatal: $errorFatal sets `fatal`, if the script says $scripted",
    async ({ errorFatal, scripted, fatal }) => {
      await using made = await asked({ profile, errorFatal }, [codeyStep.error("no", scripted)]);
      const { client, server } = made;
      expect(await client.until("Error")).toEqual([{ type: "Error", message: "no", fatal }]);
      client.ping();
      await server.waitFor(({ received }) => received.length === 2);
      expect(await saidTo(server)).toEqual(["Connected", "Error", ...(fatal ? [] : ["Pong"])]);
    },
  );

  test.each([
    { errorEndsTurn: true, says: ['"a"', "Error"] },
    { errorEndsTurn: false, says: ['"a"', "Error", '"b"', "Finished"] },
  ])("errorEndsTurn: $errorEndsTurn sets whether an Error ends the turn", async ({ errorEndsTurn, says }) => {
    await using made = await asked({ profile, errorEndsTurn }, ["a", codeyStep.error("no"), "b"]);
    expect(
      kinds([...(await made.client.until(says.at(-1) ?? "")), ...(await made.client.barrier())]),
    ).toEqual(says);
  });

  test('retrying: "flood" sends attempt 1 endlessly until a Cancel', async () => {
    await using made = await asked({ profile, retrying: "flood", cancelReply: "none" }, [
      codeyStep.retrying("no key"),
      "never",
    ]);
    const { client } = made;
    for (let count = 0; count < 20; count++)
      expect(await client.next()).toEqual({ type: "Retrying", agent_id: 0, attempt: 1, error: "no key" });
    client.cancel();
    await client.barrier();
    expect(await client.barrier()).toEqual([]);
  });

  test('retrying: "counted" sends attempts 1 to 3, then the script goes on', async () => {
    await using made = await asked({ profile, retrying: "counted" }, [codeyStep.retrying(), "at last"]);
    const said = await made.client.until("Finished");
    expect(said.map(({ attempt }) => attempt)).toEqual([1, 2, 3, undefined, undefined]);
    expect(kinds(said).slice(3)).toEqual(['"at last"', "Finished"]);
  });

  test.each(["drop", "error"] as const)(
    "invalidInput: %s sets the reply to a frame that is not a message",
    async (invalidInput) => {
      await using server = await MockCodeyServer.start({
        profile,
        invalidInput,
        answer: () => ["a", codeyStep.hang()],
      });
      using client = await RawCodey.connected(server);
      for (const bad of ["not json", "[]", '{"type":"Nonsense"}', Uint8Array.of(1)]) {
        client.say(bad);
        expect(kinds(await client.barrier())).toEqual(invalidInput === "error" ? ["Error"] : []);
      }
      client.send("go");
      await client.until("TextDelta");
      client.say("not json");
      expect(await client.barrier()).toEqual([]);
      expect(server.violations).toHaveLength(5);
    },
  );

  describe("midTurnSend", () => {
    test("queue: the message starts the next turn", async () => {
      const clock = new ManualClock();
      await using server = await MockCodeyServer.start({
        profile,
        clock,
        midTurnSend: "queue",
        answer: ({ content }) => [content, codeyStep.delay(1)],
      });
      using client = await RawCodey.connected(server);
      for (const content of ["one", "two", "three"]) client.send(content);
      expect(kinds(await client.barrier())).toEqual(['"one"']);
      await clock.advance(1);
      expect(kinds(await client.until("TextDelta"))).toEqual(["Finished", '"two"']);
      client.cancel();
      const replies = kinds(await client.barrier());
      expect(replies).toEqual(profile === "real" ? [] : ["Finished"]);
      client.send("four");
      expect(kinds(await client.barrier())).toEqual(['"four"']);
      await clock.advance(10);
      expect(kinds(await client.barrier())).toEqual(["Finished"]); // a Cancel was for all that was asked for
      expect(server.sends.map(({ outcome }) => outcome)).toEqual(["started", "queued", "queued", "started"]);
    });

    test("restart, while the model streams: one Finished ends both messages", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        midTurnSend: "restart",
        history: "filled",
        answer: ({ number }) => [
          codeyStep.usage({ output_tokens: number }),
          `${number}`,
          ...(number === 1 ? [codeyStep.hang()] : []),
        ],
      });
      using client = await RawCodey.connected(server);
      client.send("one");
      await client.until("TextDelta");
      client.send("two");
      const said = await client.until("Finished");
      expect(kinds(said)).toEqual(['"2"', "Finished"]);
      expect(said.at(-1)?.["usage"]).toMatchObject({ output_tokens: 2 });
      expect(await client.barrier()).toEqual([]);
      client.say({ type: "GetHistory" });
      expect((await client.next())["messages"]).toMatchObject([
        { role: "user", content: "one" },
        { role: "user", content: "two" },
        { role: "assistant", content: "2" },
      ]);
      expect(server.sends.map(({ outcome }) => outcome)).toEqual(["started", "restarted"]);
    });

    test("restart, while calls wait: their results make all later requests fail", async () => {
      await using server = await MockCodeyServer.start({
        ...quiet,
        midTurnSend: "restart",
        answer: ({ number }) => (number === 1 ? [codeyStep.calls(read())] : ["new"]),
      });
      using client = await RawCodey.connected(server);
      client.send("one");
      await client.until("ToolAwaitingApproval");
      client.send("two");
      expect(kinds(await client.until("Finished"))).toEqual(['"new"', "Finished"]);
      expect(await client.barrier()).toEqual([]);
      client.decide("toolu_1", true);
      expect(kinds(await client.barrier())).toEqual(["C toolu_1"]);
      for (const _ of [1, 2]) {
        client.send("three");
        const [error] = await client.until("Error");
        expect(error?.["message"]).toContain("ApiError { status: 400");
      }
      using other = await RawCodey.connected(server);
      other.send("elsewhere all is well");
      await other.until("Finished");
    });
  });

  test("a blank message makes the API reject it and all later messages", async () => {
    await using made = await asked({ profile }, ["a"]);
    const { client, server } = made;
    await client.until("Finished");
    for (const content of [" \n", "hello"]) {
      client.send(content);
      const [error] = await client.until("Error");
      expect(error?.["message"]).toContain("ApiError { status: 400");
    }
    expect(server.violations).toMatchObject([{ kind: "blank-content" }]);
  });

  describe("unknownTool", () => {
    const script = [codeyStep.calls(read(), { name: "mcp_imaginary" }), "after"];

    test("silence: nothing follows the ToolRequest, and the client's next text cuts the connection", async () => {
      const reached: string[] = [];
      const steps = function* () {
        yield codeyStep.calls(read(), { name: "mcp_imaginary" });
        reached.push("what comes behind");
      };
      await using made = await asked({ profile, unknownTool: "silence", answer: steps }, []);
      const { client, server } = made;
      expect(kinds(await client.until("ToolRequest"))).toEqual(["ToolRequest"]);
      using other = await RawCodey.connected(server);
      expect(await other.barrier()).toEqual([]);
      const ponged = new Promise((resolve) => client.raw.socket.once("pong", resolve));
      client.raw.socket.ping();
      await ponged; // that is not the session's doing
      expect(client.raw.received).toHaveLength(2);
      client.ping();
      expect(await client.closed).toMatchObject({ code: 1006 });
      expect(client.raw.received).toHaveLength(2);
      expect(await other.barrier()).toEqual([]);
      expect(reached).toEqual([]);
    });

    test("processDeath: all connections are cut, and a new process accepts new ones", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        unknownTool: "processDeath",
        answer: () => script,
      });
      using client = await RawCodey.connected(server);
      using other = await RawCodey.connected(server);
      client.send("go");
      expect([(await client.closed).code, (await other.closed).code]).toEqual([1006, 1006]);
      expect(kinds([await client.next()])).toEqual(["ToolRequest"]);
      expect(server.sessions).toEqual({ live: 0, leaked: 0 });
      using later = await RawCodey.connected(server);
      expect(await later.barrier()).toEqual([]);
    });

    test("toolError: the call fails without an approval, and the other calls run normally", async () => {
      await using made = await asked({ ...quiet, unknownTool: "toolError" }, script);
      const { client } = made;
      await client.until("ToolAwaitingApproval");
      client.decide("toolu_1", true);
      const said = await client.until("Finished");
      expect(kinds(said)).toEqual(["C toolu_1", "E toolu_2", '"after"', "Finished"]);
      expect(said[1]?.["error"]).toBe("Unknown tool: mcp_imaginary");
    });
  });

  test.each([
    { shellFilter: "dead", filter: "allow", asks: true },
    { shellFilter: "dead", filter: "deny", asks: true },
    { shellFilter: "works", filter: "allow", asks: false },
    { shellFilter: "works", filter: "deny", asks: false },
  ] as const)(
    "shellFilter: $shellFilter, with a filter of $filter, sets whether the client is asked",
    async ({ shellFilter, asks, ...rule }) => {
      const said = await approvedTurn({ ...quiet, shellFilter }, codeyTool.shell("ls", "a.txt", rule));
      const unasked = rule.filter === "allow" ? ["S toolu_1", "C toolu_1"] : ["E toolu_1"];
      expect(kinds(said)).toEqual(asks ? ["A toolu_1", "C toolu_1"] : unasked);
      const file = kinds(await approvedTurn({ ...quiet, shellFilter }, read(rule)));
      expect(file).toEqual(unasked);
    },
  );

  test.each([
    { lateBackground: false, says: ["S toolu_1", "C toolu_1", '"after"', "Finished"] },
    { lateBackground: true, says: ["S toolu_1", '"after"', "Finished", "C toolu_1"] },
  ])(
    "lateBackground: $lateBackground sets whether a background result follows Finished",
    async ({ lateBackground, says }) => {
      const script = [codeyStep.calls(read({ background, filter })), "after"];
      await using made = await asked({ ...quiet, duplicateBackgroundStarted: false, lateBackground }, script);
      const { client } = made;
      const said = [...(await client.until("Finished")), ...(await client.barrier())];
      expect(kinds(said).slice(1)).toEqual(says);
      client.send("again");
      await client.until("Finished");
    },
  );

  test("subAgent: agent 1 sends text and Finished after the turn's first message", async () => {
    await using made = await asked({ profile, subAgent: true }, [
      "root",
      codeyStep.subAgent(2, "a", "b"),
      "more",
    ]);
    const { client } = made;
    const said = await client.until("Finished");
    expect(said.map(({ type, agent_id }) => [type, agent_id])).toEqual([
      ["TextDelta", 0],
      ["TextDelta", 1],
      ["Finished", 1],
    ]);
    expect((await client.until("Finished")).map(({ agent_id }) => agent_id)).toEqual([2, 2, 2]);
    expect(kinds(await client.until("Finished"))).toEqual(['"more"', "Finished"]);
    expect(await client.barrier()).toEqual([]);
  });
});

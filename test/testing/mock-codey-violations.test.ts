import { codeyStep, codeyTool, MockCodey, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { RawCodey } from "./mock-codey-raw-client.ts";

const call = (more: object = {}) => codeyTool.shell("ls", "a.txt", more);

/** A connected client that the test lets make mistakes, and the kinds of those that the server has noted. */
async function connected(options: MockCodeyOptions = {}): Promise<
  AsyncDisposable & {
    readonly server: MockCodeyServer;
    readonly client: RawCodey;
    noted(): readonly string[];
  }
> {
  const server = await MockCodeyServer.start({ answer: () => [codeyStep.calls(call())], ...options });
  const client = await RawCodey.connected(server);
  return {
    server,
    client,
    noted: () => server.violations.map(({ kind }) => kind),
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server.stop();
    },
  };
}

describe("an invalid frame is silently dropped and reported", () => {
  test.each([
    ["invalid-json", ""],
    ["invalid-json", "Ping"],
    ["invalid-json", '{"type":"Ping"'],
    ["invalid-json", "{'type':'Ping'}"],
    ["invalid-message", "null"],
    ["invalid-message", "[]"],
    ["invalid-message", '"Ping"'],
    ["unknown-type", "{}"],
    ["unknown-type", '{"type":"ping"}'],
    ["unknown-type", '{"type":"PING"}'],
    ["unknown-type", '{"type":7}'],
    ["unknown-type", '{"type":"Connected"}'],
    ["invalid-message", '{"type":"SendMessage"}'],
    ["invalid-message", '{"type":"SendMessage","content":7}'],
    ["invalid-message", '{"type":"SendMessage","content":null}'],
    ["invalid-message", '{"type":"SendMessage","content":"a","agent_id":-1}'],
    ["invalid-message", '{"type":"SendMessage","content":"a","agent_id":1.5}'],
    ["invalid-message", '{"type":"SendMessage","content":"a","agent_id":"0"}'],
    ["invalid-message", '{"type":"SendMessage","content":"a","agent_id":4294967296}'],
    ["invalid-message", '{"type":"ToolDecision","approved":true}'],
    ["invalid-message", '{"type":"ToolDecision","call_id":1,"approved":true}'],
    ["invalid-message", '{"type":"ToolDecision","call_id":"a"}'],
    ["invalid-message", '{"type":"ToolDecision","call_id":"a","approved":"true"}'],
    ["invalid-message", '{"type":"ToolDecision","call_id":"a","approved":1}'],
    ["lone-surrogate", String.raw`{"type":"SendMessage","content":"\ud800"}`],
    ["lone-surrogate", String.raw`{"type":"Ping","x":[{"\udc00":1}]}`],
  ])("%s: %s", async (kind, frame) => {
    await using made = await connected();
    const { client, server, noted } = made;
    client.say(frame);
    expect(await client.barrier()).toEqual([]);
    expect(noted()).toEqual([kind]);
    expect(server.received.map(({ message }) => message.type)).toEqual(["Ping"]);
    expect(server.frames.filter(({ direction }) => direction === "c2s")[0]?.raw).toBe(frame);
  });

  test("binary-frame: also if it holds a valid message", async () => {
    await using made = await connected();
    const { client, server, noted } = made;
    client.say(new TextEncoder().encode('{"type":"Ping"}'));
    expect(await client.barrier()).toEqual([]);
    expect(noted()).toEqual(["binary-frame"]);
    expect(server.frames.filter(({ direction }) => direction === "c2s")[0]).toMatchObject({
      binary: true,
      raw: '{"type":"Ping"}',
    });
  });
});

describe("a valid message causes no violation", () => {
  test.each([
    '{"type":"SendMessage","content":"a"}',
    '{"agent_id":null,"content":"a","type":"SendMessage","more":{"x":[1]}}',
    '{"type":"SendMessage","content":"😀","agent_id":4294967295}',
    ' { "type" : "GetState" , "type2" : 1 } ',
    '{"type":"Cancel","call_id":7}',
  ])("%s", async (frame) => {
    await using made = await connected({ answer: () => ["said"] });
    const { client, server, noted } = made;
    client.say(frame);
    await client.barrier();
    expect([server.received.length, noted()]).toEqual([2, []]);
  });
});

describe("a client mistake is reported", () => {
  test("blank-content: a SendMessage without visible text", async () => {
    await using made = await connected();
    for (const content of ["", " ", "\n\t"]) made.client.send(content);
    await made.client.barrier();
    expect(made.noted()).toEqual(["blank-content", "blank-content", "blank-content"]);
  });

  test("send-mid-turn: a SendMessage during a turn", async () => {
    await using made = await connected();
    made.client.send("one");
    await made.client.until("ToolAwaitingApproval");
    made.client.send("two");
    await made.client.barrier();
    expect(made.noted()).toEqual(["send-mid-turn"]);
  });

  test("send-before-barrier: a SendMessage after a Cancel that did not wait for the Pong", async () => {
    await using mock = new MockCodey({ answer: () => [codeyStep.hang()] });
    const listeners = new Map<string, (event: { data: string; code: number; reason: string }) => void>();
    const client = {
      readyState: 1,
      addEventListener: (
        type: string,
        listener: (event: { data: string; code: number; reason: string }) => void,
      ) => void listeners.set(type, listener),
      send: () => {},
      close: () => {},
    };
    mock.accept({ client });
    const together = (...types: readonly string[]): void => {
      for (const type of types)
        listeners.get("message")?.({ data: JSON.stringify({ type, content: "go" }), code: 0, reason: "" });
    };
    together("SendMessage", "Cancel", "Ping", "SendMessage");
    await mock.waitFor(({ sends }) => sends.length === 2);
    expect(mock.violations).toMatchObject([{ kind: "send-before-barrier" }]);
    together("Cancel", "Ping");
    await mock.waitFor(({ frames }) => frames.filter(({ raw }) => raw.includes("Pong")).length === 2);
    together("SendMessage");
    await mock.waitFor(({ sends }) => sends.length === 3);
    expect(mock.violations).toHaveLength(1);
    // The Pong of the barrier has been read; that of the keepalive behind it is none of the next turn's business.
    together("Cancel", "Ping");
    await mock.waitFor(({ frames }) => frames.filter(({ raw }) => raw.includes("Pong")).length === 3);
    together("Ping", "SendMessage");
    await mock.waitFor(({ sends }) => sends.length === 4);
    expect(mock.violations).toHaveLength(1);
  });

  test("decision-late: an approval after a Cancel; the first denial is allowed", async () => {
    await using made = await connected({
      backgroundOrder: "calls",
      answer: () => [codeyStep.calls(call({ background: true }), call({ background: true }))],
    });
    const { client, noted, server } = made;
    client.send("go");
    await client.until("ToolRequest");
    await client.barrier();
    client.cancel();
    client.decide("toolu_1", false);
    client.decide("toolu_2", true);
    await client.barrier();
    expect(noted()).toEqual(["decision-late"]);
    client.decide("toolu_1", false);
    await client.barrier();
    expect(noted()).toEqual(["decision-late", "decision-repeated"]);
    expect(server.decisions.map(({ outcome }) => outcome)).toEqual(["stale", "stale", "repeated"]);
  });

  test("decision-unknown: a decision for a call of an earlier connection", async () => {
    await using made = await connected();
    made.client.send("go");
    await made.client.until("ToolAwaitingApproval");
    using other = await RawCodey.connected(made.server);
    other.decide("toolu_1", true);
    expect(await other.barrier()).toEqual([]);
    expect(made.noted()).toEqual(["decision-unknown"]);
    expect(await made.client.barrier()).toEqual([]);
  });

  test("approval-not-denied: a call still undecided after a Cancel, at the next message or Close", async () => {
    await using made = await connected({ closeReply: true });
    const { client, noted, server } = made;
    client.send("go");
    await client.until("ToolAwaitingApproval");
    client.cancel();
    await client.barrier();
    expect(noted()).toEqual([]);
    client.send("next");
    await client.until("ToolAwaitingApproval");
    expect(server.violations).toMatchObject([{ kind: "approval-not-denied", detail: "toolu_1" }]);
    client.cancel();
    client.decide("toolu_2", false);
    await client.raw.close();
    expect(noted()).toEqual(["approval-not-denied", "approval-not-denied"]);
  });

  test.each([true, false])(
    "left-mid-turn: a Close during a turn, with closeReply: %s",
    async (closeReply) => {
      await using made = await connected({ closeReply });
      const { client, noted, server } = made;
      client.send("go");
      await client.until("ToolAwaitingApproval");
      client.raw.socket.close(1000);
      await server.waitFor(({ connections }) => connections[0]?.state === "closed");
      expect(noted()).toEqual(["left-mid-turn"]);
    },
  );

  test.each(["that sends a Cancel and denials first", "that vanishes", "that closes after its turn"])(
    "no violation: a client %s",
    async (how) => {
      await using made = await connected({ closeReply: true });
      const { client, noted, server } = made;
      client.send("go");
      await client.until("ToolAwaitingApproval");
      if (how === "that vanishes") client.raw.socket.terminate();
      else {
        if (how === "that closes after its turn") {
          client.decide("toolu_1", true);
          await client.until("Finished");
        } else {
          client.cancel();
          client.decide("toolu_1", false);
        }
        client.raw.socket.close(1000);
      }
      await server.waitFor(({ connections }) => connections[0]?.closed);
      expect(noted()).toEqual([]);
    },
  );

  test("subprotocol-requested: the server selects none, so the client's handshake fails", async () => {
    await using server = await MockCodeyServer.start();
    const socket = new WebSocket(server.url, ["codey"]);
    const error = await new Promise<Error>((resolve) => socket.on("error", resolve));
    expect(error.message).toContain("no subprotocol");
    expect(await server.waitFor(({ violations }) => violations[0])).toMatchObject({
      kind: "subprotocol-requested",
      detail: "codey",
    });
  });

  test("frame-before-connected: a frame before Connected, other than a Ping", async () => {
    await using server = await MockCodeyServer.start({ frozen: "noConnected" });
    using client = await RawCodey.open(server);
    client.ping();
    client.cancel();
    expect(await server.waitFor(({ violations }) => violations[0])).toMatchObject({
      kind: "frame-before-connected",
      detail: expect.stringContaining("Cancel"),
    });
  });
});

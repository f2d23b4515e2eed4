import { codeyStep, codeyTool, ManualClock, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/codebuff.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";
import { kinds, RawCodey } from "./mock-codey-raw-client.ts";

const PROFILES: readonly NonNullable<MockCodeyOptions["profile"]>[] = ["real", "documented"];
const MIB = 1_048_576;
const SERVER_LIMIT = 16 * MIB;

const open = codeyStep.calls(codeyTool.shell("ls", "a.txt"));
const allowed = codeyTool.readFile("a.txt", "alpha", { filter: "allow" });

/** Proves that whatever the server had to do is done: its connections share one process. */
async function roundTrip(server: MockCodeyServer): Promise<void> {
  using client = await RawCodey.connected(server);
  await client.barrier();
}

describe.each(PROFILES)("on the profile %s", (profile) => {
  describe("closeReply", () => {
    test("true: the server answers a Close", async () => {
      await using server = await MockCodeyServer.start({ profile, closeReply: true });
      using client = await RawCodey.connected(server);
      await client.raw.close(1000, "bye");
      expect(await server.waitFor(({ connections }) => connections[0]?.closed)).toEqual({
        by: "client",
        code: 1000,
        reason: "bye",
        wasClean: true,
      });
    });

    test.each(["idle", "cancelled"])(
      "false: a Ping right before the Close cuts the connection, %s",
      async (when) => {
        const answer = () => [codeyStep.hang()];
        await using server = await MockCodeyServer.start({ profile, closeReply: false, answer });
        using client = await RawCodey.connected(server);
        if (when === "cancelled") client.send("go");
        if (when === "cancelled") client.cancel();
        client.ping();
        client.raw.socket.close(1000, "bye");
        expect((await client.closed).code).toBe(1006);
        const connection = await server.nextConnection();
        expect(await server.waitFor(() => connection.closed)).toMatchObject({
          by: "client",
          wasClean: false,
        });
      },
    );
  });

  describe("sessionAfterDisconnect", () => {
    test("leaks: an idle session and one with an open approval stay for ever", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        sessionAfterDisconnect: "leaks",
        answer: () => [open],
      });
      using idle = await RawCodey.connected(server);
      using waiting = await RawCodey.connected(server);
      waiting.send("go");
      await waiting.until("ToolAwaitingApproval");
      expect(server.sessions).toEqual({ live: 2, leaked: 0 });
      idle.raw.socket.terminate();
      waiting.raw.socket.terminate();
      await server.waitFor(({ sessions }) => sessions.leaked === 2);
      await roundTrip(server);
      await server.waitFor(({ sessions }) => sessions.leaked === 3); // that one too
      expect(server.sessions.live).toBe(0);
      expect(server.connections.map(({ session }) => session)).toEqual(["leaked", "leaked", "leaked"]);
    });

    test("leaks: a session ends with its second failed message", async () => {
      const ran = gate();
      const steps: string[] = [];
      await using server = await MockCodeyServer.start({
        profile,
        sessionAfterDisconnect: "leaks",
        startedAfterApproval: false,
        toolDeltas: "none",
        *answer() {
          yield codeyStep.calls(codeyTool.shell("ls", () => ran.passed.then(() => "ran")));
          steps.push("one more request");
          yield "two";
          steps.push("never");
          yield "three";
        },
      });
      using client = await RawCodey.connected(server);
      client.send("go");
      await client.until("ToolAwaitingApproval");
      client.decide("toolu_1", true);
      await server.nextDecision();
      client.raw.socket.terminate();
      await server.waitFor(({ sessions }) => sessions.leaked === 1);
      ran.open();
      await server.waitFor(({ sessions }) => sessions.leaked === 0);
      expect([steps, server.connections[0]?.session]).toEqual([["one more request"], "ended"]);
    });

    test.each([
      ["no Ping", "leaked", 0],
      ["one Ping", "leaked", 1],
      ["two Pings", "ended", 2],
      ["three Pings", "ended", 3],
    ] as const)("leaks: after %s in one packet with the Close, the session is %s", async (_, left, pings) => {
      await using server = await MockCodeyServer.start({
        profile,
        closeReply: false,
        cancelReply: "none",
        sessionAfterDisconnect: "leaks",
        answer: () => [open],
      });
      using idle = await RawCodey.connected(server);
      using waiting = await RawCodey.connected(server);
      waiting.send("go");
      await waiting.until("ToolAwaitingApproval");
      waiting.cancel();
      waiting.decide("toolu_1", false);
      for (const client of [idle, waiting]) {
        for (let count = 0; count < pings; count++) client.ping();
        client.raw.socket.close(1000);
      }
      await server.waitFor(({ connections }) => connections.every(({ state }) => state === "closed"));
      expect(server.connections.map(({ session }) => session)).toEqual([left, left]);
      expect(server.sessions).toEqual({ live: 0, leaked: left === "leaked" ? 2 : 0 });
    });

    test("ends: the session ends with its connection", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        sessionAfterDisconnect: "ends",
        answer: () => [open],
      });
      using client = await RawCodey.connected(server);
      client.send("go");
      await client.until("ToolAwaitingApproval");
      client.raw.socket.terminate();
      const connection = await server.nextConnection();
      await server.waitFor(() => connection.session === "ended");
      expect(server.sessions).toEqual({ live: 0, leaked: 0 });
    });
  });

  describe("freezeAfterSessions", () => {
    test("freezes the server at N sessions, including leaked ones", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        sessionAfterDisconnect: "leaks",
        freezeAfterSessions: 2,
      });
      using first = await RawCodey.connected(server);
      await first.barrier();
      first.raw.socket.terminate();
      await server.waitFor(({ sessions }) => sessions.leaked === 1);
      using second = await RawCodey.connected(server); // it is still greeted
      second.ping();
      const third = RawClient.connect(server.url);
      await server.waitFor(({ upgrades, frames }) => upgrades.length === 3 && frames.length > 4);
      expect(server.upgrades.map(({ status }) => status)).toEqual([101, 101, 0]);
      server.set({ frozen: "off" }); // which is another matter
      await using elsewhere = await MockCodeyServer.start();
      await roundTrip(elsewhere);
      expect([second.raw.received.length, server.received.length]).toEqual([1, 1]);
      expect(server.connections).toHaveLength(2);
      server.set({ freezeAfterSessions: "off" });
      expect(kinds([await second.next()])).toEqual(["Pong"]);
      await server.stop();
      await expect(third).rejects.toThrow();
    });
  });

  describe("frozen", () => {
    test("noUpgrade: only TCP connects", async () => {
      await using server = await MockCodeyServer.start({ profile, frozen: "noUpgrade" });
      const never = RawCodey.open(server);
      await server.waitFor(({ upgrades }) => upgrades[0]?.status === 0);
      expect(server.connections).toEqual([]);
      server.set({ frozen: "off" });
      await roundTrip(server);
      await server.stop();
      await expect(never).rejects.toThrow();
    });

    test("noConnected: the socket opens, but the server sends nothing, not even a Close", async () => {
      await using server = await MockCodeyServer.start({ profile, frozen: "noConnected", closeReply: true });
      using client = await RawCodey.open(server);
      client.ping();
      await server.waitFor(({ frames }) => frames.length === 1);
      const connection = await server.nextConnection();
      expect([connection.state, server.received]).toEqual(["open", []]);
      client.raw.socket.close();
      await server.waitFor(() => connection.state === "closed");
      client.raw.socket.terminate();
      expect(await server.waitFor(() => connection.closed)).toMatchObject({ wasClean: false });
      expect(client.raw.received).toEqual([]);
    });

    test("midSession: the server answers nothing after Connected", async () => {
      await using server = await MockCodeyServer.start({ profile, frozen: "midSession", closeReply: true });
      using client = await RawCodey.connected(server);
      client.ping();
      await server.waitFor(({ frames }) => frames.length === 2);
      expect(server.received).toEqual([]);
      server.set({ frozen: "off" });
      expect(kinds([await client.next()])).toEqual(["Pong"]);
      await client.raw.close(1000);
      expect(await server.waitFor(({ connections }) => connections[0]?.closed)).toMatchObject({
        wasClean: true,
      });
    });

    test("midSession, set later: held messages are sent once it is off", async () => {
      const clock = new ManualClock();
      await using server = await MockCodeyServer.start({
        profile,
        clock,
        answer: () => ["one", codeyStep.delay(1), "two"],
      });
      using client = await RawCodey.connected(server);
      client.send("go");
      await client.until("TextDelta");
      server.set({ frozen: "midSession" });
      await clock.advance(1);
      client.ping();
      await server.waitFor(({ frames }) => frames.at(-1)?.raw.includes("Ping"));
      expect(client.raw.received).toHaveLength(2);
      server.set({ frozen: "off" });
      expect(kinds(await client.until("Pong"))).toEqual(['"two"', "Finished", "Pong"]);
    });
  });

  describe("afterOversize", () => {
    const tooLarge = `{"type":"Ping","x":"${"x".repeat(SERVER_LIMIT)}"}`;

    test("deaf: the server reads nothing more, and the running turn goes on", async () => {
      const clock = new ManualClock();
      await using server = await MockCodeyServer.start({
        profile,
        clock,
        afterOversize: "deaf",
        answer: () => ["one", codeyStep.delay(1), "two"],
      });
      using client = await RawCodey.connected(server);
      client.send("go");
      await client.until("TextDelta");
      client.say(tooLarge);
      client.ping();
      const connection = await server.nextConnection();
      await server.waitFor(({ frames }) => frames.at(-1)?.raw === '{"type":"Ping"}');
      expect(connection.state).toBe("deaf");
      await clock.advance(1);
      expect(kinds(await client.until("Finished"))).toEqual(['"two"', "Finished"]);
      expect(server.received).toHaveLength(1);
      expect(server.violations).toMatchObject([{ kind: "oversize-frame" }]);
    });

    test("close1009: the server closes the connection", async () => {
      await using server = await MockCodeyServer.start({ profile, afterOversize: "close1009" });
      using client = await RawCodey.connected(server);
      client.say(tooLarge);
      expect((await client.closed).code).toBe(1009);
      expect(server.violations).toMatchObject([{ kind: "oversize-frame" }]);
    });

    test("a frame up to 16 MiB is handled, but over 15 MiB is a violation", async () => {
      await using server = await MockCodeyServer.start({ profile, answer: () => [] });
      using client = await RawCodey.connected(server);
      const frame = (bytes: number): string => '{"type":"Ping"}'.padEnd(bytes);
      client.say(frame(15 * MIB));
      await client.until("Pong");
      expect(server.violations).toEqual([]);
      client.say(frame(SERVER_LIMIT));
      await client.until("Pong");
      expect(server.violations).toMatchObject([{ kind: "oversize-frame" }]);
    });
  });

  describe("chunking", () => {
    const texts = ["plain", "é😀€", "x".repeat(1_000), "ü".repeat(40_000), ""];

    test.each(["whole", "fragmented", "splitUtf8", "huge"] as const)(
      "%s: the client receives the whole text",
      async (chunking) => {
        await using server = await MockCodeyServer.start({ profile, chunking, answer: () => texts });
        using client = await RawCodey.connected(server);
        client.send("go");
        const said = await client.until("Finished");
        expect(said.slice(0, -1).map(({ content }) => content)).toEqual(texts);
        expect(await client.barrier()).toEqual([]);
        const sizes = client.raw.received.map(({ length }) => length);
        expect(sizes[1]).toBe(
          chunking === "huge" ? 20_000_000 : '{"type":"TextDelta","agent_id":0,"content":"plain"}'.length,
        );
        expect(Math.max(...sizes.slice(2))).toBeLessThan(100_000);
      },
    );
  });

  describe("dropAt", () => {
    test.each([1000, 1001, 1006, 1011] as const)(
      "ends the connection after the third message, with %d",
      async (code) => {
        await using server = await MockCodeyServer.start({
          profile,
          dropAt: { after: 3, code },
          answer: () => ["one", "two", "three"],
        });
        using client = await RawCodey.connected(server);
        client.send("go");
        expect(await client.closed).toEqual({ code, reason: "" });
        expect(client.raw.received).toHaveLength(3);
      },
    );
  });

  describe("injected noise", () => {
    const call = codeyStep.calls(allowed);

    test("extraFields: every object has one more field, except in params", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        extraFields: "injected",
        history: "filled",
        answer: () => [call, "a"],
      });
      using client = await RawCodey.open(server);
      client.send("go");
      const said = await client.until("Finished");
      client.say({ type: "GetHistory" });
      client.say({ type: "GetState" });
      await client.until("State");
      for (const raw of client.raw.received) {
        const objects = raw.split("{").length - 1;
        const extras = raw.split('"x_later":{').length - 1;
        const params = raw.split('"params":{').length - 1;
        expect([raw, objects]).toEqual([raw, 2 * extras + params]);
      }
      expect(said.at(-1)?.["usage"]).toMatchObject({ output_tokens: 20, x_later: expect.anything() });
    });

    test("unknownType: a message of an unknown type follows each message", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        unknownType: "injected",
        answer: () => ["a"],
      });
      using client = await RawCodey.open(server);
      client.send("go");
      const says = ["Connected", "AgentSpawned", '"a"', "AgentSpawned", "Finished", "AgentSpawned"];
      expect(kinds([...(await client.until("Finished")), await client.next()])).toEqual(says);
    });

    test("badJson: invalid messages follow each message", async () => {
      await using server = await MockCodeyServer.start({ profile, badJson: "injected", answer: () => ["a"] });
      using client = await RawCodey.open(server);
      const frames = await client.raw.take(9);
      expect(frames[0]).toContain("Connected");
      for (const frame of frames.slice(1)) expect(isMessage(frame)).toBe(false);
      client.send("go");
      expect(await client.raw.next()).toContain("TextDelta");
    });

    test("binaryJson: every message is sent in a binary frame", async () => {
      await using server = await MockCodeyServer.start({
        profile,
        binaryJson: "injected",
        answer: () => ["é"],
      });
      using client = await RawCodey.open(server);
      const binary: boolean[] = [];
      client.raw.socket.on("message", (_data, isBinary) => binary.push(isBinary));
      await client.next();
      client.send("go");
      expect(kinds(await client.until("Finished"))).toEqual(['"é"', "Finished"]);
      expect(new Set(binary)).toEqual(new Set([true]));
      expect(server.frames.filter(({ direction }) => direction === "s2c")).toMatchObject([
        { binary: true },
        { binary: true, raw: '{"type":"TextDelta","agent_id":0,"content":"é"}' },
        { binary: true },
      ]);
    });
  });
});

/** Whether it is JSON with a type, of which the fields are right. */
function isMessage(raw: string): boolean {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null && "type" in value && !raw.includes('"agent_id":"0"');
  } catch {
    return false;
  }
}

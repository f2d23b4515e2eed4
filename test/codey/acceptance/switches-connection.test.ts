import { codeyStep, type MockCodeySwitches } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  FAREWELL,
  failureOf,
  link,
  once,
  rejection,
  sent,
  shown,
  works,
} from "../../helpers/codey.ts";
import { OVERSIZE, tapped } from "../../helpers/codey-sockets.ts";
import { onBoth } from "./both.ts";
import { play, read } from "./calls.ts";

for (const closeReply of [false, true]) {
  onBoth(
    `switch closeReply=${closeReply} & 6.1 any, close(): of an idle client it resolves at once, and three Pings are its last words`,
    { mock: { closeReply } },
    async ({ client, server, clock }) => {
      await client.close();
      expect([client.status, clock.pending]).toEqual(["closed", 0]);
      expect(await server.waitFor(() => link(server).closed)).toMatchObject({ code: 1000, by: "client" });
      expect(sent(server)).toEqual(FAREWELL);
    },
  );

  onBoth(
    `switch closeReply=${closeReply}: close() in a turn resolves at once: Cancel, denials, three Pings`,
    { mock: { closeReply }, client: { onToolApproval: "manual" } },
    async ({ client, server, clock }) => {
      server.answer = () => [codeyStep.calls(read())];
      const turn = client.prompt("go");
      await asked(turn);
      await client.close();
      expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
      expect([client.status, clock.pending]).toEqual(["closed", 0]);
      await server.waitFor(() => link(server).closed);
      expect(sent(server)).toEqual(["SendMessage go", "Cancel", "ToolDecision toolu_1 false", ...FAREWELL]);
    },
  );
}

onBoth(
  "switch frozen=off & switch dropAt=off & 6.1 idle, user send: a prompt is sent at once, and the link stays",
  { mock: { frozen: "off", dropAt: "off" } },
  async ({ client, server }) => {
    const turn = client.prompt("hello");
    expect(turn.status).toBe("sent");
    expect((await server.nextSend()).content).toBe("hello");
    await turn.result;
    await works(client);
    expect(client.status).toBe("ready");
  },
);

for (const frozen of ["noUpgrade", "noConnected"] as const) {
  onBoth(
    `switch frozen=${frozen} & acceptance 10 & 6.2 connect: the connect timer finds it, for a prompt too`,
    { connected: false, mock: { frozen } },
    async ({ client, server, clock }) => {
      const turn = client.prompt("go");
      const connecting = rejection(client.connect());
      await server.waitFor(({ upgrades }) => upgrades.length === 1);
      await clock.advance(9_999);
      expect(turn.status).toBe("queued");
      await clock.advance(1);
      // The published server is like that on a small machine, so the message says what to do about it.
      expect(await connecting).toMatchObject({
        code: "connect-timeout",
        timeout: 10_000,
        retryable: true,
        message: expect.stringContaining("build it with tokio 1.51 or later"),
      });
      expect(await failureOf(turn)).toMatchObject({
        code: "connect-timeout",
        delivery: "not-sent",
        input: "go",
      });
      expect(sent(server)).toEqual([]);
      server.set({ frozen: "off" });
      await works(client);
    },
  );
}

onBoth(
  "switch frozen=midSession: the pong deadline finds it, in the middle of a turn",
  async ({ client, server, clock }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    await shown(turn, "one");
    server.set({ frozen: "midSession" });
    await clock.advance(29_999);
    expect(client.status).toBe("ready");
    await clock.advance(1);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", partial: { text: "one" } });
  },
);

const tap = tapped();

for (const afterOversize of ["deaf", "close1009"] as const) {
  onBoth(
    `switch afterOversize=${afterOversize} & acceptance 17: ${afterOversize === "deaf" ? "a server that hears nothing any more is found by the pong deadline" : "the close says why"}`,
    {
      mock: { afterOversize },
      client: { createWebSocket: tap.createWebSocket },
      mistakes: ["oversize-frame"],
    },
    async ({ client, server, clock }) => {
      const gone = once(client, "disconnected");
      tap.say(OVERSIZE);
      await server.waitFor(() => link(server).state !== "ready");
      if (afterOversize === "deaf") {
        await clock.advance(30_000);
        expect(await gone).toMatchObject({ code: "connection-lost" });
      } else {
        expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1009 });
      }
      expect(client.status).toBe("closed");
    },
  );
}

for (const chunking of ["whole", "fragmented", "splitUtf8", "huge"] as const) {
  onBoth(
    `switch chunking=${chunking} & acceptance 17: every message is read as it was meant`,
    { mock: { chunking }, client: { onToolApproval: () => true } },
    async ({ client, server }) => {
      server.answer = () => [
        "é😀",
        codeyStep.thinking("ß"),
        codeyStep.calls(read({ result: "│alpha" })),
        "日本",
      ];
      expect(await client.prompt("go").result).toMatchObject({
        text: "é😀日本",
        thinking: "ß",
        toolCalls: [{ state: "done", output: "│alpha" }],
      });
    },
  );
}

const NOISE: readonly (readonly [string, MockCodeySwitches, readonly string[]])[] = [
  ["extraFields=off", { extraFields: "off" }, []],
  ["extraFields=injected", { extraFields: "injected" }, []],
  ["unknownType=off", { unknownType: "off" }, []],
  ["unknownType=injected", { unknownType: "injected" }, ["unknown-message"]],
  ["badJson=off", { badJson: "off" }, []],
  ["badJson=injected", { badJson: "injected" }, ["invalid-message", "unreadable-frame"]],
  ["binaryJson=off", { binaryJson: "off" }, []],
  ["binaryJson=injected", { binaryJson: "injected" }, []],
];

for (const [name, mock, warns] of NOISE) {
  onBoth(
    `switch ${name}: a turn with an approval is what it would be without, but for warnings`,
    { mock, warns, client: { onToolApproval: () => true } },
    async (scene) => {
      const warnings = collect(scene.client, "protocolWarning");
      const { calls, heard } = await play(scene, read());
      expect(heard.replace(/D/g, "")).toBe("AsC");
      expect(calls).toMatchObject([{ state: "done", output: "alpha" }]);
      await Promise.all([scene.client.getState(), scene.client.getHistory(), scene.client.ping()]);
      expect([...new Set(warnings.map(({ kind }) => kind))].sort()).toEqual(warns);
    },
  );
}

for (const code of [1000, 1001, 1006, 1011] as const) {
  onBoth(
    `switch dropAt=${code} & acceptance 12: the turn fails with the code, whatever the server meant by it`,
    // Connected, the first delta: then the end.
    { mock: { dropAt: { after: 2, code } } },
    async ({ client, server }) => {
      const gone = once(client, "disconnected");
      const turn = client.prompt("go");
      const next = client.prompt("next");
      expect(await gone).toMatchObject({ code: "connection-lost", closeCode: code });
      expect(await failureOf(turn)).toMatchObject({
        code: "connection-lost",
        closeCode: code,
        delivery: "unknown",
        partial: { text: "Hello! " },
      });
      expect(await failureOf(next)).toMatchObject({ code: "context-lost", delivery: "not-sent" });
      expect(sent(server)).toEqual(["SendMessage go"]);
    },
  );
}

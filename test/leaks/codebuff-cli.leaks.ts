import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { CodebuffCli, type CodebuffCliOptions } from "agentwire/codebuff-cli";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { countingController } from "../helpers/codebuff.ts";
import { GROWTH, growthOver, held } from "./support.ts";

/** Processes are dear: so many of each kind, and growth is counted from the second half on. */
const TIMES = { settled: 50, times: 100 };

/** Bytes that a turn of a conversation leaves on purpose: two messages, and how to go on with it (the last 256). */
const SAID = 1_000;

const lines = (...events: readonly object[]): string =>
  events.map((event) => `echo '${JSON.stringify(event)}'\n`).join("");

const CALL = { type: "tool_call", toolCallId: "t", toolName: "x", input: {} };
const ASK = {
  type: "tool_call",
  toolCallId: "q",
  toolName: "ask_user",
  input: { questions: [{ question: "what" }] },
};

/** A program that starts in no time: it says something, asks, warns, and then finishes or waits to be ended. */
const PROGRAM = `#!/bin/sh
${lines({ type: "start", session_id: "s-1" }, CALL, ASK, { type: "text", text: "hello" })}echo noise >&2
case "$*" in *hang*) exec sleep 1000;; *fail*) exit 3;; esac
${lines({ type: "finish", totalCost: 1 })}`;

/** What this process has, of what a client may have forgotten. */
async function has(clock: ManualClock) {
  for (let moment = 0; moment < 5; moment++) await setImmediate(); // handles are closed a moment later
  const { turns, timers } = await held({ clock });
  const handles = process.getActiveResourcesInfo().filter((name) => /Process|Pipe/.test(name));
  const listeners = ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
  return { turns, timers, handles: handles.length, listeners };
}

async function world(options: CodebuffCliOptions = {}) {
  const folder = await tempFolder();
  const command = join(folder.path, "program");
  await writeFile(command, PROGRAM, { mode: 0o755 });
  const clock = new ManualClock();
  const { controller, listeners } = countingController();
  const { signal } = controller;
  const given = { command, clock, homeDir: folder.path, signal, answerByContinue: true, ...options };
  const make = (more: CodebuffCliOptions = {}): CodebuffCli => new CodebuffCli({ ...given, ...more });
  const before = await has(clock);
  const client = make();
  return {
    client,
    clock,
    signal,
    make,
    before,
    listeners,
    async [Symbol.asyncDispose]() {
      await client.close({ force: true });
      expect(await has(clock)).toEqual(before);
      expect(listeners()).toBe(0);
      await folder[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof world>>;

/** What is done with a client, a hundred times. */
const WAYS: Readonly<Record<string, (at: World) => Promise<void>>> = {
  "turns that are answered": async ({ client, signal }) => {
    const turn = client.prompt("hi", { signal, timeout: 60_000, idleTimeout: 60_000 });
    for await (const _ of turn);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  },
  "turns that fail": async ({ client, signal }) => {
    expect(await client.prompt("fail", { signal }).outcome).toMatchObject({ status: "failed" });
  },
  "turns that are cancelled": async ({ client, signal }) => {
    const turn = client.prompt("hang", { signal, timeout: 60_000 });
    for await (const { type } of turn) if (type === "text") void turn.cancel();
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  },
  "turns that are left in the middle": async ({ client, signal }) => {
    const turn = client.prompt("hang", { signal });
    for await (const { type } of turn) if (type === "text") break;
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  },
  "clients that are closed with a turn open": async ({ make }) => {
    const client = make();
    const turn = client.prompt("hang");
    for await (const { type } of turn) if (type === "text") void client.close();
    await client.close();
    expect(await turn.outcome).toMatchObject({ status: "failed" });
  },
  "programs that cannot be started": async ({ make }) => {
    const client = make({ command: "/nowhere/at/all" });
    expect(await client.prompt("hi").outcome).toMatchObject({ status: "failed" });
    await client.close();
  },
};

describe.skipIf(process.platform === "win32")("a hundred repetitions", () => {
  test.each(Object.entries(WAYS))("of %s leave no resources behind", async (_, once) => {
    await using at = await world({ forwardSignals: true });
    const idle = await has(at.clock);
    const growth = await growthOver(() => once(at), TIMES);
    expect(await has(at.clock)).toEqual(idle);
    expect(at.listeners()).toBe(1); // the client's own
    expect(growth).toBeLessThan(GROWTH);
  });

  test("of a conversation's prompts leave only the messages behind", async () => {
    await using at = await world();
    const conversation = at.client.conversation();
    let prompts = 0;
    const growth = await growthOver(async () => {
      prompts++;
      expect((await conversation.prompt("hi", { signal: at.signal }).result).sessionId).toBe("s-1");
    }, TIMES);
    expect(await has(at.clock)).toEqual(at.before);
    expect(conversation.messages).toHaveLength(2 * prompts);
    expect(growth).toBeLessThan(GROWTH + (TIMES.times - TIMES.settled) * SAID);
  });
});

test.skipIf(process.platform === "win32")("the client remembers the last 256 questions", async () => {
  const asks = Array.from({ length: 300 }, (_, index) => ({ ...ASK, toolCallId: `q${index}` }));
  await using folder = await tempFolder();
  const command = join(folder.path, "program");
  await writeFile(command, `#!/bin/sh\n${lines(...asks, { type: "finish", totalCost: 1 })}`, {
    mode: 0o755,
  });
  const client = new CodebuffCli({ command, homeDir: folder.path });
  await client.prompt("hi").result;
  expect(() => client.answer("q43", "yes")).toThrow(expect.objectContaining({ code: "invalid-input" }));
  expect(() => client.answer("q44", "yes")).toThrow(expect.objectContaining({ code: "unsupported" }));
  await client.close();
});

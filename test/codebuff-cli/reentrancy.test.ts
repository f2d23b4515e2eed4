import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { type CliWorld, cliWorld, HELD, isThere } from "../helpers/codebuff-cli.ts";
import { failureOf } from "../helpers/turns.ts";

// What happens when the user's own code acts at the worst moment. Each of these once hung, or started what nobody wanted.

/** A home with a key that is not the client's, so that the first prompt warns of it before anything is started. */
async function otherKey() {
  const folder = await tempFolder();
  await mkdir(join(folder.path, ".config/manicode"), { recursive: true });
  const profile = { default: { authToken: "another-key" } };
  const file = join(folder.path, ".config/manicode/credentials.json");
  await writeFile(file, JSON.stringify(profile), { mode: 0o600 });
  return { path: folder.path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const spawnedBy = ({ client }: CliWorld): number[] => {
  const pids: number[] = [];
  client.on("spawned", ({ pid }) => pids.push(pid));
  return pids;
};

describe("a listener of a call that the program's end abandons", () => {
  const CALL = { type: "tool_call", toolCallId: "t1", toolName: "x", input: {} };

  test("may cancel the turn, which stays completed", async () => {
    await using at = await cliWorld({ events: [CALL, { type: "finish", totalCost: 1 }] });
    const turn = at.client.prompt("hi");
    turn.on("toolCall", ({ state }) => {
      if (state === "abandoned") void turn.cancel();
    });
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("may close the client, and the turn stays completed", async () => {
    await using at = await cliWorld({ events: [CALL, { type: "finish", totalCost: 1 }] });
    const turn = at.client.prompt("hi");
    turn.on("toolCall", ({ state }) => {
      if (state === "abandoned") void at.client.close();
    });
    expect(await turn.outcome).toMatchObject({ status: "completed" });
    await at.client.close();
    expect(at.client.status).toBe("closed");
  });
});

describe("a listener of the credentials warning", () => {
  test("may abort the prompt: it is cancelled at once, and its process ends", async () => {
    await using home = await otherKey();
    await using at = await cliWorld({}, { homeDir: home.path, apiKey: "mine" });
    const spawned = spawnedBy(at);
    const stop = new AbortController();
    at.client.on("protocolWarning", () => stop.abort());
    const turn = at.client.prompt("hi", { signal: stop.signal });
    expect(turn.status).toBe("cancelling");
    await expect(turn.result).rejects.toMatchObject({ code: "turn-cancelled", by: "signal" });
    expect(spawned.map(isThere)).toEqual([false]);
  });

  test("may close the client: the process ends, and the client closes", async () => {
    await using home = await otherKey();
    await using at = await cliWorld({}, { homeDir: home.path, apiKey: "mine", isolateHome: false });
    const spawned = spawnedBy(at);
    at.client.on("protocolWarning", () => void at.client.close());
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ code: "closed", delivery: "unknown" });
    await at.client.close();
    expect(at.client.status).toBe("closed");
    expect(spawned.map(isThere)).toEqual([false]);
  });

  test("may prompt again, and is not called again", async () => {
    await using home = await otherKey();
    await using at = await cliWorld({}, { homeDir: home.path, apiKey: "mine" });
    const more: Promise<unknown>[] = [];
    at.client.on("protocolWarning", () => void more.push(at.client.prompt("again").result));
    await at.client.prompt("hi").result;
    await Promise.all(more);
    expect(more).toHaveLength(1);
  });
});

test("a listener that closes the client at `ready` ends the prompt and its process", async () => {
  await using at = await cliWorld();
  const spawned = spawnedBy(at);
  at.client.on("status", (status) => {
    if (status === "ready") void at.client.close();
  });
  const turn = at.client.prompt("hi");
  expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
  await at.client.close();
  expect(at.client.status).toBe("closed");
  expect(spawned.map(isThere)).toEqual([false]);
});

test("a listener that cancels at the first of several lines gets no further line", async () => {
  const line = `${JSON.stringify({ type: "text", text: "a" })}\n`;
  await using at = await cliWorld({ events: [{ raw: line.repeat(3) }] });
  const messages: unknown[] = [];
  at.client.on("message", (message) => messages.push(message));
  const turn = at.client.prompt("hi");
  turn.on("event", () => void turn.cancel());
  expect(await turn.outcome).toMatchObject({ status: "cancelled", partial: { text: "a" } });
  expect(messages).toHaveLength(1);
});

test("a `status` listener sees all turns failed when a forced close begins", async () => {
  await using at = await cliWorld({ events: [...HELD] }, { maxProcesses: 1 });
  const [running, waiting] = [at.client.prompt("one"), at.client.prompt("two")];
  const seen: string[] = [];
  at.client.on("status", (status) => {
    if (status === "draining") seen.push(running.status, waiting.status);
  });
  const closed = at.client.close({ force: true });
  expect(seen).toEqual(["failed", "failed"]);
  await closed;
});

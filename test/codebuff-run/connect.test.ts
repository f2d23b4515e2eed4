import { describeError } from "agentwire/chat";
import { CodebuffRun } from "agentwire/codebuff-run";
import type { BackendFaultOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { runWorld } from "./world.ts";

describe("`checkConnection()`", () => {
  test.each<[string, BackendFaultOptions | undefined, boolean]>([
    ["well", undefined, true],
    ["unwell", { body: { status: "degraded" } }, false],
    ["refused", { status: 503 }, false],
    ["cut", { reset: true }, false],
    ["no JSON", { raw: "ok" }, false],
  ])("with the health check %s (%j), resolves to %s", async (_, fault, isWell) => {
    await using at = await runWorld();
    if (fault) at.backend.fault("healthz", fault);
    expect(await at.client.checkConnection()).toBe(isWell);
  });

  test("is false without a backend", async () => {
    const provider = { name: "own", supports: () => true, stream: async function* () {} };
    const client = new CodebuffRun({ providers: [provider] });
    expect(await client.checkConnection()).toBe(false);
    await client.close();
  });

  test("is false if the backend does not answer within 5 s", async () => {
    await using at = await runWorld();
    at.backend.fault("healthz", { hang: true });
    const isWell = at.client.checkConnection();
    await at.pass(5_000);
    expect(await isWell).toBe(false);
  });
});

describe("`connect()`", () => {
  test("checks the key, so the first run does not check it again", async () => {
    await using at = await runWorld();
    await at.client.connect();
    expect(at.client.status).toBe("ready");
    await at.client.prompt("hi").result;
    expect(at.backend.requests({ endpoint: "me" })).toHaveLength(1);
  });

  test("rejects for a wrong key", async () => {
    await using at = await runWorld();
    const client = at.another({ apiKey: "wrong-key" });
    await expect(client.connect()).rejects.toMatchObject({ code: "handshake-refused", reason: "rejected" });
    expect(client.status).toBe("idle");
  });

  test.each<[string, BackendFaultOptions, string]>([
    ["a wrong key", { status: 401, body: { error: "No such key" } }, "The sign-in was refused"],
    [
      "a suspended account",
      { status: 403, body: { error: "account_suspended", message: "No such key" } },
      "Your account is suspended",
    ],
  ])("rejects with an error whose description quotes the server: %s", async (_, fault, title) => {
    await using at = await runWorld();
    at.backend.fault("me", fault);
    const told = describeError(await at.client.connect().catch((error: unknown) => error));
    expect(told.title).toBe(title);
    expect(told.detail).toContain('The server says: "No such key"');
  });

  test("rejects with the status if the server refuses for another reason", async () => {
    await using at = await runWorld();
    at.backend.fault("me", { status: 400, body: { error: "Invalid fields: x" } });
    await expect(at.client.connect()).rejects.toMatchObject({ code: "connect-failed", status: 400 });
  });

  test("rejects when its signal aborts or the client closes", async () => {
    await using at = await runWorld();
    at.backend.fault("me", { hang: true });
    const stop = new AbortController();
    const connected = at.client.connect({ signal: stop.signal });
    await at.backend.waitFor(() => at.calls().includes("me"));
    stop.abort();
    await expect(connected).rejects.toMatchObject({ code: "connect-failed" });
    const again = at.client.connect();
    await at.backend.waitFor(() => at.calls().length === 2);
    await at.client.close();
    await expect(again).rejects.toMatchObject({ code: "closed" });
  });
});

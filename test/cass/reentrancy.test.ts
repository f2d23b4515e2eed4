import { describe, expect, test } from "vitest";
import { FakeCass, fakeCass, say, tokenOf } from "../helpers/cass-fake.ts";

// What happens when the user's own code acts at the worst moment. Each of these once hung, leaked or broke an order.

const PNG = { data: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) };

/** A ready client whose model is one that sees no images, which it warns of when it is to send one. */
async function blindModel() {
  const made = await fakeCass();
  const first = made.client.prompt("first");
  await made.answers("Hello", { provider: "openai" });
  await first.result;
  return made;
}

describe("a listener of the warning that the model sees no images", () => {
  test("that cancels the turn does not get a sent prompt back as `not-sent`", async () => {
    const made = await blindModel();
    const turns = [made.client.prompt("busy"), made.client.prompt({ message: "look", image: PNG })];
    made.client.on("protocolWarning", () => void turns[1]?.cancel());
    await made.answers("done", { provider: "openai" });
    expect(await turns[1]?.outcome).toMatchObject({ status: "cancelled" });
    expect(made.sent.slice(1)).toEqual(["chat busy", "chat look"]);
    await expect(turns[1]?.result).rejects.toMatchObject({ delivery: "unknown" });
  });

  test("that closes the client ends the turn", async () => {
    const made = await blindModel();
    made.client.on("protocolWarning", () => void made.client.close());
    const turn = made.client.prompt({ message: "look", image: PNG });
    await made.settle();
    expect(turn.status).toBe("failed");
  });

  test("that prompts has its prompt queued behind the turn", async () => {
    const made = await blindModel();
    made.client.on("protocolWarning", () => void made.client.prompt("instead"));
    made.client.prompt({ message: "look", image: PNG });
    await made.settle();
    expect(made.sent.slice(1)).toEqual(["chat look"]);
  });
});

test("a queued turn is not sent if an answer comes while its cancel is emitted", async () => {
  const made = await fakeCass();
  const turns = [made.client.prompt("one"), made.client.prompt("two")];
  turns[1]?.on("status", (status) => {
    if (status === "cancelling") made.says(say.thinking(), say.response("to one"));
  });
  void turns[1]?.cancel();
  await made.settle();
  expect(turns.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  expect(made.sent).toEqual(["chat one"]);
});

test("a prompt from a `frame` listener does not get the frame of that listener", async () => {
  const made = await fakeCass();
  const turns: { readonly status: string }[] = [];
  const off = made.client.on("frame", () => {
    off();
    turns.push(made.client.prompt("hello"));
  });
  made.says(say.error("of nobody"));
  expect(turns).toMatchObject([{ status: "sent" }]);
});

test("a turn with an aborted signal is not sent", async () => {
  const made = await fakeCass();
  const turn = made.client.prompt("hello", { signal: AbortSignal.abort() });
  expect([turn.status, made.sent]).toEqual(["cancelled", []]);
});

describe("a prompt from a listener of `authenticated`", () => {
  test("waits until the connection is ready", async () => {
    const made = await fakeCass();
    const log: string[] = [];
    made.client.on("status", (status) => void log.push(status));
    made.client.on("frame", ({ direction, text }) => {
      if (direction === "out") log.push(text);
    });
    made.client.on("authenticated", () => void made.client.prompt("hello"));
    made.socket.ends();
    await made.greet();
    expect(log.indexOf("ready")).toBeGreaterThan(0);
    expect(log.indexOf("ready")).toBeLessThan(log.findIndex((line) => line.includes("hello")));
  });
});

describe("a connection that is given up in the handshake", () => {
  test("by a frame that is too large leaves no `auth` timeout to the next connection", async () => {
    const made = await connectedByMessage();
    made.socket.ends();
    await made.open();
    made.says(say.connected(null));
    expect(made.sent).toEqual(["auth"]);
    made.socket.receives(`"${"x".repeat(2_000)}"`);
    await made.open();
    made.says(say.connected(null), say.authSuccess("u1"));
    await made.clock.advance(60_000);
    expect(made.client.status).toBe("ready");
  });

  test("while a fresh token is fetched gets no token, and leaves no timer", async () => {
    const tokens: ((token: string) => void)[] = [];
    let asked = 0;
    const made = await connectedByMessage({
      requestTimeout: 0,
      token: () => (asked++ === 0 ? tokenOf("u1") : new Promise<string>((resolve) => tokens.push(resolve))),
    });
    made.socket.ends();
    void made.client.connect();
    await made.clock.advance(0);
    tokens.shift()?.(tokenOf("u1"));
    await made.open();
    made.says(say.connected(null), say.authError());
    await made.settle();
    made.socket.receives(`"${"x".repeat(2_000)}"`);
    await made.settle();
    tokens.shift()?.(tokenOf("u1", 1));
    await made.settle();
    expect(made.clock.pending).toBeLessThanOrEqual(1);
    await made.open();
    made.says(say.connected(null), say.authSuccess("u1"));
    await made.clock.advance(60_000);
    expect(made.client.status).toBe("ready");
  });
});

async function connectedByMessage(options: Parameters<typeof fakeCass>[0] = {}) {
  const made = new FakeCass({ auth: "message", maxReceiveBytes: 1_000, ...options });
  await made.open();
  made.says(say.connected(null), say.authSuccess("u1"));
  await made.settle();
  return made;
}

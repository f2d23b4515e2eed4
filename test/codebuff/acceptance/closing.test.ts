import { step } from "agentwire/testing";
import { expect } from "vitest";
import { sentTo, status } from "../../helpers/codebuff.ts";
import { browserLike, onBoth } from "./both.ts";
import { failureOf, link, lose, rejection, shown, works } from "./wire.ts";

onBoth(
  "closing 1000 & finding 7: whatever reason the server gives, the client comes back, and an idle session's id is free at once",
  { client: { clientSessionId: "mine" } },
  async ({ client, server }) => {
    for (const reason of ["Heartbeat timeout", "Connection cleanup", "Max connections exceeded", ""]) {
      await works(client);
      const error = await lose(client, () => link(server).close(1000, reason));
      expect(error).toMatchObject({
        code: "connection-lost",
        closeCode: 1000,
        ...(reason ? { closeReason: reason } : {}),
        retryable: true,
      });
    }
    expect(await works(client)).not.toBe("");
    expect(sentTo(server, "identify").map((frame) => frame["clientSessionId"])).toEqual(
      Array(5).fill("mine"),
    );
  },
);

onBoth(
  "closing 1001, 1005, 1006, 1011, 1012: the link is lost, and the client comes back",
  async ({ client, server }) => {
    const ends: readonly (readonly [code: number, end: () => void])[] = [
      [1001, () => link(server).close(1001)],
      [1006, () => link(server).drop()],
      [1011, () => link(server).close(1011)],
      [1012, () => link(server).close(1012)],
    ];
    for (const [closeCode, end] of ends) {
      await works(client);
      expect(await lose(client, end)).toMatchObject({ code: "connection-lost", closeCode, retryable: true });
    }
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "closing 1001, 1005, 1006, 1011, 1012: a Close without a code is a lost link like any other",
  async ({ client, server }) => {
    await works(client);
    const error = await lose(client, () => link(server).faults.bytes(Uint8Array.of(0x88, 0)));
    expect(error).toMatchObject({ code: "connection-lost", closeCode: 1005, retryable: true });
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "closing 1001, 1005, 1006, 1011, 1012: a server that shuts down is left in time, and found again",
  async ({ client, server, profile }) => {
    await works(client);
    const error = await lose(client, () => server.shutdown());
    expect(error).toMatchObject({ code: "connection-lost", closeCode: profile === "proxy" ? 1012 : 1000 });
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "closing 1008: the identification is refused for good",
  { connected: false, mock: { identify: "silent" } },
  async ({ client, server }) => {
    const turn = client.prompt("hello");
    await server.waitFor(() => sentTo(server, "identify").length === 1);
    link(server).close(1008, "Expected identify message");
    expect(await failureOf(turn)).toMatchObject({
      code: "handshake-refused",
      reason: "policy",
      closeCode: 1008,
      retryable: false,
      delivery: "not-sent",
      input: "hello",
    });
    expect(client.status).toBe("closed");
    expect(() => client.prompt("again")).toThrow(expect.objectContaining({ code: "closed" }));
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "closing 1009: the prompt that was too large has failed as such, and the client comes back",
  {
    client: { maxSendBytes: 4_000_000 },
    mock: { sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 2_000_000 } },
    mistakes: ["oversize-frame"],
  },
  async ({ client, server }) => {
    const turn = client.prompt("x".repeat(2_500_000));
    expect(await failureOf(turn)).toMatchObject({ code: "payload-too-large", bytes: expect.any(Number) });
    await status(client, "ready");
    expect(await works(client)).not.toBe("");
    expect(server.connections).toHaveLength(2);
  },
);

onBoth(
  "closing 1009: an init that was too large has failed as such",
  {
    client: { maxSendBytes: 4_000_000 },
    mock: { sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 2_000_000 } },
    mistakes: ["oversize-frame"],
  },
  async ({ client }) => {
    const init = rejection(client.init({ fileContext: { text: "x".repeat(2_500_000) } }));
    expect(await init).toMatchObject({ code: "payload-too-large" });
    await status(client, "ready");
  },
);

onBoth(
  "closing HTTP 403 or 404 on upgrade: connect() fails at once, and says why where the runtime tells",
  { connected: false },
  async ({ client, server }) => {
    for (const refusal of [403, 404]) {
      server.refuseUpgrades(refusal);
      const error = await rejection(client.connect());
      expect(error).toMatchObject({ code: "connect-failed" });
      if (browserLike) expect(error).not.toHaveProperty("status");
      else expect(error).toMatchObject({ status: refusal });
    }
    expect(server.upgrades).toHaveLength(2);
    server.refuseUpgrades(undefined);
    expect(await works(client)).not.toBe("");
  },
);

onBoth(
  "closing HTTP 403 or 404 on upgrade: after a loss it is tried a few times, and on without end where no status shows",
  async ({ client, server }) => {
    await works(client);
    server.refuseUpgrades(404);
    const enough = browserLike ? server.waitFor(() => server.upgrades.length > 12) : status(client, "closed");
    link(server).drop();
    await enough;
    if (browserLike) expect(client.status).not.toBe("closed");
    else expect(server.upgrades).toHaveLength(1 + 8);
  },
);

onBoth(
  "closing 1000: the client's own close is a 1000 after the drain, and forced it waits for nothing",
  { mistakes: ["left-mid-prompt"] },
  async ({ client, server }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("hello");
    await shown(turn, "part");
    const drained = client.close();
    expect(client.status).toBe("draining");
    await client.close({ force: true });
    await drained;
    expect(await failureOf(turn)).toMatchObject({ code: "closed", partial: { text: "part" } });
    await server.waitFor(() => link(server).closed);
    expect(link(server).closed).toMatchObject({ code: 1000, by: "client" });
  },
);

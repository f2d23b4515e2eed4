import { step } from "agentwire/testing";
import { expect } from "vitest";
import { drain, gate, once, sentTo, status } from "../../helpers/codebuff.ts";
import { onBoth, READING, type Scene } from "./both.ts";
import { actionsTo, failureOf, heard, INIT, link, lose, rejection, shown, works } from "./wire.ts";

/** No pings and no verdict on silence, so that only the clock under test runs. */
const ALONE = { keepalive: false, stallTimeout: 0 } as const;

/** Lets the next ping go out and its ack come back. */
async function pingAcked({ client, clock }: Scene): Promise<void> {
  const acked = heard(client, '"ack"');
  await clock.advance(25_000);
  await acked;
}

onBoth(
  "timer connect & error ConnectTimeout: a server that does not answer the upgrade within 10 s is given up",
  { connected: false },
  async ({ client, server, clock }) => {
    server.refuseUpgrades("never-answered");
    const connecting = rejection(client.connect());
    await server.waitFor(() => server.upgrades.length === 1);
    await clock.advance(9_999);
    expect(client.status).toBe("connecting");
    await clock.advance(1);
    expect(await connecting).toMatchObject({ code: "connect-timeout", timeout: 10_000, retryable: true });
  },
);

onBoth(
  "timer identify ack: a server that does not answer identify within 10 s is dialled anew",
  { connected: false, mock: { identify: "silent" } },
  async ({ client, server, clock }) => {
    const connecting = rejection(client.connect());
    await server.waitFor(() => sentTo(server, "identify").length === 1);
    await clock.advance(9_999);
    expect(client.status).toBe("handshaking");
    const again = once(client, "reconnecting");
    await clock.advance(1);
    expect((await again).error).toMatchObject({ code: "handshake-refused", reason: "timeout" });
    await server.waitFor(() => sentTo(server, "identify").length === 2);
    await client.close({ force: true });
    expect(await connecting).toMatchObject({ code: "closed" });
  },
);

onBoth(
  "timer ping interval: a ping every 25 s keeps an idle connection alive, and waits for a prompt that holds it back",
  { serverClock: true, client: { idleTimeout: 0, stallTimeout: 0 } },
  async (scene) => {
    const { client, clock, server, serverClock, profile } = scene;
    for (let pings = 1; pings <= 6; pings++) {
      await pingAcked(scene);
      await serverClock.advance(25_000); // its heartbeat allows 60 s, and looks every 30 or 60 s
    }
    expect(sentTo(server, "ping")).toHaveLength(6);
    const hold = gate();
    server.answer = async function* () {
      yield "begun";
      await hold.passed;
    };
    const turn = client.prompt("long");
    await shown(turn, "begun");
    for (let pings = 7; pings <= 9; pings++) {
      if (profile === "codebuff") await pingAcked(scene);
      else await clock.advance(25_000);
    }
    expect(sentTo(server, "ping")).toHaveLength(profile === "proxy" ? 6 : 9);
    hold.open();
    await turn.result;
    await server.waitFor(() => sentTo(server, "ping").length === (profile === "proxy" ? 7 : 9));
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "timer ping liveness: 15 s without any frame after a ping, and the link counts as dead",
  async ({ client, clock, server }) => {
    await works(client);
    const silent = link(server);
    silent.pause();
    await clock.advance(25_000); // a ping that is not read
    const alive = once(client, "unknownMessage");
    const frame = new TextEncoder().encode('{"type":"broadcast"}');
    silent.faults.bytes(Uint8Array.of(0x81, frame.length, ...frame)); // past the pause: any frame will do
    await alive;
    await clock.advance(15_000);
    expect(client.status).toBe("ready");
    await clock.advance(10_000); // the next ping
    const gone = once(client, "disconnected");
    await clock.advance(14_999);
    expect(client.status).toBe("ready");
    await clock.advance(1);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    await status(client, "ready");
    expect(server.connections).toHaveLength(2);
  },
);

onBoth(
  "timer ping liveness: silence while a prompt runs is a verdict only where it can prove something",
  {
    client: { ...READING.client, idleTimeout: 0, stallTimeout: 0 },
    mock: { ...READING.mock, idRelease: { midPrompt: 0 } },
  },
  async ({ client, clock, server, profile }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("long");
    await shown(turn, "part");
    const first = link(server);
    first.pause();
    await clock.advance(40_000);
    if (profile === "proxy") {
      await clock.advance(200_000);
      expect([client.status, turn.status]).toEqual(["ready", "streaming"]);
    } else {
      expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
      await status(client, "ready");
    }
    first.drop();
    await turn.outcome;
  },
);

onBoth(
  "timer ping liveness: 120 s of silence while a prompt holds all back are worth one ping, and 15 s more the verdict",
  { client: { idleTimeout: 0, stallTimeout: 0 }, mock: { idRelease: { midPrompt: 0 } } },
  async ({ client, clock, server, profile }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("long");
    await shown(turn, "part");
    const silent = link(server);
    silent.pause();
    if (profile === "codebuff") {
      await clock.advance(40_000); // this server answers pings meanwhile, so that 15 s behind any ping will do
    } else {
      await clock.advance(134_999);
      expect([client.status, turn.status]).toEqual(["ready", "streaming"]);
      await clock.advance(1);
    }
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
    await status(client, "ready");
    expect(server.connections).toHaveLength(2);
  },
);

onBoth(
  "timer ack: a frame that is not acked within 30 s has failed, and nobody knows whether it arrived",
  { client: ALONE, mistakes: ["left-mid-prompt"], mock: { idRelease: { midPrompt: 0 } } },
  async ({ client, clock, server, profile }) => {
    link(server).pause();
    const topics = rejection(client.subscribe(["updates"]));
    const turn = client.prompt("hello");
    await clock.advance(29_999);
    expect(turn.status).toBe("sent");
    await clock.advance(1);
    const late = { code: "request-timeout", timeout: 30_000, delivery: "unknown" };
    expect(await topics).toMatchObject({ ...late, txid: 1 });
    expect(await failureOf(turn)).toMatchObject({ ...late, txid: 2 });
    link(server).resume();
    expect(await works(client)).not.toBe("");
    expect(server.connections).toHaveLength(profile === "proxy" ? 2 : 1); // a server that acks first has read nothing
  },
);

onBoth(
  "timer ack: the clock of a frame behind a running prompt runs only where acks do not wait for it",
  { ...READING, client: { ...READING.client, ...ALONE, idleTimeout: 0 } },
  async ({ client, clock, server, profile }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      yield "begun";
      if (data.prompt === "first") await hold.passed;
    };
    const first = client.prompt("first");
    await shown(first, "begun");
    link(server).pause();
    const second = client.prompt("second");
    await clock.advance(100_000);
    expect(second.status).toBe(profile === "proxy" ? "sent" : "failed");
    if (profile === "codebuff") expect(await failureOf(second)).toMatchObject({ code: "request-timeout" });
    link(server).resume();
    hold.open();
    await first.result;
    if (profile === "proxy") expect((await second.result).text).toBe("begun");
  },
);

onBoth(
  "timer ack: a prompt whose ack never came does not hold up the next one: a server that acks first has not read it",
  {
    client: { maxConcurrentPrompts: 1, keepalive: false },
    mock: { ackOrder: "late", chunks: "text", usage: "none", idRelease: { midPrompt: 0 } },
    mistakes: ["left-mid-prompt"],
  },
  async ({ client, clock, server, profile }) => {
    server.answer = () => [step.hang()];
    const lost = client.prompt("lost");
    const next = client.prompt("next");
    await server.nextPrompt();
    server.answer = () => ["answer"];
    await clock.advance(30_000);
    expect(await failureOf(lost)).toMatchObject({ code: "request-timeout", delivery: "unknown" });
    expect((await next.result).text).toBe("answer");
    expect(server.connections).toHaveLength(profile === "proxy" ? 2 : 1);
    await client.close();
  },
);

onBoth(
  "timer init-response & error InitTimeout: 15 s after its ack an init has failed",
  { client: ALONE, mock: { init: "ack-only" } },
  async ({ client, clock }) => {
    const acked = heard(client, '"ack"');
    let over = false;
    const init = rejection(client.init(INIT)).finally(() => {
      over = true;
    });
    await acked;
    await clock.advance(14_999);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(over).toBe(true);
    expect(await init).toMatchObject({ code: "request-timeout", timeout: 15_000 });
  },
);

onBoth(
  "timer prompt idle & error PromptTimeout: 120 s after the last frame of a prompt it has failed; what had come stays readable",
  { client: ALONE, mistakes: ["left-mid-prompt"] },
  async ({ client, clock, server }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("hello");
    const reading = drain(turn.textStream);
    await shown(turn, "part");
    await clock.advance(119_999);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    const { values, thrown } = await reading;
    expect(values).toEqual(["part"]);
    expect(thrown).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 120_000 });
    expect(client.status).toBe("ready");
  },
);

onBoth(
  "timer prompt idle: it stands while this machine works on something that the server asked for",
  (profile) => ({
    client: {
      ...ALONE,
      tools: { slow: async (_, { signal }) => new Promise((_, reject) => (signal.onabort = reject)) },
    },
    mock: { scheduling: profile === "proxy" ? "fifo" : "concurrent", unreadFrame: "queue" },
    mistakes: ["left-mid-prompt", "unknown-action"],
  }),
  async ({ client, clock, server }) => {
    server.answer = () => [step.toolCall({ toolName: "slow", input: {}, timeout: -1 }), step.hang()];
    const asked = heard(client, "tool-call-request");
    const turn = client.prompt("hello");
    await asked;
    await clock.advance(500_000);
    expect(turn.status).toBe("streaming");
    await turn.cancel();
    await server.waitFor(() => actionsTo(server, "tool-call-response").length === 1);
  },
);

onBoth(
  "timer prompt total: off unless it is set, and then it counts from the call",
  { client: { ...ALONE, idleTimeout: 0 }, mistakes: ["left-mid-prompt"] },
  async ({ client, clock, server }) => {
    server.answer = () => ["part", step.hang()];
    const endless = client.prompt("one");
    await shown(endless, "part");
    const limited = client.prompt("two", { timeout: 5_000 });
    await clock.advance(4_999);
    expect(["queued", "sent", "streaming"]).toContain(limited.status);
    await clock.advance(1);
    expect(await failureOf(limited)).toMatchObject({ code: "turn-timeout", kind: "total", timeout: 5_000 });
    await clock.advance(36_000_000);
    expect(endless.status).toBe("streaming");
  },
);

onBoth(
  "timer stall cap: 180 s without any frame while the server is busy; a server that never is has no cap",
  { client: { keepalive: false, idleTimeout: 0 }, mock: { idRelease: { midPrompt: 0 } } },
  async ({ client, clock, server, profile }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("hello");
    await shown(turn, "part");
    const gone = once(client, "disconnected");
    await clock.advance(179_999);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    expect(turn.status).toBe(profile === "proxy" ? "failed" : "streaming");
    if (profile === "codebuff") link(server).drop();
    await gone;
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
  },
);

onBoth(
  "timer reconnect: waits are random below a ceiling that doubles, and start over after 5 s of being ready",
  async ({ client, clock, server }) => {
    const waits: number[] = [];
    client.on("reconnecting", ({ delay }) => waits.push(delay));
    for (let losses = 0; losses < 3; losses++) await lose(client, () => link(server).drop());
    await clock.advance(5_000);
    await lose(client, () => link(server).drop());
    // The clock's dice always say one half; the ceiling begins at half a second.
    expect(waits).toEqual([250, 500, 1_000, 250]);
  },
);

onBoth(
  "timer drain: close() waits 10 s for what is under way, and then closes with a warning",
  { client: { ...ALONE, idleTimeout: 0 }, mistakes: ["left-mid-prompt"] },
  async ({ client, clock, server }) => {
    server.answer = () => ["part", step.hang()];
    const turn = client.prompt("hello");
    await shown(turn, "part");
    const warned = once(client, "protocolWarning");
    const closed = client.close();
    await clock.advance(9_999);
    expect(client.status).toBe("draining");
    await clock.advance(1);
    expect(await warned).toMatchObject({ kind: "drain-expired" });
    await closed;
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
  },
);

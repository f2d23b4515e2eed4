import { CodebuffClient } from "agentwire/codebuff";
import { type Answer, ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import type { CodebuffServer, InitResponse } from "../../src/codebuff/messages.ts";
import { type Sent, SocketSession } from "../../src/codebuff/session/session.ts";
import { deferred } from "../../src/core/deferred.ts";

const ACK_TIMEOUT = 30_000;
const INIT_TIMEOUT = 15_000;
const STALL_TIMEOUT = 180_000;

interface Limits {
  readonly ackTimeout?: number;
  readonly initTimeout?: number;
  readonly stallTimeout?: number;
  readonly maxConcurrentPrompts?: number;
  readonly probeAfter?: number;
}

/** A session with one server, on a clock of its own, and what it told. */
function sessionWith(server: CodebuffServer, limits: Limits = {}) {
  const clock = new ManualClock();
  const told: string[] = [];
  const session = new SocketSession({
    clock,
    limits: {
      ackTimeout: ACK_TIMEOUT,
      initTimeout: INIT_TIMEOUT,
      stallTimeout: STALL_TIMEOUT,
      ...limits,
    },
    probeAfter: limits.probeAfter ?? 0,
    host: {
      ackMissing: (_, txid, { kind }) => told.push(`no ack of ${kind} ${txid}`),
      noticeLost: ({ kind }) => told.push(`no ack of ${kind}`),
      initResponseMissing: (txid) => told.push(`no init-response for ${txid}`),
      stalled: () => told.push("stall"),
      silent: () => told.push("silence"),
      idle: () => told.push("idle"),
    },
  });
  session.server = server;
  return { clock, session, told };
}

const ping: Sent = { kind: "ping" };
const ignored = () => {};
const prompt = (id: string): Sent => ({
  kind: "prompt",
  prompt: { id, acked: ignored, overtaken: ignored, fail: ignored },
});
/** Bytes of a frame whose size does not matter. */
const SIZE = 2;
const topics = (): Sent => ({ kind: "topics", reply: deferred<void>() });
const init = () => ({ kind: "init", reply: deferred<InitResponse>() }) as const;

describe("an ack timer", () => {
  test.each(["proxy", "codebuff"] as const)(
    "expires if nothing explains the silence (%s)",
    async (server) => {
      const { clock, session, told } = sessionWith(server);
      session.sent(1, ping, SIZE);
      session.sent(2, topics(), SIZE);
      await clock.advance(ACK_TIMEOUT - 1);
      expect(told).toEqual([]);
      await clock.advance(1);
      expect(told).toEqual(["no ack of ping 1", "no ack of topics 2"]);
      expect(session.takeAck(1)).toBeUndefined();
      session.end();
    },
  );

  test("stops at the ack", async () => {
    const { clock, session, told } = sessionWith("proxy");
    session.sent(1, ping, SIZE);
    expect(session.takeAck(1)).toBe(ping);
    expect(session.takeAck(1)).toBeUndefined();
    await clock.advance(10 * ACK_TIMEOUT);
    expect(told).toEqual([]);
    session.end();
  });

  test("runs for a prompt that nothing blocks, and for the frames before it", async () => {
    const { clock, session, told } = sessionWith("proxy");
    session.sent(1, ping, SIZE);
    session.sent(2, prompt("a"), SIZE);
    await clock.advance(ACK_TIMEOUT);
    expect(told).toEqual(["no ack of ping 1", "no ack of prompt 2"]);
    session.end();
  });

  test("is paused behind an earlier prompt on the proxy, acked or not", async () => {
    const { clock, session, told } = sessionWith("proxy", { stallTimeout: 0 });
    session.sent(1, prompt("a"), SIZE);
    session.takeAck(1);
    session.sent(2, ping, SIZE);
    session.sent(3, prompt("b"), SIZE);
    await clock.advance(100 * ACK_TIMEOUT);
    expect(told).toEqual([]);
    session.end();
  });

  test("restarts when the earlier prompt ends", async () => {
    const { clock, session, told } = sessionWith("proxy", { stallTimeout: 0 });
    session.sent(1, ping, SIZE);
    session.sent(2, prompt("a"), SIZE);
    session.takeAck(1);
    session.takeAck(2);
    await clock.advance(ACK_TIMEOUT - 1);
    session.sent(3, ping, SIZE);
    await clock.advance(ACK_TIMEOUT);
    session.ended("a");
    await clock.advance(ACK_TIMEOUT - 1);
    expect(told).toEqual(["idle"]);
    await clock.advance(1);
    expect(told).toEqual(["idle", "no ack of ping 3"]);
    session.end();
  });

  test("is paused behind the next prompt after the first one ended", async () => {
    const { clock, session, told } = sessionWith("proxy", { stallTimeout: 0 });
    session.sent(1, prompt("a"), SIZE);
    session.sent(2, prompt("b"), SIZE);
    session.sent(3, ping, SIZE);
    session.takeAck(1);
    session.ended("a");
    session.takeAck(2);
    await clock.advance(10 * ACK_TIMEOUT);
    expect(told).toEqual([]);
    session.ended("b");
    await clock.advance(ACK_TIMEOUT);
    expect(told).toEqual(["idle", "no ack of ping 3"]);
    session.end();
  });

  test("always runs on the original server, which acks at once", async () => {
    const { clock, session, told } = sessionWith("codebuff");
    session.sent(1, prompt("a"), SIZE);
    session.takeAck(1);
    session.sent(2, ping, SIZE);
    await clock.advance(ACK_TIMEOUT);
    expect(told).toEqual(["no ack of ping 2"]);
    session.end();
  });
});

describe("a running prompt", () => {
  test("blocks the proxy, but never the original server", () => {
    for (const server of ["proxy", "codebuff"] as const) {
      const { session } = sessionWith(server);
      expect(session.blocked).toBe(false);
      session.sent(1, prompt("a"), SIZE);
      session.takeAck(1);
      expect([session.blocked, session.hasRunning]).toEqual([server === "proxy", true]);
      session.ended("a");
      expect([session.blocked, session.hasRunning]).toEqual([false, false]);
      session.end();
    }
  });

  test.each([
    ["proxy", undefined, [true, false]],
    ["proxy", 1, [true, false]],
    ["proxy", 2, [false, true]],
    ["codebuff", undefined, [false, true]],
    ["codebuff", 1, [false, false]],
  ] as const)(
    "on %s, with at most %s at once: `holdsBack` and `takesPrompt` are %j",
    (server, max, expected) => {
      const { session } = sessionWith(server, max === undefined ? {} : { maxConcurrentPrompts: max });
      session.phase = "ready";
      expect([session.holdsBack, session.takesPrompt]).toEqual([false, true]);
      session.sent(1, prompt("a"), SIZE);
      expect([session.holdsBack, session.takesPrompt]).toEqual(expected);
      session.ended("a");
      expect([session.holdsBack, session.takesPrompt]).toEqual([false, true]);
      session.end();
    },
  );

  test("reports idleness once, when the last prompt has ended", () => {
    const { session, told } = sessionWith("proxy");
    session.sent(1, prompt("a"), SIZE);
    session.sent(2, prompt("b"), SIZE);
    session.ended("b");
    session.ended("b");
    session.ended("never sent");
    expect(told).toEqual([]);
    session.ended("a");
    session.ended("a");
    expect(told).toEqual(["idle"]);
    session.end();
  });
});

describe("a prompt that ended silently", () => {
  test("is detected on the proxy by the ack of any later frame", () => {
    const { session, told } = sessionWith("proxy");
    session.sent(1, prompt("a"), SIZE);
    session.sent(2, prompt("b"), SIZE);
    session.sent(3, ping, SIZE);
    session.sent(4, prompt("c"), SIZE);
    expect(session.overSilently(1).map(({ id }) => id)).toEqual([]);
    expect(session.overSilently(2).map(({ id }) => id)).toEqual(["a"]);
    expect(session.overSilently(3).map(({ id }) => id)).toEqual(["a", "b"]);
    session.ended("a");
    session.ended("b");
    expect(session.overSilently(3).map(({ id }) => id)).toEqual([]);
    expect(session.overSilently(5).map(({ id }) => id)).toEqual(["c"]);
    expect(told).toEqual([]);
    session.end();
  });

  test("is never assumed on the original server, which acks at once", () => {
    const { session } = sessionWith("codebuff");
    session.sent(1, prompt("a"), SIZE);
    session.sent(2, ping, SIZE);
    expect(session.overSilently(2).map(({ id }) => id)).toEqual([]);
    expect(session.hasRunning).toBe(true);
    session.end();
  });

  test("fails in the client, even if the later ack comes after its own chunk", async () => {
    const oddities = { chunkBeforeAck: true };
    const answer: Answer = ({ data }) => (data.prompt === "silent" ? [step.silent()] : ["later"]);
    await using server = await MockCodebuffServer.start({ oddities, answer, unreadFrame: "queue" });
    await using client = new CodebuffClient({
      url: server.url,
      settleWindow: 0,
      clock: new ManualClock(),
      maxConcurrentPrompts: 2,
    });
    const silent = client.prompt("silent");
    await client.prompt("speaks").result;
    const { status } = silent;
    await client.close({ force: true });
    expect(status).toBe("failed");
  });
});

describe("a stall", () => {
  test("is silence while a prompt blocks the connection", async () => {
    const { clock, session, told } = sessionWith("proxy", { ackTimeout: 0 });
    await clock.advance(10 * STALL_TIMEOUT);
    session.sent(1, prompt("a"), SIZE);
    await clock.advance(STALL_TIMEOUT - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["stall"]);
    session.end();
  });

  test("is postponed by any frame", async () => {
    const { clock, session, told } = sessionWith("proxy", { ackTimeout: 0 });
    session.sent(1, prompt("a"), SIZE);
    for (let frame = 0; frame < 5; frame++) {
      await clock.advance(STALL_TIMEOUT - 1);
      session.touch();
    }
    expect(told).toEqual([]);
    await clock.advance(STALL_TIMEOUT);
    expect(told).toEqual(["stall"]);
    session.end();
  });

  test("cannot happen after the prompt has ended", async () => {
    const { clock, session, told } = sessionWith("proxy", { ackTimeout: 0 });
    session.sent(1, prompt("a"), SIZE);
    session.ended("a");
    session.touch();
    await clock.advance(10 * STALL_TIMEOUT);
    expect(told).toEqual(["idle"]);
    session.end();
  });

  test.each([
    ["on the original server, where pings detect silence", "codebuff", STALL_TIMEOUT],
    ["with a time limit of 0", "proxy", 0],
  ] as const)("is never reported %s", async (_, server, stallTimeout) => {
    const { clock, session, told } = sessionWith(server, { ackTimeout: 0, stallTimeout });
    session.sent(1, prompt("a"), SIZE);
    await clock.advance(10 * STALL_TIMEOUT);
    expect(told).toEqual([]);
    session.end();
  });
});

describe("init-responses, which carry no id", () => {
  test("answer the inits in order, before or after their acks", () => {
    const { session } = sessionWith("proxy");
    const [a, b, c] = [init(), init(), init()];
    session.sent(1, a, SIZE);
    session.sent(2, b, SIZE);
    session.sent(3, c, SIZE);
    session.takeAck(1);
    session.initAcked(1, a);
    expect(session.takeInit()).toBe(a);
    expect(session.takeInit()).toBe(b); // not acked yet
    expect(session.takeAck(2)).toBeUndefined();
    session.takeAck(3);
    session.initAcked(3, c);
    expect(session.takeInit()).toBe(c);
    expect(session.takeInit()).toBeUndefined();
    session.end();
  });

  test("have a time limit that starts at the ack", async () => {
    const { clock, session, told } = sessionWith("proxy");
    const sent = init();
    session.sent(1, sent, SIZE);
    await clock.advance(ACK_TIMEOUT - 1);
    session.takeAck(1);
    session.initAcked(1, sent);
    await clock.advance(INIT_TIMEOUT - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(["no init-response for 1"]);
    expect(session.takeInit()).toBeUndefined();
    session.end();
  });
});

describe("an answer without a txid", () => {
  test("belongs to the only unacknowledged frame, if there is just one", () => {
    const { session } = sessionWith("proxy");
    expect(session.takeOnlyUnacked()).toBeUndefined();
    const a = prompt("a");
    session.sent(1, a, SIZE);
    session.sent(2, ping, SIZE);
    expect(session.takeOnlyUnacked()).toBeUndefined();
    session.takeAck(2);
    expect(session.takeOnlyUnacked()).toBe(a);
    expect(session.takeAck(1)).toBeUndefined();
    session.end();
  });

  test("about a too large frame belongs to the largest unacknowledged frame", () => {
    const { session } = sessionWith("proxy");
    expect(session.largestUnacked()).toBeUndefined();
    session.sent(1, prompt("acked"), 9_000);
    session.takeAck(1);
    session.sent(2, ping, 30);
    session.sent(3, prompt("small"), 40);
    const large = topics();
    session.sent(4, large, 500);
    session.sent(5, prompt("later"), 50);
    expect(session.largestUnacked()?.sent).toBe(large);
    session.end();
  });
});

describe("the end of the socket", () => {
  test("returns all unanswered frames, stops every timer, and reports nothing more", async () => {
    const { clock, session, told } = sessionWith("proxy");
    const [acked, unacked, subscribe] = [init(), init(), topics()];
    session.sent(1, acked, SIZE);
    session.takeAck(1);
    session.initAcked(1, acked);
    session.sent(2, prompt("a"), SIZE);
    session.takeAck(2);
    session.sent(3, unacked, SIZE);
    session.sent(4, prompt("b"), SIZE);
    session.sent(5, subscribe, SIZE);

    const { prompts, requests } = session.end();

    expect(prompts.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(new Set(requests)).toEqual(new Set([prompt("b"), unacked, subscribe, acked]));
    expect(clock.pending).toBe(0);
    await clock.advance(10 * STALL_TIMEOUT);
    expect(told).toEqual([]);
    expect(session.end()).toEqual({ prompts: [], requests: [] });
  });

  test("leaves no timer behind", async () => {
    const { clock, session } = sessionWith("proxy");
    session.sent(1, ping, SIZE);
    session.sent(2, prompt("a"), SIZE);
    session.sent(3, ping, SIZE);
    await clock.advance(1_000);
    session.ended("a");
    session.takeAck(1);
    session.end();
    expect(clock.pending).toBe(0);
  });
});

describe("a session before a requested reconnect", () => {
  test("waits for its prompts, acks and init-responses, but not for pings", () => {
    const { session } = sessionWith("codebuff");
    const awaits: boolean[] = [];
    const look = (): void => void awaits.push(!session.awaitsNothing);
    session.sent(1, ping, SIZE);
    look();
    const asked = init();
    session.sent(2, asked, SIZE);
    look();
    session.takeAck(2);
    session.initAcked(2, asked);
    look();
    session.takeInit();
    look();
    session.sent(3, prompt("a"), SIZE);
    session.takeAck(3);
    look();
    session.ended("a");
    look();
    session.end();
    expect(awaits).toEqual([false, true, true, false, true, false]);
  });
});

import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { expect, test } from "vitest";
import { Notices, type UnackedNotice } from "../../src/codebuff/session/notices.ts";
import { once } from "../helpers/codebuff.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";

const answer = (instead?: string): UnackedNotice => ({
  sent: { kind: "tool-call-response", instead },
  bytes: 10,
});

/** Notices, and how many of them were given up. */
function notices(timeout = 30_000) {
  const clock = new ManualClock();
  const lost: UnackedNotice[] = [];
  return { clock, lost, kept: new Notices(clock, timeout, (unacked) => lost.push(unacked)) };
}

test("1,000 unacknowledged answers are kept; beyond that the oldest are dropped in order", () => {
  const { clock, lost, kept } = notices();
  const all = Array.from({ length: 1_003 }, () => answer());
  for (const [txid, each] of all.entries()) {
    kept.add(txid, each);
    kept.trim();
  }
  expect([kept.size, clock.pending]).toEqual([1_000, 1_000]);
  expect(lost).toEqual(all.slice(0, 3));
  expect([kept.take(2), kept.take(3)]).toEqual([undefined, all[3]]);
});

test("substitute answers are kept up to 8 MiB, and removing one frees its bytes", async () => {
  const { clock, lost, kept } = notices(1_000);
  const large = (): UnackedNotice => answer("x".repeat(3 * 1_048_576));
  for (let txid = 0; txid < 4; txid++) {
    kept.add(txid, large());
    kept.trim();
  }
  expect([kept.size, lost.length]).toEqual([2, 2]);
  kept.take(2);
  kept.add(4, large());
  kept.trim();
  expect([kept.size, lost.length]).toEqual([2, 2]);
  await clock.advance(1_000);
  expect([kept.size, lost.length]).toEqual([0, 4]);
  for (let txid = 5; txid < 7; txid++) kept.add(txid, large());
  kept.trim();
  expect([kept.size, lost.length]).toEqual([2, 4]);
  kept.clear();
  for (let txid = 7; txid < 9; txid++) kept.add(txid, large());
  kept.trim();
  expect([kept.size, lost.length]).toEqual([2, 4]);
});

test.each([
  ["unreadable", { toolName: 5 }],
  ["refused", { toolName: "nobody's", input: {} }],
  ["for no prompt", { toolName: "act", input: {} }],
])("20,000 requests that are %s, with unacknowledged answers, leave 1,000 timers", async (_, request) => {
  const clock = new ManualClock();
  const socket = FakeSocket.opened();
  await using client = new CodebuffClient({
    url: "ws://localhost/ws",
    profile: "codebuff",
    clock,
    keepalive: false,
    createWebSocket: () => socket,
    tools: { act: () => [] },
  });
  await client.connect();
  let told = 0;
  client.on("protocolWarning", ({ kind }) => {
    if (kind === "tool-call-response-failed") told++;
  });
  const before = clock.pending;
  for (let at = 0; at < 20_000; at++) {
    const data = { type: "tool-call-request", requestId: `r${at}`, ...request };
    socket.receives(JSON.stringify({ type: "action", data }));
  }
  expect(socket.sent).toHaveLength(20_000);
  expect([clock.pending - before, told]).toEqual([1_000, 19_000]);
  const gone = once(client, "disconnected");
  socket.ends(1006);
  await gone;
});

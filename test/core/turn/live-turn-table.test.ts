import { describe, expect, test } from "vitest";
import { ClosedError } from "../../../src/core/errors.ts";
import type { TurnStatus } from "../../../src/core/values.ts";
import {
  IDLE,
  linkLost,
  NOTHING_LEFT,
  outcomeOf,
  readAll,
  reader,
  TOTAL,
  type TurnRig,
  turnRig,
} from "../support/turns.ts";

/** Brings a new turn to where a row begins; one that streams has "a" and "b" buffered. */
const reach: Readonly<Record<TurnStatus, (rig: TurnRig) => void>> = {
  queued: () => {},
  sent: ({ turn }) => {
    turn.sent();
    turn.active();
  },
  streaming: (rig) => {
    reach.sent(rig);
    rig.turn.push("a", 1);
    rig.turn.push("b", 1);
  },
  recovering: (rig) => {
    reach.streaming(rig);
    rig.turn.recovering();
  },
  cancelling: (rig) => {
    reach.streaming(rig);
    void rig.turn.cancel();
  },
  completed: (rig) => {
    reach.streaming(rig);
    rig.turn.complete({ text: rig.turn.text });
  },
  cancelled: (rig) => {
    reach.cancelling(rig);
    rig.turn.stopped();
  },
  failed: (rig) => {
    reach.streaming(rig);
    rig.turn.fail(linkLost());
  },
};

const calls = {
  push: ({ turn }: TurnRig) => turn.push("c", 1),
  sent: ({ turn }: TurnRig) => turn.sent(),
  complete: ({ turn }: TurnRig) => turn.complete({ text: turn.text }),
  fail: ({ turn }: TurnRig) => turn.fail(linkLost()),
  abandon: ({ turn }: TurnRig) => turn.abandon(new ClosedError("closed")),
  cancel: ({ turn }: TurnRig) => void turn.cancel(),
  abort: ({ controller }: TurnRig) => controller.abort(),
  idle: ({ clock }: TurnRig) => clock.advance(IDLE),
  total: async ({ clock, turn }: TurnRig) => {
    turn.hold(); // or the idle limit would come first
    await clock.advance(TOTAL);
  },
  stopped: ({ turn }: TurnRig) => turn.stopped(),
} as const;

type Call = keyof typeof calls;

interface Row {
  readonly from: TurnStatus;
  readonly call: Call;
  readonly status: TurnStatus;
  /** Before the protocol says `stopped()`. */
  readonly outcome: string;
  /** What a reader gets that comes after the call, and then once more. */
  readonly reads: readonly string[];
  /** Once the protocol has said `stopped()`. */
  readonly finally: string;
}

const row = (
  from: TurnStatus,
  call: Call,
  status: TurnStatus,
  reads: readonly string[],
  outcome: string,
  settles = outcome,
): Row => ({ from, call, status, outcome, reads, finally: settles });

const buffered: Readonly<Record<string, readonly string[]>> = {
  queued: [],
  sent: [],
  streaming: ["a", "b"],
  recovering: ["a", "b"],
};

/** A turn that is open takes every call. */
const openRows = (["queued", "sent", "streaming", "recovering"] as const).flatMap((from) => {
  const read = buffered[from] ?? [];
  return [
    row(from, "push", from === "recovering" ? from : "streaming", [...read, "c", "waits"], "pending"),
    row(from, "sent", from === "queued" ? "sent" : from, [...read, "waits"], "pending"),
    row(from, "complete", "completed", [...read, "ends"], "completed"),
    row(from, "fail", "failed", [...read, "throws connection-lost", "ends"], "failed connection-lost"),
    row(from, "abandon", "failed", ["ends"], "failed closed"),
    row(from, "cancel", "cancelling", ["ends"], "pending", "cancelled by user"),
    row(
      from,
      "abort",
      "cancelling",
      [...read, "throws turn-cancelled", "ends"],
      "pending",
      "cancelled by signal",
    ),
    row(
      from,
      "total",
      "cancelling",
      [...read, "throws turn-timeout", "ends"],
      "pending",
      "failed turn-timeout",
    ),
    row(from, "stopped", from, [...read, "waits"], "pending"),
  ];
});

/** The idle clock runs from the moment that the server works on the turn. */
const idleRows = [
  row("queued", "idle", "queued", ["waits"], "pending"),
  row("sent", "idle", "cancelling", ["throws turn-timeout", "ends"], "pending", "failed turn-timeout"),
  ...(["streaming", "recovering"] as const).map((from) =>
    row(
      from,
      "idle",
      "cancelling",
      ["a", "b", "throws turn-timeout", "ends"],
      "pending",
      "failed turn-timeout",
    ),
  ),
];

/**
 * Nothing changes a turn that was stopped or has ended, but `stopped()` the former; and `cancel()` drops what
 * a reader has not yet read of the latter.
 */
const endedRows = (Object.keys(calls) as Call[]).flatMap((call) => [
  call === "stopped"
    ? row("cancelling", call, "cancelled", ["ends"], "cancelled by user")
    : row("cancelling", call, "cancelling", ["ends"], "pending", "cancelled by user"),
  row("completed", call, "completed", call === "cancel" ? ["ends"] : ["a", "b", "ends"], "completed"),
  row("cancelled", call, "cancelled", ["ends"], "cancelled by user"),
  row(
    "failed",
    call,
    "failed",
    call === "cancel" ? ["ends"] : ["a", "b", "throws connection-lost", "ends"],
    "failed connection-lost",
  ),
]);

const rows = [...openRows, ...idleRows, ...endedRows];

describe("a turn in every status, for every call", () => {
  test.each(rows)("from $from on $call becomes $status, and a reader gets $reads", async (row) => {
    const rig = turnRig();
    reach[row.from](rig);
    await calls[row.call](rig);
    expect(rig.turn.status).toBe(row.status);
    expect(await outcomeOf(rig.turn)).toBe(row.outcome);
    const iterator = reader(rig.turn);
    const reads = await readAll(iterator);
    if (reads.at(-1)?.startsWith("throws")) reads.push(...(await readAll(iterator)));
    expect(reads).toEqual(row.reads);
    rig.turn.stopped();
    expect(await outcomeOf(rig.turn)).toBe(row.finally);
  });

  test.each(rows)(
    "from $from on $call notifies the protocol once, and leaves no timer once settled",
    async (row) => {
      const rig = turnRig();
      reach[row.from](rig);
      await calls[row.call](rig);
      const { open, settled } = rig.turn;
      rig.turn.stopped();
      const over = row.finally !== "pending";
      const wasStopped =
        over && ["cancelling", "cancelled"].includes(row.from === "queued" ? row.status : row.from);
      expect(open).toBe(["queued", "sent", "streaming", "recovering"].includes(row.status));
      expect(settled).toBe(["completed", "cancelled", "failed"].includes(row.status));
      expect(rig.told.settled).toBe(over ? 1 : 0);
      if (wasStopped) expect(rig.told.stops).toBe(1);
      expect(rig.told.stops).toBeLessThanOrEqual(1);
      if (over) expect(rig.leftovers()).toEqual(NOTHING_LEFT);
      else expect(rig.leftovers().signalListeners).toBe(1);
    },
  );
});

describe("a `break` out of the loop", () => {
  test.each<{ from: TurnStatus; status: TurnStatus; settles: string }>([
    { from: "queued", status: "cancelling", settles: "cancelled by user" },
    { from: "sent", status: "cancelling", settles: "cancelled by user" },
    { from: "streaming", status: "cancelling", settles: "cancelled by user" },
    { from: "cancelling", status: "cancelling", settles: "cancelled by user" },
    { from: "completed", status: "completed", settles: "completed" },
    { from: "cancelled", status: "cancelled", settles: "cancelled by user" },
    { from: "failed", status: "failed", settles: "failed connection-lost" },
  ])(
    "over a turn that is $from leaves it $status, and ends the iteration",
    async ({ from, status, settles }) => {
      const rig = turnRig();
      reach[from](rig);
      const iterator = reader(rig.turn);
      expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
      expect(rig.turn.status).toBe(status);
      expect(await readAll(iterator)).toEqual(["ends"]);
      rig.turn.stopped();
      expect(await outcomeOf(rig.turn)).toBe(settles);
      expect(rig.leftovers()).toEqual(NOTHING_LEFT);
    },
  );
});

describe("textStream", () => {
  test.each<{ call: Call; reads: readonly string[] }>([
    { call: "push", reads: ["a", "b", "c", "waits"] },
    { call: "complete", reads: ["a", "b", "ends"] },
    { call: "fail", reads: ["a", "b", "throws connection-lost"] },
    { call: "abandon", reads: ["ends"] },
    { call: "cancel", reads: ["ends"] },
    { call: "abort", reads: ["a", "b", "throws turn-cancelled"] },
    { call: "idle", reads: ["a", "b", "throws turn-timeout"] },
    { call: "total", reads: ["a", "b", "throws turn-timeout"] },
  ])("ends like the events: after $call it yields $reads", async ({ call, reads }) => {
    const rig = turnRig();
    reach.sent(rig);
    for (const event of ["a", "#tool", "b", "#tool"]) rig.turn.push(event, 1);
    await calls[call](rig);
    expect(await readAll(reader(rig.turn.textStream))).toEqual(reads);
  });

  test("yields its pieces in the order of the `next()` calls, and skips events without text", async () => {
    const { turn } = turnRig();
    const pieces = turn.textStream[Symbol.asyncIterator]();
    const asked = Promise.all([pieces.next(), pieces.next(), pieces.next()]);
    for (const event of ["#tool", "a", "#tool", "b"]) turn.push(event, 1);
    turn.complete({ text: "ab" });
    expect((await asked).map(({ value }) => value)).toEqual(["a", "b", undefined]);
  });
});

// Random steps on a log and on its model, which must answer alike.

import type { AppendResult, EventLog } from "agentwire/server";
import fc from "fast-check";
import { expect } from "vitest";
import { eventsFrom, newChatId, readAll } from "../../../src/testing/event-log/log-test.ts";
import { LogModel, type ModelEvent } from "./log-model.ts";

const TTL = 3_600_000;
/** An epoch that no log gives. */
const NO_EPOCH = Number.MAX_SAFE_INTEGER;

const chat = fc.nat(1);
const lease = fc.nat(5);
const key = fc.constantFrom("k0", "k1", "k2", "k3", "k4", "k5");
const kind = fc.constantFrom("prompt" as const, "prompt" as const, "control" as const);
const handle = fc.boolean();

const deed = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      lease,
      gap: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -6, max: 2 })),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("read" as const),
      back: fc.integer({ min: -1, max: 8 }),
      limit: fc.nat(6),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("acquire" as const), isSecondLook: fc.boolean() }) },
  fc.record({ do: fc.constant("renew" as const), lease }),
  fc.record({ do: fc.constant("release" as const), lease }),
  fc.record({ do: fc.constant("expire" as const) }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      kind,
      key,
      hash: fc.constantFrom("h", "h", "h", "other"),
      most: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("take" as const), lease, kind, knows: fc.boolean() }),
  },
  fc.record({ do: fc.constant("withdraw" as const), key }),
  fc.record({ do: fc.constant("edit" as const), key }),
  fc.record({ do: fc.constant("move" as const), key, before: fc.option(key) }),
  fc.record({ do: fc.constant("put" as const), lease, value: fc.option(fc.nat(9), { nil: undefined }) }),
  fc.record({ do: fc.constant("trim" as const), before: fc.nat(30) }),
  fc.record({ do: fc.constant("list" as const), waiting: fc.boolean() }),
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const) }) },
);

export type Step = readonly [
  chat: number,
  isSecond: boolean,
  deed: typeof deed extends fc.Arbitrary<infer T> ? T : never,
];

/** Steps of one run. */
export const STEPS = 100;
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(fc.tuple(chat, handle, deed), {
  minLength: STEPS,
  maxLength: STEPS,
  size: "max",
});

/** The log, as two handles on the same chats. `expire` lets all leases run out; without it, none does. */
export interface Subject {
  readonly logs: readonly [EventLog, EventLog];
  readonly expire?: () => Promise<void>;
}

/** Takes the steps on a log and on the model, and compares each answer, and all of the state at the end. */
export async function compare({ logs, expire }: Subject, taken: readonly Step[]): Promise<void> {
  const model = new LogModel();
  const ids = [newChatId(), newChatId()];
  /** The epochs that were given, by the number of their lease. */
  const epochs: { readonly id: string; readonly epoch: number }[] = [];
  const epochOf = (lease: number, id: string): number => {
    const given = epochs.at(-1 - lease);
    return given?.id === id ? given.epoch : NO_EPOCH;
  };
  const numberOf = (lease: number): number => epochs.length - 1 - lease;
  const lastKeys = new Map<string, string>();

  for (const [at, isSecond, step] of taken) {
    const id = ids[at] ?? "";
    const log = logs[isSecond ? 1 : 0];
    switch (step.do) {
      case "append": {
        const first = model.head(id) + 1 + step.gap;
        if (first < 1) break;
        const [epoch, tag] = [epochOf(step.lease, id), `${numberOf(step.lease)}`];
        const result = await log.append(id, epoch, first, eventsFrom(first, step.count, tag));
        expect(wordOf(result)).toBe(model.append(id, numberOf(step.lease), step.gap, step.count, tag));
        break;
      }
      case "read":
        await compareEvents(log, model, id, Math.max(0, model.head(id) - step.back), step.limit);
        break;
      case "acquire": {
        const result = await log.acquire(id, "owner", TTL, step.isSecondLook);
        const said = model.acquire(id, epochs.length, step.isSecondLook);
        expect(result === null ? "held" : result === "orphan" ? result : "lease").toBe(said);
        if (result === null || result === "orphan") break;
        expect(epochs.map(({ epoch }) => epoch)).not.toContain(result.epoch);
        expect([result.head, result.first]).toEqual(model.bounds(id));
        epochs.push({ id, epoch: result.epoch });
        break;
      }
      case "renew":
        expect(await log.renew(id, "owner", epochOf(step.lease, id), TTL)).toBe(
          model.renew(id, numberOf(step.lease)),
        );
        break;
      case "release":
        await log.release(id, "owner", epochOf(step.lease, id));
        model.release(id, numberOf(step.lease));
        break;
      case "expire":
        if (!expire) break;
        await expire();
        model.expire();
        break;
      case "send": {
        const limits = { maxQueued: step.most, keyTtl: 1_000 * TTL };
        const { kind, key, hash } = step;
        expect(await log.send(id, { key, kind, value: key }, hash, limits)).toBe(
          model.send(id, kind, key, key, hash, step.most),
        );
        break;
      }
      case "take": {
        const place = `${id} ${step.kind} ${numberOf(step.lease)}`;
        const previous = step.knows ? lastKeys.get(place) : undefined;
        const command = await log.take(id, epochOf(step.lease, id), step.kind, previous);
        const said = model.take(id, numberOf(step.lease), step.kind, previous);
        expect(command).toEqual(said && { ...said, kind: step.kind });
        if (command) lastKeys.set(place, command.key);
        break;
      }
      case "withdraw":
        expect(await log.withdraw(id, step.key)).toBe(model.withdraw(id, step.key));
        break;
      case "edit":
        expect(await log.edit(id, step.key, "edited")).toBe(model.edit(id, step.key, "edited"));
        break;
      case "move":
        expect(await log.move(id, step.key, step.before)).toBe(model.move(id, step.key, step.before));
        break;
      case "put":
        expect(await log.put(id, epochOf(step.lease, id), "state", step.value)).toBe(
          model.put(id, numberOf(step.lease), step.value),
        );
        break;
      case "trim":
        await log.trim(id, step.before);
        model.trim(id, step.before);
        break;
      case "list": {
        const { ids: listed } = await log.list({ waiting: step.waiting });
        expect(listed.filter((each) => ids.includes(each)).sort()).toEqual(model.ids(step.waiting));
        break;
      }
      case "remove":
        await log.remove(id);
        model.remove(id);
        break;
      default:
        step satisfies never;
    }
  }
  for (const id of ids) for (const log of logs) await compareState(log, model, id);
  for (const id of ids) await logs[0].remove(id);
}

function wordOf(result: AppendResult): string {
  if (result.ok) return result.again ? "again" : "ok";
  return result.why;
}

async function compareEvents(
  log: EventLog,
  model: LogModel,
  id: string,
  after: number,
  limit: number,
): Promise<void> {
  const said = model.events(id, after);
  if (said === "trimmed") {
    await expect(log.page(id, after, limit)).rejects.toMatchObject({ name: "TrimmedError" });
    return;
  }
  const found = await readAll(log, id, after, limit);
  expect(found).toEqual(said.flatMap(([position, tag]: ModelEvent) => eventsFrom(position, 1, tag)));
}

async function compareState(log: EventLog, model: LogModel, id: string): Promise<void> {
  const head = await log.head(id);
  expect(head && [head.head, head.first]).toEqual(model.bounds(id));
  await compareEvents(log, model, id, (head?.first ?? 1) - 1, 7);
  expect(await log.queue(id)).toEqual(model.queue(id).map((command) => ({ ...command, kind: "prompt" })));
  for (const name of ["state", "taken"] as const)
    expect(await log.get(id, name)).toEqual(model.entry(id, name));
}

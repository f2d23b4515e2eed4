import { expect, test } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { Rig } from "./support/rig.ts";

test("`on` gives the events that the snapshot shows, in order", async () => {
  const rig = new Rig();
  const events: UniversalEvent[] = [];
  const off = rig.chat.on("event", (event) => events.push(event));
  await rig.talk("Hello", "Hi");
  expect(fold(events).messages.map(({ id, role }) => `${id} ${role}`)).toEqual(
    rig.now.messages.map(({ id, role }) => `${id} ${role}`),
  );
  const count = events.length;
  off();
  await rig.talk("Again", "Yes");
  expect(events).toHaveLength(count);
});

test("a prompt that was not sent gives no events", async () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  const types: string[] = [];
  rig.chat.on("event", ({ type }) => types.push(type));
  rig.chat.send("Hello");
  rig.chat.cancel();
  await rig.settle();
  expect(rig.lines).toEqual(["user cancelled: Hello"]);
  expect(types).not.toContain("turn.started");
});

test("an event listener that throws or rejects does not stop the others, and its error is reported", async () => {
  const rig = new Rig();
  let count = 0;
  rig.chat.on("event", () => {
    throw new Error("now");
  });
  rig.chat.on("event", async () => {
    throw new Error("later");
  });
  rig.chat.on("event", () => count++);
  rig.chat.send("Hello");
  await rig.settle();
  expect(count).toBeGreaterThan(0);
  expect(rig.thrown).toContainEqual(new Error("now"));
  expect(rig.thrown).toContainEqual(new Error("later"));
});

test("`on` with another name, or without a function, is a problem and no exception", () => {
  const rig = new Rig();
  // @ts-expect-error: a wrong name
  rig.chat.on("events", () => {});
  expect(rig.now.problem?.detail).toContain("Did you mean `event`?");
  rig.chat.dismiss();
  // @ts-expect-error: no function
  rig.chat.on("event", undefined);
  expect(rig.now.problem?.detail).toContain("Pass a function");
});

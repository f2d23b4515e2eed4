import { expect, test, vi } from "vitest";
import { Rig } from "./support/rig.ts";

test("a thousand events in one tick notify listeners once", async () => {
  const rig = new Rig();
  let calls = 0;
  rig.chat.subscribe(() => calls++);
  rig.chat.send("Hello");
  for (let n = 0; n < 1_000; n++) rig.source.turn.says("x");
  expect(calls).toBe(0);
  await rig.settle();
  expect(calls).toBe(1);
});

test("the snapshot and its parts stay the same objects until they change", () => {
  const rig = new Rig();
  const first = rig.now;
  expect(rig.now).toBe(first);
  rig.chat.dismiss();
  expect(rig.now).toBe(first);
  rig.chat.send("Hello");
  const sent = rig.now;
  expect(sent).not.toBe(first);
  expect(sent.connection).toBe(first.connection);
  expect(sent.pending).toBe(first.pending);
  rig.source.turn.says("Hi");
  expect(rig.now.messages.at(0)).toBe(sent.messages.at(0));
  expect(first.messages.length).toBe(0);
});

test("a listener that throws or rejects does not stop the others, and its error is reported", async () => {
  const rig = new Rig();
  let calls = 0;
  rig.chat.subscribe(() => {
    throw new Error("now");
  });
  rig.chat.subscribe(async () => {
    throw new Error("later");
  });
  rig.chat.subscribe(() => calls++);
  rig.chat.send("Hello");
  await rig.settle();
  expect(calls).toBe(1);
  expect(rig.thrown).toEqual([new Error("now"), new Error("later")]);
});

test("a change made by a listener is notified in a later microtask", async () => {
  const rig = new Rig();
  const lengths: number[] = [];
  rig.chat.subscribe(() => {
    lengths.push(rig.prompts.length);
    if (lengths.length === 1) rig.chat.send("From a listener");
  });
  rig.chat.send("Hello");
  await rig.settle();
  expect(lengths).toEqual([1, 2]);
});

test("a removed listener is not called, even if an earlier listener has just removed it", async () => {
  const rig = new Rig();
  const calls: string[] = [];
  rig.chat.subscribe(() => {
    calls.push("first");
    off();
  });
  const off = rig.chat.subscribe(() => calls.push("second"));
  rig.chat.send("Hello");
  await rig.settle();
  expect(calls).toEqual(["first"]);
});

test("a function that subscribes twice is called twice, and each subscription ends separately", async () => {
  const { chat } = new Rig();
  let calls = 0;
  const listener = () => calls++;
  const off = chat.subscribe(listener);
  chat.subscribe(listener);
  chat.send("Hello");
  await Promise.resolve();
  expect(calls).toBe(2);
  off();
  off();
  chat.send("Hello again");
  await Promise.resolve();
  expect(calls).toBe(3);
});

test("if `onListenerError` throws, all listeners are still called", async () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  try {
    const rig = new Rig({
      onListenerError: () => {
        throw new Error("again");
      },
    });
    let calls = 0;
    rig.chat.subscribe(() => {
      throw new Error("now");
    });
    rig.chat.subscribe(() => Promise.reject(new Error("later")));
    rig.chat.subscribe(() => calls++);
    rig.chat.send("Hello");
    await rig.settle();
    expect(calls).toBe(1);
    expect(reported).toEqual([new Error("again"), new Error("again")]);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("a listener may call every function: nothing throws, and other listeners see every change", async () => {
  const rig = new Rig();
  const acts = [
    () => rig.chat.send("Two"),
    () => rig.chat.cancel("all"),
    () => rig.chat.decide("c1", "once"),
    () => rig.chat.subscribe(() => {})(),
    () => rig.chat.dismiss(),
    () => void rig.chat.close(),
  ];
  rig.chat.subscribe(() => acts.shift()?.());
  let seen = rig.now;
  rig.chat.subscribe(() => {
    seen = rig.now;
  });
  rig.chat.send("One");
  await rig.settle();
  for (let n = 0; n < 6; n++) {
    rig.chat.send(" "); // a new problem: the listeners hear of it
    await rig.settle();
  }
  expect(acts).toEqual([]);
  expect(seen).toBe(rig.now);
  expect(rig.now.connection.status).toBe("closed");
  expect(rig.thrown).toEqual([]);
});

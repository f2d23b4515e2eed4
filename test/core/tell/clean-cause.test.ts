import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ClosedError } from "../../../src/core/errors.ts";
import { cleanCause } from "../../../src/core/tell/clean-cause.ts";

const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
const clean = (thrown: unknown): unknown => cleanCause(thrown, redact);
const shown = (value: unknown): string =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });

/** Things that are thrown, without a credential. */
const harmless: Readonly<Record<string, unknown>> = {
  "an error": Object.assign(new TypeError("no"), { code: "ENOENT", errno: -2 }),
  "an error with causes": new Error("no", { cause: new AggregateError([new Error("a"), "b"], "c") }),
  "an error with plain details": Object.assign(new Error("no"), { details: { list: [1, "two", null] } }),
  "an error of a platform": new DOMException("aborted", "AbortError"),
  "an error that leads to itself": selfish("no"),
  "an error of ours": new ClosedError("closed"),
  "a text": "no",
  "an object": { status: 401 },
  nothing: undefined,
  "a number": 5,
};

function selfish(message: string): Error {
  const error = new Error(message);
  return Object.assign(error, { self: error, list: [error] });
}

describe("`cleanCause()`", () => {
  test.each(Object.keys(harmless))("returns a value without credentials unchanged: %s", (name) => {
    expect(clean(harmless[name])).toBe(harmless[name]);
  });

  test.each<[string, unknown]>([
    ["a message", new Error("no hunter2")],
    ["a name", Object.assign(new Error("no"), { name: "hunter2" })],
    ["a stack", Object.assign(new Error("no"), { stack: "Error: hunter2" })],
    ["a cause", new Error("no", { cause: new Error("no", { cause: "hunter2" }) })],
    ["one of several errors", new AggregateError([new Error("a"), new Error("hunter2")])],
    ["a property", Object.assign(new Error("no"), { config: { headers: [{ "x-key": "hunter2" }] } })],
    ["a hidden property", Object.defineProperty(new Error("no"), "hidden", { value: "hunter2" })],
    ["a property named by a symbol", Object.assign(new Error("no"), { [Symbol("s")]: "hunter2" })],
    ["the name of a property", Object.assign(new Error("no"), { hunter2: 1 })],
    [
      "an object of another class",
      Object.assign(new Error("no"), { headers: new Headers({ a: "hunter2" }) }),
    ],
    ["a map", Object.assign(new Error("no"), { map: new Map([["a", "hunter2"]]) })],
    ["bytes", Object.assign(new Error("no"), { body: Buffer.from("hunter2") })],
    ["an error that leads to itself", selfish("hunter2")],
    ["a text", "no hunter2"],
    ["an object", { why: { token: "hunter2" } }],
    ["an array", ["hunter2"]],
    ["a class of its own", new Headers({ a: "hunter2" })],
  ])("copies the value without the credential if the credential is in %s", (_, thrown) => {
    const before = shown(thrown);
    const cause = clean(thrown);
    expect(shown(cause)).not.toMatch(/hunter2|68 75 6e 74/);
    expect(shown(thrown)).toBe(before); // the caller's own stays what it is
  });

  test("redacts a property with a credential's name, even if the value is unknown", () => {
    const thrown = Object.assign(new Error("no"), { request: { authToken: "unknown", method: "GET" } });
    expect(clean(thrown)).toMatchObject({ request: { authToken: "[redacted]", method: "GET" } });
  });

  test("keeps names, messages, codes and nested errors in the copy", () => {
    const inner = Object.assign(new TypeError("bad hunter2"), { code: "E_BAD", agent: new Map() });
    const cause = clean(new Error("no", { cause: new AggregateError([inner, 5], "several") }));
    expect(cause).toBeInstanceOf(Error);
    expect(cause).toMatchObject({
      message: "no",
      cause: {
        name: "AggregateError",
        errors: [{ name: "TypeError", message: "bad [redacted]", code: "E_BAD", agent: "[Map]" }, 5],
      },
    });
    expect(shown(cause)).toContain("TypeError: bad [redacted]");
  });

  test("survives traps and getters without showing the credential", () => {
    const trap = new Proxy(new Error("hunter2"), {
      ownKeys: () => {
        throw new Error("hunter2");
      },
    });
    expect(shown(clean(trap))).not.toContain("hunter2");
    const getter = Object.defineProperty(new Error("no"), "token", {
      get: () => "hunter2",
      enumerable: true,
    });
    expect(JSON.stringify(clean(getter))).not.toContain("hunter2");
  });

  test("redacts very wide and very deep values", () => {
    let deep: object = { hunter2: "hunter2" };
    for (let level = 0; level < 20_000; level++) deep = { deep };
    expect(shown(clean(Object.assign(new Error("no"), { deep })))).not.toContain("hunter2");
    const wide = Array.from({ length: 20_000 }, () => ({ a: "hunter2" }));
    expect(shown(clean(Object.assign(new Error("no"), { wide })))).not.toContain("hunter2");
  });

  test("copies at most 8 levels and 1,000 objects, and shows the rest by class name", () => {
    let chain = new Error("hunter2");
    for (let level = 0; level < 20; level++) chain = new Error("no", { cause: chain });
    const levels: unknown[] = [];
    for (let cause = clean(chain); cause !== undefined; cause = (cause as Error).cause) levels.push(cause);
    expect(levels).toHaveLength(10);
    expect(levels[9]).toBe("[Error]");

    const wide = Array.from({ length: 5_000 }, () => ({}));
    const copied = clean({ text: "hunter2", wide }) as { readonly wide: readonly unknown[] };
    expect(copied.wide.filter((item) => item === "[Object]")).toHaveLength(5_000 - 998);
  });

  test("returns a copy if the value has more objects than the limit, even without a credential", () => {
    const harmless = { wide: Array.from({ length: 5_000 }, () => ({})) };
    expect(clean(harmless)).not.toBe(harmless);
  });

  test("keeps circular references in the copy", () => {
    const cause = clean(selfish("hunter2")) as ReturnType<typeof selfish> & {
      self: unknown;
      list: unknown[];
    };
    expect(cause.self).toBe(cause);
    expect(cause.list[0]).toBe(cause);
  });

  test.each(["name", "message", "stack"])("redacts a credential that is only in the error's %s", (member) => {
    const thrown = new Error("no");
    void thrown.stack; // whose text is made at the first look
    Object.defineProperty(thrown, member, { value: "a hunter2" });
    expect(clean(thrown)).toMatchObject({ [member]: "a [redacted]" });
  });
});

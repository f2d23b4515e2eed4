import { ManualClock } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { checkFields, checks, oneOf } from "../../../src/core/checks.ts";
import {
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
  type SocketDefaults,
} from "../../../src/core/client/options.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { thrownBy } from "../support/promises.ts";

const defaults: SocketDefaults = {
  keepalive: { interval: 25_000, timeout: 15_000 },
  reconnect: { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000 },
};

const url = "ws://127.0.0.1:8000/ws";

/** Resolves options as an untyped caller could write them. */
const resolve = (options: unknown, protocol: SocketDefaults = defaults) =>
  resolveSocketOptions(options as SocketClientOptions, protocol, SOCKET_CHECKS);

function refusalOf(options: unknown): InvalidInputError {
  const error = thrownBy(() => resolve(options));
  expect(error).toBeInstanceOf(InvalidInputError);
  return error as InvalidInputError;
}

const MILLISECONDS = "a number of milliseconds from 0 to 2147483647";
const COUNT = "a whole number, 1 or more";

const delays = [-1, Number.NaN, Infinity, 2_147_483_648, "5000", null, true, 5n];
const counts = [0, -1, 1.5, Number.NaN, "10", null, true];

const wrong: readonly { option: string; values: readonly unknown[]; expects: string }[] = [
  { option: "url", values: [5, null, true, {}, []], expects: "a string, a URL or a function" },
  { option: "WebSocket", values: ["ws", {}, null], expects: "a function" },
  { option: "createWebSocket", values: ["ws", {}, null], expects: "a function" },
  {
    option: "headers",
    values: ["a: b", { a: 1 }, { a: undefined }, [], null],
    expects: "an object of strings",
  },
  { option: "connectTimeout", values: delays, expects: MILLISECONDS },
  { option: "keepalive", values: [true, 25_000, "on", [], null], expects: "an object or false" },
  { option: "keepalive.interval", values: delays, expects: MILLISECONDS },
  { option: "keepalive.timeout", values: delays, expects: MILLISECONDS },
  { option: "reconnect", values: [true, 5, "on", [], null], expects: "an object or false" },
  { option: "reconnect.maxAttempts", values: counts, expects: COUNT },
  { option: "reconnect.minDelay", values: delays, expects: MILLISECONDS },
  { option: "reconnect.maxDelay", values: delays, expects: MILLISECONDS },
  { option: "reconnect.shouldReconnect", values: [true, {}, null], expects: "a function" },
  { option: "maxSendBytes", values: counts, expects: COUNT },
  { option: "maxReceiveBytes", values: counts, expects: COUNT },
  { option: "maxQueuedBytes", values: counts, expects: COUNT },
  { option: "maxQueuedTurns", values: counts, expects: COUNT },
  { option: "maxBufferedBytes", values: counts, expects: COUNT },
  { option: "maxTextBytes", values: counts, expects: COUNT },
  { option: "signal", values: [{}, "abort", null, new AbortController()], expects: "an AbortSignal" },
  { option: "logger", values: ["console", () => {}, null, []], expects: "an object" },
  { option: "debug", values: ["true", 1, null], expects: "true or false" },
  { option: "allowInsecure", values: ["true", 1, null], expects: "true or false" },
  { option: "clock", values: [Date.now, 5, null], expects: "an object" },
];

/** `{ url, keepalive: { interval: value } }` for `keepalive.interval`. */
function withOption(option: string, value: unknown): object {
  const [outer = "", inner] = option.split(".");
  return { url, [outer]: inner === undefined ? value : { [inner]: value } };
}

describe("an option of a wrong type is refused with its name and the expected type", () => {
  const cases = wrong.flatMap(({ values, ...row }) => values.map((value) => ({ ...row, value })));
  test.each(cases)("$option: $value", ({ option, value, expects }) => {
    const { message, hint, code } = refusalOf(withOption(option, value));
    expect(message).toContain(option);
    expect(hint).toContain(expects);
    expect(code).toBe("invalid-input");
  });

  test("the message does not repeat a string, which may be a credential or long", () => {
    const { code, message } = refusalOf({ url, headers: "Bearer hunter2" });
    expect(code).toBe("invalid-input");
    expect(message).toBe("option `headers` is a string. It must be an object of strings.");
  });

  test.each([
    { options: undefined },
    { options: null },
    { options: "ws://host" },
    { options: {} },
    { options: [] },
  ])("options without `url` ($options) are refused with a message that names `url`", ({ options }) => {
    expect(refusalOf(options).message).toContain("`url` is missing");
  });

  test("`WebSocket` and `createWebSocket` together are refused", () => {
    const { message, hint } = refusalOf({
      url,
      WebSocket: FakeSocket,
      createWebSocket: () => new FakeSocket(),
    });
    expect(message).toContain("`WebSocket` and `createWebSocket`");
    expect(hint).toContain("Give one");
  });
});

describe("an omitted option", () => {
  const resolvedDefaults = {
    connectTimeout: 10_000,
    ...defaults,
    maxReceiveBytes: 134_217_728,
    maxQueuedBytes: 1_048_576,
    maxQueuedTurns: 100,
    maxBufferedBytes: 67_108_864,
    maxTextBytes: 67_108_864,
  };

  test("has its documented or the protocol's default", () => {
    const { outbox, clock, ...resolved } = resolve({ url });
    expect(resolved).toEqual(resolvedDefaults);
    expect(outbox).toBeInstanceOf(Outbox);
    using now = vi.spyOn(systemClock, "now").mockReturnValue(7);
    expect([clock.now(), now.mock.calls.length]).toEqual([7, 1]);
  });

  test("may be given as `undefined`", () => {
    const options = Object.fromEntries(
      wrong.filter(({ option }) => !option.includes(".")).map(({ option }) => [option, undefined]),
    );
    const { outbox: _, clock: __, ...resolved } = resolve({ ...options, url });
    expect(resolved).toEqual(resolvedDefaults);
  });

  test("may be `undefined` inside `keepalive` and `reconnect`, and keeps its default", () => {
    const { keepalive, reconnect } = resolve({
      url,
      keepalive: { interval: undefined, timeout: 7 },
      reconnect: { maxAttempts: undefined, minDelay: undefined, maxDelay: 9, shouldReconnect: undefined },
    });
    expect(keepalive).toEqual({ interval: 25_000, timeout: 7 });
    expect(reconnect).toEqual({ ...defaults.reconnect, maxDelay: 9 });
  });
});

describe("a given option", () => {
  test("is used as given", () => {
    const clock = new ManualClock({ random: 0.25, epoch: 1 });
    const shouldReconnect = () => true;
    const given = {
      connectTimeout: 0,
      keepalive: { interval: 1, timeout: 0 },
      reconnect: { maxAttempts: 2, minDelay: 0, maxDelay: 2_147_483_647, shouldReconnect },
      maxReceiveBytes: 1,
      maxQueuedBytes: Infinity,
      maxQueuedTurns: 1,
      maxBufferedBytes: 2,
      maxTextBytes: 3,
    };
    const { outbox: _, clock: used, ...resolved } = resolve({ url, clock, ...given });
    expect(resolved).toEqual(given);
    expect([used.now(), used.wallTime(), used.random()]).toEqual([clock.now(), 1, 0.25]);
  });

  test("`clock` runs its timers as inputs of the client's outbox", async () => {
    const clock = new ManualClock();
    const { outbox, clock: used } = resolve({ url, clock });
    const log: string[] = [];
    used.setTimeout(() => {
      outbox.tell(() => log.push("told"));
      log.push("committed");
    }, 5);
    await clock.advance(5);
    expect(log).toEqual(["committed", "told"]);
  });

  test.each([url, new URL(url), () => url, async () => new URL(url)])(
    "`url` may have any of its forms: %s",
    (url) => {
      expect(() => resolve({ url })).not.toThrow();
    },
  );

  test("`false` turns off `keepalive` and `reconnect`", () => {
    const { keepalive, reconnect } = resolve({ url, keepalive: false, reconnect: false });
    expect([keepalive, reconnect]).toEqual([{ interval: 0, timeout: 0 }, undefined]);
  });

  test("`reconnect` enables up to 5 attempts if the protocol does not reconnect by default", () => {
    const never: SocketDefaults = { ...defaults, reconnect: undefined };
    expect(resolve({ url }, never).reconnect).toBeUndefined();
    expect(resolve({ url, reconnect: {} }, never).reconnect).toEqual({
      maxAttempts: 5,
      minDelay: 500,
      maxDelay: 30_000,
    });
  });
});

describe("the shared option checks", () => {
  const own: readonly { check: keyof typeof checks; good: readonly unknown[]; bad: readonly unknown[] }[] = [
    { check: "string", good: ["", "a"], bad: [5, null, {}] },
    { check: "text", good: ["a", " a "], bad: ["", " \n", 5, null] },
    { check: "boolean", good: [true, false], bad: [0, "true", null] },
    { check: "array", good: [[], [1]], bad: [{}, "a", null] },
    { check: "objects", good: [[], [{}]], bad: [[1], [null], [[]], {}, null] },
    { check: "object", good: [{}, new ManualClock()], bad: [[], null, "a", () => {}] },
    { check: "signal", good: [new AbortController().signal], bad: [{}, { aborted: false }, null] },
  ];

  test.each(own)("`$check` accepts valid values and refuses invalid ones", ({ check, good, bad }) => {
    const { holds } = checks[check];
    expect([good.filter((value) => !holds(value)), bad.filter((value) => holds(value))]).toEqual([[], []]);
  });

  test("`oneOf` lists the allowed values", () => {
    const check = oneOf("auto", "text");
    expect(check.expects).toBe('one of "auto", "text"');
    expect(["auto", "text", "Auto", undefined, 5].map((value) => check.holds(value))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test.each<{ value: unknown; said: string }>([
    { value: null, said: "null" },
    { value: [1], said: "an array" },
    { value: "", said: "an empty string" },
    { value: "  ", said: "a blank string" },
    { value: 0, said: "0" },
    { value: false, said: "false" },
    { value: {}, said: "an object" },
    { value: () => {}, said: "a function" },
    { value: Symbol("s"), said: "a symbol" },
    { value: 5n, said: "a bigint" },
  ])("`checkFields` names the value that it found: $said", ({ value, said }) => {
    const never = { expects: "something else", holds: () => false };
    const error = thrownBy(() => checkFields({ field: value }, { field: never }, "option"));
    expect(error).toMatchObject({
      code: "invalid-input",
      message: `option \`field\` is ${said}. It must be something else.`,
    });
  });
});

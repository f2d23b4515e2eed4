import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storeError } from "../../src/chat/store/chat-log.ts";
import {
  ClosedError,
  ConnectError,
  copyError,
  HandshakeError,
  type HandshakeReason,
} from "../../src/core/errors.ts";
import { describeConnectionError, describeError } from "../../src/universal/words/describe-error.ts";
import { ChatStoreError } from "../../src/universal/words/store-error.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { ROWS } from "./support/error-rows.ts";
import { type Row, turnError, withDelivery } from "./support/failures.ts";

const codes = Object.entries<readonly Row[]>(ROWS);

describe.each(codes)("describeError of %s", (code, rows) => {
  test.each(rows)("$name", ({ make, title, retry, says = /./ }) => {
    const told = describeError(make());
    expect(told).toMatchObject({ code, title, retry });
    expect(told.detail).toMatch(says);
    expect(told.title.length).toBeLessThanOrEqual(60);
    expect(told.detail).toMatch(/^[A-Z].*(\.|[.!?]")$/);
    expect(told.detail).not.toMatch(/[^.!?]" [A-Z]/); // a quote in the middle ends its sentence too
  });
});

describe("describeError of a refused handshake", () => {
  const retries = {
    nack: "no",
    policy: "no",
    duplicate: "safe",
    full: "safe",
    rejected: "no",
    "identity-mismatch": "no",
    anonymous: "no",
    timeout: "no",
    "refresh-failed": "no",
    initializing: "safe",
    auth: "no",
    version: "no",
    closed: "safe",
  } as const satisfies Readonly<Record<HandshakeReason, string>>;

  test.each(Object.entries(retries) as [HandshakeReason, string][])(
    "the reason %s has the retry %s",
    (reason, retry) => {
      const told = describeError(new HandshakeError(reason, "no"));
      expect(told).toMatchObject({ code: "handshake-refused", retry });
      expect(told.title.length).toBeLessThanOrEqual(60);
    },
  );
});

describe("describeError and the delivery of the message", () => {
  const all = codes.flatMap(([, rows]) => rows.map((row) => [row.name, row] as const));

  test.each(all)(
    "%s: not `safe` if the message may have arrived, not `ask` if it was not sent",
    (_name, row) => {
      expect(describeError(withDelivery(row.make(), "unknown")).retry).not.toBe("safe");
      expect(describeError(withDelivery(row.make(), "not-sent")).retry).not.toBe("ask");
    },
  );
});

describe("describeError of an unknown error", () => {
  const hostile = {
    getters: Object.defineProperty(new ConnectError("no"), "code", {
      get: () => {
        throw new Error("no code");
      },
    }),
    proxy: new Proxy(
      {},
      {
        has: () => {
          throw new Error("no");
        },
        get: () => {
          throw new Error("no");
        },
      },
    ),
    fields: Object.assign(new ConnectError("no"), { code: 5, message: {}, partial: { toolCalls: "x" } }),
    noCode: Object.assign(new ConnectError("no"), { code: undefined }),
    nullPrototype: Object.create(null),
    error: new Error("Bearer abcdef"),
    string: "Bearer abcdef",
    undefined,
    null: null,
    number: 5,
    symbol: Symbol("x"),
    function: () => 5,
    newerCode: Object.assign(new ConnectError("no"), { code: "toString" }),
  };

  test.each(Object.entries(hostile))("%s", (_name, thrown) => {
    expect(describeError(thrown)).toMatchObject({ title: "Something went wrong", retry: "ask" });
    expect(JSON.stringify(describeError(thrown))).not.toContain("abcdef");
  });

  test("mentions no message, unless the message may have been sent", () => {
    const detail =
      "The app met an error that it does not know. Reload the app. If this happens again, tell its makers.";
    for (const thrown of [new TypeError("x is undefined"), "no", undefined])
      expect(describeError(thrown)).toMatchObject({ detail, code: "unknown" });
    const newer = Object.assign(new ConnectError("no", { delivery: "unknown" }), { code: "newer" });
    expect(describeError(newer).detail).toContain("may have been carried out");
  });

  test("follows causes that form a circle", () => {
    const error = new ConnectError("no");
    Object.assign(error, { cause: new ClosedError("no", { cause: error }) });
    expect(describeError(new ClosedError("no", { cause: error })).title).toBe("The server cannot be reached");
  });

  test(
    "any error never throws, and its texts are one line without control characters",
    () => {
      const fields = fc.record({
        message: fc.anything(),
        serverMessage: fc.string({ unit: "binary", maxLength: 600 }),
        status: fc.oneof(fc.integer(), fc.double(), fc.anything()),
        retryAfter: fc.oneof(fc.double(), fc.anything()),
        balance: fc.anything(),
        kind: fc.oneof(fc.constantFrom("__proto__", "toString", "auth"), fc.anything()),
        reason: fc.oneof(fc.constantFrom("__proto__", "toString"), fc.anything()),
        delivery: fc.anything(),
        partial: fc.anything(),
        cause: fc.anything(),
      });
      const rows = codes.flatMap(([, each]) => each);
      fc.assert(
        fc.property(fc.constantFrom(...rows), fields, (row, given) => {
          const told = describeError(Object.assign(copyError(row.make()), given));
          expect(["safe", "ask", "no"]).toContain(told.retry);
          expect(told.title.length).toBeLessThanOrEqual(60);
          expect(told.detail).not.toMatch(/\p{Cc}/u);
          expect(told.detail.length).toBeLessThan(1_000);
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );
});

describe("describeError of a store's failure", () => {
  test.each([
    { operation: "append", reason: "ENOSPC", title: "The chat could not be saved", says: /disk is full/ },
    { operation: "append", reason: "EACCES", title: "The chat could not be saved", says: /permissions/ },
    {
      operation: "append",
      reason: undefined,
      title: "The chat could not be saved",
      says: /It says: "no"\.$/,
    },
    {
      operation: "load",
      reason: "QuotaError",
      title: "The saved chat cannot be read",
      says: /It says: "no"\.$/,
    },
    { operation: "load", reason: "EISDIR", title: "The saved chat cannot be read", says: /permissions/ },
  ] as const)("$operation fails with $reason", ({ operation, reason, title, says }) => {
    const told = describeError(new ChatStoreError("no", { operation, reason, id: "a" }));
    expect(told).toMatchObject({ code: "store-failed", title, retry: "no" });
    expect(told.detail).toMatch(says);
  });

  test("a custom store's message is quoted, without advice about folders", () => {
    const cause = new Error("quota\u001b[31m exceeded");
    const { detail } = describeError(storeError(cause, "append", "a"));
    expect(detail).toBe('The place where chats are kept has failed. It says: "quota exceeded".');
  });
});

test("a failed turn with an HTTP status quotes the server: shortened, without terminal control characters", () => {
  const serverMessage = `Over\u001b[2Jloaded ${"x".repeat(1_000)}`;
  const { title, detail } = describeError(turnError({ status: 529, serverMessage }));
  expect(title).toBe("The server is busy");
  expect(detail).toMatch(
    / The server says: "Overloaded x{180,190}\.\.\." Send your message again in a minute\.$/,
  );
});

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u009b1;31mred", "red"],
  ["\u001b]0;title\u0007red", "red"],
  ["\u001b]8;;https://a.example\u001b\\red", "red"],
  ["\u009d0;title\u009cred", "red"],
  ["\u001bPdata\u001b\\red", "red"],
  ["\u001b(Bred\u001b7", "red"],
  ["\u001b]0;without an end", "0;without an end"],
  ["a [31m of the text itself\n[abc]", "a [31m of the text itself [abc]"],
])("a quoted message contains no escape sequence: %j", (serverMessage, shown) => {
  expect(describeError(turnError({ status: 529, serverMessage })).detail).toContain(`says: "${shown}"`);
});

describe("describeConnectionError", () => {
  test.each(codes.flatMap(([, rows]) => rows.map((row) => [row.name, row] as const)))(
    "%s: mentions no message, because a connection error belongs to no message",
    (_name, row) => {
      for (const delivery of ["not-sent", "unknown"] as const) {
        const error = withDelivery(row.make(), delivery);
        const told = describeConnectionError(error);
        expect(told).toMatchObject({ ...describeError(error), detail: told.detail });
        expect(told.detail).not.toMatch(/Your message|[Ss]end your message|Send it again/);
        expect(told.detail).toMatch(/^[A-Z].*(\.|[.!?]")$/);
        expect(told.detail).not.toMatch(/[^.!?]" [A-Z]/); // a quote in the middle ends its sentence too
      }
    },
  );
});

test.each([
  [new ClosedError("the client was closed", { delivery: "accepted" }), "ask"],
  [new ConnectError("no", { status: 401, retryable: false, delivery: "accepted" }), "no"],
] as const)("an accepted message is not to be sent again: %s", (error, retry) => {
  const told = describeError(error);
  expect(told.retry).toBe(retry);
  expect(told.detail).toMatch(/The server has your message, and will carry it out once/);
});

describe("the advised wait for a server's `retryAfter`", () => {
  test.each([
    [undefined, "in a minute"],
    [Number.NaN, "in a minute"],
    [-5, "in a minute"],
    [1, "in a second"],
    [1_001, "in 2 seconds"],
    [100_000, "in 2 minutes"],
    [3_600_000, "in 60 minutes"],
    [7_200_000, "in 2 hours"],
    [1e15, "later"],
  ])("for %s ms: %s", (retryAfter, wait) => {
    expect(describeError(turnError({ status: 429, retryAfter })).detail).toContain(
      `Send your message again ${wait}.`,
    );
  });
});

import { describe, expect, test } from "vitest";
import { readDecision } from "../../../src/core/gate/decision.ts";
import { isUsersWord } from "../../../src/core/gate/outcome.ts";
import { ruleFor } from "../../../src/core/gate/rules.ts";
import type { DecidedBy } from "../../../src/core/values.ts";

const call = { id: "c1", name: "read", input: {}, raw: {} };

describe("a rule", () => {
  test.each([undefined, null, 0, "yes", {}])(
    "whose `when` returns %j throws an error that says what `when` must return",
    (answer) => {
      const when = (() => answer) as unknown as () => boolean;
      expect(() => ruleFor([{ tool: "read", when, then: "allow" }], call)).toThrow(
        new TypeError("`when` must return true or false"),
      );
    },
  );
});

describe("`readDecision()`", () => {
  test.each([
    { given: true, read: { decision: "once" } },
    { given: false, read: { decision: "reject" } },
    { given: "always", read: { decision: "always" } },
    { given: { decision: "reject" }, read: { decision: "reject" } },
    { given: { decision: "reject", reason: "no" }, read: { decision: "reject", reason: "no" } },
  ])("reads $given without adding fields", ({ given, read }) => {
    expect(readDecision(given)).toStrictEqual(read);
  });
});

test("`isUsersWord()` is true for decisions by callback, reply and session grant only", () => {
  const users: Readonly<Record<DecidedBy, boolean>> = {
    callback: true,
    reply: true,
    session: true,
    policy: false,
    timeout: false,
    error: false,
    elsewhere: false,
    cancelled: false,
    ended: false,
    disconnected: false,
  };
  for (const [by, isUsers] of Object.entries(users))
    expect([by, isUsersWord(by as DecidedBy)]).toEqual([by, isUsers]);
});

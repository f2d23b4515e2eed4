import { describe, expect, test } from "vitest";
import { type Check, checkCallOptions, checkFields, checks, checkValues } from "../../src/core/checks.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../../src/core/gate/options.ts";
import { checkName, checkNames } from "../../src/core/names.ts";
import type { EventNames } from "../../src/core/tell/events.ts";
import { thrownBy } from "./support/promises.ts";

const known = { timeout: 1, toolPolicy: 1, onToolApproval: 1, url: 1, id: 1, authToken: 1, WebSocket: 1 };
const LIST = `These exist: ${Object.keys(known).join(", ")}.`;

describe("an unknown name", () => {
  test.each([
    { given: "timeut", meant: "timeout" },
    { given: "tiemout", meant: "timeout" },
    { given: "timeouts", meant: "timeout" },
    { given: "TIMEOUT", meant: "timeout" },
    { given: "toolPolcy", meant: "toolPolicy" },
    { given: "onApproval", meant: "onToolApproval" },
    { given: "authtoken", meant: "authToken" },
    { given: "websocket", meant: "WebSocket" },
    { given: "ulr", meant: "url" },
    { given: "lru", meant: undefined },
    { given: "URL", meant: "url" },
    { given: "Url", meant: "url" },
    { given: "di", meant: "id" },
    { given: "ulr2", meant: undefined },
    { given: "urls", meant: "url" },
    { given: "ids", meant: "id" },
    { given: "port", meant: undefined },
    { given: "timer", meant: undefined },
    { given: "", meant: undefined },
    { given: "constructor", meant: undefined },
    { given: "toString", meant: undefined },
    { given: "__proto__", meant: undefined },
  ])("gets a suggestion: for $given it is $meant", ({ given, meant }) => {
    const error = thrownBy(() => checkName(given, known, "option"));
    expect(error).toBeInstanceOf(InvalidInputError);
    const hint = meant === undefined ? LIST : `Did you mean \`${meant}\`?`;
    expect(error).toMatchObject({
      code: "invalid-input",
      hint,
      message: `option \`${given}\` does not exist. ${hint}`,
    });
  });

  test("gets the nearest name as suggestion, and the first of equally near ones", () => {
    const meant = (given: string, ...names: readonly string[]): unknown =>
      thrownBy(() => checkName(given, Object.fromEntries(names.map((name) => [name, 1])), "option"));
    expect(meant("abcdeg", "abcdef", "abcdxx")).toMatchObject({ hint: "Did you mean `abcdef`?" });
    expect(meant("abcdeg", "abcdxx", "abcdef")).toMatchObject({ hint: "Did you mean `abcdef`?" });
    expect(meant("ab3", "ab1", "ab2")).toMatchObject({ hint: "Did you mean `ab1`?" });
  });

  test("is quoted in part if it is long", () => {
    const error = thrownBy(() => checkName("x".repeat(1_000_000), known, "option"));
    expect(error).toMatchObject({
      code: "invalid-input",
      message: `option \`${"x".repeat(100)}\` does not exist. ${LIST}`,
    });
  });

  test.each([undefined, null, 5, {}, [], Symbol("url"), Object.create(null), () => "url"])(
    "may be a value that is not a string: %o",
    (name) => {
      expect(thrownBy(() => checkName(name, known, "event"))).toMatchObject({ hint: LIST });
    },
  );

  test("that is an object is called `object`", () => {
    expect(thrownBy(() => checkName({}, known, "event"))).toMatchObject({
      code: "invalid-input",
      message: `event \`object\` does not exist. ${LIST}`,
    });
  });

  test("is refused even if its value is undefined", () => {
    expect(thrownBy(() => checkNames({ timeut: undefined }, known, "option"))).toMatchObject({
      code: "invalid-input",
    });
  });

  test("is reported with its path, before the missing name", () => {
    const options: Pick<ApprovalOptions, "toolPolicy"> = {
      toolPolicy: [{ tool: "ls", then: "allow" }, { tool: "rm", than: "deny" } as never],
    };
    const error = thrownBy(() => checkCallOptions(options, { toolPolicy: APPROVAL_CHECKS.toolPolicy }));
    expect(error).toMatchObject({
      code: "invalid-input",
      message: "option toolPolicy[1].than does not exist. Did you mean `then`?",
    });
  });

  test("does not include an existing name such as `constructor`", () => {
    expect(() => checkName("constructor", { constructor: 1 }, "option")).not.toThrow();
  });
});

describe("an additional field", () => {
  test("passes `checkValues`, because the server gets the fields unchanged", () => {
    expect(() => checkValues({ a: "x", more: 1 }, { a: checks.string }, "field")).not.toThrow();
    expect(thrownBy(() => checkValues({ a: 1, more: 1 }, { a: checks.string }, "field"))).toMatchObject({
      code: "invalid-input",
      message: "field `a` is 1. It must be a string.",
    });
  });

  test("passes inside a field without checks of its own", () => {
    expect(() => checkFields({ params: { anything: 1 } }, { params: checks.object }, "option")).not.toThrow();
  });
});

interface Options {
  readonly a?: string;
  readonly b?: number;
}

test("a table of names with a missing or an extra name does not compile", () => {
  const options: Options = {};
  const of = (table: Readonly<Record<string, Check>>) => table;
  const shared = { a: checks.string, c: checks.string };
  // @ts-expect-error `b` is forgotten: whoever gives it would be told that it does not exist
  checkFields(options, { a: checks.string }, "option");
  // @ts-expect-error there is no `c`: whoever gives it would not be told
  checkFields(options, { ...shared, b: checks.any }, "option");
  // @ts-expect-error the same for what is called with options
  checkCallOptions(options, { ...shared, b: checks.any });
  // @ts-expect-error nothing is known of a table of any names
  checkFields(options, of(shared), "option");
  // @ts-expect-error an event is forgotten
  const forgets: EventNames<{ a: []; b: [] }> = { a: true };
  // @ts-expect-error there is no such event
  const invents: EventNames<{ a: [] }> = { a: true, b: true };
  expect([forgets, invents]).toHaveLength(2);
});

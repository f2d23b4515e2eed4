import { describe, expect, test } from "vitest";
import { checkCallOptions } from "../../../src/core/checks.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../../../src/core/gate/rules.ts";
import { thrownBy } from "../support/promises.ts";

const check = (options: unknown): void =>
  checkCallOptions<ApprovalOptions, typeof APPROVAL_CHECKS>(options as ApprovalOptions, APPROVAL_CHECKS);

const rule = { tool: "read", then: "allow" };

describe("the options of the gate", () => {
  test.each([
    {},
    { toolPolicy: [] },
    { toolPolicy: [rule] },
    { toolPolicy: [rule, { tool: /^write/, when: () => true, then: "deny" }, { tool: "a b", then: "ask" }] },
    { toolPolicy: [{ ...rule, when: undefined }] },
    { onToolApproval: "manual", onQuestion: "manual", approvalTimeout: 0 },
    { onToolApproval: () => true, onQuestion: () => null, approvalTimeout: 1_000 },
  ])("may be %o", (options) => {
    expect(() => check(options)).not.toThrow();
  });

  test.each([
    rule,
    "allow",
    [null],
    ["read"],
    [[]],
    [rule, { then: "allow" }],
    [{ tool: "read" }],
    [{ tool: "", then: "deny" }],
    [{ tool: "read_*", then: "deny" }],
    [{ tool: 7, then: "deny" }],
    [{ tool: "read", then: "maybe" }],
    [{ tool: "read", then: "" }],
    [{ tool: "read", when: true, then: "deny" }],
    [{ tool: "read", when: null, then: "deny" }],
  ])("are refused with %o for rules", (toolPolicy) => {
    expect(thrownBy(() => check({ toolPolicy }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringMatching(
        /^option `toolPolicy` is .*an array of rules such as .*`tool` is an exact name or a RegExp, `then` is .*allow.*deny.*ask/,
      ),
    });
  });

  test.each(["onToolApproval", "onQuestion"])(
    "are refused with anything but somebody to ask as %s",
    (name) => {
      for (const value of [null, "", "always", true, {}]) {
        expect(thrownBy(() => check({ [name]: value }))).toMatchObject({
          message: expect.stringMatching(/It must be a function or "manual"\.$/),
        });
      }
    },
  );
});

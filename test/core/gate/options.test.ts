import { describe, expect, test } from "vitest";
import { checkCallOptions } from "../../../src/core/checks.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../../../src/core/gate/options.ts";
import { thrownBy } from "../support/promises.ts";

const check = (options: unknown): void =>
  checkCallOptions<ApprovalOptions, typeof APPROVAL_CHECKS>(options as ApprovalOptions, APPROVAL_CHECKS);

const rule = { tool: "read", then: "allow" };

describe("the approval options", () => {
  test.each([
    {},
    { toolPolicy: [] },
    { toolPolicy: [rule] },
    { toolPolicy: [rule, { tool: /^write/, when: () => true, then: "deny" }, { tool: "a b", then: "ask" }] },
    { toolPolicy: [{ ...rule, when: undefined }] },
    { onToolApproval: "manual", onQuestion: "manual", approvalTimeout: 0 },
    { onToolApproval: () => true, onQuestion: () => null, approvalTimeout: 1_000 },
  ])("accept %o", (options) => {
    expect(() => check(options)).not.toThrow();
  });

  test.each([rule, "allow", [null], ["read"], [[]], [rule, { then: "allow" }], [{ tool: "read" }]])(
    "refuse %o as `toolPolicy`",
    (toolPolicy) => {
      expect(thrownBy(() => check({ toolPolicy }))).toMatchObject({
        code: "invalid-input",
        message: expect.stringMatching(
          /^option `toolPolicy` is .*an array of rules such as .*`tool` is an exact name or a RegExp, `then` is .*allow.*deny.*ask/,
        ),
      });
    },
  );

  test.each([
    [
      { tool: "", then: "deny" },
      "tool is an empty string. It must be an exact name without `*`, or a RegExp.",
    ],
    [{ tool: "*", then: "deny" }, "tool is a string. It must be an exact name without `*`, or a RegExp."],
    [{ tool: 7, then: "deny" }, "tool is 7. It must be an exact name"],
    [{ tool: "read", then: "once" }, "then is a string. It must be "],
    [{ tool: "read", then: "" }, "then is an empty string."],
    [{ tool: "read", when: true, then: "deny" }, "when is true. It must be a function."],
    [{ tool: "read", when: null, then: "deny" }, "when is null."],
  ])("name the wrong field of the rule: %o", (wrong, words) => {
    expect(thrownBy(() => check({ toolPolicy: [rule, wrong] }))).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(`toolPolicy[1].${words}`),
    });
  });

  test.each(["onToolApproval", "onQuestion"])("accept only a function or `manual` for %s", (name) => {
    for (const value of [null, "", "always", true, {}]) {
      expect(thrownBy(() => check({ [name]: value }))).toMatchObject({
        message: expect.stringMatching(/It must be a function or "manual"\.$/),
      });
    }
  });
});

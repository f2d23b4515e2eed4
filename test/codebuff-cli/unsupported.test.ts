import * as here from "agentwire/codebuff-cli";
import { expect, test } from "vitest";
import * as elsewhere from "../../src/codebuff-cli/unsupported.ts";
import { thrown } from "../contract/support.ts";

test("where there are no processes the entry has the same names", () => {
  expect(Object.keys(elsewhere).sort()).toEqual(Object.keys(here).sort());
});

test("each of them that needs a process or a file says so, and what to take instead", () => {
  const refused = [
    () => new elsewhere.CodebuffCli(),
    () => new elsewhere.CodebuffCredentials(),
    elsewhere.findCodebuffCredentials,
    elsewhere.resolveCodebuffCredentials,
    elsewhere.listCodebuffChats,
  ];
  for (const use of refused) {
    const error = thrown(use);
    expect(error).toBeInstanceOf(elsewhere.UnsupportedError);
    expect(error).toMatchObject({ code: "unsupported", hint: expect.stringContaining("agentwire/codebuff") });
  }
});

test("errors are the same classes, so that a program can ask what an error is", () => {
  expect(elsewhere.CodebuffCliError).toBe(here.CodebuffCliError);
  expect(elsewhere.AgentwireError).toBe(here.AgentwireError);
});

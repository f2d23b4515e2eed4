import * as here from "agentwire/codebuff-cli";
import { expect, test } from "vitest";
import * as elsewhere from "../../src/codebuff-cli/unsupported.ts";
import { thrown } from "../contract/support.ts";

test("without processes, the entry exports the same names", () => {
  expect(Object.keys(elsewhere).sort()).toEqual(Object.keys(here).sort());
});

test("each export that needs a process or a file throws, and names the alternative", () => {
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

test("errors are the same classes in both entries", () => {
  expect(elsewhere.CodebuffCliError).toBe(here.CodebuffCliError);
  expect(elsewhere.AgentwireError).toBe(here.AgentwireError);
});

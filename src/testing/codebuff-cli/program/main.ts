#!/usr/bin/env node
// The fake Codebuff CLI as a program. The variable FAKE_CODEBUFF_SCENARIO sets its behaviour (../scenario.ts).
import { ROLE } from "../environment.ts";
import { beRelative } from "./family.ts";
import { ProgramRun } from "./run.ts";

/** The exit code for an invalid scenario: EX_SOFTWARE of sysexits.h. */
const BROKEN = 70;

async function main(): Promise<void> {
  const role = process.env[ROLE];
  if (role === undefined) await ProgramRun.start();
  else await beRelative(role);
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`fake-codebuff: ${text}\n`, () => process.exit(BROKEN));
});

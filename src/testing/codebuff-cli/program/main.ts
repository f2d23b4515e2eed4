#!/usr/bin/env node
// The fake Codebuff CLI as a program: the variable FAKE_CODEBUFF_SCENARIO says what it does (../scenario.ts).
import { ROLE } from "../environment.ts";
import { beRelative } from "./family.ts";
import { ProgramRun } from "./run.ts";

/** Of a scenario that cannot be played, as sysexits.h has it for a program that is wrong in itself. */
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

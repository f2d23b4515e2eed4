import { CASS_REST } from "./cass-rest.ts";
import { CASS_TAGS } from "./cass-tags.ts";
import { CASS_TURNS } from "./cass-turns.ts";
import { CASS_WIRE } from "./cass-wire.ts";
import { ANSWERS } from "./codebuff-answers.ts";
import { HANDLERS } from "./codebuff-handlers.ts";
import { HANDSHAKE } from "./codebuff-handshake.ts";
import { PROMPTS } from "./codebuff-prompts.ts";
import { REQUESTS } from "./codebuff-requests.ts";
import { SESSION } from "./codebuff-session.ts";
import { WIRE } from "./codebuff-wire.ts";
import { CODEY_CALLS } from "./codey-calls.ts";
import { CODEY_TURNS } from "./codey-turns.ts";
import { CODEY_WIRE } from "./codey-wire.ts";
import { APPROVALS } from "./core-approvals.ts";
import { CLOSING } from "./core-closing.ts";
import { CONNECTION } from "./core-connection.ts";
import { QUEUES } from "./core-queues.ts";
import { REACH } from "./core-reach.ts";
import { TURNS } from "./core-turns.ts";
import { WORDS } from "./core-words.ts";
import type { Mutant } from "./mutant.ts";

/** Every breakage that the tests have to notice. */
export const MUTANTS: readonly Mutant[] = [
  ...CONNECTION,
  ...CLOSING,
  ...REACH,
  ...TURNS,
  ...QUEUES,
  ...WORDS,
  ...APPROVALS,
  ...HANDSHAKE,
  ...WIRE,
  ...SESSION,
  ...PROMPTS,
  ...ANSWERS,
  ...REQUESTS,
  ...HANDLERS,
  ...CODEY_TURNS,
  ...CODEY_CALLS,
  ...CODEY_WIRE,
  ...CASS_TAGS,
  ...CASS_REST,
  ...CASS_TURNS,
  ...CASS_WIRE,
];

import { CASS_REST } from "./cass-rest.ts";
import { CASS_TAGS } from "./cass-tags.ts";
import { CASS_TURNS } from "./cass-turns.ts";
import { CASS_WIRE } from "./cass-wire.ts";
import { CLI_CALLING } from "./cli-calling.ts";
import { CLI_CLIENT } from "./cli-client.ts";
import { CLI_CORE } from "./cli-core.ts";
import { CLI_CREDENTIALS } from "./cli-credentials.ts";
import { CLI_END } from "./cli-end.ts";
import { CLI_JOBS } from "./cli-jobs.ts";
import { CLI_MACHINE } from "./cli-machine.ts";
import { CLI_OUTCOME } from "./cli-outcome.ts";
import { CLI_PROCESS } from "./cli-process.ts";
import { CLI_READING } from "./cli-reading.ts";
import { CLI_RUN } from "./cli-run.ts";
import { CLI_TURNS } from "./cli-turns.ts";
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

const ALL: readonly Mutant[] = [
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
  ...CLI_RUN,
  ...CLI_END,
  ...CLI_PROCESS,
  ...CLI_JOBS,
  ...CLI_CALLING,
  ...CLI_MACHINE,
  ...CLI_CREDENTIALS,
  ...CLI_READING,
  ...CLI_OUTCOME,
  ...CLI_TURNS,
  ...CLI_CLIENT,
  ...CLI_CORE,
];

/** Every breakage that the tests have to notice; those of one file stand together. */
export const MUTANTS: readonly Mutant[] = [...new Set(ALL.map(({ file }) => file))].flatMap((file) =>
  ALL.filter((mutant) => mutant.file === file),
);

// `agentwire doctor`: what this machine has, whether a backend can be reached, and what to do next.

import { acp } from "../../acp/index.ts";
import { inert } from "../../chat/index.ts";
import { findProgram } from "../../process/program.ts";
import type { BackendRow } from "../backend.ts";
import { BACKENDS } from "../backends.ts";
import type { CommandCall } from "../command.ts";
import {
  addressOf,
  handshakeSteps,
  type Limits,
  modelsStep,
  reachSteps,
  type Visit,
} from "../doctor/connection.ts";
import { keyStep, keySteps, peerSteps, runtimeStep } from "../doctor/environment.ts";
import { type DoctorStep, type Found, missingWords, stepMissing, stepOk } from "../doctor/steps.ts";
import { EXIT } from "../exit-codes.ts";
import { backendOf } from "../open-backend.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";

/** s: a day. */
const MAX_LIMIT = 86_400;
const LIMITS: Limits = { reach: 5, handshake: 20 };

/** The steps whose failure means that the backend cannot be reached. */
const REACH: ReadonlySet<string> = new Set(["dns", "tcp", "tls", "handshake", "server"]);

export async function doctorCommand(call: CommandCall): Promise<number> {
  const { given, args, isJson } = call;
  const seconds = given.number("limit", 0.001, MAX_LIMIT);
  const limits = seconds === undefined ? LIMITS : { reach: seconds, handshake: seconds };
  const backend = args.length === 0 ? undefined : backendOf(call);
  const ending = new AbortController();
  let code: number | undefined;
  const off = onSignals((signal) => {
    code = exitCodeOfSignal(signal);
    ending.abort();
  });
  const bad: string[] = [];
  const seen: DoctorStep[] = [];
  try {
    const steps = backend ? backendSteps(backend, call, limits, ending.signal) : machineSteps();
    for await (const step of steps) {
      if (code !== undefined) return code;
      if (step.status === "failed") bad.push(step.name);
      seen.push(step);
      process.stdout.write(isJson ? `${JSON.stringify({ type: "step", ...step })}\n` : stepWords(step));
    }
  } finally {
    off();
  }
  if (code !== undefined) return code;
  const exit_code =
    bad.length === 0 ? EXIT.done : bad.some((name) => REACH.has(name)) ? EXIT.unreachable : EXIT.failed;
  const summary = { type: "summary", ...(backend && { backend: backend.name }), failed: bad, exit_code };
  process.stdout.write(
    isJson
      ? `${JSON.stringify(summary)}\n`
      : `${bad.length === 0 ? wellWords(seen) : `failed: ${bad.join(", ")}`}\n`,
  );
  return exit_code;
}

function wellWords(steps: readonly DoctorStep[]): string {
  const missing = missingWords(steps);
  return missing === "" ? "all is well" : `ready; ${missing}`;
}

const MARKS: Readonly<Record<DoctorStep["status"], string>> = {
  ok: "ok     ",
  warn: "odd    ",
  failed: "FAILED ",
  skipped: "-      ",
};

function stepWords({ name, status, detail, next, notes = [] }: DoctorStep): string {
  const lines = [
    `${MARKS[status]} ${name}: ${detail}`,
    ...(next === undefined ? [] : [`        next: ${next}`]),
    ...notes.map((note) => `        note: ${note}`),
  ];
  return lines.map((line) => `${inert(line, { keepNewlines: false })}\n`).join("");
}

async function* backendSteps(
  backend: BackendRow,
  call: CommandCall,
  limits: Limits,
  ended: AbortSignal,
): AsyncGenerator<DoctorStep> {
  const address = addressOf(backend, call);
  yield { name: "runtime", ...runtimeStep() };
  const peers = peerSteps(backend);
  yield* peers;
  const key = keyStep(backend, call.given);
  if (key) yield key;
  if (peers.some(({ status }) => status === "failed")) return;
  const visit: Visit = { backend, call, limits, ended, lacksKey: key?.status === "failed" };
  if (address)
    for await (const step of reachSteps(address, visit)) {
      yield step;
      if (step.status === "failed") return;
    }
  if (ended.aborted) return;
  if (backend.name === "run" && call.given.has("url") && call.given.has("model"))
    yield { name: "server", ...(await modelsStep(visit)) };
  else yield* handshakeSteps(visit);
}

async function* machineSteps(): AsyncGenerator<DoctorStep> {
  yield { name: "runtime", ...runtimeStep() };
  yield* peerSteps(undefined);
  yield* keySteps();
  for (const { name, options } of BACKENDS) yield { name: `backend ${name}`, ...howToTry(name, options) };
}

function howToTry(name: string, options: BackendRow["options"]): Found {
  if (name === "cli") return programs(["codebuff"], "agentwire doctor cli");
  if (name === "acp") {
    const commands = Object.values(acp.presets).map(({ facts }) => facts.command);
    return programs(commands, "agentwire doctor acp <agent>");
  }
  const needsUrl = options.some((row) => row.name === "url") && name !== "run";
  return stepOk(`agentwire doctor ${name}${needsUrl ? " --url <address>" : ""}`);
}

function programs(commands: readonly string[], line: string): Found {
  const found = commands.filter((command) => !("code" in findProgram(command, process.env)));
  return found.length === 0
    ? stepMissing("not found", `: none of ${commands.join(", ")} is on the PATH`)
    : stepOk(`${line}; found: ${found.join(", ")}`);
}

// Reads and checks a scenario.
import { readFileSync } from "node:fs";
import { guessAt, InvalidMockInput } from "../names.ts";
import type { FakeCodebuffScenario } from "./scenario.ts";

type Check = readonly [holds: (value: unknown) => boolean, wanted: string];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => typeof value === "number" && value >= 0;

const flag: Check = [(value) => typeof value === "boolean", "true or false"];
const text: Check = [(value) => typeof value === "string", "a string"];
const count: Check = [isCount, "a number of at least 0"];
const oneOf = (...values: readonly unknown[]): Check => [
  (value) => values.includes(value),
  `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`,
];

/** The keys of a step that is no event. An event has a `type`, and may have these as fields. */
const STEPS: Readonly<Record<string, (value: unknown) => boolean>> = {
  delayMs: isCount,
  raw: (value) => typeof value === "string",
  base64: (value) => typeof value === "string",
  json: () => true,
  stderr: (value) => typeof value === "string",
  hold: (value) => typeof value === "string",
};

function isStep(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!isObject(value)) return false;
  if (typeof value["type"] === "string") return true;
  const [[key, field] = [], ...others] = Object.entries(value);
  return key !== undefined && others.length === 0 && STEPS[key]?.(field) === true;
}

const isScript = (value: unknown): boolean => Array.isArray(value) && value.every(isStep);

/** Something else than an array is taken by keys: of those that it has, each must hold. */
const fields =
  (checks: Readonly<Record<string, (value: unknown) => boolean>>) =>
  (value: unknown): boolean =>
    isObject(value) && Object.entries(value).every(([key, field]) => checks[key]?.(field) === true);

const isText = (value: unknown): boolean => typeof value === "string";
const isAnswers = fields({
  byPrompt: (value) => isObject(value) && Object.values(value).every(isScript),
  default: isScript,
});

/** Every key there is, so that a new one cannot be forgotten. */
const CHECKS: { readonly [Key in keyof Required<FakeCodebuffScenario>]: Check } = {
  profile: oneOf("note", "fork", "print", "tui"),
  events: [
    (value) => isScript(value) || (isAnswers(value) && isObject(value) && "byPrompt" in value),
    "an array of steps, or { byPrompt, default }",
  ],
  exit: [
    fields({
      code: (value) => Number.isInteger(value) && isCount(value),
      afterMs: isCount,
      signal: (value) => typeof value === "string" && /^SIG[A-Z]+$/.test(value),
      never: (value) => typeof value === "boolean",
    }),
    "{ code, afterMs, signal, never }",
  ],
  echoPrompt: flag,
  askUser: [
    (value) =>
      value === true ||
      fields({ toolCallId: isText, toolName: isText, input: () => true, result: () => true })(value),
    "true, or { toolCallId, toolName, input, result }",
  ],
  subagents: count,
  progress: count,
  download: oneOf("complete", "failed"),
  failWith: oneOf(
    ...["401", "402", "403", "429", "500", "502", "503", "504", "me"],
    ...["no-key", "no-prompt", "agent", "no-response", "connect"],
  ),
  failAfterMs: count,
  chunkBytes: [(value) => Number.isInteger(value) && Number(value) > 0, "a whole number above 0"],
  gapMs: count,
  newline: oneOf("\n", "\r\n", "none-last"),
  bom: flag,
  junk: count,
  hugeLine: [(value) => isCount(value) && Number(value) >= 30, "a number of at least 30"],
  flood: [(value) => isCount(value) || value === "endless", 'a number of at least 0, or "endless"'],
  infinity: flag,
  stderr: [
    (value) => Array.isArray(value) && value.every(fields({ text: isText, atMs: isCount })),
    "an array of { text, atMs }",
  ],
  stderrFlood: count,
  errorEventOn: oneOf("stdout", "stderr"),
  traceLines: flag,
  noFinish: flag,
  dupFinish: flag,
  dupStart: flag,
  eventsAfterFinish: [(value) => typeof value === "boolean" || isScript(value), "true, or an array of steps"],
  sessionKey: text,
  sessionId: text,
  exitBeforeFlush: flag,
  holdPipes: count,
  closeStdout: flag,
  ignoreSigterm: flag,
  slowSigterm: count,
  grandchild: flag,
  startDelayMs: count,
  stallAfter: count,
  secondMs: count,
  stdinWaitMs: count,
  jsonObject: [isObject, "an object"],
  plain: flag,
  quiet: flag,
  unknownOption: oneOf("error", "ignore"),
  version: text,
  requireKey: flag,
  credentialsFile: text,
  continueStore: text,
  unknownSession: oneOf("newest", "none"),
  recordEnv: [(value) => Array.isArray(value) && value.every(isText), "an array of names"],
};

/** What is wrong with a scenario; nothing, if it can be played. */
function mistakesOf(scenario: unknown): readonly string[] {
  if (!isObject(scenario)) return ["a scenario is an object"];
  const checks: Readonly<Record<string, Check>> = CHECKS;
  return Object.entries(scenario).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined)
      return [`there is no switch ${JSON.stringify(key)} (${guessAt(key, Object.keys(checks))})`];
    const [holds, wanted] = check;
    return holds(value) ? [] : [`${JSON.stringify(key)} has to be ${wanted}`];
  });
}

function isScenario(value: unknown): value is FakeCodebuffScenario {
  return mistakesOf(value).length === 0;
}

/**
 * A scenario that can be played.
 *
 * @throws InvalidMockInput saying what is wrong: silence would make a test pass for nothing.
 */
export function checkScenario(value: unknown): FakeCodebuffScenario {
  if (isScenario(value)) return value;
  throw new InvalidMockInput("this scenario cannot be played:", `${mistakesOf(value).join("; ")}.`);
}

/** Reads what `FAKE_CODEBUFF_SCENARIO` says: JSON, or the path of a file with JSON. */
export function readScenario(variable: string | undefined): FakeCodebuffScenario {
  if (variable === undefined || variable.trim() === "") return {};
  return checkScenario(JSON.parse(/^\s*\{/.test(variable) ? variable : readFileSync(variable, "utf8")));
}

// Reads and checks a scenario.
import { readFileSync } from "node:fs";
import { guessAt, InvalidMockInput } from "../names.ts";
import { type Dict, isDict } from "../server/dict.ts";
import { fieldIssues, type ShapeTable } from "../shape.ts";
import type { FakeCodebuffScenario } from "./scenario.ts";

/** The type or check of each switch. The type makes every switch required here. */
const SWITCHES: { readonly [Key in keyof Required<FakeCodebuffScenario>]: string } = {
  ...{ profile: "note|fork|print|tui", events: "events", exit: "exit" },
  ...{ echoPrompt: "boolean", askUser: "true or question", subagents: "amount", progress: "amount" },
  download: "complete|failed",
  failWith: "401|402|403|429|500|502|503|504|me|no-key|no-prompt|agent|no-response|connect",
  ...{ failAfterMs: "amount", chunkBytes: "size", gapMs: "amount", newline: "\n|\r\n|none-last" },
  ...{ bom: "boolean", junk: "amount", hugeLine: "amount", flood: "endless or amount", infinity: "boolean" },
  ...{ stderr: "noise[]", stderrFlood: "amount", errorEventOn: "stdout|stderr", traceLines: "boolean" },
  ...{
    noFinish: "boolean",
    dupFinish: "boolean",
    dupStart: "boolean",
    eventsAfterFinish: "boolean or script",
  },
  ...{ sessionKey: "string", sessionId: "string", exitBeforeFlush: "boolean", holdPipes: "amount" },
  ...{ closeStdout: "boolean", ignoreSigterm: "boolean", slowSigterm: "amount", grandchild: "boolean" },
  ...{ startDelayMs: "amount", stallAfter: "amount", secondMs: "amount", stdinWaitMs: "amount" },
  ...{ jsonObject: "object", plain: "boolean", quiet: "boolean", unknownOption: "error|ignore" },
  ...{ version: "string", requireKey: "boolean", credentialsFile: "string", continueStore: "string" },
  ...{ unknownSession: "newest|none", recordEnv: "string[]" },
};

const SHAPES: ShapeTable = {
  exit: "code?:whole afterMs?:amount signal?:SIGTERM|SIGINT|SIGHUP|SIGKILL|SIGSEGV|SIGABRT never?:boolean",
  question: "toolCallId?:string toolName?:string",
  noise: "text:string atMs?:amount",
};

/** The fields of the shapes' objects: an unknown one is a mistake. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  exit: ["code", "afterMs", "signal", "never"],
  askUser: ["toolCallId", "toolName", "input", "result"],
  stderr: ["text", "atMs"],
};

/** The steps that are not events, each with exactly one of these fields. An event has a `type`. */
const STEPS: Readonly<Record<string, string>> = {
  ...{ delayMs: "amount", raw: "string", base64: "string", stderr: "string", hold: "string" },
};

/** Checks that a shape cannot express. */
const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  script: (value) => Array.isArray(value) && value.every(isStep),
  events: (value) => {
    if (!isDict(value)) return holds(value, "script");
    const { byPrompt, default: otherwise = [], ...rest } = value;
    const scripts = isDict(byPrompt) ? [...Object.values(byPrompt), otherwise] : [undefined];
    return Object.keys(rest).length === 0 && scripts.every((script) => holds(script, "script"));
  },
  size: (value) => Number.isInteger(value) && Number(value) > 0,
  true: (value) => value === true,
};

function isStep(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!isDict(value)) return false;
  if (typeof value["type"] === "string" || ("json" in value && Object.keys(value).length === 1)) return true;
  const [[key = "", field] = [], ...others] = Object.entries(value);
  return others.length === 0 && Object.hasOwn(STEPS, key) && holds(field, STEPS[key] ?? "");
}

function holds(value: unknown, types: string): boolean {
  return types.split(" or ").some((type) => {
    const test = TESTS[type];
    return test ? test(value) : fieldIssues({ value }, `value:${type}`, SHAPES).length === 0;
  });
}

function hasKnownFields(key: string, value: unknown): boolean {
  const { [key]: names } = FIELDS;
  if (!names) return true;
  return [value]
    .flat()
    .every((item) => !isDict(item) || Object.keys(item).every((name) => names.includes(name)));
}

function mistakesOf(scenario: Dict): readonly string[] {
  const switches: Readonly<Record<string, string>> = SWITCHES;
  return Object.entries(scenario).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const types = Object.hasOwn(switches, key) ? switches[key] : undefined;
    if (types === undefined)
      return [`there is no switch ${JSON.stringify(key)} (${guessAt(key, Object.keys(switches))})`];
    const tooShort = key === "hugeLine" && Number(value) < 30;
    const isRight = holds(value, types) && hasKnownFields(key, value) && !tooShort;
    return isRight ? [] : [`${JSON.stringify(key)} has to be of type ${types}`];
  });
}

/**
 * Returns a valid scenario.
 *
 * @throws InvalidMockInput with the problem: otherwise a test could pass by mistake
 */
export function checkScenario(value: unknown): FakeCodebuffScenario {
  const mistakes = isDict(value) ? mistakesOf(value) : ["a scenario is an object"];
  if (mistakes.length === 0) return value as FakeCodebuffScenario;
  throw new InvalidMockInput("this scenario cannot be played:", `${mistakes.join("; ")}.`);
}

/** Reads `FAKE_CODEBUFF_SCENARIO`: JSON, or the path of a JSON file. */
export function readScenario(variable: string | undefined): FakeCodebuffScenario {
  if (variable === undefined || variable.trim() === "") return {};
  return checkScenario(JSON.parse(/^\s*\{/.test(variable) ? variable : readFileSync(variable, "utf8")));
}

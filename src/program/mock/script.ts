// Reads `--script`: a recording to play, or what a mock answers.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { jsonIn } from "../../core/text.ts";
import { wrongCall } from "../failure.ts";
import { stepsFrom } from "./steps.ts";

export type MockScript =
  /** JSON lines, as a recorder or `agentwire tap` writes them. */
  | { readonly type: "recording"; readonly text: string }
  /** The options of a mock. `answer` may be a list of steps as JSON. */
  | { readonly type: "options"; readonly options: Readonly<Record<string, unknown>> };

const MODULE = /\.[cm]?[jt]s$/;

/** @throws Failure for a file that cannot be read, or is none of these */
export async function readScript(file: string): Promise<MockScript> {
  if (MODULE.test(file)) return { type: "options", options: optionsFrom(defaultOf(file), file) };
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw wrongCall(
      `${file} cannot be read: ${code}.`,
      "Pass --script with the path of a recording or a script.",
    );
  }
  const json = jsonIn(text);
  const isLine = typeof json === "object" && json !== null && ("conn" in json || "ev" in json);
  if (json !== undefined && !isLine) return { type: "options", options: optionsFrom(json, file) };
  return { type: "recording", text };
}

function defaultOf(file: string): unknown {
  const path = resolve(file);
  try {
    const module: unknown = createRequire(path)(path);
    return typeof module === "object" && module !== null && "default" in module ? module.default : module;
  } catch (error) {
    const { message } = error as Error;
    throw wrongCall(`${file} cannot be loaded: ${message}`, "Export the options of the mock as the default.");
  }
}

function optionsFrom(value: unknown, file: string): Readonly<Record<string, unknown>> {
  if (typeof value === "function" || Array.isArray(value)) return { answer: value };
  if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  throw wrongCall(
    `${file} is no script.`,
    "Pass a recording; JSON with a list of steps, or with the options of the mock; or a module whose default export is one of these, or the function that answers.",
  );
}

/** The options of the script. An answer as JSON becomes a function. */
export function mockOptions(
  script: MockScript | undefined,
  makers: object | undefined,
): Readonly<Record<string, unknown>> {
  if (script?.type !== "options") return {};
  const { options } = script;
  const { answer } = options;
  if (!makers || !Array.isArray(answer)) return options;
  stepsFrom(answer, makers); // throws now what is wrong
  return { ...options, answer: () => stepsFrom(answer, makers) };
}

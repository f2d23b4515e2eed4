// Finds the API key as the real program does.
import { readFileSync } from "node:fs";
import type { FakeCodebuffScenario } from "../scenario.ts";

/** Without all of these, the real CLI takes a profile for none. */
const MANDATORY = ["id", "email", "name", "fingerprintId", "fingerprintHash"] as const;

export interface Key {
  readonly from: "env" | "file";
  readonly value: string;
}

/** The key that counts: the real CLI looks into its own file first. An empty variable counts as none. */
export function findKey({ credentialsFile }: FakeCodebuffScenario): Key | undefined {
  const stored = credentialsFile === undefined ? undefined : tokenIn(credentialsFile);
  if (stored !== undefined) return { from: "file", value: stored };
  const value = process.env["CODEBUFF_API_KEY"] ?? "";
  return value === "" ? undefined : { from: "env", value };
}

function tokenIn(path: string): string | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8"));
    const profile = fieldOf(file, "default");
    const token = fieldOf(profile, "authToken");
    const whole = MANDATORY.every((name) => typeof fieldOf(profile, name) === "string");
    return whole && typeof token === "string" && token !== "" ? token : undefined;
  } catch {
    return undefined; // a file that is missing or broken is none
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

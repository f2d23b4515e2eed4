// Finds the API key like the real program.
import { readFileSync } from "node:fs";
import { isDict } from "../../server/dict.ts";
import { fieldIssues } from "../../shape.ts";
import type { FakeCodebuffScenario } from "../scenario.ts";

/** The real CLI ignores a profile without all these fields. */
const PROFILE =
  "authToken:filled id:string email:string name:string fingerprintId:string fingerprintHash:string";

export interface Key {
  readonly from: "env" | "file";
  readonly value: string;
}

/** The key in use. Like the real CLI, the credentials file takes precedence. An empty variable counts as unset. */
export function findKey({ credentialsFile: path }: FakeCodebuffScenario): Key | undefined {
  const file = path === undefined ? undefined : contentsOf(path);
  const profile = isDict(file) ? file["default"] : undefined;
  if (isDict(profile) && fieldIssues(profile, PROFILE).length === 0)
    return { from: "file", value: String(profile["authToken"]) };
  const value = process.env["CODEBUFF_API_KEY"] ?? "";
  return value === "" ? undefined : { from: "env", value };
}

function contentsOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined; // like the real CLI: a missing or broken file counts as none
  }
}

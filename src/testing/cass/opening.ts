// What the address of a connection says: user, token, conversation.
import type { CassMistake } from "./read-frame.ts";
import type { Tokens } from "./tokens.ts";

/** What the address of a connection says. */
export interface Opening {
  /** Undefined where there is none in it. */
  readonly token: string | undefined;
  readonly mistakes: readonly CassMistake[];
}

/** What needs no escape, and escapes. */
const ESCAPED = /^(?:[\w\-.~!'()*]|%[0-9a-f]{2})*$/i;

/** @param url of the upgrade: path and query, or more; undefined where nobody knows it */
export function readOpening(url: string | undefined, tokens: Tokens): Opening {
  const { search, searchParams } = new URL(url ?? "", "ws://mock.invalid");
  const raw = search
    .slice(1)
    .split("&")
    .find((parameter) => parameter.startsWith("token="))
    ?.slice("token=".length);
  if (raw === undefined) return { token: undefined, mistakes: [] };
  const token = searchParams.get("token") ?? "";
  const mistakes: CassMistake[] = [];
  if (!ESCAPED.test(raw)) mistakes.push({ kind: "unescaped-token", detail: "the token in the address" });
  if (tokens.read(token).kind === "refresh") mistakes.push({ kind: "refresh-token", detail: "the address" });
  return { token, mistakes };
}

import type { CassMistake } from "./read-frame.ts";
import type { Tokens } from "./tokens.ts";

/** What the address of a connection says. */
export interface Opening {
  /** Undefined where there is none in it. */
  readonly token: string | undefined;
  readonly mistakes: readonly CassMistake[];
}

/** @param url of the upgrade: path and query, or more; undefined where nobody knows it */
export function readOpening(url: string | undefined, tokens: Tokens): Opening {
  const [, query = ""] = (url ?? "")
    .split("#", 1)
    .join("")
    .split(/\?(.*)/s);
  const raw = /(?:^|&)token=(.*)$/s.exec(query)?.[1];
  if (raw === undefined) return { token: undefined, mistakes: [] };
  const token = new URLSearchParams(query).get("token") ?? "";
  const mistakes: CassMistake[] = [];
  // Behind the token there may be other parameters, or the rest of one that holds an ampersand.
  if (raw.split(/&\w+=/, 1)[0] !== encodeURIComponent(token))
    mistakes.push({ kind: "unescaped-token", detail: "the token in the address" });
  if (tokens.read(token).kind === "refresh") mistakes.push({ kind: "refresh-token", detail: "the address" });
  return { token, mistakes };
}

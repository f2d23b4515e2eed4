import type { Account, AccountRequest, Json, JsonObject } from "./account.ts";
import type { Item } from "./said.ts";

// Ways to rewrite an account as a whole.

/** Rewrites every value in an account, from the inside out. `undefined` leaves a field or an item out. */
export const everywhere =
  (rewrite: (value: Json) => Json | undefined) =>
  (account: Account): Account =>
    rewritten(account as unknown as Json, rewrite) as unknown as Account;

export function rewritten(value: Json, rewrite: (value: Json) => Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    const list = value.map((each: Json) => rewritten(each, rewrite));
    return rewrite(list.filter((each) => each !== undefined));
  }
  if (!isObject(value)) return rewrite(value);
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const made = rewritten(field, rewrite);
    return made === undefined ? [] : [[name, made] as const];
  });
  return rewrite(Object.fromEntries(fields));
}

export const texts = (pattern: RegExp, by: string) =>
  everywhere((value) => (typeof value === "string" ? value.replace(pattern, by) : value));

export const without =
  (...names: readonly string[]) =>
  (value: Json): Json =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
      : value;

/** Rewrites the bodies of requests. */
export const bodies =
  (path: RegExp, rewrite: (body: JsonObject) => JsonObject) =>
  (account: Account): Account => ({
    ...account,
    requests: account.requests.map((request) =>
      path.test(request.call) && isObject(request.body)
        ? { ...request, body: rewrite(request.body) }
        : request,
    ),
  });

export const requests =
  (rewrite: (list: readonly AccountRequest[]) => readonly AccountRequest[]) => (account: Account) => ({
    ...account,
    requests: rewrite(account.requests),
  });

export const items = (rewrite: (list: readonly Item[]) => readonly Item[]) => (account: Account) => ({
  ...account,
  items: rewrite(account.items),
});

export const ends = (rewrite: (list: Account["ends"]) => Account["ends"]) => (account: Account) => ({
  ...account,
  ends: rewrite(account.ends),
});

export const inTurn =
  (...rewrites: readonly ((account: Account) => Account)[]) =>
  (account: Account): Account =>
    rewrites.reduce((made, rewrite) => rewrite(made), account);

/** Leaves out what follows the first requests, items and ends. */
export const upTo = (count: { readonly requests: number; readonly items: number; readonly ends: number }) =>
  inTurn(
    requests((list) => list.slice(0, count.requests)),
    items((list) => list.slice(0, count.items)),
    ends((list) => list.slice(0, count.ends)),
  );

/** Changes what a tool is called with and what its result repeats, where this library has filled in a default. */
export const withoutDefaults = (...names: readonly string[]) =>
  everywhere((value) => {
    if (typeof value !== "string" || !value.startsWith("{")) return without(...names)(value);
    return JSON.stringify(without(...names)(JSON.parse(value)));
  });

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

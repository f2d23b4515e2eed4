import type { BackendRequest } from "agentwire/testing";
import type { Heard, Item, Rejection } from "./said.ts";

/**
 * What a client has done and told, so that two clients can be compared. Ids are replaced by names, and left out are times, the words for
 * models, and the marks for providers: `max_tokens`, `stop`, `cache_control`. What agents do at once is put in the order of the agents.
 */
export interface Account {
  readonly requests: readonly AccountRequest[];
  readonly items: readonly Item[];
  readonly ends: readonly AccountEnd[];
  /** ms before another try. */
  readonly waits: readonly number[];
}

export interface AccountRequest {
  /** Such as `GET /api/v1/me?fields=id`. */
  readonly call: string;
  readonly body?: Json;
}

/** The end of a run. */
export interface AccountEnd {
  readonly output?: Json;
  readonly rejected?: Rejection;
  readonly stopReason?: Json;
  /** What the next run goes on from. */
  readonly agent?: Json;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** What an account is made of. */
export interface Told {
  readonly requests: readonly BackendRequest[];
  readonly heard: readonly Heard[];
}

export function accountOf({ requests, heard }: Told): Account {
  const agents = agentsOf(requests);
  const names = namesOf(requests, heard, agents);
  const plain = (value: unknown): Json => names.in(plainOf(value));
  return {
    requests: grouped(requests, (request) => agentOf(request, agents)).map(({ method, path, body }) => ({
      call: String(names.in(`${method} ${path}`)),
      ...(body === undefined ? {} : { body: plain(body) }),
    })),
    items: grouped(
      heard.flatMap((each) => (each.said === "item" ? [each.item] : [])),
      ({ agentId }) => /^subagent-/.exec(String(names.in(String(agentId))))?.input ?? "",
    ).map((item) => plain(item) as JsonObject & Item),
    ends: heard.flatMap((each): AccountEnd[] => {
      if (each.said === "rejected") return [{ rejected: each.error }];
      if (each.said !== "result") return [];
      const { output, stopReason, sessionState } = each.result;
      const { mainAgentState } = (sessionState ?? {}) as { readonly mainAgentState?: unknown };
      return [
        {
          output: plain(output),
          ...(stopReason === undefined ? {} : { stopReason: plain(stopReason) }),
          ...(mainAgentState ? { agent: plain(mainAgentState) } : {}),
        },
      ];
    }),
    waits: heard.flatMap((each) => (each.said === "waited" ? [each.ms] : [])),
  };
}

/** The agents by their run ids, and by their system prompts: a token count names no run. */
function agentsOf(requests: readonly BackendRequest[]): ReadonlyMap<unknown, string> {
  const agents = new Map<unknown, string>();
  for (const { action, runId, body } of requests)
    if (action === "START") agents.set(runId, String((body as JsonObject)["agentId"]));
  for (const { endpoint, runId, body } of requests) {
    if (endpoint !== "chat") continue;
    const [first] = (body as { readonly messages: readonly JsonObject[] }).messages;
    agents.set(first?.["content"], agents.get(runId) ?? "");
  }
  return agents;
}

function agentOf({ runId, body }: BackendRequest, agents: ReadonlyMap<unknown, string>): string {
  return agents.get(runId) ?? agents.get((body as JsonObject | undefined)?.["system"]) ?? "";
}

/** Puts what belongs together in a row, in the order of the groups' first members. */
function grouped<T>(list: readonly T[], groupOf: (each: T) => string): readonly T[] {
  const [first] = list;
  if (first === undefined) return list;
  const groups = new Map<string, T[]>();
  let isAmongMany = false;
  for (const each of list) {
    const group = groupOf(each);
    isAmongMany ||= group !== "" && groups.size > 1;
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  return isAmongMany
    ? [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, group]) => group)
    : list;
}

function namesOf(
  requests: readonly BackendRequest[],
  heard: readonly Heard[],
  agents: ReadonlyMap<unknown, string>,
): Names {
  const names = new Names();
  for (const { endpoint, action, runId, body, response } of requests) {
    if (action === "START") names.give(runId, `run-of-${agents.get(runId)}`);
    if (endpoint !== "chat") continue;
    const { codebuff_metadata } = body as { readonly codebuff_metadata?: JsonObject };
    names.give(codebuff_metadata?.["client_id"], "client");
    const generation = /"id":"(gen-\d+)"/.exec(response?.frames.join("") ?? "")?.[1];
    names.give(generation, `answer-to-${agents.get(runId)}`);
  }
  for (const each of heard) {
    if (each.said !== "item") continue;
    const { type, toolCallId, agentId } = each.item;
    if (type === "tool_call") names.give(toolCallId, "call");
    if (type === "subagent_start") names.give(agentId, "subagent");
  }
  return names;
}

/** Ids, and the names that stand for them in an account. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  give(id: unknown, kind: string): void {
    if (typeof id !== "string" || id === "" || this.#names.has(id)) return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(id, `${kind}-${count}`);
  }

  /** A value with names in place of ids. */
  in(value: Json): Json {
    if (typeof value === "string") {
      let text = value;
      for (const [id, name] of this.#names) text = text.replaceAll(id, name);
      return text;
    }
    if (Array.isArray(value)) return value.map((each) => this.in(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        const named = this.in(field);
        return [name, name === "childRunIds" && Array.isArray(named) ? named.sort() : named]; // children begin at once
      }),
    );
  }
}

/** Times, words for models, and marks for providers. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "sentAt",
  "startTime",
  "description",
  "cache_control",
  "max_tokens",
  "stop",
]);

function plainOf(value: unknown, name = ""): Json {
  if (typeof value === "string") return plainText(value);
  if (typeof value !== "object" || value === null) return value as Json;
  if (Array.isArray(value)) return value.map((each) => plainOf(each));
  if (name === "toolDefinitions") return Object.keys(value).sort(); // their schemas are those of the requests
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === undefined || LEFT_OUT.has(name) ? [] : [[name, plainOf(field, name)]],
    ),
  );
}

/** JSON in a text is compared as JSON. */
function plainText(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(plainOf(JSON.parse(text)));
  } catch {
    return text;
  }
}

// Pure: the tokens and the cost of a turn, from what agents report of their sessions.
import { fieldsOf } from "../core/checks.ts";
import type { Cost, Usage } from "../core/values.ts";
import { type AcpCost, type AcpTokens, readTokens } from "./messages.ts";

/** The tokens of a turn. */
export interface AcpUsage extends Usage {
  readonly totalTokens?: number;
  readonly thoughtTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
}

/** Agents that report the tokens of the session so far, by a part of `agentInfo.name`. */
const CUMULATIVE = /copilot|vibe/i;

export function addTokens(one: AcpTokens | undefined, other: AcpTokens): AcpTokens {
  return each((name) => sum(one?.[name], other[name]));
}

/** What a session has used and cost so far, as far as it is known. */
export class SessionUsage {
  readonly #isCumulative: boolean;
  /** Undefined: not known, because the session is older than this process. */
  #tokens: AcpTokens | undefined;
  #cost: AcpCost | undefined;
  #costBefore: AcpCost | undefined;
  #isNew: boolean;

  constructor(agent: string, isNew: boolean) {
    this.#isCumulative = CUMULATIVE.test(agent);
    this.#tokens = isNew ? {} : undefined;
    this.#isNew = isNew;
  }

  /** A turn begins. */
  began(): void {
    this.#costBefore = this.#cost;
  }

  spent(cost: AcpCost): void {
    this.#cost = cost;
  }

  get cost(): AcpCost | undefined {
    return this.#cost;
  }

  /** The tokens of the turn that an answer ends. `chunks`: what single chunks have reported. */
  ofTurn(answer: unknown, chunks: AcpTokens | undefined): AcpUsage | undefined {
    const fields = fieldsOf(answer);
    const quota = fieldsOf(fieldsOf(fields["_meta"])["quota"])["token_count"];
    const told = readTokens(fields["usage"]);
    if (!told) return readTokens(quota) ?? chunks;
    if (!this.#isCumulative) return told;
    const before = this.#tokens;
    this.#tokens = told;
    if (!before) return undefined;
    const isReset = (told.totalTokens ?? 0) < (before.totalTokens ?? 0);
    return isReset ? told : each((name) => less(told[name], before[name]));
  }

  /** The cost of the turn that ends now: what the session's cost has grown by. */
  costOfTurn(): Cost | undefined {
    const [now, before] = [this.#cost, this.#costBefore];
    const isKnown = before !== undefined || this.#isNew;
    if (!now || !isKnown || (before && before.currency !== now.currency)) return undefined;
    const amount = now.amount - (before?.amount ?? 0);
    return amount >= 0 ? { amount, unit: now.currency } : undefined;
  }
}

const NAMES = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "thoughtTokens",
  "cachedReadTokens",
  "cachedWriteTokens",
] as const satisfies readonly (keyof AcpTokens)[];

function each(of: (name: keyof AcpTokens) => number | undefined): AcpTokens {
  const entries = NAMES.flatMap((name) => {
    const value = of(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

function less(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? undefined : one - (other ?? 0);
}

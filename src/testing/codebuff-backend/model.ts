// Chooses the answer of the script for a chat call.
import { checkMockNames, InvalidMockInput } from "../names.ts";
import { checkReply } from "./check-script.ts";
import { ENDPOINTS } from "./routes.ts";
import {
  type BackendAnswer,
  type BackendAnswerContext,
  type BackendMatch,
  type BackendReply,
  type BackendScript,
  EXHAUSTED,
} from "./script.ts";

const SCRIPT_FILE = { answers: true, faults: Object.fromEntries(ENDPOINTS.map((name) => [name, true])) };

export class Model {
  readonly script: BackendScript;
  /** Whether a run has used up the script. */
  exhausted = false;
  /** For each run, the used positions of the list. The key null is for calls without a run. */
  readonly #used = new Map<string | null, Set<number>>();

  /** @throws InvalidMockInput for an invalid script */
  constructor(script: BackendScript) {
    this.script = script;
    if (typeof script === "function") return;
    if (isFile(script)) checkMockNames(script, SCRIPT_FILE, "field of the script");
    for (const reply of listOf(script)) checkReply(reply);
  }

  /** @throws the script's error, and InvalidMockInput for an invalid answer */
  async answerTo(context: BackendAnswerContext): Promise<BackendAnswer> {
    const { script } = this;
    const given = typeof script === "function" ? await script(context) : listOf(script);
    if (typeof script === "function") for (const reply of isList(given) ? given : [given]) checkReply(reply);
    const reply = isList(given) ? this.#choose(given, context) : given;
    return typeof reply === "string" ? { text: [reply] } : reply;
  }

  #choose(replies: readonly BackendReply[], context: BackendAnswerContext): BackendReply {
    const used = this.#used.get(context.runId) ?? new Set();
    this.#used.set(context.runId, used);
    const free = replies.map((reply, place) => ({ reply, place })).filter(({ place }) => !used.has(place));
    const chosen =
      free.find(({ reply }) => isMatched(reply) && fits(reply.match, context)) ??
      free.find(({ reply }) => !isMatched(reply));
    if (!chosen) {
      this.exhausted = true;
      return EXHAUSTED;
    }
    used.add(chosen.place);
    return chosen.reply;
  }

  reset(): void {
    this.exhausted = false;
    this.#used.clear();
  }
}

function listOf(
  script: Exclude<BackendScript, (context: BackendAnswerContext) => unknown>,
): readonly BackendReply[] {
  const list = isFile(script) ? script.answers : script;
  if (Array.isArray(list)) return list;
  throw new InvalidMockInput(
    "`answer` is no script.",
    'Give a list such as ["Hello"], { answers: [...] }, or a function that returns an answer.',
  );
}

function isList(given: BackendReply | readonly BackendReply[]): given is readonly BackendReply[] {
  return Array.isArray(given);
}

function isFile(script: object): script is { readonly answers: readonly BackendReply[] } {
  return typeof script === "object" && script !== null && "answers" in script;
}

function isMatched(reply: BackendReply): reply is BackendAnswer & { readonly match: BackendMatch } {
  return typeof reply === "object" && reply.match !== undefined;
}

function fits(match: BackendMatch, { agentId, call, request }: BackendAnswerContext): boolean {
  if (match.agentId !== undefined && match.agentId !== agentId) return false;
  if (match.call !== undefined && match.call !== call) return false;
  return match.model === undefined || match.model === request.model;
}

// What a conversation sends along with each prompt, in the form of either server.
import { isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationMessage, ConversationState } from "../../core/turn/conversation.ts";
import { type PromptActionData, promptFor } from "../input.ts";
import type { CodebuffServer } from "../messages.ts";
import type { CodebuffResult } from "../turn.ts";
import { type CompletionMessage, chatMessages, historyFor } from "./content.ts";
import { newSessionState } from "./session-state.ts";

/** The state of a Codebuff conversation: a JSON value. */
export interface CodebuffConversationState extends ConversationState {
  readonly protocol: "codebuff";
  readonly version: 1;
  readonly messages: readonly CompletionMessage[];
  /** The original server's own state, once it sent one. */
  readonly sessionState?: Readonly<Record<string, unknown>>;
}

/**
 * The memory of a conversation, for both servers. The published proxy keeps nothing, and puts the history *after* the new prompt. So all
 * messages go as `content`, oldest first, without `prompt`. The original server returns a state, which the next prompt sends back.
 */
export class CodebuffMemory {
  #messages: readonly CompletionMessage[];
  #sessionState: Readonly<Record<string, unknown>> | undefined;

  /** @throws InvalidInputError when `from` is not the state of a Codebuff conversation. */
  constructor(from: ConversationState | undefined) {
    if (from !== undefined && !isState(from)) {
      throw new InvalidInputError(
        "`from` is not the state of a Codebuff conversation.",
        "Pass what `conversation.state` gave.",
      );
    }
    this.#messages = from?.messages ?? [];
    this.#sessionState = from?.sessionState;
  }

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  get state(): CodebuffConversationState {
    const state = { protocol: "codebuff", version: 1, messages: this.#messages } as const;
    return this.#sessionState ? { ...state, sessionState: this.#sessionState } : state;
  }

  /** The state of the original server is the server's own, and has no earlier state in it. */
  earlier(turns: number): CodebuffConversationState | undefined {
    if (this.#sessionState) return undefined;
    let end = this.#messages.length;
    for (let left = turns; left > 0; left--) {
      if (this.#messages[end - 1]?.role !== "assistant") return undefined;
      end--;
      while (end > 0 && this.#messages[end - 1]?.role !== "assistant") end--;
    }
    return { protocol: "codebuff", version: 1, messages: this.#messages.slice(0, end) };
  }

  /** The prompt with the history in the form that `server` needs. */
  withHistory(data: PromptActionData, server: CodebuffServer): PromptActionData {
    if (server === "codebuff") {
      const sessionState = this.#sessionState ?? this.#begun(data.sessionState);
      return promptFor(server, { ...data, sessionState });
    }
    const { prompt: _, ...rest } = data;
    return { ...rest, content: [...this.#messages, ...chatMessages(data)], sessionState: {} };
  }

  /** The state of a new session of the original server, with the messages so far, which another server answered. */
  #begun(given: PromptActionData["sessionState"]): PromptActionData["sessionState"] {
    if (this.#messages.length === 0 || Object.keys(given).length > 0) return given;
    const { fileContext, mainAgentState } = newSessionState();
    return { fileContext, mainAgentState: { ...mainAgentState, messageHistory: historyFor(this.#messages) } };
  }

  /** Remembers both sides of a successful turn. */
  remember(data: PromptActionData, result: CodebuffResult, server: CodebuffServer): void {
    this.#messages = [...this.#messages, ...chatMessages(data), { role: "assistant", content: result.text }];
    if (server === "codebuff") this.#sessionState = result.sessionState;
  }
}

function isState(value: unknown): value is CodebuffConversationState {
  if (!isObject(value) || value["protocol"] !== "codebuff" || value["version"] !== 1) return false;
  const { messages, sessionState } = value;
  return (
    Array.isArray(messages) &&
    messages.every(isChatMessage) &&
    (sessionState === undefined || isObject(sessionState))
  );
}

function isChatMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { role, content } = value;
  const known = role === "user" || role === "assistant" || role === "system";
  return known && (typeof content === "string" || Array.isArray(content));
}

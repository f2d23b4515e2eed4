import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import { attach } from "../universal/attach.ts";
import type { Binding } from "../universal/binding.ts";
import type { UniversalUsage } from "../universal/events.ts";
import type { Mapping } from "../universal/mapping.ts";
import type { Session } from "../universal/session.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { CodeyClient } from "./client.ts";
import type { CodeyPromptInput } from "./input.ts";
import type { CodeyClientOptions } from "./options.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";
import type { CodeyUsage } from "./usage.ts";

/** Codey's events as universal events. */
export class CodeyMapping implements Mapping<CodeyEvent, CodeyResult> {
  readonly protocol = "codey-ws";
  readonly asksOnWire = true;
  readonly errorPrefix = "codey";
  /** The agent that speaks to the user: the first one that says something. */
  #root: number | undefined;

  began(): void {
    this.#root = undefined;
  }

  event(event: CodeyEvent, session: Session): void {
    switch (event.type) {
      case "TextDelta":
        session.text(this.#agent(event.agent_id), event.content);
        return;
      case "ThinkingDelta":
        session.reasoning(this.#agent(event.agent_id), event.content);
        return;
      case "ToolDelta":
        session.callOutput(event.call_id, event.content);
        return;
      case "Retrying":
        session.pause(this.#agent(event.agent_id));
        session.status("retrying", `attempt ${event.attempt}: ${event.error}`);
        return;
      case "Finished":
        session.pause(this.#agent(event.agent_id), "agent");
        return;
      case "ToolRequest":
        session.pause(this.#agent(event.agent_id));
        return;
      case "ToolAwaitingApproval":
      case "ToolStarted":
      case "ToolCompleted":
      case "ToolError":
        return; // the changed call says it
      default:
        event satisfies never;
    }
  }

  call({
    agentId,
    raw,
  }: Parameters<NonNullable<Mapping["call"]>>[0]): ReturnType<NonNullable<Mapping["call"]>> {
    const agent = typeof agentId === "number" ? this.#agent(agentId) : agentId;
    const nativeId = typeof raw === "object" && raw !== null ? Reflect.get(raw, "call_id") : undefined;
    return { agent, ...(typeof nativeId === "string" ? { nativeId } : {}) };
  }

  completed({ usage }: CodeyResult): ReturnType<Mapping["completed"]> {
    return { metadata: usage ? { usage: usageOf(usage) } : {} };
  }

  /** The root agent has no name in universal events. */
  #agent(id: number): number | undefined {
    this.#root ??= id;
    return id === this.#root ? undefined : id;
  }
}

function usageOf(usage: CodeyUsage): UniversalUsage {
  return {
    output_tokens: usage.outputTokens,
    total_output_tokens: usage.totalOutputTokens,
    context_tokens: usage.contextTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheCreationTokens,
  };
}

const BINDING: Binding<CodeyClient, CodeyEvent, CodeyResult> = {
  newMapping: () => new CodeyMapping(),
  isClient: (client) => client instanceof CodeyClient,
  opened: ({ sessionId }) =>
    sessionId === undefined ? undefined : { nativeSessionId: sessionId, isNative: true },
  input: (input) => {
    const { content } = input as CodeyPromptInput; // the client has checked it
    return { text: content };
  },
  forgets: true,
  listen: (client, tell) => [
    client.on("stray", (event) => tell({ type: "stray", event })),
    client.on("unknownMessage", (value) => tell({ type: "notice", name: "unknownMessage", value })),
  ],
};

/**
 * The universal events of a client, one of its turns, or its conversation. It listens, and does not pull. Attach it in the tick of
 * `prompt()`, and it misses nothing; later, `turn.started` says `attached_late`.
 * @throws InvalidInputError for any other value, and for wrong options.
 */
export function toUniversal(
  of: CodeyClient | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** Codey as a source for a chat or an adapter. */
export function codey(options: CodeyClientOptions): AgentSource<CodeyClient> {
  return { name: "codey", client: () => new CodeyClient(options), toUniversal };
}

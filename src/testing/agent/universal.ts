// Translates the mock agent's events into universal events.
import { defined } from "../../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { TurnToolCall } from "../../core/values.ts";
import type { Session } from "../../universal/engine/session.ts";
import { attach } from "../../universal/listen/attach.ts";
import type { Binding, CallFacts, CompletedFacts, FailedFacts, Mapping } from "../../universal/mapping.ts";
import type { UniversalOptions, UniversalStream } from "../../universal/stream.ts";
import { type ClientParts, MockAgentClient } from "./client.ts";
import type { MockAgentEvent, MockAgentResult, MockRawCall } from "./events.ts";
import type { MockChoice } from "./options.ts";

class MockAgentMapping implements Mapping<MockAgentEvent, MockAgentResult> {
  readonly protocol: string;
  readonly errorPrefix: string;
  readonly asksOnWire = true;
  /** For each call, how many characters of its output were emitted as deltas. */
  readonly #told = new Map<string, number>();

  constructor(name: string) {
    this.protocol = name;
    this.errorPrefix = name;
  }

  began(): void {
    this.#told.clear();
  }

  event(event: MockAgentEvent, session: Session): void {
    if (event.type === "finish") {
      session.pause(undefined, "agent");
      return;
    }
    const { agentId } = event;
    if (event.type === "text") {
      session.text(agentId, event.text);
      return;
    }
    if (event.type === "reasoning") {
      session.reasoning(agentId, event.text);
      return;
    }
    session.pause(agentId);
    this.#between(event, session);
  }

  /** Events that end the current text. */
  #between(
    event: Exclude<MockAgentEvent, { type: "text" | "reasoning" | "finish" }>,
    session: Session,
  ): void {
    const { agentId: agent } = event;
    switch (event.type) {
      case "status":
        session.status(event.label, event.detail, {
          agent,
          ...("json" in event ? { json: event.json } : {}),
        });
        return;
      case "tool":
        this.#grow(event.call, session);
        return;
      case "question":
        return; // the open request emits it
      case "subagent": {
        const { id, agentType, name, prompt, state } = event;
        const json = prompt === undefined ? {} : { prompt };
        if (state === "running")
          session.startSubagent({ key: id, agentType, name, parent: agent, json, nativeId: id });
        else session.finishSubagent(id);
        return;
      }
      case "file":
        session.message(
          [{ type: "file_ref", path: event.path, action: event.action, diff: event.diff }],
          null,
        );
        return;
      case "image":
        session.message([{ type: "image", path: event.path, mime: event.mime }], null);
        return;
      case "data":
        session.unknown(event.data);
        return;
      case "problem": {
        const { message, code } = event;
        session.error({ message, code, details: null, fatal: false, retryable: false });
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** Emits the new part of a running call's output. */
  #grow({ id, state, output }: TurnToolCall, session: Session): void {
    if (state !== "running" || typeof output !== "string") return;
    session.callOutput(id, output.slice(this.#told.get(id) ?? 0));
    this.#told.set(id, output.length);
  }

  call({ agentId, raw }: TurnToolCall): CallFacts {
    return { agent: agentId, facts: (raw as MockRawCall).facts };
  }

  /** The user has chosen a mode or a model. */
  notice(name: string, value: unknown, session: Session): void {
    const choice = value as MockChoice;
    if (name === "modes") session.beside("mode", choice.current, { ...choice });
    if (name === "models") session.beside("model", choice.current, { ...choice });
  }

  /** A question is not a tool call here. */
  callOf(): undefined {
    return undefined;
  }

  completed({ usage, cost }: MockAgentResult): CompletedFacts {
    const used = usage && defined({ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens });
    const total = cost && { total: cost.amount, currency: cost.unit };
    return { metadata: defined({ usage: used, cost: total }) };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    if (error.code !== "turn-failed") return undefined;
    const { kind: reason, status } = error;
    return { reason, ...(status === undefined ? {} : { details: { status } }) };
  }
}

export function toUniversal(
  name: string,
  clients: ReadonlyMap<MockAgentClient, ClientParts>,
  of: MockAgentClient | AnyTurn | AnyConversation,
  options: UniversalOptions,
): UniversalStream {
  let parts: ClientParts | undefined;
  const binding: Binding<MockAgentClient, MockAgentEvent, MockAgentResult> = {
    newMapping: () => new MockAgentMapping(name),
    isClient: (client): client is MockAgentClient => client instanceof MockAgentClient && clients.has(client),
    opened: ({ status }) => {
      const { modes, models } = parts?.backend ?? {};
      return status === "ready" ? { isNative: true, metadata: defined({ modes, models }) } : undefined;
    },
    listen: (client, tell) => {
      parts = clients.get(client);
      const off = parts?.backend.onChoice((name, value) => tell({ type: "notice", name, value }));
      return off ? [off] : [];
    },
    get forgets() {
      return parts?.link.hasForgotten ?? false;
    },
  };
  return attach(binding, of, options);
}

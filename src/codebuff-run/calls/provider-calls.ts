// Shows tool calls that the model's provider runs itself.
import { defined, fieldsOf } from "../../core/checks.ts";
import { randomId } from "../../core/random-id.ts";
import { jsonIn } from "../../core/text.ts";
import type { TurnToolCall } from "../../core/values.ts";
import { type Shared, showCall, tell } from "../agents/shared.ts";
import type { ProviderCall } from "../messages.ts";
import type { AgentSpeaker } from "../turn.ts";
import { failure, json, withinLimits } from "./toolbox.ts";

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Now = Pick<TurnToolCall, "state" | "output" | "error">;

/** The provider's own calls in one answer. Nothing of them goes back to the model. */
export class ProviderCalls {
  readonly #shared: Shared;
  readonly #speaker: AgentSpeaker;
  /** Calls without a result, by the provider's ids. */
  readonly #open = new Map<string, Shown>();

  constructor(shared: Shared, speaker: AgentSpeaker) {
    this.#shared = shared;
    this.#speaker = speaker;
  }

  tell(call: ProviderCall): void {
    const { id: given, name } = call;
    if (!("result" in call)) {
      this.#begin(given, name, fieldsOf(jsonIn(call.arguments ?? "")));
      return;
    }
    const shown = this.#open.get(given) ?? this.#begin(given, name, {});
    this.#open.delete(given);
    const { result, isError } = call;
    const words = typeof result === "string" ? result : JSON.stringify(result);
    const output = withinLimits(isError ? failure(words) : [json(result)]);
    const { parentId: parentAgentId } = this.#speaker;
    const event = { type: "tool_result", toolCallId: shown.id, toolName: shown.name, output } as const;
    this.#show(shown, isError ? { state: "failed", error: words, output } : { state: "done", output });
    tell(this.#shared, { ...event, ...defined({ parentAgentId }) }, words.length);
  }

  end(): void {
    for (const shown of this.#open.values()) this.#show(shown, { state: "abandoned" });
    this.#open.clear();
  }

  #begin(given: string, name: string, input: Shown["input"]): Shown {
    const shown = { id: this.#shared.gate.idFor(randomId("call")), name, input }; // providers repeat their ids
    const earlier = this.#open.get(given);
    if (earlier) this.#show(earlier, { state: "abandoned" }); // a later result could belong to either call
    this.#open.set(given, shown);
    tell(this.#shared, this.#eventOf(shown), JSON.stringify(input).length);
    this.#show(shown, { state: "running" });
    return shown;
  }

  #eventOf({ id: toolCallId, name: toolName, input }: Shown) {
    const { id: agentId, parentId } = this.#speaker;
    const agent = parentId === undefined ? {} : { agentId, parentAgentId: parentId };
    return { type: "tool_call", toolCallId, toolName, input, ...agent } as const;
  }

  #show(shown: Shown, now: Now): void {
    showCall(this.#shared, { ...shown, raw: this.#eventOf(shown), ...now });
  }
}

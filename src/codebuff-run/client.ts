// The public class `CodebuffRun`: builds its parts, declares its capabilities.
import { CODEBUFF_SUBJECTS } from "../codebuff-events/subjects.ts";
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import { Gate } from "../core/gate/gate.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import { type ToolParametersByName, tellsPreview } from "./calls/toolbox.ts";
import { type CodebuffRunConversation, openConversation } from "./conversation.ts";
import type { CodebuffRunClientEvents } from "./events.ts";
import type { CodebuffRunPromptInput } from "./input.ts";
import type { CodebuffRunEvent, RunState } from "./messages.ts";
import { type CodebuffRunOptions, type CodebuffRunPromptOptions, resolveOptions } from "./options.ts";
import { RunCore } from "./run-core.ts";
import type { CodebuffRunResult } from "./turn.ts";
import { Turns } from "./turns.ts";

/**
 * Runs an agent in this process: the model answers over HTTP, tools run where the client is, and each run goes on from the state of the
 * one before. The models are those of the Codebuff backend, or of any server with OpenAI's API (`providers`).
 *
 * Opens nothing before the first `prompt()`; `connect()` checks the API key. Runs work at the same time, up to `maxRuns`. No tool runs
 * unless you register it: `tools`, `overrideTools`. Before each tool stands the gate: `toolPolicy`, `onToolApproval`.
 *
 * `close()` hands back the waiting prompts, aborts the running ones and waits until their tools have ended, 2 s at most. With
 * `drainTimeout` it first waits that long for the running prompts.
 *
 * @example
 * const client = new CodebuffRun({ apiKey, agent: { id: "helper", displayName: "Helper", model: "openai/gpt-5-mini" } });
 * for await (const text of client.prompt("What is a mutex?").textStream) process.stdout.write(text);
 * await client.close();
 */
export class CodebuffRun<Tools extends ToolParametersByName = ToolParametersByName>
  extends BaseClient<CodebuffRunEvent, CodebuffRunResult, CodebuffRunClientEvents>
  implements
    AgentClient<
      CodebuffRunEvent,
      CodebuffRunResult,
      CodebuffRunPromptOptions,
      CodebuffRunPromptInput,
      CodebuffRunClientEvents
    >
{
  readonly #core: RunCore;
  readonly #turns: Turns;

  /** @throws InvalidInputError for invalid options; UnsupportedError for an engine that lacks a needed feature. */
  constructor(options: CodebuffRunOptions<Tools> = {}) {
    const core = new RunCore(resolveOptions(options));
    super(core);
    const gate = new Gate(core, options, CODEBUFF_SUBJECTS);
    const turns = new Turns({ core, gate });
    this.#core = core;
    this.#turns = turns;
    core.serve({ turns, requests: gate });
  }

  get capabilities(): Capabilities {
    return {
      textDeltas: true,
      reasoning: true,
      toolCalls: true,
      toolOutputDeltas: true,
      subagents: true,
      permissions: "client",
      questions: true,
      usage: this.#core.backend ? "credits" : "tokens",
      images: true,
      cancelOnWire: true,
      history: "client",
      conversations: "many",
      survivesReconnect: true,
      reopens: true,
      recovers: false,
      plan: true,
      context: true,
      branches: true,
      preview: this.#core.settings.tools.some(tellsPreview),
    };
  }

  /**
   * Runs an agent with a prompt, and streams what it says and does.
   * @throws InvalidInputError or QueueFullError before anything is sent; ClosedError on a closed client.
   */
  prompt(
    input: PromptOf<CodebuffRunPromptInput>,
    options?: CodebuffRunPromptOptions & TurnOptions,
  ): Turn<CodebuffRunEvent, CodebuffRunResult> {
    return this.#core.outbox.run(() => {
      const job = this.#turns.create(input, options);
      this.#turns.start(job);
      return job.turn;
    });
  }

  /**
   * Runs that go on from each other.
   * @param options `from`: the `state` of a conversation, or a run state, also one of Codebuff's own SDK
   */
  conversation(options: { readonly from?: ConversationState | RunState } = {}): CodebuffRunConversation {
    return openConversation({ core: this.#core, turns: this.#turns }, options);
  }

  /** Whether the backend says that it is well, within 5 s. Never rejects. False without a backend. */
  async checkConnection(): Promise<boolean> {
    const { backend, closing } = this.#core;
    return (await backend?.isHealthy(closing)) ?? false;
  }
}

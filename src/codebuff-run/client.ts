// The public class `CodebuffRun`: builds its parts, declares its capabilities.
import { CODEBUFF_SUBJECTS } from "../codebuff-events/subjects.ts";
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import { Gate } from "../core/gate/gate.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import { type FileList, type FilesOptions, listPromptFiles } from "../core/turn/prompt-files.ts";
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
import { RunTurns } from "./turns.ts";

/**
 * Runs agents in this process. The model answers over HTTP, and tools run on the client's machine. Each run continues
 * from the state of the previous run. The models come from the Codebuff backend, or from any server with OpenAI's API
 * (`providers`).
 *
 * The client sends nothing before the first `prompt()`. `connect()` checks the API key. Up to `maxRuns` runs work at
 * the same time. Only registered tools run (`tools`, `overrideTools`), after approval (`toolPolicy`, `onToolApproval`). A
 * cancel aborts the request, and waits up to 2 s for the tools.
 *
 * `close()` returns the waiting prompts, aborts the running prompts, and waits up to 2 s for their tools. With
 * `drainTimeout`, it first waits that long for the running prompts.
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
  readonly #turns: RunTurns;

  /** @throws InvalidInputError for invalid options; UnsupportedError if the platform lacks a feature */
  constructor(options: CodebuffRunOptions<Tools> = {}) {
    const core = new RunCore(resolveOptions(options));
    super(core);
    const gate = new Gate(core, options, CODEBUFF_SUBJECTS);
    const turns = new RunTurns(core, gate);
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
      modes: false,
      models: false,
      files: this.#core.settings.files !== undefined,
    };
  }

  /**
   * Runs an agent, and streams its events. `idleTimeout` counts while a model is asked: tools may take longer.
   * @throws InvalidInputError, QueueFullError or ClosedError
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
   * Starts a conversation: each run continues from the previous one.
   * @param options `from`: the `state` of a conversation, or a run state, also of Codebuff's own SDK
   */
  conversation(options: { readonly from?: ConversationState | RunState } = {}): CodebuffRunConversation {
    return openConversation(this.#core, this.#turns, options);
  }

  /** Paths for the completion of a file in a prompt. @throws UnsupportedError without the option `files` */
  files(prefix: string, options: FilesOptions = {}): Promise<FileList> {
    return listPromptFiles(this.#core.settings.files, prefix, options);
  }

  /** Whether the backend reports that it is healthy, within 5 s. Never rejects. False without a backend. */
  async checkConnection(): Promise<boolean> {
    const { backend, closing } = this.#core;
    return (await backend?.isHealthy(closing)) ?? false;
  }
}

// The public class `CodebuffCli`: builds its parts, declares its capabilities.
import type { AgentClient, Capabilities } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import { CliCore } from "./cli-core.ts";
import {
  type CodebuffCliConversation,
  type CodebuffCliConversationState,
  openConversation,
} from "./conversation.ts";
import type { CredentialReport } from "./credentials.ts";
import { Environments } from "./environment.ts";
import type { CodebuffCliClientEvents } from "./events.ts";
import type { CodebuffCliPromptInput } from "./input.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import {
  type CodebuffCliOptions,
  type CodebuffCliPromptOptions,
  resolveOptions,
  saysAllAtEnd,
} from "./options.ts";
import { type CodebuffCliProbe, Probe } from "./probe.ts";
import { Questions } from "./questions.ts";
import type { CodebuffCliResult } from "./turn.ts";
import { CliTurns } from "./turns.ts";

/**
 * The Codebuff command line as a backend: one process per prompt. Node only.
 *
 * Nothing starts before the first `prompt()`; `connect()` only checks whether the program exists. `status` is `idle`
 * until the first prompt, then `ready`. Up to `maxProcesses` prompts run concurrently. Prompts of one `conversation()`
 * run one after the other, in one session. Cancelling a turn ends its process and all child processes. `close()` and
 * the end of this process do the same. A turn settles when its process is gone; `close()` settles it at once, and waits.
 * A slow reader slows the program down; a turn without a reader does not.
 *
 * The agent acts on this machine without approval, so `decide()` always throws `invalid-input`. `answer()` needs a
 * conversation and the option `answerByContinue`. Otherwise it throws `unsupported`, because a running process takes no
 * input.
 *
 * `close()` hands back the waiting prompts. It ends running processes first gently, then by force; with `force` at
 * once. `drainTimeout` first gives them that long to finish.
 *
 * @example
 * const client = new CodebuffCli({ cwd: "my-project" });
 * for await (const text of client.prompt("Fix the tests").textStream) process.stdout.write(text);
 * await client.close();
 */
export class CodebuffCli
  extends BaseClient<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents>
  implements
    AgentClient<
      CodebuffCliEvent,
      CodebuffCliResult,
      CodebuffCliPromptOptions,
      CodebuffCliPromptInput,
      CodebuffCliClientEvents
    >
{
  readonly #core: CliCore;
  readonly #environments: Environments;
  readonly #questions: Questions;
  readonly #turns: CliTurns;
  readonly #probe: Probe;

  /** @throws InvalidInputError for invalid options. */
  constructor(options: CodebuffCliOptions = {}) {
    const core = new CliCore(resolveOptions(options));
    super(core);
    const environments = new Environments(core);
    const questions = new Questions(core);
    const turns = new CliTurns({ core, questions, environments });
    this.#core = core;
    this.#environments = environments;
    this.#questions = questions;
    this.#turns = turns;
    this.#probe = new Probe(core, environments);
    core.serve({ turns, requests: questions });
  }

  get capabilities(): Capabilities {
    const { profile, answerByContinue } = this.#core.settings;
    const isStreamed = !saysAllAtEnd(profile);
    return {
      textDeltas: isStreamed,
      reasoning: isStreamed,
      toolCalls: profile !== "text",
      toolOutputDeltas: isStreamed,
      subagents: profile !== "text",
      permissions: "none",
      questions: answerByContinue,
      usage: isStreamed ? "cost" : "none",
      images: false,
      cancelOnWire: true,
      history: "server",
      conversations: "many",
      survivesReconnect: true,
      reopens: true,
      recovers: false,
      plan: profile !== "text",
      context: false,
      branches: false,
      preview: false,
      modes: false,
      models: false,
      files: false,
    };
  }

  /**
   * Starts the program with a prompt and streams its events. Throws before anything is started.
   * @throws InvalidInputError, PayloadTooLargeError, QueueFullError or ClosedError
   */
  prompt(
    input: PromptOf<CodebuffCliPromptInput>,
    options?: CodebuffCliPromptOptions & TurnOptions,
  ): Turn<CodebuffCliEvent, CodebuffCliResult> {
    return this.#core.outbox.run(() => {
      const job = this.#turns.create(input, options, { id: undefined });
      this.#turns.start(job);
      return job.turn;
    });
  }

  /** A session of the program. Each prompt continues the session, if the program reports one. */
  conversation(
    options: { readonly from?: CodebuffCliConversationState | ConversationState } = {},
  ): CodebuffCliConversation {
    return openConversation({ core: this.#core, turns: this.#turns, questions: this.#questions }, options);
  }

  /** Runs the program with `--version` and `--help`. Caches a complete result. Rejects with a ConnectError if it cannot start. */
  probe(): Promise<CodebuffCliProbe> {
    return this.#probe.run();
  }

  /** The searched places of API keys, with the findings. Only `credentials.apiKey` reveals a key. */
  credentials(): CredentialReport {
    return this.#environments.credentials;
  }
}

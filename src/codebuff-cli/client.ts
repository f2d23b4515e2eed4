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
import { Turns } from "./turns.ts";

/**
 * The Codebuff command line as a backend: one process per prompt. Node only.
 *
 * Starts nothing before the first `prompt()`; `connect()` only checks whether the program exists. Prompts run concurrently, up to
 * `maxProcesses`. Prompts of one `conversation()` run one after the other, and each continues the session of the previous one.
 * Cancelling a turn ends its process, and everything that the process has started. `close()` and the end of this process do the same.
 * `status` is `idle` until the first prompt, then `ready`.
 *
 * The program asks for no permission: its agent acts on this machine without asking. So `decide()` always throws `invalid-input`.
 * `answer()` works for questions of a conversation with the option `answerByContinue`, and otherwise throws `unsupported`: a running
 * process takes no input.
 *
 * `close()` hands back the waiting prompts, and ends the running processes, first gently, then by force; with `force` at once. With
 * `drainTimeout` it first waits that long for the running processes.
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
  readonly #turns: Turns;
  readonly #probe: Probe;

  /** @throws InvalidInputError for invalid options. */
  constructor(options: CodebuffCliOptions = {}) {
    const core = new CliCore(resolveOptions(options));
    super(core);
    const environments = new Environments(core);
    const questions = new Questions(core);
    const turns = new Turns({ core, questions, environments });
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
    };
  }

  /**
   * Starts the program with a prompt and streams its events.
   * @throws InvalidInputError, PayloadTooLargeError or QueueFullError before anything is started; ClosedError on a closed client.
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

  /** A session of the program. Each prompt continues the previous one, if the program reports its session. */
  conversation(
    options: { readonly from?: CodebuffCliConversationState | ConversationState } = {},
  ): CodebuffCliConversation {
    return openConversation({ core: this.#core, turns: this.#turns, questions: this.#questions }, options);
  }

  /**
   * Asks the program for its `--version` and `--help`. Runs once for all calls, unless the program could not be started or did not
   * answer.
   */
  probe(): Promise<CodebuffCliProbe> {
    return this.#probe.run();
  }

  /** The places of API keys, and the findings. Only `credentials.apiKey` shows a key. */
  credentials(): CredentialReport {
    return this.#environments.credentials;
  }
}

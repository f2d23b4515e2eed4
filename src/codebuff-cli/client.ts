import { checkCallOptions, checks } from "../core/checks.ts";
import type {
  AgentClient,
  AnyClientEvents,
  Capabilities,
  CloseOptions,
  ConnectOptions,
} from "../core/client/agent-client.ts";
import { cleanCause } from "../core/client/clean-cause.ts";
import type { ListenOptions, Unsubscribe } from "../core/client/events.ts";
import { asyncDispose } from "../core/dispose.ts";
import { ConnectError, HandshakeError, InvalidInputError, said } from "../core/errors.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { Turn, TurnOptions } from "../core/turn/turn.ts";
import type { Answer, ClientStatus, Decision, PendingRequest, Reply, Ruling } from "../core/values.ts";
import { canContinue, lacking } from "./argv.ts";
import { CliCore } from "./cli-core.ts";
import type { CodebuffCliClientEvents } from "./client-events.ts";
import { locate } from "./command.ts";
import {
  type CodebuffCliConversation,
  type CodebuffCliConversationState,
  openConversation,
  type SessionRef,
} from "./conversation.ts";
import { type CredentialReport, searchCredentials } from "./credentials.ts";
import { type Environment, makeEnvironment } from "./environment.ts";
import type { CodebuffCliEvent } from "./events.ts";
import { notStarted } from "./failures.ts";
import { isFolder } from "./folder.ts";
import { invocationOf, type Job, Jobs } from "./jobs.ts";
import {
  type CodebuffCliOptions,
  type CodebuffCliPromptOptions,
  type CodebuffCliSettings,
  PROMPT_CHECKS,
  resolveOptions,
  saysAllAtEnd,
} from "./options.ts";
import { type CodebuffCliProbe, type ProbeAnswer, probeCommand } from "./probe.ts";
import { buildPrompt, type CodebuffCliPromptInput } from "./prompt.ts";
import { Questions } from "./questions.ts";
import type { CodebuffCliResult } from "./turn.ts";

/**
 * The Codebuff command line as a backend: a process for each prompt. Node only.
 *
 * Nothing is started before the first `prompt()`. Prompts run at the same time, up to `maxProcesses`; those of one
 * `conversation()` one after the other, each going on with the session of the one before. A turn that is cancelled ends its
 * process, and everything that this has started; so does `close()`, and the end of this process.
 *
 * The program asks for no permission: what its agent wants to do on this machine, it does.
 *
 * @example
 * const client = new CodebuffCli({ cwd: "my-project" });
 * for await (const text of client.prompt("Fix the tests").textStream) process.stdout.write(text);
 * await client.close();
 */
export class CodebuffCli
  implements
    AgentClient<
      CodebuffCliEvent,
      CodebuffCliResult,
      CodebuffCliPromptOptions,
      CodebuffCliPromptInput,
      CodebuffCliClientEvents
    >
{
  readonly #options: CodebuffCliOptions;
  readonly #settings: CodebuffCliSettings;
  readonly #core: CliCore;
  readonly #jobs: Jobs;
  readonly #questions: Questions;
  #probe: Promise<CodebuffCliProbe> | undefined;
  #isWarned = false;

  /** @throws InvalidInputError for options that cannot work. */
  constructor(options: CodebuffCliOptions = {}) {
    const settings = resolveOptions(options);
    this.#options = options;
    this.#settings = settings;
    this.#core = new CliCore(options, settings);
    this.#questions = new Questions(this.#core);
    this.#jobs = new Jobs({
      core: this.#core,
      questions: this.#questions,
      environment: () => this.#environment(),
    });
    this.#core.serve(this.#jobs, this.#questions);
  }

  /** `idle` until the first prompt, and `ready` then; a process has no connection. */
  get status(): ClientStatus {
    return this.#core.status;
  }

  get capabilities(): Capabilities {
    const { profile } = this.#settings;
    const isStreamed = !saysAllAtEnd(profile);
    return {
      textDeltas: isStreamed,
      reasoning: isStreamed,
      toolCalls: profile !== "text",
      toolOutputDeltas: isStreamed,
      subagents: profile !== "text",
      permissions: "none",
      questions: this.#settings.answerByContinue,
      usage: isStreamed ? "cost" : "none",
      images: false,
      cancelOnWire: true,
      history: "server",
      conversations: "many",
      survivesReconnect: true,
      reopens: true,
      recovers: false,
    };
  }

  /**
   * Starts the program with a prompt, and streams what it says.
   * @throws InvalidInputError, PayloadTooLargeError or QueueFullError before anything is started; ClosedError on a closed client.
   */
  prompt(
    input: PromptOf<CodebuffCliPromptInput>,
    options?: CodebuffCliPromptOptions & TurnOptions,
  ): Turn<CodebuffCliEvent, CodebuffCliResult> {
    return this.#core.outbox.run(() => {
      const job = this.#create(input, options, { id: undefined });
      this.#start(job);
      return job.turn;
    });
  }

  /** A session of the program: each prompt goes on with the one before, as far as the program tells its session. */
  conversation(
    options: {
      readonly from?: CodebuffCliConversationState | { readonly protocol: string; readonly version: number };
    } = {},
  ): CodebuffCliConversation {
    const conversation: CodebuffCliConversation = openConversation(
      {
        outbox: this.#core.outbox,
        create: (input, turnOptions, session) => {
          const job = this.#create(input, turnOptions, session);
          this.#questions.belongTo(job.turn, { conversation, prompt: goOnWith(conversation, turnOptions) });
          const start = (): void => {
            this.#questions.started(job.turn);
            this.#start(job);
          };
          return { turn: job.turn, start, text: job.prompt.text };
        },
        continues: canContinue(this.#settings.profile),
        requireContinuity: this.#settings.requireContinuity,
        noContinuity: () =>
          this.#core.warn(
            "no-continuity",
            "the program has told no session, so that this prompt begins anew; `requireContinuity` refuses it instead",
          ),
      },
      options,
    );
    return conversation;
  }

  /** The open questions of conversations, oldest first. Without `answerByContinue` there are none. */
  get pending(): readonly PendingRequest[] {
    return this.#core.pending;
  }

  /** @throws InvalidInputError always: the program asks for no approval. */
  decide(id: string, _decision: Decision): Ruling {
    return this.#questions.decide(id);
  }

  /**
   * Answers a question of the agent, where that is possible: by the next prompt of its conversation, with `answerByContinue`.
   * @throws UnsupportedError otherwise: nothing can be told to the process itself. InvalidInputError for an id that was never asked.
   */
  answer(id: string, answer: Answer): Reply {
    return this.#core.outbox.run(() => this.#questions.answer(id, answer));
  }

  /** Looks whether the program is there. `prompt()` does without. */
  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    return this.#core.outbox.run(() => this.#look(options));
  }

  async #look(options: ConnectOptions): Promise<void> {
    this.#core.assertOpen();
    if (options.signal?.aborted) {
      throw new ConnectError("the wait for the program was aborted", { cause: options.signal.reason });
    }
    const { command } = this.#settings;
    try {
      locate(command, this.#variables);
    } catch (cause) {
      throw notStarted(command, cause, this.#core.clean);
    }
    this.#core.ready();
  }

  /** Asks the program what it can do, by its `--version` and `--help`; once for all calls, unless it could not be started or did not answer. */
  probe(): Promise<CodebuffCliProbe> {
    this.#core.assertOpen();
    return this.#core.outbox.run(() => {
      this.#probe ??= this.#probeOnce();
      return this.#probe;
    });
  }

  async #probeOnce(): Promise<CodebuffCliProbe> {
    let isWhole = false;
    try {
      const answer = await this.#ask();
      isWhole = answer.isWhole;
      return answer.probe;
    } finally {
      if (!isWhole) this.#probe = undefined;
    }
  }

  async #ask(): Promise<ProbeAnswer> {
    const { command, args, clock } = this.#settings;
    const { env, dispose } = this.#environment();
    try {
      return await probeCommand({
        command,
        args,
        env,
        clock,
        clean: this.#core.clean,
        signal: this.#core.closing,
      });
    } finally {
      dispose();
    }
  }

  /** Where an API key was looked for, and what was found. It never shows the key unless asked for `credentials.apiKey`. */
  credentials(): CredentialReport {
    return this.#search().report;
  }

  #search(): ReturnType<typeof searchCredentials> {
    return searchCredentials(this.#options, this.#variables);
  }

  /** What this process has in its environment, with what was added. */
  get #variables(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.#settings.env };
  }

  /**
   * Closes for good: gives back what waits, and ends what runs, gently and then firmly; with `force` firmly at once. With
   * `drainTimeout` it waits so long for what runs first.
   */
  close(options: CloseOptions = {}): Promise<void> {
    return this.#core.close(options);
  }

  on<Name extends keyof CodebuffCliClientEvents & string>(
    name: Name,
    listener: (...values: CodebuffCliClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on(
    name: keyof CodebuffCliClientEvents,
    listener: (...values: never) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    return this.#core.on(
      name,
      listener as (...values: CodebuffCliClientEvents[typeof name]) => void,
      options,
    );
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  #create(
    input: PromptOf<CodebuffCliPromptInput>,
    options: (CodebuffCliPromptOptions & TurnOptions) | undefined,
    session: SessionRef,
  ): Job {
    this.#core.assertOpen();
    checkCallOptions(options, PROMPT_CHECKS);
    const settings = this.#settings;
    const given = options ?? {};
    const { promptVia = settings.promptVia, allowCommands = settings.allowCommands } = given;
    const { endOfOptions, commandPrefixes } = settings;
    const { platform } = process;
    const prompt = buildPrompt(input, { promptVia, endOfOptions, commandPrefixes, allowCommands, platform });
    const invocation = invocationOf(settings, prompt, given, session.id);
    const missing = lacking(invocation);
    if (missing !== undefined) {
      throw new InvalidInputError(
        `programs of the profile \`${settings.profile}\` have no flag for \`${missing}\`.`,
        "Leave it out, or choose another `profile`.",
      );
    }
    this.#checkFolder(invocation.cwd);
    return this.#jobs.create(input, prompt, invocation, given, session);
  }

  #start(job: Job): void {
    if (this.#settings.requireKey && !this.credentials().credentials) {
      const message = "there is no API key: set CODEBUFF_API_KEY, or pass `apiKey`";
      job.turn.fail(new HandshakeError("rejected", message, { delivery: "not-sent" }));
      return;
    }
    this.#core.ready();
    this.#jobs.runner.start(job, job.prompt.bytes);
  }

  /** @throws InvalidInputError for a folder that is not there, which a process would be started in to no end */
  #checkFolder(cwd: string | undefined): void {
    if (cwd === undefined || isFolder(cwd)) return;
    throw new InvalidInputError(`\`cwd\` is no folder: ${this.#core.clean(cwd)}`, "Pass one that exists.");
  }

  /** What a process gets to know: the key too, which never goes into its arguments. */
  #environment(): Environment {
    const { env, isolateHome } = this.#settings;
    const { report, keys } = this.#search();
    this.#core.redactor.use("keys", ...keys); // those too that only the program itself reads
    const { credentials, warnings } = report;
    for (const { kind, message } of this.#isWarned ? [] : warnings) {
      // In a home of its own the program does not find the other one.
      if (kind !== "credential-conflict" || !isolateHome) this.#core.warn(kind, this.#core.clean(message));
    }
    this.#isWarned = true;
    try {
      const made = makeEnvironment({ env, apiKey: credentials?.apiKey, isolateHome });
      return { env: made.env, dispose: () => this.#dispose(made) };
    } catch (cause) {
      const message =
        "no folder could be made for the program's own home; check that of temporary files (TMPDIR)";
      throw new ConnectError(message, {
        cause: cleanCause(cause, this.#core.clean),
        delivery: "not-sent",
        retryable: false,
      });
    }
  }

  /** A home that cannot be deleted, because what the program left in it is protected or still written to, fails nothing. */
  #dispose({ dispose }: Environment): void {
    try {
      dispose();
    } catch (cause) {
      this.#core.warn(
        "home-left",
        this.#core.clean(`the program's own home could not be deleted: ${said(cause)}`),
      );
    }
  }
}

/** Remembered longer than the turn; made here, where no turn is in scope that it would keep alive. */
function goOnWith(
  conversation: CodebuffCliConversation,
  options: (CodebuffCliPromptOptions & TurnOptions) | undefined,
): (answer: string) => void {
  const { sessionId: _, signal: __, ...kept } = options ?? {}; // those were of that one prompt
  return (answer) => void conversation.prompt(answer, kept);
}

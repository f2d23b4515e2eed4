// A client of the mock agent.
import { checkCallOptions, checks, describe } from "../../core/checks.ts";
import type { AgentClient, Capabilities } from "../../core/client/agent-client.ts";
import { BaseClient } from "../../core/client/base-client.ts";
import { TURN_CHECKS } from "../../core/client/options.ts";
import { InvalidInputError, UnsupportedError } from "../../core/errors.ts";
import { Gate } from "../../core/gate/gate.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
import { type FileList, type FilesOptions, listPromptFiles } from "../../core/turn/prompt-files.ts";
import { type PromptInput, readPromptInput, readPromptText } from "../../core/turn/prompt-input.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import type { MockBackend } from "./backend.ts";
import { type MockConversation, type MockConversationHost, openConversation } from "./conversation.ts";
import type { MockAgentEvent, MockAgentResult, MockTurn } from "./events.ts";
import { Link, type MockAgentClientEvents, type MockCore, newCore, type Parts } from "./link.ts";
import { forgotten, type MockJob, type MockPrompt, MockTurns, type Remembered } from "./turns.ts";

/** The parts of one client. */
export class ClientParts implements Parts {
  readonly backend: MockBackend;
  readonly core: MockCore;
  readonly link: Link;
  readonly gate: Gate;
  readonly turns: MockTurns;

  constructor(backend: MockBackend) {
    const { approvalTimeout } = backend.settings;
    this.backend = backend;
    this.core = newCore(backend);
    this.link = new Link(backend, this.core);
    this.gate = new Gate(this.core, { onToolApproval: "manual", onQuestion: "manual", approvalTimeout });
    this.turns = new MockTurns(this);
    this.link.serve(this.turns);
    this.core.serve({ protocol: this.link, turns: this.turns.runner, asked: this });
  }
}

/**
 * A client of a `MockAgent`. It behaves like the client of a real backend, but emits no `message` and no `frame`.
 * `close()` ends running turns at once; with `drainTimeout` it waits for them.
 */
export class MockAgentClient
  extends BaseClient<MockAgentEvent, MockAgentResult, MockAgentClientEvents>
  implements AgentClient<MockAgentEvent, MockAgentResult, object, PromptInput>
{
  readonly #parts: ClientParts;
  readonly #isShared: boolean;
  /** The default conversation of a backend with a single conversation, and the age of its memory. */
  #only: { readonly conversation: MockConversation; readonly age: number } | undefined;

  constructor(parts: ClientParts) {
    super(parts.core);
    this.#parts = parts;
    this.#isShared = this.capabilities.conversations === "one";
  }

  get capabilities(): Capabilities {
    return this.#parts.backend.capabilities;
  }

  /** @throws InvalidInputError or UnsupportedError for invalid input; ClosedError on a closed client */
  prompt(input: string | PromptInput, options?: TurnOptions): MockTurn {
    if (this.#isShared) return this.conversation().prompt(input, options);
    const { core, turns } = this.#parts;
    return core.outbox.run(() => {
      const job = this.#create(input, options, { messages: [], age: turns.age });
      turns.start(job);
      return job.turn;
    });
  }

  /**
   * @throws InvalidInputError for an invalid `from`; UnsupportedError for any `from` if the client has one conversation
   */
  conversation(options: { readonly from?: ConversationState } = {}): MockConversation {
    checkCallOptions(options, { from: checks.any });
    const { from } = options;
    if (!this.#isShared) return openConversation(this.#host, from);
    if (from !== undefined)
      throw new UnsupportedError(
        "this backend cannot go on from an earlier conversation.",
        "Leave `from` out.",
      );
    const { age } = this.#parts.turns;
    if (this.#only?.age !== age) this.#only = { conversation: openConversation(this.#host, undefined), age };
    return this.#only.conversation;
  }

  /** Paths for the completion of a file in a prompt. @throws UnsupportedError without the option `files` */
  files(prefix: string, options: FilesOptions = {}): Promise<FileList> {
    return listPromptFiles(this.#parts.backend.files, prefix, options);
  }

  get #host(): MockConversationHost {
    const { backend, core, turns } = this.#parts;
    return {
      backend,
      connect: () => this.connect(),
      isReady: () => core.status === "ready",
      client: this,
      outbox: core.outbox,
      name: backend.name,
      isShared: this.#isShared,
      turns,
      create: (input, options, remembered) => this.#create(input, options, remembered),
    };
  }

  #create(input: string | PromptInput, options: TurnOptions | undefined, remembered: Remembered): MockJob {
    const { core, turns } = this.#parts;
    checkCallOptions(options, TURN_CHECKS);
    const prompt = readPrompt(input, this.capabilities);
    core.assertOpen();
    if (remembered.age !== turns.age) throw Object.assign(forgotten(), { input });
    return turns.create(input, { ...prompt, remembered }, options);
  }
}

/** @throws InvalidInputError for an invalid prompt; UnsupportedError if the backend does not accept images or files */
function readPrompt(
  input: string | PromptInput,
  { images: takesImages, files: takesFiles }: Capabilities,
): Omit<MockPrompt, "remembered"> {
  const given = readPromptInput(input, {}, takesFiles);
  if (!takesImages && given?.images) readPromptText(input);
  const { text = "", images = [], files: paths = [] } = given ?? {};
  if (checks.text.holds(text)) return { text, images, paths };
  throw new InvalidInputError(
    `the prompt is ${describe(given ? text : input)}.`,
    'Pass a string, or an object such as { text: "Hello" }.',
  );
}

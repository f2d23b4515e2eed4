// A session of an agent as a conversation: its prompts, its state, its modes, models and options.
import { checkCallOptions, checks, describe, isObject } from "../core/checks.ts";
import { type AgentwireError, InvalidInputError, isAgentwireError, RequestError } from "../core/errors.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import { isSameFolder } from "../process/folder.ts";
import type { AcpCore } from "./acp-core.ts";
import { AgentRefusal, refusalWords } from "./errors.ts";
import type { AcpPromptInput } from "./input.ts";
import { AcpSessionRef, type Links, type OpenSession } from "./links.ts";
import { setMode, setModel, setOption } from "./modes.ts";
import type { AcpSessionState } from "./session.ts";
import type { AcpEvent, AcpResult } from "./turn.ts";
import type { AcpTurns } from "./turns.ts";

/** The session to continue. Agents keep sessions per folder: a state of another `cwd` is refused. */
export interface AcpConversationState extends ConversationState {
  readonly protocol: "acp";
  readonly version: 1;
  readonly cwd: string;
  /** Absent until the first prompt. */
  readonly sessionId?: string;
}

/** A session of an agent. The first prompt opens it; a later process of the agent continues it. */
export interface AcpConversation
  extends Conversation<AcpEvent, AcpResult, object, AcpPromptInput, AcpConversationState> {
  /** What is known of the session: modes, models, options, commands, title, context. Undefined while it is not open. */
  readonly session: AcpSessionState | undefined;
  /** Calls `listener` when the modes, models or commands of `session` have changed. */
  onSession(listener: () => void): Unsubscribe;
  /** Opens the session without a prompt, for a settings page. @throws AgentwireError */
  open(): Promise<AcpSessionState>;
  /** Has the agent repeat the session's messages. They become `messages`, if there are none. @throws AgentwireError */
  load(): Promise<readonly ConversationMessage[]>;
  /** Sets the mode, for the life of this conversation. @throws InvalidInputError for an unknown one; RequestError */
  setMode(id: string): Promise<void>;
  /** Sets the model. Some agents write it into the user's configuration. @throws InvalidInputError; RequestError */
  setModel(id: string): Promise<void>;
  /** Sets an option of `session.options`. As `setModel`. @throws InvalidInputError; RequestError */
  setOption(id: string, value: string | boolean): Promise<void>;
}

interface ConversationSetup {
  readonly core: AcpCore;
  readonly links: Links;
  readonly turns: AcpTurns;
}

/** @throws InvalidInputError if `from` is not the state of an ACP conversation in this folder */
export function openConversation(
  setup: ConversationSetup,
  options: { readonly from?: AcpConversationState | ConversationState },
): AcpConversation {
  checkCallOptions(options, { from: checks.object });
  const { core, links } = setup;
  const id = options.from === undefined ? undefined : sessionIdOf(options.from, core);
  return new AcpSessionConversation(setup, id === undefined ? new AcpSessionRef() : links.refOf(id));
}

class AcpSessionConversation
  extends LiveConversation<AcpEvent, AcpResult, object, AcpPromptInput, AcpConversationState>
  implements AcpConversation
{
  readonly #setup: ConversationSetup;
  readonly #ref: AcpSessionRef;
  readonly #memory: { messages: readonly ConversationMessage[] }; // the list is replaced: callers may hold the old one

  constructor(setup: ConversationSetup, ref: AcpSessionRef) {
    const { core, turns } = setup;
    const memory: { messages: readonly ConversationMessage[] } = { messages: [] };
    super(
      {
        get messages() {
          return memory.messages;
        },
        get state(): AcpConversationState {
          const { id: sessionId } = ref;
          const { cwd } = core.settings;
          return { protocol: "acp", version: 1, cwd, ...(sessionId === undefined ? {} : { sessionId }) };
        },
        create: (input, options) => {
          const job = turns.create(input, options, ref);
          return {
            turn: job.turn,
            start: () => turns.start(job),
            completed: ({ text }) => {
              memory.messages = [
                ...memory.messages,
                { role: "user", content: job.prompt.text },
                { role: "assistant", content: text },
              ];
            },
          };
        },
      },
      core,
    );
    this.#setup = setup;
    this.#ref = ref;
    this.#memory = memory;
  }

  get session(): AcpSessionState | undefined {
    return this.#setup.links.stateOf(this.#ref.id);
  }

  onSession(listener: () => void): Unsubscribe {
    return this.#setup.core.on("session", ({ sessionId }, part) => {
      if (sessionId === this.#ref.id && (part === "modes" || part === "models" || part === "commands"))
        listener();
    });
  }

  async open(): Promise<AcpSessionState> {
    this.#setup.core.assertOpen();
    const { session } = await this.#setup.links.open(this.#ref);
    return session.state;
  }

  async load(): Promise<readonly ConversationMessage[]> {
    const { core, links } = this.#setup;
    const { lock } = this.#ref;
    core.assertOpen();
    if (lock.isHeld)
      throw new InvalidInputError(
        "a turn or a load of the conversation is running.",
        "Load the session before its first prompt.",
      );
    await lock.take(); // prompts wait: what the agent says now is no answer
    try {
      const messages = await links.load(this.#ref);
      if (this.#memory.messages.length === 0) this.#memory.messages = messages;
      return messages;
    } catch (error) {
      throw asRequestError(error, core.clean);
    } finally {
      lock.release();
    }
  }

  async setMode(id: string): Promise<void> {
    checkText(id, "mode");
    await this.#set(async ({ link, session }) => {
      const { modes } = session.state;
      if (!modes?.available.some((mode) => mode.id === id))
        throw new InvalidInputError(`the agent has no mode \`${id}\`.`, "Pass the id of one in `modes`.");
      await setMode(this.#setup.core, link, session, id);
      this.#ref.mode = id;
    });
  }

  async setModel(id: string): Promise<void> {
    checkText(id, "model");
    await this.#set(({ link, session }) => setModel(this.#setup.core, link, session, id));
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    checkText(id, "option");
    if (typeof value !== "string" && typeof value !== "boolean")
      throw new InvalidInputError(`the value is ${describe(value)}.`, "Pass a string or a boolean.");
    await this.#set(({ link, session }) => setOption(this.#setup.core, link, session, id, value));
  }

  async #set(set: (open: OpenSession) => Promise<void>): Promise<void> {
    const { core, links } = this.#setup;
    core.assertOpen();
    try {
      await set(await links.open(this.#ref));
    } catch (error) {
      throw asRequestError(error, core.clean);
    }
  }
}

/** An agent's refusal as the error of a request. */
export function asRequestError(error: unknown, clean: (text: string) => string): AgentwireError | Error {
  if (isAgentwireError(error)) return error;
  const words = clean(error instanceof AgentRefusal ? refusalWords(error) : "it failed");
  return new RequestError(`the agent refused the request: ${words}`, { serverMessage: words });
}

function checkText(id: unknown, what: string): void {
  if (!checks.text.holds(id))
    throw new InvalidInputError(`the ${what} is ${describe(id)}.`, `Pass the id of a ${what}.`);
}

function sessionIdOf(from: unknown, { settings: { cwd } }: AcpCore): string | undefined {
  if (isObject(from)) {
    const { protocol, version, sessionId, cwd: folder } = from;
    const fits = sessionId === undefined || (typeof sessionId === "string" && sessionId !== "");
    if (protocol === "acp" && version === 1 && fits && typeof folder === "string") {
      if (isSameFolder(folder, cwd)) return typeof sessionId === "string" ? sessionId : undefined;
      throw new InvalidInputError(
        "`from` is a session of another folder than `cwd`.",
        "Pass the folder of the session as `cwd`: agents keep sessions per folder.",
      );
    }
  }
  throw new InvalidInputError(
    `\`from\` is ${describe(from)}, not the state of an ACP conversation.`,
    "Pass the `state` of a conversation.",
  );
}

import {
  AcpClient,
  type AcpConversation,
  type AcpEvent,
  type AcpResult,
  type Turn,
  toUniversal,
} from "agentwire/acp";
import type { UniversalEvent, UniversalOptions } from "agentwire/universal";
import type { Message } from "./agent.ts";

/** One line of a capture. */
export interface Line {
  readonly t: number;
  readonly dir: "in" | "out" | "stray" | "stderr" | "exit" | "meta";
  // biome-ignore lint/suspicious/noExplicitAny: whatever was on the wire
  readonly msg: any;
}

export interface ReplayedTurn {
  readonly turn: Turn<AcpEvent, AcpResult>;
  readonly sessionId: string;
  /** The text that the capture shows for the turn. */
  expected: string;
  /** The answer of the agent. Undefined: none is in the capture. */
  answer: Message | undefined;
  wasCancelled: boolean;
}

export interface Replay {
  readonly turns: readonly ReplayedTurn[];
  readonly events: readonly UniversalEvent[];
  readonly warnings: readonly string[];
  readonly unhandled: readonly unknown[];
  /** Calls that the agent asked about, and how the capture's client answered each. */
  readonly skipped: readonly string[];
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many macrotasks the player waits for a message of the client, before it goes on without. */
const PATIENCE = 60;

export function readCapture(text: string): readonly Line[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** Plays a capture of a real agent to a client, and has the client do what the capture's client did. */
export async function replay(lines: readonly Line[], universal: UniversalOptions = {}): Promise<Replay> {
  const player = new Player(lines, universal);
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", onUnhandled);
  try {
    await player.run();
  } finally {
    process.off("unhandledRejection", onUnhandled);
  }
  return { ...player.result(), unhandled };
}

class Player {
  readonly #lines: readonly Line[];
  readonly #client: AcpClient;
  readonly #turns: ReplayedTurn[] = [];
  readonly #events: UniversalEvent[] = [];
  readonly #warnings: string[] = [];
  readonly #skipped: string[] = [];
  readonly #conversations = new Map<string, AcpConversation>();
  /** What the client has written and the capture has not reached. */
  #heard: Message[] = [];
  /** The ids of the client's requests, by those in the capture. */
  readonly #ids = new Map<unknown, unknown>();
  /** The turns by the ids of their prompts in the capture. */
  readonly #byPrompt = new Map<unknown, ReplayedTurn>();
  readonly #running = new Map<string, ReplayedTurn>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #fresh: AcpConversation | undefined;

  constructor(lines: readonly Line[], universal: UniversalOptions) {
    this.#lines = lines;
    this.#client = new AcpClient({
      createStream: () => this.#stream(),
      mode: false,
      always: "agent",
      onToolApproval: "manual",
      onQuestion: "manual",
      cancelTimeout: 2_000,
    });
    this.#client.on("protocolWarning", ({ kind }) => this.#warnings.push(kind));
    toUniversal(this.#client, universal).on("event", (event) => this.#events.push(event));
  }

  result(): Omit<Replay, "unhandled"> {
    return {
      turns: this.#turns,
      events: this.#events,
      warnings: this.#warnings,
      skipped: this.#skipped,
    };
  }

  #stream() {
    this.#heard = [];
    return {
      readable: new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#controller = controller;
        },
      }),
      writable: new WritableStream<Uint8Array>({
        write: (bytes) => {
          for (const line of new TextDecoder().decode(bytes).trim().split("\n"))
            this.#heard.push(JSON.parse(line) as Message);
        },
        close: () => this.#end(),
      }),
    };
  }

  #end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  #send(line: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(`${line}\n`));
  }

  async run(): Promise<void> {
    for (const [at, line] of this.#lines.entries()) {
      if (line.dir === "out") await this.#out(line.msg as Message, at);
      else if (line.dir === "in") await this.#in(line.msg as Message);
      else if (line.dir === "stray") this.#send(String(line.msg));
      else if (line.dir === "exit") {
        this.#end();
        await tick();
        await tick();
      }
    }
    for (let wait = 0; wait < 5; wait++) await tick();
    await this.#client.close();
    await Promise.all(this.#turns.map(({ turn }) => turn.outcome));
  }

  /** The capture's client does something: has this client do the same. */
  async #out(message: Message, at: number): Promise<void> {
    const { id, method, params } = message;
    const conversation =
      params?.sessionId === undefined ? undefined : this.#conversations.get(params.sessionId);
    switch (method) {
      case undefined:
        await this.#decide(message);
        return;
      case "initialize":
        void this.#client.connect().catch(() => {});
        break;
      case "session/new": {
        const made = this.#client.conversation();
        this.#fresh = made;
        void made.open().catch(() => {});
        break;
      }
      case "session/load": {
        const from = { protocol: "acp", version: 1, cwd: process.cwd(), sessionId: params.sessionId };
        const made = this.#client.conversation({ from });
        this.#conversations.set(params.sessionId, made);
        void made.load().catch(() => {});
        break;
      }
      case "session/set_mode":
        void conversation?.setMode(params.modeId).catch(() => {});
        break;
      case "session/set_model":
        void conversation?.setModel(params.modelId).catch(() => {});
        break;
      case "session/set_config_option":
        void conversation?.setOption(params.configId, params.value).catch(() => {});
        break;
      case "session/list":
        void this.#client.sessions().catch(() => {});
        break;
      case "session/prompt":
        if (conversation) this.#prompt(conversation, message);
        break;
      case "session/cancel": {
        const running = this.#running.get(params.sessionId);
        if (running) {
          running.wasCancelled = true;
          void running.turn.cancel();
        }
        break;
      }
      default:
        this.#skipped.push(`${at} ${method}`);
        return;
    }
    await this.#gate(message, (heard) => heard.method === method, id);
  }

  #prompt(conversation: AcpConversation, { id, params }: Message): void {
    const blocks = params.prompt as readonly { readonly type: string; readonly text?: string }[];
    const isBlank = blocks.every((block) => block.type === "text" && (block.text ?? "").trim() === "");
    // This client refuses what the agent does not take, and has one prompt on the wire for each session.
    const isRefused = blocks.some(({ type }) => type === "audio" && !this.#client.agent?.prompts.audio);
    if (isBlank || isRefused || this.#running.has(params.sessionId)) return;
    const turn = conversation.prompt({ blocks: params.prompt }) as Turn<AcpEvent, AcpResult>;
    const replayed: ReplayedTurn = {
      turn,
      sessionId: params.sessionId,
      expected: "",
      answer: undefined,
      wasCancelled: false,
    };
    this.#turns.push(replayed);
    this.#byPrompt.set(id, replayed);
    this.#running.set(params.sessionId, replayed);
  }

  /** The capture's client has answered a request of the agent. */
  async #decide({ id, result, error }: Message): Promise<void> {
    const asked = this.#asked.get(id);
    if (asked?.method === "session/request_permission") {
      const [waiting] = this.#client.pending;
      const { optionId } = result?.outcome ?? {};
      const kind = asked.params.options.find(
        (option: { optionId: string }) => option.optionId === optionId,
      )?.kind;
      if (waiting?.type === "approval" && kind !== undefined)
        this.#client.decide(
          waiting.id,
          kind === "allow_once" ? "once" : kind === "allow_always" ? "always" : "reject",
        );
      else if (waiting?.type === "approval" && !this.#wasCancelled(asked))
        this.#client.decide(waiting.id, "reject");
    } else if (asked?.method === "elicitation/create") {
      const [waiting] = this.#client.pending;
      const value = Object.values(result?.content ?? {})[0];
      if (waiting?.type === "question")
        this.#client.answer(waiting.id, value === undefined ? null : String(value));
    }
    void error;
    await this.#gate(
      { jsonrpc: "2.0", id: id ?? 0 },
      (heard) => heard.method === undefined && heard.id === id,
      undefined,
    );
  }

  readonly #asked = new Map<unknown, Message>();

  #wasCancelled({ params }: Message): boolean {
    return this.#running.get(params?.sessionId)?.wasCancelled ?? false;
  }

  /** Waits for a message of the client. */
  async #gate(message: Message, fits: (heard: Message) => boolean, id: unknown): Promise<void> {
    for (let wait = 0; wait < PATIENCE; wait++) {
      const at = this.#heard.findIndex(fits);
      const heard = this.#heard[at];
      if (heard) {
        this.#heard.splice(at, 1);
        if (id !== undefined) this.#ids.set(id, heard.id);
        return;
      }
      await tick();
    }
    this.#skipped.push(message.method ?? `answer ${String(message.id)}`);
    if (id !== undefined) this.#ids.delete(id);
  }

  async #in(message: Message): Promise<void> {
    const { id, method, params } = message;
    if (method === undefined) {
      const known = this.#ids.get(id);
      if (known === undefined) return; // the client has not asked
      this.#ids.delete(id);
      const turn = this.#byPrompt.get(id);
      if (turn) {
        turn.answer = message;
        this.#byPrompt.delete(id);
        if (this.#running.get(turn.sessionId) === turn) this.#running.delete(turn.sessionId);
      }
      this.#send(JSON.stringify({ ...message, id: known }));
      await tick();
      await tick();
      const sessionId = message.result?.sessionId;
      if (typeof sessionId === "string" && this.#fresh) {
        this.#conversations.set(sessionId, this.#fresh);
        this.#fresh = undefined;
      }
      return;
    }
    if (id !== undefined) this.#asked.set(id, message);
    const { update } = params ?? {};
    const running = this.#running.get(params?.sessionId);
    if (method === "session/update" && update.sessionUpdate === "agent_message_chunk" && running)
      running.expected += update.content.text ?? "";
    this.#send(JSON.stringify(message));
    await tick();
  }
}

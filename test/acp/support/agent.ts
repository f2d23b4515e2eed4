import { AcpClient, type AcpOptions } from "agentwire/acp";

/** A message of JSON-RPC, as the client has written it. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: number | string;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows to be there
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly error?: any;
}

/** What an agent does with one prompt. Returns the answer; `undefined` never answers. */
export type Script = (turn: AgentTurn) => unknown;

export interface AgentTurn {
  readonly agent: ScriptedAgent;
  readonly sessionId: string;
  readonly text: string;
  readonly prompt: readonly { readonly type: string; readonly text?: string }[];
  update(update: object): void;
  say(text: string): void;
  /** Asks for permission of a call. Resolves with the outcome. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  permission(toolCall: object, options?: readonly object[]): Promise<any>;
  /** Resolves when the client cancels this session. */
  readonly cancelled: Promise<void>;
}

export const OPTIONS = [
  { optionId: "x1", name: "Always", kind: "allow_always" },
  { optionId: "x2", name: "Yes", kind: "allow_once" },
  { optionId: "x3", name: "No", kind: "reject_once" },
];

export const END = { stopReason: "end_turn" };

const saysOk: Script = ({ say }) => {
  say("ok");
  return END;
};

export interface AgentSetup {
  readonly script?: Script;
  readonly agentInfo?: object;
  readonly capabilities?: object;
  readonly authMethods?: readonly object[];
  readonly protocolVersion?: unknown;
  /** The answer to `session/new`, besides the id. */
  readonly session?: object;
  /** Replaces the answer to a method. An Error with a `code` refuses; `undefined` never answers. */
  readonly answers?: Readonly<Record<string, (message: Message, agent: ScriptedAgent) => unknown>>;
}

/** A tiny agent in this process, written from the protocol alone: lines of JSON-RPC over a pair of streams. */
export class ScriptedAgent {
  readonly heard: Message[] = [];
  /** What the client has written that is no message, or an answer to nothing. */
  readonly odd: string[] = [];
  readonly #setup: AgentSetup;
  readonly #waiting = new Map<number | string, (message: Message) => void>();
  readonly #cancels = new Map<string, () => void>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #requests = 0;
  #sessions = 0;
  starts = 0;
  isClosed = false;

  constructor(setup: AgentSetup = {}) {
    this.#setup = setup;
  }

  readonly createStream = () => {
    this.starts++;
    this.isClosed = false;
    let rest = "";
    const decoder = new TextDecoder();
    return {
      readable: new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.isClosed = true;
        },
      }),
      writable: new WritableStream<Uint8Array>({
        write: (bytes) => {
          const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) this.#hear(line);
        },
        close: () => this.end(),
      }),
    };
  };

  /** The stream ends, as when the program exits. */
  end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#controller?.close();
  }

  raw(text: string | Uint8Array): void {
    if (!this.isClosed)
      this.#controller?.enqueue(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }

  send(message: object): void {
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  update(sessionId: string, update: object): void {
    this.send({ method: "session/update", params: { sessionId, update } });
  }

  ask(method: string, params: object): Promise<Message> {
    const id = this.#requests++;
    this.send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** Resolves when the client has handled all that was sent before: it answers in order. */
  async handled(): Promise<void> {
    await this.ask("test/unknown", {});
  }

  methods(): readonly string[] {
    return this.heard.flatMap(({ method }) => (method === undefined ? [] : [method]));
  }

  #hear(line: string): void {
    const message = JSON.parse(line) as Message;
    this.heard.push(message);
    const { id, method, params } = message;
    if (method === undefined) {
      const resolve = id === undefined || id === null ? undefined : this.#waiting.get(id);
      if (resolve) resolve(message);
      else this.odd.push(line);
      return;
    }
    if (method === "session/cancel") this.#cancels.get(params.sessionId)?.();
    if (id === undefined) return;
    void this.#answer(message, id);
  }

  async #answer(message: Message, id: number | string): Promise<void> {
    const own = this.#setup.answers?.[message.method ?? ""];
    try {
      const result = await (own ? own(message, this) : this.#usual(message));
      if (result !== undefined) this.send({ id, result });
    } catch (error) {
      const {
        code = -32603,
        message: words,
        data,
      } = error as { code?: number; message: string; data?: unknown };
      this.send({ id, error: { code, message: words, ...(data === undefined ? {} : { data }) } });
    }
  }

  #usual({ method, params }: Message): unknown {
    const { protocolVersion = 1, agentInfo = { name: "scripted", version: "1" } } = this.#setup;
    const { capabilities = {}, authMethods = [], session = {}, script } = this.#setup;
    switch (method) {
      case "initialize":
        return { protocolVersion, agentInfo, agentCapabilities: capabilities, authMethods };
      case "session/new":
        return { sessionId: `s${++this.#sessions}`, ...session };
      case "session/load":
      case "session/resume":
        return session;
      case "session/prompt":
        return (script ?? saysOk)(this.#turn(params.sessionId, params.prompt));
      case "session/set_mode":
      case "session/set_model":
      case "session/close":
      case "authenticate":
        return {};
      default:
        throw Object.assign(new Error("Method not found"), { code: -32601 });
    }
  }

  #turn(sessionId: string, prompt: AgentTurn["prompt"]): AgentTurn {
    const cancelled = new Promise<void>((resolve) => this.#cancels.set(sessionId, resolve));
    const update = (each: object): void => this.update(sessionId, each);
    return {
      agent: this,
      sessionId,
      prompt,
      text: prompt.map(({ text = "" }) => text).join(""),
      update,
      say: (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
      permission: async (toolCall, options = OPTIONS) =>
        (await this.ask("session/request_permission", { sessionId, toolCall, options })).result?.outcome,
      cancelled,
    };
  }
}

/** A client of a scripted agent. */
export function world(setup: AgentSetup | Script = {}, options: Partial<AcpOptions> = {}) {
  const agent = new ScriptedAgent(typeof setup === "function" ? { script: setup } : setup);
  const client = new AcpClient({ createStream: agent.createStream, mode: false, ...options });
  const warnings: string[] = [];
  client.on("protocolWarning", ({ kind }) => warnings.push(kind));
  return { agent, client, warnings, [Symbol.asyncDispose]: () => client.close() };
}

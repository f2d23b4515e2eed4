import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import type { MockAcpAgent } from "agentwire/testing";

/** A message of the agent, as parsed. */
export interface Said {
  readonly id?: number | string | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any path of any message
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any path of any message
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const ALL_CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
};

/** A client without manners or opinions: writes what it is told, and hands out what comes, in order. */
export class RawAcp {
  /** Every line as it came, without its newline. */
  readonly lines: string[] = [];
  /** The bytes of each read. */
  readonly reads: Uint8Array[] = [];
  readonly child: ChildProcess | undefined;
  sessionId = "";
  stderr = "";
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #said: Said[] = [];
  readonly #closed: Promise<unknown> | undefined;
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #ids = 0;
  /** Whether stdout has ended. */
  ended = false;

  private constructor(
    readable: ReadableStream<Uint8Array>,
    writable: WritableStream<Uint8Array>,
    child: ChildProcess | undefined,
  ) {
    this.child = child;
    this.#closed = child && once(child, "close");
    this.#writer = writable.getWriter();
    void this.#read(readable);
  }

  static to(agent: MockAcpAgent): RawAcp {
    const { readable, writable } = agent.connect();
    return new RawAcp(readable, writable, undefined);
  }

  /** A link that has initialized, and opened a session. */
  static async inSession(agent: MockAcpAgent, capabilities: object = {}): Promise<RawAcp> {
    const client = RawAcp.to(agent);
    await client.initialize(capabilities);
    await client.newSession();
    return client;
  }

  /** The agent as a process, in a group of its own. */
  static async start(agent: MockAcpAgent, env: Readonly<Record<string, string>> = {}): Promise<RawAcp> {
    return RawAcp.spawn({ ...(await agent.program()), more: env });
  }

  static spawn(program: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly more?: Readonly<Record<string, string>>;
  }): RawAcp {
    const { command, args, env, more = {} } = program;
    const child = spawn(command, [...args], {
      env: { ...env, ...more },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    child.stdin.on("error", () => {});
    const client = new RawAcp(
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      child,
    );
    child.stderr.on("data", (bytes: Uint8Array) => {
      client.stderr += new TextDecoder().decode(bytes);
    });
    return client;
  }

  /** Every message so far. */
  get said(): readonly Said[] {
    return this.#said;
  }

  initialize(clientCapabilities: object = {}): Promise<Said> {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  async newSession(cwd = "/project"): Promise<Said> {
    const response = await this.request("session/new", { cwd, mcpServers: [] });
    this.sessionId = response.result?.sessionId ?? "";
    return response;
  }

  /** Prompts, and resolves with the response. */
  prompt(text: string, sessionId = this.sessionId): Promise<Said> {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Prompts, and answers the agent's requests by `serve` until the response. */
  async promptServing(text: string, serve: (request: Said) => void): Promise<Said> {
    const start = this.#said.length;
    const response = this.prompt(text);
    for (let place = start; ; place++) {
      const message = await this.waitFor(() => this.#said[place]);
      if (message.method === undefined) return response;
      if (message.id !== undefined) serve(message);
    }
  }

  cancel(sessionId = this.sessionId): void {
    this.notify("session/cancel", { sessionId });
  }

  /** Sends a request, and resolves with its response. */
  async request(method: string, params: object, id: number | string = this.#ids++): Promise<Said> {
    const start = this.#said.length;
    this.write({ jsonrpc: "2.0", id, method, params });
    return this.waitFor(() => this.#said.slice(start).find((each) => each.id === id && !each.method));
  }

  notify(method: string, params: object): void {
    this.write({ jsonrpc: "2.0", method, params });
  }

  answer({ id }: Said, result: unknown): void {
    this.write({ jsonrpc: "2.0", id, result });
  }

  refuse({ id }: Said, code: number, message: string): void {
    this.write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** Selects the option of this kind. */
  decide(permission: Said, kind: string): void {
    const option = permission.params.options.find((each: { kind: string }) => each.kind === kind);
    this.answer(permission, { outcome: { outcome: "selected", optionId: option.optionId } });
  }

  /** An object as a line; a string or bytes as they are. */
  write(message: object | string | Uint8Array): void {
    const bytes =
      message instanceof Uint8Array
        ? message
        : new TextEncoder().encode(typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
    this.#writer.write(bytes).catch(() => {});
  }

  endInput(): void {
    this.#writer.close().catch(() => {});
  }

  /** The next message that nobody has taken yet. */
  async next(): Promise<Said> {
    const place = this.#taken++;
    return this.waitFor(() => this.#said[place]);
  }

  /** The next request of this method, past or future. Skips all before it. */
  async nextRequest(method: string): Promise<Said> {
    for (;;) {
      const message = await this.next();
      if (message.method === method && message.id !== undefined) return message;
    }
  }

  /** Resolves with the first value of `probe` that is not undefined or false. */
  waitFor<T>(probe: () => T | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const value = probe();
        if (value === undefined || value === false) return;
        this.#waiting.delete(look);
        resolve(value);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** The exit of the process, once its output has ended. */
  async exit(): Promise<readonly [code: number | null, signal: string | null]> {
    const { child } = this;
    if (!child) throw new Error("there is no process");
    await this.#closed;
    return [child.exitCode, child.signalCode];
  }

  /** What every update was, see {@link kindOf}. */
  get updates(): readonly string[] {
    return this.#said.flatMap((message) => (message.method === "session/update" ? [kindOf(message)] : []));
  }

  #line(line: string): void {
    this.lines.push(line);
    const message = parsed(line);
    if (message) this.#said.push(message);
  }

  async #read(readable: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let rest: string[] = [];
    for await (const bytes of readable) {
      this.reads.push(bytes);
      const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
      rest.push(first);
      for (const other of others) {
        this.#line(rest.join(""));
        rest = [other];
      }
      for (const look of [...this.#waiting]) look();
    }
    this.ended = true;
    for (const look of [...this.#waiting]) look();
  }
}

function parsed(line: string): Said | undefined {
  try {
    return JSON.parse(line.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/**
 * What a message is, in a few words: the text of a chunk, `call ID status`, `update ID status`, the name of another
 * update, `ask ID`, the method, or the stop reason or code of a response.
 */
export function kindOf({ method, params, result, error }: Said): string {
  const update = params?.update;
  switch (update?.sessionUpdate ?? method) {
    case undefined:
      return error ? `error ${error.code}` : String(result?.stopReason ?? "result");
    case "agent_message_chunk":
      return JSON.stringify(update.content.text ?? update.content.type);
    case "agent_thought_chunk":
      return `thought ${JSON.stringify(update.content.text)}`;
    case "user_message_chunk":
      return `user ${JSON.stringify(update.content.text)}`;
    case "tool_call":
      return `call ${update.toolCallId} ${update.status}`;
    case "tool_call_update":
      return `update ${update.toolCallId} ${update.status ?? "-"}`;
    case "session/request_permission":
      return `ask ${params.toolCall.toolCallId}`;
    default:
      return update?.sessionUpdate ?? method;
  }
}

export const kinds = (messages: readonly Said[]): readonly string[] => messages.map(kindOf);

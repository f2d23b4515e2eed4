import type { ClientCore } from "../core/client-core.ts";
import { said } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import type { CodebuffClientEvents } from "./events.ts";
import {
  type McpToolDataRequest,
  type ReadFilesRequest,
  requestIdOf,
  type ServerRequest,
  type ToolCallRequest,
} from "./extensions.ts";
import { checkFrame } from "./frame-limit.ts";
import {
  type CodebuffToolCall,
  type CodebuffToolHandler,
  type FilesRead,
  type HandlerContext,
  readFiles,
  readMcpTools,
  readOutput,
  textOf,
} from "./handlers.ts";
import { encode, type Invalid } from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";
import { toJson } from "./prompt.ts";
import type { Named, Prompts } from "./prompts.ts";
import type { Notice, Session } from "./session.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";
import type { Wire } from "./wire.ts";

/** ms that a tool gets when neither the request nor its input says. */
const TOOL_TIMEOUT = 30_000;

/** ms that a tool gets on top to report its own time-out: the server gives up 5 s after the limit. */
const TOOL_GRACE = 4_000;

/** ms for files. The server waits without end, and so would the turn. */
const FILES_TIMEOUT = 30_000;

/** ms for the tools of an MCP server, which may have to be installed first. The server gives up after 50 s. */
const MCP_TIMEOUT = 45_000;

/** Requests that are carried out at once; what is above is refused. Far more than agents are known to ask, and few enough for any machine. */
const MAX_AT_ONCE = 100;

/** Characters of an id, and of an error that a server is told: real ones are a fraction of that. */
const MAX_ID = 1_000;
const MAX_ERROR = 8_192;

/** How many tool calls are remembered, so that one that comes twice is not carried out twice; and how many warnings. */
const REMEMBERED = 256;

export interface RequestsSetup {
  readonly settings: CodebuffSettings;
  readonly wire: Wire;
  readonly prompts: Prompts;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
}

/** One request that a handler works on. */
interface Task {
  /** The prompt it was made for, without a sub-agent's suffix. */
  readonly promptId: string | undefined;
  /** Whether it will end by itself. */
  readonly limited: boolean;
  /** Nobody waits any more: ends it, and answers with the reason. */
  abandon(why: string): void;
}

/** How one request is carried out and answered. */
interface Job<T> {
  readonly session: Session;
  readonly key: string;
  /** Whose handler it is, in words. */
  readonly handler: string;
  readonly promptId: string | undefined;
  readonly notice: Notice;
  /** ms; 0 for none. */
  readonly timeout: number;
  readonly run: (context: HandlerContext) => T | Promise<T>;
  /** The answer, from what the handler gave; throws when that is not what it should be. */
  readonly read: (value: T) => object;
  /** The answer for a request that came to nothing. */
  readonly failed: (why: string) => object;
}

/**
 * What the server asks of this machine: tools, files, MCP tools. Each request is answered exactly once, on the
 * session that it came from, whatever becomes of its handler: an agent on the server waits for it.
 */
export class Requests {
  readonly #setup: RequestsSetup;
  /** By what tells a request that came twice from two requests. */
  readonly #tasks = new Map<string, Task>();
  /** The tool calls of the current session: a server that was started anew may count from the beginning. */
  #called = new Recent<string, true>(REMEMBERED);
  readonly #missing = new Recent<string, true>(REMEMBERED);

  constructor(setup: RequestsSetup) {
    this.#setup = setup;
  }

  /** Whether something is being done that will end. What may go on for ever, behind a prompt that is over, holds nobody up. */
  get working(): boolean {
    return [...this.#tasks.values()].some(({ limited }) => limited);
  }

  receive(request: ServerRequest): void {
    const { wire, core } = this.#setup;
    const session = wire.live;
    const id = requestIdOf({ ...request });
    if (!session || id === undefined || id.length > MAX_ID) {
      const why = session ? "it has no id that can be used" : "there is no session to answer on";
      core().warn("unanswerable-request", `a ${request.type} cannot be answered: ${why}`);
      return;
    }
    const key = keyOf(request, id);
    if (this.#tasks.has(key) || this.#called.get(key)) {
      core().warn("repeated-request", `a ${request.type} came twice; it is carried out once`);
      return;
    }
    switch (request.type) {
      case "tool-call-request":
        this.#called.set(key, true);
        this.#callTool(session, key, id, request);
        return;
      case "read-files":
      case "read-files-request":
        this.#readFiles(session, key, request);
        return;
      case "request-mcp-tool-data":
        this.#listMcpTools(session, key, request);
        return;
      default:
        request satisfies never;
    }
  }

  /** A request that does not read as one: whoever asked waits all the same. */
  refuse({ problem, request }: Invalid): void {
    const session = this.#setup.wire.live;
    if (!session || !request) return;
    const { type, requestId } = request;
    if (type === "tool-call-request")
      this.#refuse(session, "tool-call-response", toolError(requestId, problem));
    else if (type === "request-mcp-tool-data")
      this.#refuse(session, "mcp-tool-data", { requestId, tools: [] });
    else this.#refuse(session, "read-files-response", { requestId, files: {} });
  }

  /** What was asked for a prompt that came to nothing is not needed any more. */
  promptEnded(promptId: string, completed: boolean): void {
    if (completed) return; // agents may go on behind an answer
    for (const task of [...this.#tasks.values()]) {
      if (task.promptId === promptId) task.abandon("the prompt was cancelled or has failed");
    }
  }

  /** The session is gone: there is nobody to answer. */
  sessionEnded(): void {
    for (const task of [...this.#tasks.values()]) task.abandon("the connection has ended");
    this.#called = new Recent(REMEMBERED);
  }

  #callTool(session: Session, key: string, id: string, raw: ToolCallRequest): void {
    const { prompts } = this.#setup;
    const { toolName: name, userInputId, mcpConfig } = raw;
    const failed = (why: string): object => toolError(id, why);
    const handler = this.#handlerOf(raw);
    const named = userInputId == null ? undefined : prompts.named(userInputId);
    const why = handler
      ? named && REFUSED[named.standing]
      : `no handler is registered for the tool "${name}"`;
    if (!handler || why !== undefined) {
      this.#refuse(session, "tool-call-response", failed(why ?? ""));
      return;
    }
    const promptId = named?.promptId;
    const input = raw.input ?? raw.toolArgs ?? {};
    const call: CodebuffToolCall = {
      id,
      name,
      input,
      ...(promptId === undefined ? {} : { turnId: promptId }),
      ...(mcpConfig ? { mcpConfig } : {}),
      raw,
    };
    this.#start({
      session,
      key,
      handler: `the handler of the tool \`${name}\``,
      promptId,
      notice: "tool-call-response",
      timeout: toolTimeout(raw, input),
      run: (context) => handler(call, context),
      read: (output) => ({ requestId: id, output: readOutput(output) }),
      failed,
    });
  }

  /** A tool of an MCP server is not the one of this machine that goes by the same name. */
  #handlerOf({ toolName, mcpConfig }: ToolCallRequest): CodebuffToolHandler | undefined {
    const { tools = {}, onMcpToolCall } = this.#setup.settings.handlers;
    const own = Object.hasOwn(tools, toolName) ? tools[toolName] : tools["*"];
    const handler = mcpConfig ? onMcpToolCall : own;
    const option = mcpConfig ? "`onMcpToolCall`" : "`tools`";
    if (!handler) this.#warnMissing(`the tool \`${toolName.slice(0, MAX_ID)}\``, option);
    return handler;
  }

  #readFiles(session: Session, key: string, { requestId, filePaths }: ReadFilesRequest): void {
    const { onReadFiles } = this.#setup.settings.handlers;
    const answer = (files: FilesRead): object => ({
      requestId,
      // The server waits for every path it asked for, and for no other.
      files: Object.fromEntries(filePaths.map((path) => [path, textOf(files, path)])),
    });
    if (!onReadFiles) {
      this.#warnMissing("files", "`onReadFiles`");
      this.#refuse(session, "read-files-response", answer({}));
      return;
    }
    this.#start({
      session,
      key,
      handler: "`onReadFiles`",
      promptId: undefined,
      notice: "read-files-response",
      timeout: FILES_TIMEOUT,
      run: (context) => onReadFiles(filePaths, context),
      read: (files) => answer(readFiles(files)),
      failed: () => answer({}),
    });
  }

  #listMcpTools(session: Session, key: string, request: McpToolDataRequest): void {
    const { requestId } = request;
    const { onMcpTools } = this.#setup.settings.handlers;
    const failed = (): object => ({ requestId, tools: [] });
    if (!onMcpTools) {
      this.#warnMissing("the tools of an MCP server", "`onMcpTools`");
      this.#refuse(session, "mcp-tool-data", failed());
      return;
    }
    this.#start({
      session,
      key,
      handler: "`onMcpTools`",
      promptId: undefined,
      notice: "mcp-tool-data",
      timeout: MCP_TIMEOUT,
      run: (context) => onMcpTools(request, context),
      read: (tools) => ({ requestId, tools: readMcpTools(tools) }),
      failed,
    });
  }

  /**
   * Runs a handler and answers once: with what it gave, or with why there is nothing. Every request that is
   * carried out passes here, so this is where a gate belongs that asks first.
   */
  #start<T>(job: Job<T>): void {
    const { prompts, settings, wire, core } = this.#setup;
    const { session, key, handler, promptId, notice, timeout } = job;
    if (this.#tasks.size >= MAX_AT_ONCE) {
      const why = `this client carries out ${MAX_AT_ONCE} requests at once, and no more`;
      core().warn("handler-failed", `${handler} was not called: ${why}`);
      this.#refuse(session, notice, job.failed(why));
      return;
    }
    const controller = new AbortController();
    const release = prompts.hold(promptId);
    let settled = false;
    const settle = (answer: () => object): void => {
      if (settled) return;
      settled = true;
      cancelTimer();
      this.#tasks.delete(key);
      release();
      this.#send(session, notice, this.#jsonOf(job, answer), job.failed("the server refused the answer"));
      wire.retireIfIdle();
    };
    const abandon = (why: string): void => {
      settle(() => job.failed(why));
      controller.abort(new Error(why));
    };
    const expire = (): void => {
      const why = `${handler} did not answer within ${timeout} ms`;
      core().warn("handler-failed", why);
      abandon(why);
    };
    const cancelTimer =
      timeout === 0 ? () => {} : settings.socket.clock.setTimeout(expire, timeout, { unref: true });
    this.#tasks.set(key, { promptId, limited: timeout > 0, abandon });
    void outcomeOf(() => job.run({ signal: controller.signal }), job.read).then(settle);
  }

  /** An answer that can be sent; whatever is wrong with the handler's becomes its failure. */
  #jsonOf<T>({ session, handler, notice, failed }: Job<T>, answer: () => object): string {
    const { settings, core, wire } = this.#setup;
    try {
      const json = toJson({ type: notice, ...answer() }, "the answer");
      checkFrame(encode.action(wire.nextTxid, json), settings, session.server);
      return json;
    } catch (cause) {
      const message = messageOf(cause).slice(0, MAX_ERROR);
      core().warn("handler-failed", `${handler} failed: ${message}`, { cause });
      return JSON.stringify({ type: notice, ...failed(core().redactor.redact(message)) });
    }
  }

  #refuse(session: Session, type: Notice, fields: object): void {
    this.#send(session, type, JSON.stringify({ type, ...fields }));
    this.#setup.wire.retireIfIdle();
  }

  /** `otherwise` is sent when the original server does not take the answer: it would go on waiting. */
  #send(session: Session, kind: Notice, json: string, otherwise?: object): void {
    const { wire } = this.#setup;
    if (!wire.isCurrent(session)) return; // with its connection the server has forgotten the request
    const refused = (): void => {
      if (otherwise && session.server === "codebuff") this.#refuse(session, kind, otherwise);
    };
    wire.request(session, { kind, refused }, (txid) => encode.action(txid, json));
  }

  #warnMissing(what: string, option: string): void {
    if (this.#missing.get(what)) return;
    this.#missing.set(what, true);
    const message = `the server asked for ${what}, and nobody is registered for that: see the option ${option}`;
    this.#setup.core().warn("unhandled-request", message);
  }
}

/** What tells a request that came twice from two requests: no server is known to number them twice for one prompt. */
function keyOf(request: ServerRequest, id: string): string {
  if (request.type !== "tool-call-request") return JSON.stringify([request.type, id]);
  return JSON.stringify([request.type, id, request.userInputId ?? null, request.toolName]);
}

/** Why a tool is not run for a prompt that stands so. A completed one may have agents that go on. */
const REFUSED: { readonly [standing in Named["standing"]]?: string } = {
  other: "the prompt was cancelled or has failed",
  silent: "the prompt has failed",
  unknown: "this client has sent no such prompt",
  unsent: "this client has sent no such prompt",
};

function toolError(requestId: string, errorMessage: string): object {
  return { requestId, output: [{ type: "json", value: { errorMessage } }] };
}

/** ms until the answer is needed, 0 for no limit. */
function toolTimeout({ timeout }: ToolCallRequest, input: Readonly<Record<string, unknown>>): number {
  const asked = input["timeout_seconds"];
  const limit = timeout ?? (typeof asked === "number" ? asked * 1_000 : TOOL_TIMEOUT);
  return limit < 0 ? 0 : limit + TOOL_GRACE;
}

/** What to answer with, once that is known; a throw of the handler is found out when it is asked. */
async function outcomeOf<T>(run: () => T | Promise<T>, read: (value: T) => object): Promise<() => object> {
  try {
    const value = await run();
    return () => read(value);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The words of what was thrown; not every error's message is text. */
function messageOf(thrown: unknown): string {
  const message: unknown = thrown instanceof Error ? thrown.message : undefined;
  return typeof message === "string" ? message : said(thrown);
}

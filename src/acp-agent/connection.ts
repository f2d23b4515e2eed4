// `EditorConnection`: one client, and its sessions.
import type {
  AgentConnection,
  AgentContext,
  InitializeRequest,
  InitializeResponse,
  McpServer,
  SessionModeState,
  Stream,
} from "@agentclientprotocol/sdk";
import { bounded } from "./bounded.ts";
import type { AcpAgentClient, AcpAgentMcpServer, AcpAgentSession, AcpAgentSettings } from "./options.ts";
import type { AcpAgentSdk } from "./peer.ts";
import { promptFrom } from "./prompt.ts";
import { AcpRefusal, asRefusal, unknownSession } from "./refusal.ts";
import { ServedSession } from "./session.ts";
import { listSessions, newSessionId, openingEvent } from "./sessions.ts";
import type { ClientOffers } from "./statuses.ts";

/** A pair of streams of messages, such as `ndJsonStream` of `@agentclientprotocol/sdk` makes. */
export interface AcpAgentStream {
  readonly readable: ReadableStream<unknown>;
  readonly writable: WritableStream<unknown>;
}

/** A connected client. */
export interface AcpAgentConnection {
  /** Resolves once the connection has ended and its chats are closed. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends the connection, its turns and its chats. */
  close(): Promise<void>;
}

/** What the connections of an agent share. The value is the connection that has opened the session. */
export type SessionOwners = Map<string, EditorConnection>;

/** What a client says about a session that it opens. */
interface Opening {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
}

const NOTHING_OFFERED: ClientOffers = { notices: false, compaction: false, forms: false };

export class EditorConnection implements AcpAgentConnection {
  readonly closed: Promise<void>;
  /** Resolves at the end of the connection. Its chats may still close. */
  readonly ended: Promise<void>;
  readonly #sdk: AcpAgentSdk;
  readonly #settings: AcpAgentSettings;
  readonly #owners: SessionOwners;
  readonly #link: AgentConnection;
  readonly #sessions = new Map<string, ServedSession>();
  #offers = NOTHING_OFFERED;
  #client: AcpAgentClient = { capabilities: {} };

  constructor(sdk: AcpAgentSdk, settings: AcpAgentSettings, owners: SessionOwners, stream: AcpAgentStream) {
    this.#sdk = sdk;
    this.#settings = settings;
    this.#owners = owners;
    // A message passes the handlers one by one, and each takes a moment: what may follow a prompt at once comes behind it.
    const app = sdk
      .agent({ name: settings.name })
      .onRequest("session/prompt", ({ params: { sessionId, prompt }, signal }) =>
        this.#answer(async () => {
          const session = this.#find(sessionId);
          if (session.isPrompted) throw busy(sessionId, "Wait for its response, or cancel it.");
          return session.prompt(promptFrom(prompt, session.takesImages), signal);
        }),
      )
      .onRequest("initialize", ({ params }) => this.#initialize(params))
      .onRequest("session/new", ({ params, client, signal }) =>
        this.#answer(() => this.#create(params, client, signal)),
      )
      .onRequest("session/load", ({ params, client, signal }) =>
        this.#answer(async () => {
          const session = await this.#reopen(params.sessionId, params, client, signal);
          await session.replay();
          return modesOf(session);
        }),
      )
      .onRequest("session/resume", ({ params, client, signal }) =>
        this.#answer(async () => modesOf(await this.#reopen(params.sessionId, params, client, signal))),
      )
      .onRequest("session/set_mode", ({ params: { sessionId, modeId } }) =>
        this.#answer(async () => {
          await this.#find(sessionId).setMode(modeId);
          return {};
        }),
      )
      .onRequest("session/list", ({ params }) => this.#answer(() => listSessions(settings.store, params)))
      .onRequest("session/close", ({ params: { sessionId } }) =>
        this.#answer(async () => {
          await this.#end(this.#find(sessionId));
          return {};
        }),
      )
      .onNotification("session/cancel", ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
    // The SDK's type of a stream is narrower than what it takes: it checks every message.
    this.#link = app.connect(stream as Stream);
    this.ended = this.#link.closed;
    this.closed = this.ended.then(() => {
      stream.writable.close().catch(() => {}); // the SDK leaves it open; it may have failed, or still wait for its reader
      return this.#closeAll();
    });
  }

  close(): Promise<void> {
    this.#link.close();
    return this.closed;
  }

  #initialize({ clientInfo, clientCapabilities = {} }: InitializeRequest): InitializeResponse {
    const { session, elicitation } = clientCapabilities;
    this.#offers = {
      notices: Boolean(session?.notices),
      compaction: Boolean(session?.compaction),
      forms: Boolean(elicitation?.form),
    };
    const { name, title, version } = clientInfo ?? {};
    this.#client = {
      ...(name === undefined ? {} : { name }),
      ...(title ? { title } : {}),
      ...(version === undefined ? {} : { version }),
      capabilities: { ...clientCapabilities },
    };
    const { images: image, name: ownName, title: ownTitle, version: ownVersion } = this.#settings;
    return {
      protocolVersion: this.#sdk.PROTOCOL_VERSION,
      agentInfo: { name: ownName, title: ownTitle, version: ownVersion },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
    };
  }

  async #create(opening: Opening, client: AgentContext, signal: AbortSignal) {
    const { clock, store } = this.#settings;
    const id = newSessionId(clock);
    const session = await this.#open(id, opening, client, signal);
    // Stored last: a session that could not be opened is in no list.
    await this.#orEnd(session, () =>
      Promise.race([store.append(id, [openingEvent(opening.cwd, clock)]), abortOf(signal)]),
    );
    return { sessionId: id, ...modesOf(session) };
  }

  /** Opens a session of the store. One that this connection has open already stays as it is. */
  async #reopen(
    id: string,
    opening: Opening,
    client: AgentContext,
    signal: AbortSignal,
  ): Promise<ServedSession> {
    const known = this.#sessions.get(id);
    if (known?.isPrompted) throw busy(id, "Wait for its response, or cancel it.");
    if (known) return known;
    if (this.#owners.has(id))
      throw new AcpRefusal("invalid", "This session is open already.", { sessionId: id });
    const session = await this.#open(id, opening, client, signal, async () => {
      if (!(await this.#settings.store.list()).includes(id)) throw unknownSession(id);
    });
    await this.#orEnd(session, () => session.opened(signal));
    return session;
  }

  async #orEnd(session: ServedSession, open: () => Promise<void>): Promise<void> {
    try {
      await open();
    } catch (error) {
      await this.#end(session);
      throw error;
    }
  }

  async #open(
    id: string,
    opening: Opening,
    client: AgentContext,
    signal: AbortSignal,
    check: () => Promise<void> = () => Promise.resolve(),
  ): Promise<ServedSession> {
    const { maxSessions, sourceOf } = this.#settings;
    if (this.#owners.size >= maxSessions)
      throw new AcpRefusal(
        "failed",
        `There are ${maxSessions} open sessions, which is the limit. Close one.`,
      );
    const session = sessionFrom(id, opening, this.#client);
    this.#owners.set(id, this); // from now on, nobody else opens it
    try {
      await Promise.race([check(), abortOf(signal)]);
      const source = await Promise.race([sourceOf(session), abortOf(signal)]);
      if (signal.aborted) throw cancelled(); // closing has seen all sessions already
      const served = new ServedSession({
        id,
        source,
        settings: this.#settings,
        client,
        offers: this.#offers,
      });
      this.#sessions.set(id, served);
      return served;
    } catch (error) {
      this.#owners.delete(id);
      throw error;
    }
  }

  #find(id: string): ServedSession {
    const session = this.#sessions.get(id);
    if (!session) throw unknownSession(id);
    return session;
  }

  async #end(session: ServedSession): Promise<void> {
    this.#sessions.delete(session.id);
    await session.close();
    this.#owners.delete(session.id);
  }

  async #closeAll(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    for (const session of sessions) session.lost();
    await Promise.all(sessions.map((session) => this.#end(session)));
  }

  async #answer<T>(answer: () => Promise<T>): Promise<T> {
    try {
      return bounded(await answer());
    } catch (error) {
      const refusal = asRefusal(error);
      const { message, data } = bounded({ message: refusal.message, data: refusal.data });
      throw new this.#sdk.RequestError(refusal.code, message, data);
    }
  }
}

function modesOf({ modes }: ServedSession): { readonly modes?: SessionModeState } {
  return modes ? { modes } : {};
}

function busy(sessionId: string, hint: string): AcpRefusal {
  return new AcpRefusal("invalid", `A prompt runs in this session. ${hint}`, { sessionId });
}

const cancelled = (): AcpRefusal => new AcpRefusal("cancelled", "The request was cancelled.");

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(cancelled());
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** @throws AcpRefusal for a relative path, and for a server that no agent was said to reach */
function sessionFrom(
  id: string,
  { cwd, mcpServers = [], additionalDirectories = [] }: Opening,
  client: AcpAgentClient,
): AcpAgentSession {
  for (const path of [cwd, ...additionalDirectories])
    if (!/^(\/|\\\\|[a-z]:[\\/])/i.test(path))
      throw new AcpRefusal("invalid", "A folder of the session is not absolute. Pass an absolute path.");
  return {
    id,
    cwd,
    additionalDirectories: [...additionalDirectories],
    mcpServers: mcpServers.map(serverFrom),
    client,
  };
}

function serverFrom(server: McpServer): AcpAgentMcpServer {
  if (!("command" in server))
    throw new AcpRefusal(
      "invalid",
      `The MCP server ${server.name} is no program. This agent takes only programs.`,
    );
  const { name, command, args, env } = server;
  return {
    name,
    command,
    args: [...args],
    env: Object.fromEntries(env.map((each) => [each.name, each.value])),
  };
}

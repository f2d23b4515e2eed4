// The connections of a client: one agent at a time, its sessions, and what belongs to them.
import { fieldsOf } from "../core/checks.ts";
import { deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectionLostError,
  copyError,
  HandshakeError,
  isAgentwireError,
} from "../core/errors.ts";
import type { ConversationMessage } from "../core/turn/conversation.ts";
import type { AcpCore } from "./acp-core.ts";
import { type AcpLostError, AgentRefusal, refusalWords } from "./errors.ts";
import { AgentLink, type AgentLinkUser } from "./link.ts";
import { Lock } from "./lock.ts";
import { setMode, wantedMode } from "./modes.ts";
import { onWire } from "./options.ts";
import { AcpSession } from "./session.ts";

/** A session as this client knows it, open or not. One for each id. */
export class AcpSessionRef {
  id: string | undefined;
  /** One prompt at a time. */
  readonly lock = new Lock();
  /** The mode that the user has chosen. @default the client's option */
  mode: string | undefined;
  opening: Promise<AcpSession> | undefined;
  /** The agent repeats the session: nothing else happens in it meanwhile. */
  loading: Promise<unknown> | undefined;

  constructor(id?: string) {
    this.id = id;
  }
}

/** An open session and its agent. */
export interface OpenSession {
  readonly link: AgentLink;
  readonly session: AcpSession;
}

/** Answers an agent's requests. */
export interface Answering {
  /** @param open the session that the request names, if it is known */
  answer(
    method: string,
    params: unknown,
    open: OpenSession | undefined,
    signal: AbortSignal,
  ): Promise<unknown>;
  /** The link has ended. */
  over(link: AgentLink): void;
  /** Resolves when what links have left behind has ended. Undefined if there is nothing. */
  idle(): Promise<unknown> | undefined;
}

/** ms for the agent's commands to end after their agent. */
const COMMANDS_TIME = 3_000;

/** Updates of unknown sessions that are kept while a session is being opened. */
const MAX_HELD = 1_000;
/** Sessions with such updates. One is opened at a time in each conversation. */
const MAX_HELD_SESSIONS = 100;

export class Links implements AgentLinkUser {
  readonly #core: AcpCore;
  readonly #requests: Answering;
  readonly #refs = new Map<string, AcpSessionRef>();
  /** Told when a link ends. */
  readonly #works = new Set<(link: AgentLink, error: AgentwireError) => void>();
  #link: AgentLink | undefined;
  /** The last agent, for what the client can do. */
  #agent: AgentLink["agent"];
  #opening = 0;
  /** Updates of sessions whose `session/new` is not answered yet, by session. */
  readonly #held = new Map<string, unknown[]>();

  constructor(core: AcpCore, requests: Answering) {
    this.#core = core;
    this.#requests = requests;
  }

  /** What the last agent has said about itself. */
  get agent(): AgentLink["agent"] {
    return this.#link?.agent ?? this.#agent;
  }

  /** The only ref of a session's id. */
  refOf(id: string): AcpSessionRef {
    const known = this.#refs.get(id) ?? new AcpSessionRef(id);
    this.#refs.set(id, known);
    return known;
  }

  stateOf(id: string | undefined): AcpSession["state"] | undefined {
    return id === undefined ? undefined : this.#link?.sessions.get(id)?.state;
  }

  /** Calls `over` when a link ends, until the returned function is called. */
  watch(over: (link: AgentLink, error: AgentwireError) => void): () => void {
    this.#works.add(over);
    return () => void this.#works.delete(over);
  }

  /** An agent that is ready. Starts it if there is none. @throws AgentwireError */
  async connect(): Promise<AgentLink> {
    const core = this.#core;
    const link = core.outbox.run(() => {
      core.assertOpen();
      if (!this.#link?.isUsable) this.#link = this.#start();
      return this.#link;
    });
    try {
      await link.opened.promise;
    } catch (error) {
      throw isAgentwireError(error) ? copyError(error) : error;
    }
    this.#agent = link.agent;
    return link;
  }

  #start(): AgentLink {
    try {
      return new AgentLink(this.#core, this);
    } catch (error) {
      this.#core.lost();
      throw error;
    }
  }

  /** Opens a session: new, or by its id. @throws AgentwireError */
  async open(ref: AcpSessionRef): Promise<OpenSession> {
    const link = await this.connect();
    await ref.loading?.catch(() => {}); // `load` throws it
    ref.opening ??= this.#open(link, ref).finally(() => {
      ref.opening = undefined;
    });
    try {
      return { link, session: await ref.opening };
    } catch (error) {
      throw this.#asError(error);
    }
  }

  /** Loads a session again, with its messages. @throws AgentRefusal if an open session stays as it is; AgentwireError */
  async load(ref: AcpSessionRef): Promise<readonly ConversationMessage[]> {
    const link = await this.connect();
    await ref.opening?.catch(() => {}); // `open` throws it
    if (ref.id === undefined) return [];
    const loading = this.#reload(link, ref.id);
    ref.loading = loading;
    try {
      return (await loading).messages;
    } catch (error) {
      throw isAgentwireError(error) ? copyError(error) : error;
    } finally {
      ref.loading = undefined;
    }
  }

  /** A session that no prompt will continue. */
  forget(ref: AcpSessionRef): void {
    const { id } = ref;
    const link = this.#link;
    if (id === undefined) return;
    this.#refs.delete(id);
    if (!link?.sessions.delete(id) || !link.agent?.closesSessions) return;
    void link.request("session/close", { sessionId: id }, this.#core.settings.connectTimeout).catch(() => {}); // it changes nothing here
  }

  /** Ends the agent, and waits for its commands. Undefined if there is nothing to end. */
  end(force: boolean): Promise<void> | undefined {
    const ended = this.#endLink(force);
    if (!ended && !this.#requests.idle()) return undefined;
    return (ended ?? Promise.resolve()).then(() => this.#commandsEnded());
  }

  /** The door's tools end a command soon after it was told to. Others may not. */
  async #commandsEnded(): Promise<void> {
    const idle = this.#requests.idle();
    if (!idle) return;
    const late = deferred<void>();
    const cancel = this.#core.clock.setTimeout(late.resolve, COMMANDS_TIME);
    await Promise.race([idle, late.promise]);
    cancel();
  }

  #endLink(force: boolean): Promise<void> | undefined {
    const link = this.#link;
    if (!link || link.isOver) return undefined;
    if (!force) return link.end();
    link.kill(new ClosedError("the client was closed", { delivery: "unknown" }));
    return link.ended.promise;
  }

  async #open(link: AgentLink, ref: AcpSessionRef): Promise<AcpSession> {
    const known = ref.id === undefined ? undefined : link.sessions.get(ref.id);
    const session =
      known ?? (ref.id === undefined ? await this.#create(link, ref) : await this.#reopen(link, ref.id));
    if (!session.isReady) {
      session.wantedMode = wantedMode(session, ref.mode ?? this.#core.settings.mode, this.#core);
      session.isReady = true;
    }
    const { wantedMode: mode } = session;
    try {
      if (mode !== undefined) await setMode(this.#core, link, session, mode);
    } catch (error) {
      session.isReady = false;
      if (!(error instanceof AgentRefusal)) throw error;
      const words = this.#core.clean(refusalWords(error));
      throw new HandshakeError("policy", `the agent refused the mode \`${mode}\`: ${words}`, {
        delivery: "not-sent",
      });
    }
    return session;
  }

  async #create(link: AgentLink, ref: AcpSessionRef): Promise<AcpSession> {
    this.#opening++;
    try {
      const answer = await link.request("session/new", this.#place(), this.#core.settings.connectTimeout);
      return this.#core.outbox.run(() => {
        const { sessionId } = fieldsOf(answer);
        if (typeof sessionId !== "string")
          throw new HandshakeError("nack", "the agent opened a session without an id", {
            delivery: "not-sent",
          });
        ref.id = sessionId;
        this.#refs.set(sessionId, ref);
        const session = this.#add(link, sessionId, true);
        session.opened(answer);
        for (const update of this.#held.get(sessionId) ?? []) session.receive(update);
        return session;
      });
    } finally {
      if (--this.#opening === 0) this.#held.clear();
    }
  }

  /** Continues a session of an earlier process: without its messages if the agent can, else with them. */
  async #reopen(link: AgentLink, id: string): Promise<AcpSession> {
    const { agent } = link;
    if (!agent?.resumesSessions) return (await this.#reload(link, id)).session;
    const session = this.#add(link, id, false);
    return this.#answered(link, session, "session/resume", false);
  }

  async #reload(link: AgentLink, id: string) {
    if (!link.agent?.loadsSessions)
      throw contextLost("the agent cannot continue a session of an earlier process");
    const known = link.sessions.get(id);
    const session = known ?? this.#add(link, id, false);
    const replay = session.replay();
    try {
      await this.#answered(link, session, "session/load", known !== undefined);
      await replay.settled(this.#core.clock, link.ended.promise);
      return { session, messages: replay.messages };
    } finally {
      session.replayed();
    }
  }

  /** @param isOpen whether the session is in use on this link, whatever the answer is */
  async #answered(
    link: AgentLink,
    session: AcpSession,
    method: string,
    isOpen: boolean,
  ): Promise<AcpSession> {
    const { id: sessionId } = session;
    const { connectTimeout } = this.#core.settings;
    try {
      const answer = await link.request(method, { ...this.#place(), sessionId }, connectTimeout);
      this.#core.outbox.run(() => session.opened(answer));
      return session;
    } catch (error) {
      if (isOpen) throw error;
      link.sessions.delete(sessionId);
      if (!(error instanceof AgentRefusal)) throw error;
      const words = this.#core.clean(refusalWords(error));
      throw contextLost(`the agent does not know the session any more: ${words}; begin a new conversation`);
    }
  }

  #place(): object {
    const { cwd, mcpServers } = this.#core.settings;
    return { cwd, mcpServers: mcpServers.map(onWire) };
  }

  #add(link: AgentLink, id: string, isNew: boolean): AcpSession {
    const core = this.#core;
    const session = new AcpSession(
      id,
      link.agent?.name ?? "",
      {
        sessionChanged: (changed, part) => {
          const { lastTurn } = changed;
          core.events.emit("session", changed.state, part, ...(lastTurn ? ([lastTurn] as const) : []));
        },
        late: ({ id: sessionId }, update) =>
          core.debug(`an update of ${sessionId} came when no turn ran: ${update.type}`),
      },
      isNew,
    );
    link.sessions.set(id, session);
    return session;
  }

  update(link: AgentLink, params: unknown): void {
    const { sessionId, update } = fieldsOf(params);
    const session = typeof sessionId === "string" ? link.sessions.get(sessionId) : undefined;
    if (session) {
      session.receive(update);
      return;
    }
    if (typeof sessionId !== "string" || this.#opening === 0) {
      this.#core.debug("an update of a session that is not open");
      return;
    }
    const held = this.#held.get(sessionId) ?? [];
    if (held.length === 0 && this.#held.size >= MAX_HELD_SESSIONS) return;
    this.#held.set(sessionId, held);
    if (held.length < MAX_HELD) held.push(update);
  }

  requested(link: AgentLink, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const { sessionId } = fieldsOf(params);
    const session = typeof sessionId === "string" ? link.sessions.get(sessionId) : undefined;
    return this.#requests.answer(method, params, session && { link, session }, signal);
  }

  over(link: AgentLink, error: AcpLostError): void {
    const core = this.#core;
    const isExpected = core.isClosing || link.agent === undefined;
    if (this.#link === link) this.#link = undefined;
    link.sessions.clear();
    this.#requests.over(link);
    for (const over of [...this.#works]) over(link, error);
    if (!isExpected) core.log("warn", core.clean(error.message));
    core.lost(isExpected ? undefined : error);
  }

  #asError(error: unknown): AgentwireError {
    if (isAgentwireError(error)) return copyError(error);
    const { clean } = this.#core;
    const words = error instanceof AgentRefusal ? refusalWords(error) : "it failed";
    return new HandshakeError("nack", `the agent opened no session: ${clean(words)}`, {
      delivery: "not-sent",
    });
  }
}

function contextLost(message: string): ConnectionLostError {
  return new ConnectionLostError(message, { code: "context-lost", retryable: false, delivery: "not-sent" });
}

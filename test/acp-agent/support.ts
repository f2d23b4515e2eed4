import {
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  client,
  methods,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import {
  type AcpAgentConnection,
  type AcpAgentOptions,
  type AcpAgentServer,
  acpAgent,
} from "agentwire/acp/agent";
import { MockAgent, type MockAgentOptions } from "agentwire/testing";
import type { AgentSource, UniversalEvent } from "agentwire/universal";
import { expect, vi } from "vitest";
import type { FakeSource } from "../helpers/fake-source.ts";

type Message = Readonly<Record<string, unknown>>;

/** What a client does with a request. A client without an answer keeps the agent waiting. */
export interface Answers {
  readonly permission?: (request: RequestPermissionRequest, signal: AbortSignal) => unknown;
  readonly elicitation?: (request: CreateElicitationRequest, signal: AbortSignal) => unknown;
}

export const NEVER = (): Promise<never> => new Promise(() => {});

/** The option of a permission request that has an id. */
export const choose = (optionId: string) => () => ({ outcome: { outcome: "selected", optionId } });

export const EVERYTHING: ClientCapabilities = {
  session: { notices: {}, compaction: {} },
  elicitation: { form: {} },
};

/** The SDK's client, and all that it got. */
export class EditorWorld {
  readonly agent: ClientConnection["agent"];
  /** The updates that the SDK has checked and handed over. */
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly elicitations: CreateElicitationRequest[] = [];
  /** Every message of the agent, in order. */
  readonly wire: Message[] = [];
  readonly connection: ClientConnection;
  readonly #stream: Stream;
  #wake: (() => void)[] = [];

  constructor(stream: Stream, { permission = NEVER, elicitation = NEVER }: Answers) {
    this.#stream = stream;
    const readable = stream.readable.pipeThrough(
      new TransformStream({
        transform: (message, controller) => {
          this.wire.push(structuredClone(message) as Message);
          controller.enqueue(message);
        },
      }),
    );
    this.connection = client({ name: "editor" })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        this.permissions.push(params);
        this.#changed();
        return permission(params, signal) as never;
      })
      .onRequest(methods.client.elicitation.create, ({ params, signal }) => {
        this.elicitations.push(params);
        this.#changed();
        return elicitation(params, signal) as never;
      })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#changed();
      })
      .connect({ readable, writable: stream.writable });
    this.agent = this.connection.agent;
  }

  initialize(clientCapabilities: ClientCapabilities = EVERYTHING) {
    return this.agent.request("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "editor", version: "1" },
      clientCapabilities,
    });
  }

  async open(cwd = "/project"): Promise<string> {
    return (await this.agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  prompt(sessionId: string, prompt: string | ContentBlock[], signal?: AbortSignal): Promise<PromptResponse> {
    return this.agent.request(
      "session/prompt",
      { sessionId, prompt: typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt },
      signal ? { cancellationSignal: signal } : {},
    );
  }

  /** Leaves as a process does: both directions end. */
  async leave(): Promise<void> {
    this.connection.close();
    await this.#stream.writable.close();
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify("session/cancel", { sessionId });
  }

  /** The updates of one kind. */
  of<Kind extends SessionUpdate["sessionUpdate"]>(
    kind: Kind,
  ): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
    );
  }

  /** The text of the answers. */
  get text(): string {
    return this.of("agent_message_chunk")
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Waits until something holds. Looks again at each message of the agent. */
  async until(holds: (world: this) => boolean): Promise<void> {
    while (!holds(this)) {
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
      });
    }
  }

  /** The kinds of what came for a session, in order. */
  get kinds(): string[] {
    return this.wire.flatMap(({ method, params }) => {
      if (method === "session/update") return [(params as { update: SessionUpdate }).update.sessionUpdate];
      return typeof method === "string" ? [method] : [];
    });
  }

  /** The SDK drops an update that it does not know, and fields. It has dropped nothing. */
  assertValid(isWhole: boolean): void {
    const sent = this.wire.flatMap(({ method, params }) =>
      method === "session/update" ? [(params as { update: unknown }).update] : [],
    );
    expect(this.updates).toEqual(sent);
    if (!isWhole) return; // the connection was lost in a turn
    const open = new Set<string>();
    for (const update of this.updates) {
      if (update.sessionUpdate === "tool_call") open.add(update.toolCallId);
      if (
        update.sessionUpdate === "tool_call_update" &&
        (update.status === "completed" || update.status === "failed")
      )
        open.delete(update.toolCallId);
    }
    expect([...open]).toEqual([]);
  }

  #changed(): void {
    for (const resolve of this.#wake.splice(0)) resolve();
  }
}

/** Two streams of messages: what is written to one is read from the other. */
export function streamPair(): readonly [Stream, Stream] {
  const [there, back] = [new TransformStream(), new TransformStream()];
  return [
    { readable: there.readable, writable: back.writable },
    { readable: back.readable, writable: there.writable },
  ];
}

/** Tells a chat over the fake the events, whatever their session is. */
export function tell(source: FakeSource, events: readonly UniversalEvent[]): void {
  const { stream } = source.conversation;
  for (const event of events) for (const listener of [...(stream?.listeners ?? [])]) listener(event);
}

/** Waits until something holds that nobody tells. Looks after each round of what is under way. */
export async function until<T>(of: T, holds: (of: T) => boolean): Promise<void> {
  for (let round = 0; !holds(of); round++) {
    if (round === 10_000) throw new Error("it never holds");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface Setup extends Answers {
  readonly mock?: MockAgentOptions;
  readonly source?: () => AgentSource | Promise<AgentSource>;
  readonly options?: AcpAgentOptions;
  readonly offers?: ClientCapabilities;
}

export interface Played {
  readonly mock: MockAgent;
  readonly server: AcpAgentServer;
  readonly world: EditorWorld;
  readonly connection: AcpAgentConnection;
  /** A new session. */
  readonly id: string;
  /** Another client of the same agent. */
  join(answers?: Answers): Promise<EditorWorld>;
}

/** Runs a test between the SDK's client and an agent. At its end the SDK has accepted everything, and nothing is open. */
export async function play(setup: Setup, body: (played: Played) => Promise<void>): Promise<void> {
  const errors = vi.spyOn(console, "error");
  const mock = new MockAgent(setup.mock);
  const server = acpAgent(setup.source ?? (() => mock), setup.options);
  const connections: AcpAgentConnection[] = [];
  const worlds: EditorWorld[] = [];
  const join = async (answers: Answers = setup): Promise<EditorWorld> => {
    const [mine, theirs] = streamPair();
    connections.push(await server.connect(theirs));
    const world = new EditorWorld(mine, answers);
    worlds.push(world);
    await world.initialize(setup.offers);
    return world;
  };
  try {
    const world = await join();
    const [connection] = connections;
    if (!connection) throw new Error("there is no connection");
    await body({ mock, server, world, connection, id: await world.open(), join });
    const lost = new Set(worlds.filter((each) => each.connection.signal.aborted));
    await Promise.all(connections.map((each) => each.close()));
    for (const each of worlds) each.assertValid(!lost.has(each));
    await Promise.all(worlds.map((each) => each.connection.closed)); // the client hears of the end
    expect(errors.mock.calls).toEqual([]);
    for (const made of mock.clients) expect(made.status).toBe("closed");
  } finally {
    await Promise.all(connections.map((each) => each.close()));
    errors.mockRestore();
  }
}

import { AcpClient, type AcpOptions, toUniversal } from "agentwire/acp";
import type { Chat, ChatSnapshot } from "agentwire/chat";
import { ManualClock, MockAcpAgent, type MockAcpOptions, type MockAcpRequest } from "agentwire/testing";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { expect } from "vitest";

/** Faults in the transcript of each session. */
export function faultsOf(events: readonly UniversalEvent[]): readonly unknown[] {
  const sessions = new Set(events.map(({ session_id }) => session_id));
  return [...sessions].flatMap((id) => checkTranscript(events.filter(({ session_id }) => session_id === id)));
}

/** A client of a mock in process, and what it says. */
export interface World {
  readonly agent: MockAcpAgent;
  readonly client: AcpClient;
  /** The kinds of warnings. */
  readonly warnings: readonly string[];
  readonly events: readonly UniversalEvent[];
  /** Moves only by hand, if the test has asked for it. */
  readonly clock: ManualClock;
}

interface Setup {
  readonly mock?: MockAcpOptions;
  readonly client?: Partial<AcpOptions>;
  /** Time passes only by the clock of the world. */
  readonly isTimed?: boolean;
  /** The kinds of mistakes that the caller makes, and the client passes on. */
  readonly mistakes?: readonly string[];
}

/**
 * Runs a test on a mock and a client. At its end nothing is open, each request of the agent has one answer, the client
 * has made no mistake on the wire, and the transcript has no faults.
 */
export async function play(
  { mock = {}, client: options = {}, isTimed = false, mistakes = [] }: Setup,
  body: (world: World) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const timed = isTimed ? { clock } : {};
  const agent = new MockAcpAgent({ ...timed, ...mock });
  const client = new AcpClient({ createStream: () => agent.connect(), ...timed, ...options });
  const warnings: string[] = [];
  client.on("protocolWarning", ({ kind }) => warnings.push(kind));
  const events: UniversalEvent[] = [];
  toUniversal(client).on("event", (event) => void events.push(event));
  try {
    await body({ agent, client, warnings, events, clock });
    const open = agent.requests.filter(({ reply, link }) => reply === undefined && link.ended === undefined);
    expect(open.map(({ method }) => method)).toEqual([]);
    expect(client.pending).toEqual([]);
  } finally {
    await (isTimed ? settleBy(clock, client.close()) : client.close());
    await agent.stop();
  }
  expect(faultsOf(events)).toEqual([]);
  expect(
    agent.violations
      .filter(({ kind }) => !mistakes.includes(kind))
      .map(({ kind, detail }) => `${kind}: ${detail}`),
  ).toEqual([]);
}

/** What the client has answered to the requests of a method. */
export function repliesTo({ requests }: MockAcpAgent, method: string): readonly unknown[] {
  return requests.flatMap((request) => {
    const { reply } = request;
    if (request.method !== method || !reply) return [];
    return "result" in reply ? [reply.result] : [reply.error["code"]];
  });
}

/** Moves the clock until `done` settles. */
export async function settleBy<T>(clock: ManualClock, done: Promise<T>): Promise<T> {
  let isDone = false;
  const settled = done.finally(() => {
    isDone = true;
  });
  settled.catch(() => {});
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isDone && clock.pending > 0) await clock.advance(100);
  }
  return settled;
}

/** Resolves once the chat's snapshot fits. */
export function until(chat: Chat, fits: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const now = chat.getSnapshot();
      if (!fits(now)) return;
      off();
      resolve(now);
    };
    const off = chat.subscribe(look);
    look();
  });
}

/** The kind of the option that the client has chosen, or `cancelled`. Nothing for other requests. */
export function chosenBy({ method, params, reply }: MockAcpRequest): readonly string[] {
  if (method !== "session/request_permission") return [];
  const { outcome } = (reply as { result?: { outcome?: { optionId?: string } } } | undefined)?.result ?? {};
  const options = params["options"] as readonly { optionId: string; kind: string }[];
  return [options.find(({ optionId }) => optionId === outcome?.optionId)?.kind ?? "cancelled"];
}

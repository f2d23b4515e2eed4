import { AcpClient, type AcpOptions, toUniversal } from "agentwire/acp";
import type { Chat, ChatSnapshot } from "agentwire/chat";
import { ManualClock, MockAcpAgent, type MockAcpOptions, type MockAcpRequest } from "agentwire/testing";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";

/** Faults in the transcript of each session. */
export function faultsOf(events: readonly UniversalEvent[]): readonly unknown[] {
  return [...Map.groupBy(events, (event) => event.session_id).values()].flatMap((of) => checkTranscript(of));
}

/** A mock of an agent and a client of it, in process. Their clock moves only by hand. */
export function world(mock: MockAcpOptions = {}, options: Partial<AcpOptions> = {}) {
  const clock = new ManualClock();
  const agent = new MockAcpAgent({ clock, ...mock });
  const client = new AcpClient({ createStream: () => agent.connect(), clock, ...options });
  const warnings: string[] = [];
  client.on("protocolWarning", ({ kind }) => warnings.push(kind));
  const events: UniversalEvent[] = [];
  toUniversal(client).on("event", (event) => void events.push(event));
  return {
    agent,
    client,
    clock,
    warnings,
    events,
    /** Ends both. Neither has made a mistake, and nothing is left of them. */
    async [Symbol.asyncDispose]() {
      const closed = client.close();
      await settleBy(clock, closed);
      await agent.stop();
    },
  };
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

// Tells a journal what happens on a mock. A wait whose condition never holds looks at it after every event.
import type {
  BackendRequest,
  FrameRecord,
  MockCodebuffBackend,
  Replayer,
  ServedConnection,
  UpgradeAttempt,
} from "../../testing/index.ts";
import type { TrafficJournal, TrafficNote } from "../journal.ts";
import type { RecordedConnection } from "../recording.ts";

/** What the mocks with sockets have in common. */
export interface SocketMock {
  readonly connections: readonly ServedConnection[];
  readonly frames: readonly (FrameRecord<ServedConnection> & { readonly binary?: boolean })[];
  readonly violations: readonly {
    readonly connection: ServedConnection | undefined;
    readonly kind: string;
    readonly detail: string;
  }[];
  readonly upgrades: readonly UpgradeAttempt[];
  /** Calls over HTTP, of a mock that has some. */
  readonly requests?: readonly {
    readonly method: string;
    readonly path: string;
    readonly status: number | undefined;
  }[];
  waitFor(probe: () => false): Promise<unknown>;
}

/** Reads a list that grows. */
function reader<Item>(): (list: readonly Item[]) => readonly Item[] {
  let read = 0;
  return (list) => {
    const news = list.slice(read);
    read = list.length;
    return news;
  };
}

/** Rejects when the mock ends, and for a mistake in its script. */
export async function watchSockets(mock: SocketMock, journal: TrafficJournal): Promise<void> {
  const upgrades = reader<UpgradeAttempt>();
  const connections = reader<ServedConnection>();
  const frames = reader<SocketMock["frames"][number]>();
  const violations = reader<SocketMock["violations"][number]>();
  const calls = reader<NonNullable<SocketMock["requests"]>[number]>();
  const accepted: UpgradeAttempt[] = [];
  const open = new Map<ServedConnection, RecordedConnection>();
  const unanswered = new Set<NonNullable<SocketMock["requests"]>[number]>();
  const look = (): false => {
    for (const upgrade of upgrades(mock.upgrades)) {
      const { url, status } = upgrade;
      if (status === 101) accepted.push(upgrade);
      else journal.note({ ev: "refused", path: url.replace(/\?.*/s, ""), status });
    }
    for (const connection of connections(mock.connections)) {
      const { url = "/", headers = {} } = accepted[connection.id - 1] ?? {};
      open.set(connection, journal.open(new URL(url, "ws://127.0.0.1").href, headers));
    }
    for (const { connection, direction, raw, binary } of frames(mock.frames))
      open.get(connection)?.pass(direction === "c2s" ? "client" : "server", binary ? Buffer.from(raw) : raw);
    for (const { connection, kind, detail } of violations(mock.violations))
      journal.note({ ev: "violation", conn: connection?.id, kind, detail });
    for (const call of calls(mock.requests ?? [])) unanswered.add(call);
    for (const call of unanswered) {
      const { method, path, status } = call;
      if (status === undefined) continue;
      unanswered.delete(call);
      journal.note({ ev: "http", method, path, status });
    }
    for (const [connection, recorded] of open) {
      const { closed } = connection;
      if (!closed) continue;
      open.delete(connection);
      recorded.end(closed.code, closed.reason, closed.by);
    }
    return false;
  };
  await mock.waitFor(look);
}

/** Rejects when the backend ends, and for a mistake in its script. */
export async function watchBackend(backend: MockCodebuffBackend, journal: TrafficJournal): Promise<void> {
  const requests = reader<BackendRequest>();
  const violations = reader<(typeof backend.violations)[number]>();
  const unanswered = new Set<BackendRequest>();
  await backend.waitFor((): false => {
    for (const request of requests(backend.requests())) unanswered.add(request);
    for (const request of unanswered) {
      if (request.state === "open") continue;
      unanswered.delete(request);
      journal.note(callNote(request));
    }
    for (const { kind, detail } of violations(backend.violations))
      journal.note({ ev: "violation", conn: undefined, kind, detail });
    return false;
  });
}

function callNote({ method, path, text, state, response }: BackendRequest): TrafficNote {
  return {
    ev: "http",
    method,
    path,
    status: response?.status ?? 0,
    state,
    request: text,
    response: response?.frames.join("") ?? "",
  };
}

/** Rejects when the replayer ends. What it says is in the recording: only the client is new. */
export async function watchReplay(replayer: Replayer, journal: TrafficJournal): Promise<void> {
  const connections = reader<Replayer["connections"][number]>();
  const open = new Map<Replayer["connections"][number], RecordedConnection>();
  const read = new Map<Replayer["connections"][number], ReturnType<typeof reader<string>>>();
  await replayer.waitFor((): false => {
    for (const connection of connections(replayer.connections)) {
      open.set(connection, journal.open(replayer.url, {}));
      read.set(connection, reader());
    }
    for (const [connection, recorded] of open) {
      for (const text of read.get(connection)?.(connection.received) ?? []) recorded.pass("client", text);
      const { closed } = connection;
      if (!closed) continue;
      open.delete(connection);
      recorded.end(closed.code, closed.reason, connection.over ? "server" : "client");
    }
    return false;
  });
}

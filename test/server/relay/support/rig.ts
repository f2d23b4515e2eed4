// A relay over a mock agent and a log in memory, with requests and viewers as tests write them.

import type { EventLog, RelayOptions } from "agentwire/server";
import { createRelay, memoryLog, type Relay } from "agentwire/server";
import { MockAgent, type MockAgentOptions } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import { onTestFinished } from "vitest";
import { readSnapshot, type Snapshot } from "../../../../src/server/drive/history.ts";
import { TestViewer } from "./viewer.ts";

export const HOST = "http://localhost";

export interface RigOptions extends Partial<RelayOptions> {
  readonly agent?: MockAgent;
  readonly mock?: MockAgentOptions;
}

let keys = 0;

/** A relay, closed at the end of the test. */
export class Rig {
  readonly agent: MockAgent;
  readonly log: EventLog;
  readonly relay: Relay;
  /** What the relay has logged. */
  readonly logged: string[] = [];

  constructor({ agent, mock, ...options }: RigOptions = {}) {
    this.agent = agent ?? new MockAgent(mock);
    this.log = options.log ?? memoryLog(options.clock ? { clock: options.clock } : {});
    const note = (message: string): void => void this.logged.push(message);
    this.relay = createRelay({
      source: () => this.agent,
      log: this.log,
      authorize: () => ({ user: "user_1" }),
      logger: { debug: note, info: note, warn: note, error: note },
      ...options,
    });
    onTestFinished(() => this.relay.close({ drain: 0 }));
  }

  /** Sends a request to the handler. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    return this.relay.handler(new Request(`${HOST}${path}`, init));
  }

  /** Posts a command, with a key if it has none. */
  post(command: object, { chat = "c", headers = {} }: PostOptions = {}): Promise<Response> {
    const body = JSON.stringify({ key: `k${++keys}`, ...command });
    const all = { "content-type": "application/json", ...headers };
    return this.request(`/chats/${encodeURIComponent(chat)}/commands`, {
      method: "POST",
      headers: all,
      body,
    });
  }

  prompt(text: string, key?: string, chat = "c"): Promise<Response> {
    return this.post({ type: "prompt", input: { text }, ...(key === undefined ? {} : { key }) }, { chat });
  }

  /** Opens an event stream, ended at the end of the test. */
  async view(path = "/chats/c/events", headers: Record<string, string> = {}): Promise<TestViewer> {
    const response = await this.request(path, { headers });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const viewer = new TestViewer(response);
    onTestFinished(() => viewer.close());
    return viewer;
  }

  /** Resolves once a condition holds. Looks again after each round of the event loop. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
  }

  async snapshot(chat = "c"): Promise<Snapshot | undefined> {
    return readSnapshot(await this.log.get(chat, "snapshot"));
  }

  /** All events that the log has. */
  async events(chat = "c"): Promise<readonly UniversalEvent[]> {
    const batches = await this.log.page(chat, 0, 1_000_000);
    return batches.flatMap(({ events }) => events);
  }
}

interface PostOptions {
  readonly chat?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status and the parsed body of an answer. */
export async function answerOf(response: Response | Promise<Response>): Promise<{
  readonly status: number;
  readonly body: Record<string, unknown>;
}> {
  const answer = await response;
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

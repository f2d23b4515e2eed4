import {
  CodebuffRun,
  type CodebuffRunOptions,
  type PrintModeEvent,
  toUniversal,
} from "agentwire/codebuff-run";
import { ManualClock, MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { GOLDEN_TIME } from "../../universal/golden-options.ts";

/** A root agent with every tool that the tests use. */
export const AGENT = {
  id: "helper",
  displayName: "Helper",
  model: "test/model",
  toolNames: ["ask_user", "spawn_agents", "glob", "read_files", "end_turn", "write_todos"],
  spawnableAgents: ["picker", "thinker"],
};

export const SUBAGENTS = [
  { id: "picker", displayName: "Picker", model: "test/model" },
  { id: "thinker", displayName: "Thinker", model: "test/model" },
];

export interface RunWorld extends AsyncDisposable {
  readonly backend: MockCodebuffBackend;
  readonly client: CodebuffRun;
  readonly clock: ManualClock;
}

/** A mock backend and a client of it, on a clock that stands. */
export async function runWorld(
  backendOptions: MockCodebuffBackendOptions = {},
  options: CodebuffRunOptions = {},
): Promise<RunWorld> {
  const clock = new ManualClock({ epoch: GOLDEN_TIME });
  const backend = await MockCodebuffBackend.start(backendOptions);
  const client = new CodebuffRun({
    baseUrl: backend.url,
    apiKey: backend.apiKey,
    agent: AGENT,
    agentDefinitions: SUBAGENTS,
    clock,
    ...options,
  });
  return {
    backend,
    client,
    clock,
    async [Symbol.asyncDispose]() {
      await client.close();
      await backend.stop();
    },
  };
}

/** Names for the ids that a client and its server make at random, in the order in which they are used. */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(client: CodebuffRun) {
    client.on("turn", (turn) => this.#name("turn", turn.id));
    client.on("event", (event) => this.#learn(event as PrintModeEvent));
  }

  /** The names by their ids, with those of the backend's runs. */
  of(backend: MockCodebuffBackend): Readonly<Record<string, string>> {
    for (const { id } of backend.runs()) this.#name("run", id);
    return Object.fromEntries(this.#names);
  }

  #learn(event: PrintModeEvent): void {
    if (event.type === "tool_call") this.#name("call", event.toolCallId);
    if (event.type === "subagent_start") this.#name("agent", event.agentId);
  }

  #name(kind: string, id: string): void {
    if (this.#names.has(id)) return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(id, `${kind}_${count}`);
  }
}

/** All events of a stream, once it has ended. */
export async function collected(stream: AsyncIterable<UniversalEvent>): Promise<readonly UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

export { toUniversal };

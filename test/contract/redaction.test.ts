import { inspect } from "node:util";
import type { ClientEvents, TurnResult } from "agentwire";
import { expect } from "vitest";
import { type AnyClient, type ContractOptions, SECRET, secretOf, TEXT } from "./fixture.ts";
import { promise, type Scene } from "./promise.ts";
import { drain, hold, next, rejection, shows, status, within, works } from "./support.ts";

/** Every event that all clients have, and whether it hands on what the backend said as it was. */
const EVENTS: { readonly [Name in keyof ClientEvents<unknown, TurnResult>]: "ours" | "as it came" } = {
  status: "ours",
  reconnecting: "ours",
  reconnected: "ours",
  disconnected: "ours",
  protocolWarning: "ours",
  turn: "ours",
  event: "as it came",
  approval: "as it came",
  question: "as it came",
  settled: "as it came",
  message: "ours",
  frame: "ours",
};

/** All that a client says, in every form in which somebody may write it down. */
class Notebook {
  readonly #lines: string[] = [];

  note(where: string, value: unknown): void {
    this.#lines.push(`${where}: ${inspect(value, { depth: 12, showHidden: true, maxStringLength: null })}`);
    this.#lines.push(`${where}: ${JSON.stringify(value)} ${String(value)}`);
    if (value instanceof Error) this.note(`${where}, cause`, value.cause);
  }

  /** Lines in which a credential stands. */
  get leaks(): readonly string[] {
    return this.#lines.filter((line) => line.includes(SECRET));
  }

  get length(): number {
    return this.#lines.length;
  }
}

/** A client with a credential wherever one can be, and all that it says. */
function watched(
  { another }: Scene,
  listensTo: readonly string[],
  options: ContractOptions = {},
): { readonly client: AnyClient; readonly notebook: Notebook } {
  const notebook = new Notebook();
  const log = (line: string): void => notebook.note("log", line);
  const client = another({
    secrets: true,
    reconnect: {},
    debug: true,
    logger: { debug: log, info: log, warn: log, error: log },
    onOwnEvent: (name, values) => listensTo.includes("own") && notebook.note(name, values),
    ...options,
  });
  for (const name of Object.keys(EVENTS) as (keyof typeof EVENTS)[])
    if (listensTo.includes(name))
      client.on(name, (...values: readonly unknown[]) => {
        // Not the turn, which leads to everything.
        notebook.note(name, name === "event" ? values[0] : values);
      });
  return { client, notebook };
}

/** Everything that a turn says. */
async function noteTurn(notebook: Notebook, turn: ReturnType<AnyClient["prompt"]>): Promise<void> {
  notebook.note("loop", await drain(turn));
  notebook.note("outcome", await turn.outcome);
  notebook.note("snapshots", [turn.id, turn.text, turn.toolCalls, turn.pending]);
}

const OURS = Object.entries(EVENTS).flatMap(([name, kind]) => (kind === "ours" ? [name] : []));
const ALL = [...Object.keys(EVENTS), "own"];

promise(
  "redaction: no credential appears in what the client reports, whatever happens to it",
  { connected: false },
  async (scene) => {
    const { backend, link, clock, facts } = scene;
    const { client, notebook } = watched(scene, ALL);
    await noteTurn(notebook, client.prompt("hello"));
    const open = hold(backend);
    const cancelled = client.prompt("cancelled");
    await shows(client, cancelled, "part");
    const outcome = cancelled.cancel();
    open();
    notebook.note("cancelled", await outcome);
    notebook.note("cancelled", await rejection(cancelled.result));
    backend.answer = () => [{ fails: "broke" }];
    await noteTurn(notebook, client.prompt("fails"));
    hold(backend);
    const lost = client.prompt("lost");
    await shows(client, lost, "part");
    link.end("cut");
    await noteTurn(notebook, lost);
    await status(client, "ready");
    expect(await works(client)).toBe(TEXT);
    link.refuse(503);
    const refused = next(client, "reconnecting", ({ attempt }) => attempt > 1);
    link.end("cut");
    await refused;
    link.refuse(undefined);
    await status(client, "ready");
    notebook.note("conversation", client.conversation().state);
    await within(clock, facts.within.close, client.close());
    notebook.note("closed", await rejection(client.connect()));
    notebook.note("client", client);
    for (const place of facts.carries) expect(link.heard, `carried as ${place}`).toContain(secretOf(place));
    expect(notebook.leaks).toEqual([]);
    expect(notebook.length).toBeGreaterThan(50);
  },
);

promise(
  "redaction: no credential appears if the backend cannot be reached",
  { connected: false },
  async (scene) => {
    const { link, backend } = scene;
    for (const refusal of [401, 403, 500, "wrong-accept"] as const) {
      const { client, notebook } = watched(scene, ALL, { reconnect: false });
      link.refuse(refusal);
      notebook.note("connect", await rejection(client.connect()));
      await noteTurn(notebook, client.prompt("hello"));
      expect(notebook.leaks).toEqual([]);
      expect(notebook.length).toBeGreaterThan(5);
    }
    link.refuse(undefined);
    await backend.stop();
    const { client, notebook } = watched(scene, ALL, { reconnect: false });
    notebook.note("connect", await rejection(client.connect()));
    expect(notebook.leaks).toEqual([]);
  },
);

for (const place of ["query", "header", "token"] as const) {
  promise(
    `redaction: a credential in the ${place} that the backend repeats is redacted everywhere`,
    { connected: false },
    async (scene) => {
      const { backend, link, facts } = scene;
      expect(facts.carries).toContain(place);
      const { client, notebook } = watched(scene, OURS);
      const secret = secretOf(place);
      const words = `you said ${secret}, "${secret}" and [${secret}]`;
      backend.answer = () => ["part", { fails: words }];
      await noteTurn(notebook, client.prompt("hello"));
      const warned = next(client, "protocolWarning");
      link.say(`no JSON: ${words}`);
      await warned;
      hold(backend);
      const turn = client.prompt("hello");
      await shows(client, turn, "part");
      link.end({ code: 1011, reason: `not with ${secret}` });
      await noteTurn(notebook, turn);
      await status(client, "ready");
      expect(await works(client)).toBe(TEXT);
      expect(notebook.leaks).toEqual([]);
      expect(notebook.length).toBeGreaterThan(20);
    },
  );
}

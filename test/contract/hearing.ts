import type { ClientEvents, FrameRecord, TurnEvents, TurnResult } from "agentwire";
import type { AnyClient, AnyTurn } from "./fixture.ts";
import type { Scene } from "./promise.ts";
import { hold } from "./support.ts";

const OF_CLIENTS = [
  "status",
  "reconnecting",
  "reconnected",
  "disconnected",
  "protocolWarning",
  "event",
  "message",
  "frame",
] as const satisfies readonly (keyof ClientEvents<unknown, TurnResult>)[];

const OF_TURNS = ["status", "event", "toolCall"] as const satisfies readonly (keyof TurnEvents<unknown>)[];

/** Has `told` called with a word for everything that a client tells: `client status ready`, `frame in`, `client event`. */
export function hearClient(client: AnyClient, told: (word: string) => void): void {
  for (const name of OF_CLIENTS) {
    if (name === "status") client.on(name, (status) => told(`client ${status}`));
    else if (name === "frame") client.on(name, ({ direction }: FrameRecord) => told(`frame ${direction}`));
    else client.on(name, () => told(name === "event" ? "client event" : name));
  }
}

/** The same for a turn: `turn streaming`, `turn event`. */
export function hearTurn(turn: AnyTurn, told: (word: string) => void): void {
  for (const name of OF_TURNS) {
    if (name === "status") turn.on(name, (status) => told(`turn ${status}`));
    else turn.on(name, () => told(`turn ${name}`));
  }
}

/** Everything that a client tells, and a turn of it, from now on. */
export function hear(client: AnyClient, ...turns: readonly AnyTurn[]): readonly string[] {
  const words: string[] = [];
  const told = (word: string): void => void words.push(word);
  hearClient(client, told);
  for (const turn of turns) hearTurn(turn, told);
  return words;
}

/** Whether one of them is called while another is. */
export class Nesting {
  deepest = 0;
  #depth = 0;

  /** A listener that does `act`. */
  readonly listener =
    <Values extends readonly unknown[]>(act: (...values: Values) => void = () => {}) =>
    (...values: Values): void => {
      this.deepest = Math.max(this.deepest, ++this.#depth);
      try {
        act(...values);
      } finally {
        this.#depth--;
      }
    };
}

/** An act that is done once. */
export function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}

/** A microtask from now: whoever has just begun to listen has been told what stands. */
export async function told(): Promise<void> {
  await Promise.resolve();
  await Promise.resolve();
}

/** A turn that is about to stream, and behind it one that waits to be sent, on a client that sends one at a time. */
export async function two({ client, backend }: Pick<Scene, "client" | "backend">) {
  const goOn = hold(backend);
  const turn = client.prompt("hello");
  const waiting = client.prompt("second");
  await told();
  return { turn, waiting, goOn };
}

import type { ClientEvents, TurnOptions, TurnResult } from "agentwire";
import type { ManualClock } from "agentwire/testing";
import { gate } from "../helpers/codebuff.ts";
import { type AnyClient, type AnyTurn, type Backend, type Step, usual } from "./fixture.ts";
import type { Scene } from "./promise.ts";

export { countingController, drain, gate } from "../helpers/codebuff.ts";
export { eventsOf, failureOf, rejection } from "../helpers/turns.ts";

type Shared = ClientEvents<unknown, TurnResult>;

/** Resolves when `client` next emits `name`, with the first argument of the event. */
export function next<Name extends keyof Shared>(
  client: AnyClient,
  name: Name,
  fits: (value: Shared[Name][0]) => boolean = () => true,
): Promise<Shared[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      if (!fits(values[0])) return;
      off();
      resolve(values[0]);
    });
  });
}

/** Resolves once the client has the status. */
export async function status(client: AnyClient, wanted: AnyClient["status"]): Promise<void> {
  if (client.status !== wanted) await next(client, "status", (value) => value === wanted);
}

/** The first arguments of an event of the client, as they come. */
export function collect<Name extends keyof Shared>(client: AnyClient, name: Name): Shared[Name][0][] {
  const seen: Shared[Name][0][] = [];
  client.on(name, (...values) => void seen.push(values[0]));
  return seen;
}

/** The states of a turn from now on, the present one first. */
export function statesOf(turn: AnyTurn): readonly AnyTurn["status"][] {
  const states: AnyTurn["status"][] = [];
  turn.on("status", (state) => states.push(state));
  return states;
}

/** Resolves once it is so; the turn is looked at now, and whenever it tells something. */
export function until(turn: AnyTurn, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const look = (): void => {
      if (!holds()) return;
      stop.abort();
      resolve();
    };
    turn.on("event", look, { signal: stop.signal });
    turn.on("status", look, { signal: stop.signal });
    look();
  });
}

/** What of a text can be seen before the answer ends: nothing, where it comes as one. */
export function soFar(client: AnyClient, text: string): string {
  return client.capabilities.textDeltas ? text : "";
}

/** Resolves once the turn streams, and has shown what it can of `text`. */
export function shows(client: AnyClient, turn: AnyTurn, text: string): Promise<void> {
  return until(turn, () => turn.status === "streaming" && turn.text === soFar(client, text));
}

/** The next prompt gets `before`, and `after` it once the returned function is called; those behind it get the usual. */
export function hold(
  backend: Backend,
  before: readonly Step[] = ["part"],
  after: readonly Step[] = [" and rest"],
): () => void {
  const { passed, open } = gate();
  backend.answer = () => {
    backend.answer = usual;
    return (async function* () {
      yield* before;
      await passed;
      yield* after;
    })();
  };
  return open;
}

/** A whole prompt, to be sure that the client works; resolves with its text. */
export async function works(client: AnyClient): Promise<string> {
  const { text } = await client.prompt("are you there?").result;
  return text;
}

/** Resolves with what `promise` does, once it has, with no more than `ms` of the clock. */
export async function within<T>(clock: ManualClock, ms: number, promise: Promise<T>): Promise<T> {
  const [value] = await Promise.all([promise, clock.advance(ms)]);
  return value;
}

/** What a call throws at once; its value would be a mistake of the test. */
export function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}

/** How far a turn can be. */
export const STAGES = ["waits to be sent", "is sent, and not answered", "streams"] as const;
export type Stage = (typeof STAGES)[number];

/** A turn that is so far, and stays there. */
export interface Staged {
  readonly turn: AnyTurn;
  /** What can be seen of its text. */
  readonly text: string;
  readonly delivery: "not-sent" | "unknown";
  /** The backend goes on, with what it is at. */
  goOn(): void;
}

/** For a client with `oneAtATime`: brings a turn, of the prompt "hello", to a stage. */
export async function staged(
  stage: Stage,
  { client, backend }: Pick<Scene, "client" | "backend">,
  options?: TurnOptions,
): Promise<Staged> {
  const already = backend.prompts.length;
  const goOn = stage === "is sent, and not answered" ? hold(backend, []) : hold(backend);
  if (stage === "waits to be sent") {
    client.prompt("first");
    await backend.received(already + 1);
    return { turn: client.prompt("hello", options), text: "", delivery: "not-sent", goOn };
  }
  const turn = client.prompt("hello", options);
  await backend.received(already + 1);
  if (stage === "streams") await shows(client, turn, "part");
  return { turn, text: turn.text, delivery: "unknown", goOn };
}

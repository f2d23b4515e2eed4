// The protocol "echo": a JSON object in each text frame, told apart by `type`.
//
// | the client sends                     | the server answers                                                    |
// | ------------------------------------ | --------------------------------------------------------------------- |
// | `hello {token?}`, as the first frame | `welcome`, or `refused {reason}`: then it closes                      |
// | `prompt {id, text, conversation?}`   | `delta {id, text}`, any number; then `done {id}` or `error {id, message}` |
// | `decision {callId, allow}`           | `output {id, callId, text}` for a call that was allowed; else nothing |
// | `cancel {id}`                        | `cancelled {id}`, which is the last message of this id                |
// | `ping`                               | `pong`                                                                |
//
// Within a turn the server may send `ask {id, callId, name, input}`: it runs the tool once a decision allows it.
// Turns run side by side. The client makes up `id` and `conversation`; the server keeps what was said in each
// conversation. A cancel withdraws what its turn asks, and a cancel of a turn that has ended is answered, too.

import * as z from "zod/mini";
import { isObject } from "../../src/core/checks.ts";
import { lazy, literal, type Reads, readByType, type Shape } from "../../src/core/schemas.ts";

/** The handshake is done. */
export interface Welcome {
  readonly type: "welcome";
}

/** The server takes no prompts of this client. */
export interface Refused {
  readonly type: "refused";
  readonly reason: string;
}

/** A piece of the answer. */
export interface Delta {
  readonly type: "delta";
  readonly id: string;
  readonly text: string;
}

/** A tool call needs the decision of the user. */
export interface Ask {
  readonly type: "ask";
  readonly id: string;
  /** Unique on its connection. */
  readonly callId: string;
  readonly name: string;
  /** Any JSON. */
  readonly input: unknown;
}

/** A tool has run. */
export interface Output {
  readonly type: "output";
  readonly id: string;
  readonly callId: string;
  readonly text: string;
}

/** The good end of a turn. */
export interface Done {
  readonly type: "done";
  readonly id: string;
}

/** The bad end of a turn. */
export interface Failed {
  readonly type: "error";
  readonly id: string;
  readonly message: string;
}

/** The answer to a `cancel`. */
export interface Cancelled {
  readonly type: "cancelled";
  readonly id: string;
}

/** The answer to a `ping`. */
export interface Pong {
  readonly type: "pong";
}

/** What belongs to a turn. */
export type TurnMessage = Delta | Ask | Output | Done | Failed | Cancelled;

/** A frame that is not what it should be. */
export interface Invalid {
  readonly type: "invalid";
  readonly problem: string;
}

export type ServerMessage =
  | Welcome
  | Refused
  | TurnMessage
  | Pong
  | { readonly type: "unknown"; readonly message: unknown }
  | Invalid;

const id = z.string();

const MESSAGES: Readonly<Record<string, Reads<ServerMessage>>> = {
  welcome: lazy(() => z.looseObject({ type: literal("welcome") } satisfies Shape<Welcome>)),
  refused: lazy(() =>
    z.looseObject({ type: literal("refused"), reason: z.string() } satisfies Shape<Refused>),
  ),
  delta: lazy(() => z.looseObject({ type: literal("delta"), id, text: z.string() } satisfies Shape<Delta>)),
  ask: lazy(() =>
    z.looseObject({
      type: literal("ask"),
      id,
      callId: id,
      name: z.string(),
      input: z.unknown(),
    } satisfies Shape<Ask>),
  ),
  output: lazy(() =>
    z.looseObject({ type: literal("output"), id, callId: id, text: z.string() } satisfies Shape<Output>),
  ),
  done: lazy(() => z.looseObject({ type: literal("done"), id } satisfies Shape<Done>)),
  error: lazy(() =>
    z.looseObject({ type: literal("error"), id, message: z.string() } satisfies Shape<Failed>),
  ),
  cancelled: lazy(() => z.looseObject({ type: literal("cancelled"), id } satisfies Shape<Cancelled>)),
  pong: lazy(() => z.looseObject({ type: literal("pong") } satisfies Shape<Pong>)),
};

/** Reads one parsed frame; never throws. */
export function decode(message: unknown): ServerMessage {
  const type = isObject(message) ? message["type"] : undefined;
  if (typeof type !== "string") return { type: "invalid", problem: "a frame without a `type`" };
  return readByType(MESSAGES, type, message, (problem) =>
    problem === undefined ? { type: "unknown", message } : { type: "invalid", problem },
  );
}

/** The turn that a frame names, also where no more of it can be read. */
export function turnIdOf(message: unknown): string | undefined {
  return isObject(message) && typeof message["id"] === "string" ? message["id"] : undefined;
}

/** The frames of the client. */
export const encode = {
  hello: (token: string | undefined): string => JSON.stringify({ type: "hello", token }),
  prompt: (id: string, text: string, conversation: string | undefined): string =>
    JSON.stringify({ type: "prompt", id, text, conversation }),
  decision: (callId: string, allow: boolean): string => JSON.stringify({ type: "decision", callId, allow }),
  cancel: (id: string): string => JSON.stringify({ type: "cancel", id }),
  ping: '{"type":"ping"}',
};

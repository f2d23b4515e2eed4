// Makes the universal stream of a turn, a conversation or a client.
import { type Checks, checkCallOptions, checks, oneOf } from "../../core/checks.ts";
import type { AnyAgentClient, AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import { systemClock } from "../../core/clock.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { randomId } from "../../core/random-id.ts";
import { ORIGIN, type TurnOrigin } from "../../core/turn/origin.ts";
import type { TurnResult } from "../../core/turn/turn.ts";
import type { AnyEvent } from "../../core/values.ts";
import type { Binding, HeardClient } from "../mapping.ts";
import type { UniversalOptions, UniversalStream } from "../stream.ts";
import { Listening, type Scope } from "./listening.ts";
import { StreamLog } from "./log.ts";
import { LogStream } from "./log-stream.ts";

const OPTIONS: Checks<UniversalOptions> = {
  includeRaw: checks.boolean,
  eagerStart: checks.boolean,
  reasoningVisibility: oneOf("public", "private"),
  maxLogBytes: checks.count,
  newSessionId: checks.function,
  clock: checks.object,
};

/** @throws InvalidInputError unless `of` is a client, turn or conversation, and for wrong options */
export function attach<Client extends HeardClient, Event extends AnyEvent, Result extends TurnResult>(
  binding: Binding<Client, Event, Result>,
  of: AnyAgentClient | AnyTurn | AnyConversation,
  options: UniversalOptions = {},
): UniversalStream {
  checkCallOptions(options, OPTIONS);
  const { maxLogBytes, newSessionId = () => randomId("session"), clock = systemClock } = options;
  const log = new StreamLog(maxLogBytes);
  const listening = new Listening(binding, scopeOf(binding, of), { ...options, newSessionId, clock }, log);
  return new LogStream(log, () => listening.close());
}

/** @throws InvalidInputError unless `of` is a client, a turn or a conversation of the protocol */
function scopeOf<Client extends HeardClient>(
  { isClient }: Pick<Binding<Client>, "isClient">,
  of: AnyAgentClient | AnyTurn | AnyConversation,
): Scope {
  const value: unknown = of;
  if (isClient(value)) return { kind: "client", client: value };
  if (typeof value === "object" && value !== null && ORIGIN in value) {
    const origin = value[ORIGIN] as TurnOrigin; // only this library sets the symbol
    if (isClient(origin.client)) {
      if ("outcome" in value) return { kind: "turn", turn: of as AnyTurn, origin };
      return { kind: "conversation", conversation: of as AnyConversation, client: origin.client };
    }
  }
  throw new InvalidInputError(
    "this value has no universal events.",
    "Pass a client of this protocol, or a turn or a conversation that such a client made.",
  );
}

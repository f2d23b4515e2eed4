// Makes the universal stream of a turn, a conversation or a client.
import { type Checks, checkCallOptions, checks, oneOf } from "../../core/checks.ts";
import type { AnyAgentClient, AnyConversation, AnyTurn } from "../../core/client/any-client.ts";
import { systemClock } from "../../core/clock.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkName } from "../../core/names.ts";
import { randomId } from "../../core/random-id.ts";
import type { ListenOptions, Unsubscribe } from "../../core/tell/events.ts";
import { ORIGIN, type TurnOrigin } from "../../core/turn/origin.ts";
import type { TurnResult } from "../../core/turn/turn.ts";
import type { AnyEvent } from "../../core/values.ts";
import type { Binding, HeardClient } from "../mapping.ts";
import type { EventListener, ReplayOptions, UniversalOptions, UniversalStream } from "../stream.ts";
import { Listening, type Scope } from "./listening.ts";
import { StreamLog } from "./log.ts";

/** 64 MiB: like the limit of a turn's event buffer. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

const OPTIONS: Checks<UniversalOptions> = {
  includeRaw: checks.boolean,
  eagerStart: checks.boolean,
  reasoningVisibility: oneOf("public", "private"),
  maxLogBytes: checks.count,
  newSessionId: checks.function,
  clock: checks.object,
};

const REPLAY: Checks<ReplayOptions> = { after: checks.tries, signal: checks.signal };

/** @throws InvalidInputError unless `of` is a client, turn or conversation, and for wrong options */
export function attach<Client extends HeardClient, Event extends AnyEvent, Result extends TurnResult>(
  binding: Binding<Client, Event, Result>,
  of: AnyAgentClient | AnyTurn | AnyConversation,
  options: UniversalOptions = {},
): UniversalStream {
  checkCallOptions(options, OPTIONS);
  const {
    maxLogBytes = MAX_LOG_BYTES,
    newSessionId = () => randomId("session"),
    clock = systemClock,
  } = options;
  const log = new StreamLog(maxLogBytes);
  const listening = new Listening(binding, scopeOf(binding, of), { ...options, newSessionId, clock }, log);
  return {
    get count() {
      return log.count;
    },
    get ended() {
      return log.isEnded;
    },
    events: (replay = {}) => {
      checkCallOptions(replay, REPLAY);
      return log.read(replay);
    },
    on: (name: "event", listener: EventListener, listen: ListenOptions = {}): Unsubscribe => {
      checkName(name, { event: true }, "event");
      checkCallOptions(listen, { signal: checks.signal });
      if (typeof listener !== "function")
        throw new InvalidInputError("the listener for `event` is no function.", "Pass a function.");
      const { signal } = listen;
      if (signal?.aborted) return () => {};
      const off = log.listen(listener);
      signal?.addEventListener("abort", off, { once: true });
      return () => {
        signal?.removeEventListener("abort", off);
        off();
      };
    },
    close: () => listening.close(),
    [Symbol.asyncIterator]: () => log.read({})[Symbol.asyncIterator](),
  };
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

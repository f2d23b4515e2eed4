// The options of a chat, with their checks and defaults.
import {
  type Check,
  type Checks,
  checkCallOptions,
  checks,
  defined,
  describe,
  isObject,
  oneOf,
} from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { reportError } from "../universal/listen/report-error.ts";
import type { AgentSource, UniversalOptions } from "../universal/stream.ts";
import type { SavedChat } from "./saving/saved.ts";
import type { ChatStore } from "./store/store.ts";

/** The default limit of queued prompts in a chat. Clients have the same limit. */
export const MAX_QUEUED_PROMPTS = 100;

export interface ChatOptions {
  /**
   * The `saved` of an earlier chat. The new chat shows its messages and continues the backend's conversation. If the
   * backend cannot continue, `connection.contextLost` is true, and prompts wait for `chat.resume()`.
   */
  readonly from?: SavedChat;
  /** A prompt while a turn runs is queued, or refused with `queue-full`. @default "queue" */
  readonly whenBusy?: "queue" | "refuse";
  /** The limit of queued prompts, which slow each snapshot. More get `queue-full`. @default 100 */
  readonly maxQueued?: number;
  /**
   * Stores the chat's universal events under `id`. A new chat shows the stored messages, unless `from` is given. A
   * prompt that was refused or withdrawn before it reached the client makes no events, and is not stored.
   *
   * With `from`, each message is shown once. A store keeps no memory of the backend: without `from`, `contextLost` is
   * true. The queue and the selected branch are stored as status items of a session of the chat. Each event is appended
   * in its own tick, together with all that came during an append, so a crash loses only what was under way.
   *
   * Two chats over one id send no queued prompt twice: before one is sent, the chat writes so and reads the store. If the
   * store does not answer within `MAX_STORE_WAIT` ms, the chat sends its own prompts, and holds loaded ones. Each chat has
   * its own conversation with the backend. A prompt that was being sent when its program was killed is shown as `failed`.
   */
  readonly store?: ChatStore;
  /** The id of this chat in the store. */
  readonly id?: string;
  /** Options of the universal events. */
  readonly universal?: UniversalOptions;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, "wallTime" | "setTimeout">;
  /** Makes the id of a message of the user. Must be unique, even after a restore. @default a random id */
  readonly newId?: () => string;
  /** Gets the errors of listeners. @default `reportError` of the runtime, otherwise `console.error` */
  readonly onListenerError?: (error: unknown) => void;
}

export interface ChatSettings extends Required<Omit<ChatOptions, "from" | "store" | "id">> {
  readonly from: SavedChat | undefined;
  readonly stored: { readonly store: ChatStore; readonly id: string } | undefined;
}

/** Accepts an object with these functions. */
const having = (...names: readonly string[]): Check => ({
  expects: `an object with the functions ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`,
  holds: (value) =>
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === "function"),
});

export const storeCheck = having("load", "append", "list");

const CHECKS: Checks<ChatOptions> = {
  from: checks.object,
  whenBusy: oneOf("queue", "refuse"),
  maxQueued: checks.count,
  store: storeCheck,
  id: checks.text,
  universal: checks.object,
  clock: having("wallTime", "setTimeout"),
  newId: checks.function,
  onListenerError: checks.function,
};

/** @throws InvalidInputError for a wrong or unknown option */
export function resolveOptions(options: ChatOptions): ChatSettings {
  checkCallOptions(options, CHECKS);
  const { from, store, id, clock = systemClock, universal = {}, ...others } = options;
  if ((store === undefined) !== (id === undefined)) {
    const [given, missing] = store === undefined ? ["id", "store"] : ["store", "id"];
    throw new InvalidInputError(`\`${given}\` is given without \`${missing}\`.`, "Pass both, or none.");
  }
  return {
    whenBusy: "queue",
    maxQueued: MAX_QUEUED_PROMPTS,
    newId: () => randomId("msg"),
    onListenerError: reportError,
    ...defined(others),
    from,
    stored: store === undefined || id === undefined ? undefined : { store, id },
    universal: { clock, ...universal },
    clock,
  };
}

/** @throws InvalidInputError if the value is not a source */
export function checkSource(source: AgentSource): void {
  const value: unknown = source;
  if (isObject(value) && typeof value["name"] === "string" && having("client", "toUniversal").holds(value))
    return;
  const hint = "Pass a source such as codey({ url }).";
  throw new InvalidInputError(`the source is ${describe(value)}, which makes no clients.`, hint);
}

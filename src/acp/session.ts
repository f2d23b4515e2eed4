// One session of an agent: its modes, models, options, commands, title and context, and the turn that runs in it.
import { fieldsOf } from "../core/checks.ts";
import type { Withdraw } from "../core/gate/gate.ts";
import type { Ruling } from "../core/values.ts";
import type { AcpCalls, TrackedCall } from "./calls.ts";
import {
  type AcpChoices,
  type AcpCommand,
  type AcpConfigOption,
  type CallPatch,
  readChoices,
  readOptions,
  readUpdate,
  type Update,
} from "./messages.ts";
import { Replay } from "./replay.ts";
import type { AcpTurn } from "./turn.ts";
import { SessionUsage } from "./usage.ts";

/** What is known of a session. A change makes a new object. */
export interface AcpSessionState {
  readonly sessionId: string;
  readonly title?: string;
  readonly modes?: AcpChoices;
  readonly models?: AcpChoices;
  readonly options: readonly AcpConfigOption[];
  readonly commands: readonly AcpCommand[];
  /** How many tokens the model's context holds, and how many it can hold. */
  readonly context?: { readonly used: number; readonly size?: number };
}

/** The turn that runs in a session. */
export interface SessionTurn {
  readonly turn: AcpTurn;
  take(update: Update): void;
  /** The agent has changed the mode by itself. */
  modeChanged(): void;
  /** The agent works on the turn, although it says nothing for it. */
  alive(): void;
  /** Whether requests of the agent may be shown to the user. */
  readonly isAsking: boolean;
  readonly calls: AcpCalls;
  /** The agent asks for permission: the call waits. */
  asked(patch: CallPatch): TrackedCall;
  decided(tracked: TrackedCall, ruling: Ruling): void;
  /** Keeps the withdrawal of an open request, for the end of the turn. */
  opened(id: string, withdraw: Withdraw): void;
  closed(id: string): void;
}

/** A part of a session that an update has changed. */
export type SessionPart = "modes" | "models" | "commands" | "context" | "title" | "options";

interface SessionHost {
  sessionChanged(session: AcpSession, part: SessionPart): void;
  /** An update for a turn that has ended. */
  late(session: AcpSession, update: Update): void;
}

/** A session that is open on a link. */
export class AcpSession {
  readonly id: string;
  readonly isNew: boolean;
  readonly usage: SessionUsage;
  readonly #host: SessionHost;
  #state: AcpSessionState;
  /** The turn that runs now. */
  running: SessionTurn | undefined;
  /** The last turn, to which the session's changes are told. */
  lastTurn: AcpTurn | undefined;
  /** The mode that this client has asked for. */
  wantedMode: string | undefined;
  /** Whether the mode was set since the session was opened. */
  isReady = false;
  /** Whether the agent has the requests `session/set_mode` and `session/set_model`. Others have only options. */
  hasModes = false;
  hasModels = false;
  /** The messages of a replay, while it runs. */
  #replay: Replay | undefined;

  /** @param agent the name of the agent @param isNew whether the session has begun with this client */
  constructor(id: string, agent: string, host: SessionHost, isNew: boolean) {
    this.id = id;
    this.isNew = isNew;
    this.#host = host;
    this.usage = new SessionUsage(agent, isNew);
    this.#state = { sessionId: id, options: [], commands: [] };
  }

  get state(): AcpSessionState {
    return this.#state;
  }

  /** Reads the answer to `session/new`, `load` or `resume`. */
  opened(answer: unknown): void {
    const { modes, models, configOptions } = fieldsOf(answer);
    const known = { modes: readChoices(modes, "mode"), models: readChoices(models, "model") };
    this.hasModes = known.modes !== undefined;
    this.hasModels = known.models !== undefined;
    this.#state = {
      ...this.#state,
      ...(known.modes ? { modes: known.modes } : {}),
      ...(known.models ? { models: known.models } : {}),
    };
    if (configOptions !== undefined) this.setOptions(readOptions(configOptions));
  }

  /** The updates until `replayed()` belong to a replay. */
  replay(): Replay {
    this.#replay = new Replay();
    return this.#replay;
  }

  replayed(): void {
    this.#replay = undefined;
  }

  receive(raw: unknown): void {
    const update = readUpdate(raw);
    switch (update.type) {
      case "commands":
        this.#change({ commands: update.commands }, "commands");
        return;
      case "mode":
        this.setMode(update.mode);
        return;
      case "options":
        this.setOptions(update.options);
        return;
      case "info":
        if (update.title !== undefined) this.#change({ title: update.title }, "title");
        return;
      case "usage": {
        const { used, size, cost } = update;
        if (cost) this.usage.spent(cost);
        if (used === undefined) return;
        this.#change({ context: size === undefined ? { used } : { used, size } }, "context");
        return;
      }
      case "chunk":
      case "call":
      case "plan":
      case "notice":
      case "compaction":
      case "unknown":
        if (this.#replay) this.#replay.take(update);
        else if (this.running) this.running.take(update);
        else this.#host.late(this, update);
        return;
      default:
        update satisfies never;
    }
  }

  /** The agent says its mode. */
  setMode(current: string): void {
    const { modes } = this.#state;
    if (modes?.current !== current)
      this.#change({ modes: { available: modes?.available ?? [], current } }, "modes");
    if (this.wantedMode !== undefined && this.wantedMode !== current) this.running?.modeChanged();
  }

  setModel(current: string): void {
    const { models } = this.#state;
    if (models) this.#change({ models: { ...models, current } }, "models");
  }

  /** Newer agents say their modes and models as options. */
  setOptions(options: readonly AcpConfigOption[]): void {
    this.#change({ options }, "options");
    const models = this.hasModels ? undefined : choicesIn(options, "model");
    if (models) this.#change({ models }, "models");
    const modes = choicesIn(options, "mode");
    if (!modes) return;
    const isSame = this.#state.modes?.current === modes.current;
    if (!isSame || !this.#state.modes) this.#change({ modes }, "modes");
    this.setMode(modes.current);
  }

  #change(change: Partial<AcpSessionState>, part: SessionPart): void {
    this.#state = { ...this.#state, ...change };
    this.running?.alive();
    this.#host.sessionChanged(this, part);
  }
}

/** The option of a category, as a choice. */
function choicesIn(options: readonly AcpConfigOption[], category: "mode" | "model"): AcpChoices | undefined {
  const option = options.find((each) => each.category === category && each.type === "select");
  return option?.type === "select" ? { current: option.current, available: option.available } : undefined;
}

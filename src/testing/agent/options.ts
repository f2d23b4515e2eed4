// The options and switches of the mock agent.
import {
  type Check,
  type Checks,
  checkCallOptions,
  checkFields,
  checks,
  defined,
  fieldsOf,
  isObject,
  orFalse,
} from "../../core/checks.ts";
import type { Capabilities } from "../../core/client/agent-client.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { isPromptFiles, type PromptFiles } from "../../core/turn/prompt-files.ts";
import { echo, type MockAgentScript, type MockDeltas } from "./script.ts";

/** Options of `MockAgent`. */
export interface MockAgentOptions extends MockAgentSwitches {
  /** The name of the source. It is also the protocol name in events and conversation states. @default "mock" */
  readonly name?: string;
  /** How prompts are answered. @default a sentence that repeats the prompt */
  readonly script?: MockAgentScript;
  /** The clock of all delays, timeouts and events. A `ManualClock` stops the time. @default the platform's */
  readonly clock?: Clock;
  /**
   * Capabilities of the backend that differ from the default: a backend that supports everything. `reopens` follows
   * from `reconnect`, `cancelOnWire` from `answersAfterCancel`, and `modes`, `models` and `files` from these options.
   */
  readonly capabilities?: Partial<Fixed>;
  /** The modes that a conversation can set. @default none */
  readonly modes?: MockChoice;
  /** The models that a conversation can set. @default none */
  readonly models?: MockChoice;
  /** The folder whose files prompts may name, such as `nodeTools({ root })`. @default none */
  readonly files?: PromptFiles;
}

/** What can be chosen, and what is. */
export interface MockChoice {
  readonly current: string;
  readonly available: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

/** Switches that a test can change at any time with `agent.set()`. */
export interface MockAgentSwitches {
  /** How text is split into deltas: by word, by a number of characters, or not at all. @default "words" */
  readonly deltas?: MockDeltas;
  /** ms between two events of an answer. 0: the next event follows after the pending promise reactions. @default 0 */
  readonly pace?: number;
  /** ms until a connection is ready. @default 0 */
  readonly connectDelay?: number;
  /** Refuses all connection attempts, or a number of them. A string refuses all, and is the reason. @default false */
  readonly refuseConnect?: boolean | number | string;
  /**
   * How clients reconnect: the maximum number of attempts, and the ms before each attempt. `false`: the client closes
   * when its link is lost.
   * @default 5 attempts, 0 ms
   */
  readonly reconnect?: MockReconnect | false;
  /** ms from the cancel of a turn to its end. @default 0 */
  readonly cancelDelay?: number;
  /** The backend does not receive cancels: the script continues, and its events are dropped. @default false */
  readonly answersAfterCancel?: boolean;
  /** ms until an open request is denied, for clients created later. 0: no limit. @default 0 */
  readonly approvalTimeout?: number;
  /** ms without an event until a turn fails. 0: no limit. The turn option of the same name overrides it. @default 0 */
  readonly idleTimeout?: number;
  /** How many turns a client runs at once; others are queued. A conversation runs one turn at a time. @default 1 */
  readonly turnsAtOnce?: number;
}

interface MockReconnect {
  /** @default 5 */
  readonly maxAttempts?: number;
  /** @default 0 */
  readonly delay?: number;
}

/** All switches, with defaults applied. */
export interface MockSettings extends Required<Omit<MockAgentSwitches, "reconnect">> {
  readonly reconnect: Required<MockReconnect> | false;
}

type Fixed = Omit<Capabilities, "reopens" | "cancelOnWire" | "modes" | "models" | "files">;

const EVERYTHING: Fixed = {
  textDeltas: true,
  reasoning: true,
  toolCalls: true,
  toolOutputDeltas: true,
  subagents: true,
  permissions: "wire",
  questions: true,
  usage: "tokens",
  images: true,
  history: "client",
  conversations: "many",
  survivesReconnect: true,
  recovers: true,
  plan: true,
  context: true,
  branches: true,
  preview: true,
};

const DEFAULTS: MockSettings = {
  deltas: "words",
  pace: 0,
  connectDelay: 0,
  refuseConnect: false,
  reconnect: { maxAttempts: 5, delay: 0 },
  cancelDelay: 0,
  answersAfterCancel: false,
  approvalTimeout: 0,
  idleTimeout: 0,
  turnsAtOnce: 1,
};

/** Checks the switch `deltas`. */
export const isDeltas: Check = {
  expects: 'a number of characters, "words" or "whole"',
  holds: (value) => value === "words" || value === "whole" || checks.count.holds(value),
};

const RECONNECT: Checks<MockReconnect> = { maxAttempts: checks.count, delay: checks.delay };

const SWITCHES: Checks<MockAgentSwitches> = {
  deltas: isDeltas,
  pace: checks.delay,
  connectDelay: checks.delay,
  refuseConnect: {
    expects: "true, false, a number of attempts, or a reason",
    holds: (value) =>
      typeof value === "boolean" || (typeof value === "number" && value >= 0) || checks.text.holds(value),
  },
  reconnect: { ...orFalse(checks.object), fields: RECONNECT },
  cancelDelay: checks.delay,
  answersAfterCancel: checks.boolean,
  approvalTimeout: checks.delay,
  idleTimeout: checks.delay,
  turnsAtOnce: checks.count,
};

const isScript: Check = {
  expects: "a function that returns steps, or an array of replies",
  holds: (value) => typeof value === "function" || Array.isArray(value),
};

const isChoice: Check = {
  expects: "{ current, available: [{ id, name }] }",
  holds: (value) => {
    if (!isObject(value) || !Array.isArray(value["available"])) return false;
    const ids = value["available"].map((each: unknown) => fieldsOf(each)["id"]);
    return ids.every(checks.text.holds) && ids.includes(value["current"]);
  },
};

const OPTIONS: Checks<MockAgentOptions> = {
  ...SWITCHES,
  name: checks.text,
  script: isScript,
  clock: checks.object,
  capabilities: {
    ...checks.object,
    fields: Object.fromEntries(Object.keys(EVERYTHING).map((name) => [name, checks.any])),
  },
  modes: isChoice,
  models: isChoice,
  files: isPromptFiles,
};

/** @throws InvalidInputError for an unknown or invalid switch */
export function changeSettings(settings: MockSettings, switches: MockAgentSwitches): MockSettings {
  checkCallOptions<MockAgentSwitches, typeof SWITCHES>(switches, SWITCHES);
  const { reconnect, ...others } = switches;
  const changed = { ...settings, ...defined(others) };
  if (reconnect === undefined) return changed;
  return { ...changed, reconnect: reconnect && { maxAttempts: 5, delay: 0, ...defined(reconnect) } };
}

/** All options, with defaults applied. */
export interface Resolved {
  readonly name: string;
  readonly script: MockAgentScript;
  readonly clock: Clock;
  readonly capabilities: Fixed;
  readonly settings: MockSettings;
  readonly modes: MockChoice | undefined;
  readonly models: MockChoice | undefined;
  readonly files: PromptFiles | undefined;
}

/** @throws InvalidInputError for an unknown or invalid option */
export function resolveOptions(options: MockAgentOptions): Resolved {
  checkCallOptions<MockAgentOptions, typeof OPTIONS>(options, OPTIONS);
  const { name = "mock", script = echo, clock = systemClock, capabilities, ...others } = options;
  const { modes, models, files, ...switches } = others;
  return {
    name,
    script,
    clock,
    capabilities: { ...EVERYTHING, ...defined(capabilities) },
    settings: changeSettings(DEFAULTS, switches),
    modes,
    models,
    files,
  };
}

/** @throws InvalidInputError for a value that is not a script */
export function checkScript(script: MockAgentScript): MockAgentScript {
  checkFields({ script }, { script: isScript }, "argument");
  return script;
}

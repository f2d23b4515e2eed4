// The options and switches of the mock agent.
import type { Capabilities } from "../../core/client/agent-client.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkNames } from "../names.ts";
import {
  anObject,
  type Check,
  checkValues,
  either,
  isCount,
  isDelay,
  isDeltas,
  isFalse,
  isFlag,
  isText,
} from "./checks.ts";
import { echo, type MockAgentScript, type MockDeltas } from "./script.ts";

/** Options of `MockAgent`. */
export interface MockAgentOptions extends MockAgentSwitches {
  /** The name of the source, and of its protocol in events and in the state of conversations. @default "mock" */
  readonly name?: string;
  /** How prompts are answered. @default a sentence that repeats the prompt */
  readonly script?: MockAgentScript;
  /** The clock of all delays, time-outs and events. A `ManualClock` stops time. @default the platform's */
  readonly clock?: Clock;
  /**
   * What the backend can do, where it differs from a backend that can do everything. `reopens` follows from `reconnect`, and
   * `cancelOnWire` from `answersAfterCancel`.
   */
  readonly capabilities?: Partial<Omit<Capabilities, "reopens" | "cancelOnWire">>;
}

/** Settings that a test may change at any time, with `agent.set()`. */
export interface MockAgentSwitches {
  /** How text is cut: into words, into pieces of so many characters, or not at all. @default "words" */
  readonly deltas?: MockDeltas;
  /** ms between two events of an answer. @default 0: the next event follows when promise reactions have run */
  readonly pace?: number;
  /** ms until a connection is ready. @default 0 */
  readonly connectDelay?: number;
  /** Refuses attempts to connect: all of them, or so many. A text is the reason, and refuses all. @default false */
  readonly refuseConnect?: boolean | number | string;
  /**
   * How clients come back after a loss: attempts until they give up, and ms before each attempt. `false`: a loss closes the client.
   * @default 5 attempts, 0 ms
   */
  readonly reconnect?: MockReconnect | false;
  /** ms from the cancel of a turn to its outcome. @default 0: at once */
  readonly cancelDelay?: number;
  /** The backend does not hear of a cancel: the script goes on, and its events are dropped. @default false */
  readonly answersAfterCancel?: boolean;
  /** ms until an open request is refused; 0: no limit. @default 0 */
  readonly approvalTimeout?: number;
  /** ms of silence until a turn fails; 0: no limit. Turns have an option of the same name. @default 0 */
  readonly idleTimeout?: number;
  /** The turns that a client sends at once. Others wait. The turns of a conversation always wait for each other. @default 1 */
  readonly turnsAtOnce?: number;
}

export interface MockReconnect {
  /** @default 5 */
  readonly maxAttempts?: number;
  /** @default 0 */
  readonly delay?: number;
}

/** The switches with their defaults. */
export interface Settings extends Required<Omit<MockAgentSwitches, "reconnect">> {
  readonly reconnect: Required<MockReconnect> | false;
}

const isRefusal: Check = [
  "true, false, a number of attempts, or a reason",
  (value) => typeof value === "boolean" || (typeof value === "number" && value >= 0) || isText[1](value),
];

const SWITCHES = {
  deltas: isDeltas,
  pace: isDelay,
  connectDelay: isDelay,
  refuseConnect: isRefusal,
  reconnect: either(anObject, isFalse),
  cancelDelay: isDelay,
  answersAfterCancel: isFlag,
  approvalTimeout: isDelay,
  idleTimeout: isDelay,
  turnsAtOnce: isCount,
} satisfies Record<keyof MockAgentSwitches, Check>;

const isScript: Check = [
  "a function that returns steps, or an array of replies",
  (value) => typeof value === "function" || Array.isArray(value),
];

const OPTIONS = {
  ...SWITCHES,
  name: isText,
  script: isScript,
  clock: anObject,
  capabilities: anObject,
} satisfies Record<keyof MockAgentOptions, Check>;

const RECONNECT = { maxAttempts: isCount, delay: isDelay };

const DEFAULTS: Settings = {
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

type Fixed = Omit<Capabilities, "reopens" | "cancelOnWire">;

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

/** @throws InvalidInputError for a switch that does not exist or is wrong */
export function changeSettings(settings: Settings, switches: MockAgentSwitches): Settings {
  checkValues(switches, SWITCHES, "switch");
  const { reconnect, ...others } = switches;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  if (reconnect === undefined) return { ...settings, ...given };
  if (reconnect === false) return { ...settings, ...given, reconnect };
  checkValues(reconnect, RECONNECT, "switch reconnect field");
  const { maxAttempts = 5, delay = 0 } = reconnect;
  return { ...settings, ...given, reconnect: { maxAttempts, delay } };
}

/** The options of an agent, with their defaults. */
export interface Resolved {
  readonly name: string;
  readonly script: MockAgentScript;
  readonly clock: Clock;
  readonly capabilities: Fixed;
  readonly settings: Settings;
}

/** @throws InvalidInputError for an option that does not exist or is wrong */
export function resolveOptions(options: MockAgentOptions): Resolved {
  checkValues(options, OPTIONS, "option");
  const { name = "mock", script = echo, clock = systemClock, capabilities = {}, ...switches } = options;
  checkNames(capabilities, EVERYTHING, "capability");
  return {
    name,
    script,
    clock,
    capabilities: { ...EVERYTHING, ...capabilities },
    settings: changeSettings(DEFAULTS, switches),
  };
}

/** @throws InvalidInputError for what is no script */
export function checkScript(script: MockAgentScript): MockAgentScript {
  checkValues({ script }, { script: isScript }, "argument");
  return script;
}

// The server without its sockets. All connections share it.
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkMockNames } from "../names.ts";
import type { MockPeer } from "../server/peer.ts";
import { checkAnswer } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";
import {
  CODEY_OPTIONS,
  CODEY_SWITCHES,
  type CodeyMockSettings,
  type CodeyProfileName,
  codeySettings,
  toolsOf,
} from "./profiles.ts";
import { CodeyJournal } from "./record.ts";
import { type CodeyAnswer, echoCodeyAnswer } from "./script.ts";

/** The part of a connection that its server uses. */
interface BackendPeer extends MockPeer {
  readonly session: "live" | "leaked" | "ended";
  freezeUp(): void;
  thaw(): void;
  die(): void;
}

export class CodeyBackend {
  readonly withPort = "MockCodeyServer";
  readonly profile: CodeyProfileName;
  readonly clock: Clock;
  readonly journal = new CodeyJournal();
  readonly peers: BackendPeer[] = [];
  readonly tools: ReadonlySet<string>;
  readonly random: () => number;
  readonly newSessionId: () => string;
  readonly newCallId: (name: string) => string;
  answer: CodeyAnswer;
  #settings: CodeyMockSettings;
  #full = false;
  #calls = 0;

  constructor(options: MockCodeyOptions) {
    checkMockNames(options, CODEY_OPTIONS, "option");
    const { profile = "real", seed = 1, clock = systemClock, answer = echoCodeyAnswer } = options;
    checkAnswer(answer);
    this.#settings = codeySettings(options);
    this.profile = profile;
    this.clock = clock;
    this.answer = answer;
    this.tools = new Set(options.tools ?? toolsOf(profile));
    this.random = typeof seed === "number" ? dice(seed) : seed;
    this.newSessionId = options.sessionId ?? (() => crypto.randomUUID());
    this.newCallId = options.callId ?? (() => `toolu_${++this.#calls}`);
  }

  get settings(): CodeyMockSettings {
    return this.#settings;
  }

  /** Whether the server has reached the number of sessions that freezes it. */
  get full(): boolean {
    return this.#full;
  }

  /** The number of sessions that have not ended, with and without a connection. */
  get sessions(): { readonly live: number; readonly leaked: number } {
    const count = (state: "live" | "leaked") => this.peers.filter(({ session }) => session === state).length;
    return { live: count("live"), leaked: count("leaked") };
  }

  /** Sets switches for later events. */
  set(switches: MockCodeySwitches): void {
    checkMockNames(switches, CODEY_SWITCHES, "switch");
    this.#settings = changed(this.#settings, switches);
    const { freezeAfterSessions, frozen } = this.#settings;
    if (freezeAfterSessions === "off") this.#full = false;
    this.freezeWhenFull();
    if (this.#full) return;
    for (const peer of this.peers) {
      if (frozen === "off") peer.thaw();
      else if (frozen === "midSession") peer.freezeUp();
    }
  }

  /** Simulates the death of the process. A new process takes its place. */
  die(): void {
    this.#full = false;
    for (const peer of this.peers) peer.die();
  }

  freezeWhenFull(): void {
    const { freezeAfterSessions } = this.#settings;
    if (freezeAfterSessions === "off" || this.#full) return;
    const { live, leaked } = this.sessions;
    if (live + leaked < freezeAfterSessions) return;
    this.#full = true;
    for (const peer of this.peers) peer.freezeUp();
  }

  /** Returns the items in random order. */
  shuffled<T>(items: readonly T[]): readonly T[] {
    const drawn = items.map((item) => ({ item, lot: this.random() }));
    return drawn.sort((one, other) => one.lot - other.lot).map(({ item }) => item);
  }
}

/** Returns a generator of numbers in [0, 1), repeatable by seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

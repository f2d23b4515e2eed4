// What the connections of a mock share.
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkNames } from "../names.ts";
import type { PeerLink } from "../server/link.ts";
import { checkAnswer } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import { dice } from "./dice.ts";
import { CodeyJournal } from "./journal.ts";
import { OPTIONS, SWITCHES } from "./names.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";
import { CodeyPeer } from "./peer.ts";
import { type ProfileName, type Settings, settingsOf } from "./profiles.ts";
import { type CodeyAnswer, echoAnswer } from "./script.ts";
import { toolsOf } from "./tools.ts";

/** The server without its sockets: what its connections share. */
export class CodeyBackend {
  readonly withPort = "MockCodeyServer";
  readonly profile: ProfileName;
  readonly clock: Clock;
  readonly journal = new CodeyJournal();
  readonly peers: CodeyPeer[] = [];
  readonly tools: ReadonlySet<string>;
  readonly random: () => number;
  readonly newSessionId: () => string;
  readonly newCallId: (name: string) => string;
  answer: CodeyAnswer;
  #settings: Settings;
  #full = false;
  #calls = 0;

  constructor(options: MockCodeyOptions) {
    checkNames(options, OPTIONS, "option");
    const { profile = "real", seed = 1 } = options;
    this.#settings = settingsOf(options);
    this.profile = profile;
    this.clock = options.clock ?? systemClock;
    this.answer = options.answer ?? echoAnswer;
    checkAnswer(this.answer);
    this.tools = new Set(options.tools ?? toolsOf(profile));
    this.random = typeof seed === "number" ? dice(seed) : seed;
    this.newSessionId = options.sessionId ?? (() => crypto.randomUUID());
    this.newCallId = options.callId ?? (() => `toolu_${++this.#calls}`);
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Whether there are as many sessions as freeze the server. */
  get full(): boolean {
    return this.#full;
  }

  /** Sessions that have not ended, with their connection and without. */
  get sessions(): { readonly live: number; readonly leaked: number } {
    const count = (state: "live" | "leaked") => this.peers.filter(({ session }) => session === state).length;
    return { live: count("live"), leaked: count("leaked") };
  }

  /** A client has connected, over whatever the link is. */
  accept(link: PeerLink): CodeyPeer {
    const peer = new CodeyPeer(this.journal.connections.length + 1, link, this);
    this.peers.push(peer);
    this.journal.add(this.journal.connections, peer);
    peer.start();
    this.#freezeWhenFull();
    return peer;
  }

  /** Sets switches anew, for what happens from now on. */
  set(switches: MockCodeySwitches): void {
    checkNames(switches, SWITCHES, "switch");
    this.#settings = changed(this.#settings, switches);
    const { freezeAfterSessions, frozen } = this.#settings;
    if (freezeAfterSessions === "off") this.#full = false;
    this.#freezeWhenFull();
    if (this.#full) return;
    for (const peer of this.peers) {
      if (frozen === "off") peer.thaw();
      else if (frozen === "midSession") peer.freezeUp();
    }
  }

  /** The process dies, and another takes its place. */
  die(): void {
    this.#full = false;
    for (const peer of this.peers) peer.die();
  }

  #freezeWhenFull(): void {
    const { freezeAfterSessions } = this.#settings;
    if (freezeAfterSessions === "off" || this.#full) return;
    const { live, leaked } = this.sessions;
    if (live + leaked < freezeAfterSessions) return;
    this.#full = true;
    for (const peer of this.peers) peer.freezeUp();
  }
}

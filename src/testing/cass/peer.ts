// One connection of the mock, without its socket: strictly one frame after the other.
import { checkNames } from "../names.ts";
import { ChunkedLink } from "../server/chunked-link.ts";
import type { Dict } from "../server/dict.ts";
import { byteLength, describe, type InboundFrame } from "../server/inbound.ts";
import { Interruptible } from "../server/interruptible.ts";
import type { PeerLink } from "../server/link.ts";
import { Peer, type PeerHost } from "../server/peer.ts";
import { noted } from "../server/record.ts";
import { changed } from "../server/switches.ts";
import { askedInChat, askedInOnboarding, type Question } from "./asking.ts";
import { type ClientHistory, ClientRules } from "./client-rules.ts";
import { FOREIGN_USER, Identity } from "./identity.ts";
import type { CassJournal } from "./journal.ts";
import type { CassModel, Models } from "./models.ts";
import { SWITCHES } from "./names.ts";
import { onboardingProblem } from "./onboarding.ts";
import type { Opening } from "./opening.ts";
import type { Settings } from "./profiles.ts";
import { type CassMistake, mistakesIn, readFrame } from "./read-frame.ts";
import type { CassConnection } from "./record.ts";
import { responseFrame } from "./response.ts";
import { replyOf } from "./rounds.ts";
import type { CassServerFrame } from "./server-frame.ts";
import type { CassEnd, MockCassSwitches } from "./switches.ts";
import type { Tokens } from "./tokens.ts";
import { Turn, type TurnHost, type TurnPort } from "./turn.ts";
import { noiseAfterFrame, writeFrame } from "./write-frame.ts";

const LIMIT = 16_777_216;
const CUT = 1006;

/** What a connection needs of its server. */
export interface CassPeerHost extends PeerHost, TurnHost {
  readonly journal: CassJournal;
  readonly settings: Settings;
  readonly models: Models;
  readonly tokens: Tokens;
  readonly history: ClientHistory;
}

/**
 * One connection of the mock server without its socket: frames in, frames out, a clock. Strictly serial: a frame has
 * its turn when everything about the one before is over.
 *
 * ```
 *   open ---- connected ----> ready ---+--- either side closes or drops ---> closed
 *     |                         |      |                                       ^
 *     |                         +------+--- a failure: zombie ---> zombie -----+
 *     +------- it starts up, or refuses the token in the address --------------+
 * ```
 */
export class CassPeer extends Peer implements CassConnection, TurnPort {
  readonly model: CassModel;
  readonly #host: CassPeerHost;
  readonly #opening: Opening;
  readonly #rules: ClientRules;
  readonly #life: Interruptible;
  #own: MockCassSwitches;
  readonly #identity: Identity;
  #greeted = false;
  /** Past all answering: by a failure, a restart, or the end of the mock. */
  #dead = false;
  #zombie = false;
  #greeting: Promise<void> = Promise.resolve();
  #handling: Promise<void> = Promise.resolve();
  #turn: Turn | undefined;
  #deferred: readonly CassServerFrame[] = [];

  constructor(id: number, link: PeerLink, host: CassPeerHost, opening: Opening, own: MockCassSwitches) {
    super(id, new ChunkedLink(link, () => this.settings.chunking, host.withPort), host);
    this.#host = host;
    this.#opening = opening;
    this.#own = own;
    this.#rules = new ClientRules(host.history);
    this.#life = new Interruptible(host.clock);
    this.model = host.models.current;
    this.#identity = new Identity(opening.token, host.tokens, this.settings);
  }

  get state(): "open" | "ready" | "zombie" | "closed" {
    if (this.over) return "closed";
    if (this.#zombie) return "zombie";
    return this.#greeted ? "ready" : "open";
  }

  get userId(): string | null {
    return this.#identity.userId;
  }

  get settings(): Settings {
    return changed(this.#host.settings, this.#own);
  }

  get repliesToClose(): boolean {
    return true;
  }

  get staysWhenMalformed(): boolean {
    return false;
  }

  set(switches: MockCassSwitches): void {
    checkNames(switches, SWITCHES, "switch");
    this.#own = { ...this.#own, ...switches };
  }

  push(message: CassServerFrame): void {
    this.say(message);
  }

  /** The connection is open. */
  start(): void {
    for (const mistake of this.#opening.mistakes) this.blame(mistake);
    const { initializing, badQueryToken, connectedDelay } = this.settings;
    if (initializing) {
      const end = this.#host.profile === "relay" ? "." : " in a moment.";
      this.say({ type: "error", message: `Server is still initializing. Please try again${end}` });
      this.kill("close1000");
    } else if (badQueryToken === "refused" && this.#identity.isRefused) {
      this.say({ type: "auth_error", message: "Invalid token" });
      this.kill(1008);
    } else if (connectedDelay > 0) {
      this.#greeting = this.#life.delay(connectedDelay).then(() => this.#greet());
    } else this.#greet();
  }

  /** The process is gone, or is about to be. */
  die(): void {
    this.#dead = true;
    this.#life.stop();
    this.#turn?.stop();
  }

  kill(by: CassEnd | number): void {
    this.die();
    if (by === "drop" || by === CUT) this.drop();
    else if (by === "close1000") this.close(1000);
    else if (by === "zombie") {
      this.#zombie = true;
      this.pause();
      // Nobody will tell that the client has given it up: nothing is read any more.
      this.#rules.over();
      this.#host.journal.changed();
    } else this.close(by);
  }

  say(frame: CassServerFrame): void {
    const { settings } = this;
    const { profile, time } = this.#host;
    this.send(writeFrame(frame, settings, profile, () => time.stamp()));
    for (const noise of noiseAfterFrame(settings)) this.send(noise);
  }

  defer(frames: readonly CassServerFrame[]): void {
    this.#deferred = [...this.#deferred, ...frames];
  }

  takeDeferred(): readonly CassServerFrame[] {
    const deferred = this.#deferred;
    this.#deferred = [];
    return deferred;
  }

  receive(frame: InboundFrame): void {
    this.#record("c2s", frame);
    if (this.over) return;
    const greets = this.settings.connected === "sent";
    if (!this.#greeted && greets) this.blame({ kind: "frame-before-connected", detail: typeOf(frame) });
    const bytes = byteLength(frame, LIMIT);
    if (bytes > LIMIT) {
      this.blame({ kind: "oversize-frame", detail: `${bytes} bytes` });
      this.die();
      this.close(1009, `frame exceeds limit of ${LIMIT} bytes`);
      return;
    }
    const { message, mistake } = readFrame(frame);
    if (mistake) this.blame(mistake);
    else {
      const inOrder = this.#rules.arrived(message, this.#host.clock.now(), this.settings);
      for (const one of [...mistakesIn(message), ...inOrder]) this.blame(one);
    }
    this.inbox.push(frame);
    this.#readOrNot();
  }

  blame({ kind, detail }: CassMistake): void {
    const { journal } = this.#host;
    journal.add(journal.violations, { connection: this, kind, detail });
  }

  protected handle(frame: InboundFrame): Promise<void> {
    this.#handling = this.#heed(frame);
    return this.#handling;
  }

  protected sent(frame: string | Uint8Array): void {
    this.#record("s2c", frame);
  }

  protected release(): void {
    this.#rules.over();
    if (this.#dead) return;
    // The server finds out that the client has gone only when it has done all that was asked of it.
    const left = this.inbox.waiting();
    const handling = this.#handling;
    void (async () => {
      await handling;
      for (const frame of left) await this.#heed(frame);
    })();
  }

  #greet(): void {
    const { connected, connectedUserId, sdkMode, death, extraResponse } = this.settings;
    if (this.#dead) return;
    if (connected === "sent") {
      const actual = connectedUserId === "actual" ? this.userId : connectedUserId;
      const user_id = actual === "foreign" ? FOREIGN_USER : actual;
      this.say({ type: "connected", message: "Cass vessel connected", sdk_mode: sdkMode, user_id });
    }
    this.#greeted = true;
    this.#host.journal.changed();
    if (extraResponse === "unsolicited") this.#sayUnsolicited();
    if (death !== "off" && death.at === "connected") this.kill(death.by);
  }

  async #heed(frame: InboundFrame): Promise<void> {
    await this.#greeting;
    if (this.#dead) return;
    const { message } = readFrame(frame);
    const { clock, journal } = this.#host;
    if (!message) {
      this.#fail("Invalid message");
      return;
    }
    journal.add(journal.received, { at: clock.now(), connection: this, message });
    await this.#answer(message);
  }

  async #answer(message: Dict): Promise<void> {
    const { ping, pongDelay, status, sdkMode, memoryCount } = this.settings;
    switch (message["type"]) {
      case "auth":
        this.#auth(message["token"]);
        break;
      case "chat":
        await this.#chat(message);
        break;
      case "onboarding_intro":
        await this.#onboard("intro", message);
        break;
      case "onboarding_demo":
        await this.#onboard("demo", message);
        break;
      case "ping":
        if (pongDelay > 0) await this.#life.delay(pongDelay);
        if (ping === "pong") this.say({ type: "pong" });
        else if (ping === "bare") this.say({ type: "pong", timestamp: undefined });
        break;
      case "status":
        if (status === "answered") this.say({ type: "status", sdk_mode: sdkMode, memory_count: memoryCount });
        else if (status === "unknown") this.#sayUnknown("status");
        break;
      default:
        if (this.#host.profile === "relay") this.#sayUnknown(String(message["type"] ?? "None"));
    }
  }

  #auth(token: unknown): void {
    const { clock, journal, tokens } = this.#host;
    const settle = this.#rules.auth();
    const reading = tokens.read(token);
    if (reading.kind === "refresh") this.blame({ kind: "refresh-token", detail: "auth" });
    const answer = this.#identity.present(token, this.settings);
    const userId = "userId" in reading ? reading.userId : null;
    journal.add(journal.auths, { at: clock.now(), connection: this, token: reading.kind, userId, answer });
    if (answer === "silence") return;
    settle();
    if (answer === "auth_success") this.say({ type: answer, user_id: this.userId ?? FOREIGN_USER });
    else if (answer === "auth_error") this.say({ type: answer, message: "Invalid token" });
    else this.#sayUnknown("auth");
  }

  async #chat(data: Dict): Promise<void> {
    const settle = this.#rules.turn();
    const question = askedInChat(data, this.model, this.#host.profile);
    if (question.message || this.settings.emptyMessage === "model") {
      await this.#perform(question, settle);
      return;
    }
    settle();
    this.say({ type: "error", message: "Empty message" });
  }

  async #onboard(kind: "intro" | "demo", data: Dict): Promise<void> {
    const settle = this.#rules.turn();
    const problem = onboardingProblem(kind, data, this.settings, this.#host);
    if (problem !== undefined) {
      settle();
      if ("says" in problem) this.say({ type: "error", message: problem.says });
      else this.#fail(problem.dies);
      return;
    }
    // The server asks for no proof.
    this.#identity.userId = String(data["user_id"]);
    await this.#perform(askedInOnboarding(kind, data), settle);
  }

  async #perform(question: Question, settle: () => void): Promise<void> {
    const { userId, model } = this;
    const at = this.#host.clock.now();
    const turn = new Turn({ ...question, at, connection: this, userId, model }, this, this.#host, settle);
    this.#turn = turn;
    this.#readOrNot();
    await turn.perform();
    this.#turn = undefined;
    this.#readOrNot();
  }

  /** While a turn runs, a frame that waits for its handler keeps the server from reading on. */
  #readOrNot(): void {
    if (this.settings.unreadFrame === "1011") this.read(!(this.#turn && this.inbox.hasWaiting));
  }

  /** Something that the server does not survive. */
  #fail(message: string): void {
    const { failure } = this.settings;
    if (failure === "error") this.say({ type: "error", message });
    else this.kill(failure);
  }

  #sayUnknown(type: string): void {
    this.say({ type: "error", message: `Unknown message type: ${type}` });
  }

  /** A response that nobody has asked for. */
  #sayUnsolicited(): void {
    const { profile, time } = this.#host;
    const { settings, model } = this;
    const round = { text: "Nobody asked.", usage: {}, tools: [] };
    const reply = replyOf([round], [], { profile, provider: model.provider, settings, onboarding: false });
    const timestamp = time.stamp();
    this.say(
      responseFrame({ reply, kind: "chat", conversationId: null, model, timestamp, profile, settings }),
    );
  }

  #record(direction: "c2s" | "s2c", frame: string | Uint8Array): void {
    const { clock, journal } = this.#host;
    journal.add(journal.frames, { at: clock.now(), connection: this, direction, ...noted(frame) });
  }
}

/** Not the frame itself, which may hold a token. */
function typeOf(frame: InboundFrame): string {
  const { message } = readFrame(frame);
  return message ? String(message["type"]) : describe(frame);
}

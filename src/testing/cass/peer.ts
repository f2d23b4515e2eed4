// One connection of the mock, without its socket. It handles one frame at a time.
import { checkMockNames } from "../names.ts";
import { ChunkedLink } from "../server/chunked-link.ts";
import type { Dict } from "../server/dict.ts";
import { byteLength, describeFrame, type InboundFrame } from "../server/inbound.ts";
import { Interruptible } from "../server/interruptible.ts";
import type { PeerLink } from "../server/link.ts";
import { MockPeer } from "../server/peer.ts";
import { noted } from "../server/record.ts";
import { changed } from "../server/switches.ts";
import type { CassBackend } from "./backend.ts";
import { ClientRules } from "./client-rules.ts";
import { mistakesInFrame, noiseAfterFrame, readFrame, writeFrame } from "./frames.ts";
import { FOREIGN_USER, Identity, onboardingProblem, userIn } from "./identity.ts";
import { CASS_SWITCHES, type CassMockSettings } from "./profiles.ts";
import type { CassMistake, CassServerFrame } from "./record.ts";
import { replyOf, responseFrame } from "./response.ts";
import type { CassModel } from "./store.ts";
import type { CassEnd, MockCassSwitches } from "./switches.ts";
import { type AskedOfUser, CassMockTurn, type TurnConnection } from "./turn.ts";

const LIMIT = 16_777_216;
const CUT = 1006;

/**
 * One connection of the mock server, without its socket. It handles frames strictly in order: the next frame waits
 * until the previous one is handled completely.
 *
 * ```
 *   open ---- connected ----> ready ---+--- either side closes or drops ---> closed
 *     |                         |      |                                       ^
 *     |                         +------+--- a failure: zombie ---> zombie -----+
 *     +------- it starts up, or refuses the token in the address --------------+
 * ```
 */
export class CassPeer extends MockPeer implements TurnConnection {
  readonly repliesToClose = true;
  readonly staysWhenMalformed = false;
  readonly model: CassModel;
  readonly #backend: CassBackend;
  readonly #rules: ClientRules;
  readonly #life: Interruptible;
  #own: MockCassSwitches;
  readonly #identity: Identity;
  #greeted = false;
  /** Whether it answers no more: after a failure, a restart, or the end of the mock. */
  #dead = false;
  #zombie = false;
  #greeting: Promise<void> = Promise.resolve();
  #handling: Promise<void> = Promise.resolve();
  #turn: CassMockTurn | undefined;
  deferred: readonly CassServerFrame[] = [];

  constructor(id: number, link: PeerLink, backend: CassBackend) {
    super(id, new ChunkedLink(link, () => this.settings.chunking, backend.withPort), backend);
    this.#backend = backend;
    this.#own = backend.switchesFor({ number: id, userId: userIn(link.url, backend) });
    this.#rules = new ClientRules(backend.lostChats);
    this.#life = new Interruptible(backend.clock);
    this.model = backend.models.current;
    this.#identity = new Identity(link.url, backend, this.settings);
  }

  get state(): "open" | "ready" | "zombie" | "closed" {
    if (this.over) return "closed";
    if (this.#zombie) return "zombie";
    return this.#greeted ? "ready" : "open";
  }

  get userId(): string | null {
    return this.#identity.userId;
  }

  get settings(): CassMockSettings {
    return changed(this.#backend.settings, this.#own);
  }

  set(switches: MockCassSwitches): void {
    checkMockNames(switches, CASS_SWITCHES, "switch");
    this.#own = { ...this.#own, ...switches };
  }

  start(): void {
    for (const mistake of this.#identity.mistakes) this.blame(mistake);
    const { initializing, badQueryToken, connectedDelay } = this.settings;
    if (initializing) {
      const end = this.#backend.profile === "relay" ? "." : " in a moment.";
      this.push({ type: "error", message: `Server is still initializing. Please try again${end}` });
      this.kill("close1000");
    } else if (badQueryToken === "refused" && this.#identity.isRefused) {
      this.push({ type: "auth_error", message: "Invalid token" });
      this.kill(1008);
    } else if (connectedDelay > 0) {
      this.#greeting = this.#life.delay(connectedDelay).then(() => this.#greet());
    } else this.#greet();
  }

  /** Stops all work, because the server process ends. */
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
      // A zombie reads nothing, so it cannot notice the client's close. Count the chats as lost now.
      this.#rules.over();
      this.#backend.journal.changed();
    } else this.close(by);
  }

  push(frame: CassServerFrame): void {
    const { settings } = this;
    const { profile, time } = this.#backend;
    this.send(writeFrame(frame, settings, profile, () => time.stamp()));
    for (const noise of noiseAfterFrame(settings)) this.send(noise);
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
      const inOrder = this.#rules.arrived(message, this.#backend.clock.now(), this.settings);
      for (const one of [...mistakesInFrame(message), ...inOrder]) this.blame(one);
    }
    this.inbox.push(frame);
    this.#readOrNot();
  }

  blame({ kind, detail }: CassMistake): void {
    const { journal } = this.#backend;
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
    // The real server notices a client's close only after it handled all received frames.
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
      this.push({ type: "connected", message: "Cass vessel connected", sdk_mode: sdkMode, user_id });
    }
    this.#greeted = true;
    this.#backend.journal.changed();
    if (extraResponse === "unsolicited") this.#sayUnsolicited();
    if (death !== "off" && death.at === "connected") this.kill(death.by);
  }

  async #heed(frame: InboundFrame): Promise<void> {
    await this.#greeting;
    if (this.#dead) return;
    const { message } = readFrame(frame);
    const { clock, journal } = this.#backend;
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
      case "onboarding_demo":
        await this.#onboard(message["type"] === "onboarding_intro" ? "intro" : "demo", message);
        break;
      case "ping":
        if (pongDelay > 0) await this.#life.delay(pongDelay);
        if (ping === "pong") this.push({ type: "pong" });
        else if (ping === "bare") this.push({ type: "pong", timestamp: undefined });
        break;
      case "status":
        if (status === "answered")
          this.push({ type: "status", sdk_mode: sdkMode, memory_count: memoryCount });
        else if (status === "unknown") this.#sayUnknown("status");
        break;
      default:
        if (this.#backend.profile === "relay") this.#sayUnknown(String(message["type"] ?? "None"));
    }
  }

  #auth(token: unknown): void {
    const { clock, journal, tokens } = this.#backend;
    const settle = this.#rules.auth();
    const reading = tokens.read(token);
    if (reading.kind === "refresh") this.blame({ kind: "refresh-token", detail: "auth" });
    const answer = this.#identity.present(token, this.settings);
    const userId = "userId" in reading ? reading.userId : null;
    journal.add(journal.auths, { at: clock.now(), connection: this, token: reading.kind, userId, answer });
    if (answer === "silence") return;
    settle();
    if (answer === "auth_success") this.push({ type: answer, user_id: this.userId ?? FOREIGN_USER });
    else if (answer === "auth_error") this.push({ type: answer, message: "Invalid token" });
    else this.#sayUnknown("auth");
  }

  async #chat(data: Dict): Promise<void> {
    const settle = this.#rules.turn();
    const { message = "", image, image_media_type: mediaType } = data;
    const isSeen = this.model.provider === "anthropic" && this.#backend.profile !== "relay";
    const isImage = typeof image === "string" && typeof mediaType === "string" && mediaType !== "";
    const text = typeof message === "string" ? message : undefined;
    if (!text && this.settings.emptyMessage === "error") {
      settle();
      this.push({ type: "error", message: "Empty message" });
      return;
    }
    await this.#perform(
      "chat",
      text,
      isSeen && isImage ? { data: image, mediaType } : undefined,
      data,
      settle,
    );
  }

  async #onboard(kind: "intro" | "demo", data: Dict): Promise<void> {
    const settle = this.#rules.turn();
    const { user_id: userId, message } = data;
    const problem = onboardingProblem(kind, data, this.settings, this.#backend);
    if (problem !== undefined) {
      settle();
      this.push({ type: "error", message: problem });
    } else if (kind === "demo" && data["profile"] === null) {
      settle();
      this.#fail("profile is null");
    } else {
      // The server trusts the `user_id` without a token.
      this.#identity.userId = String(userId);
      await this.#perform(kind, typeof message === "string" ? message : "", undefined, data, settle);
    }
  }

  async #perform(
    kind: AskedOfUser["kind"],
    message: string | undefined,
    image: AskedOfUser["image"],
    data: Dict,
    settle: () => void,
  ): Promise<void> {
    const { userId, model } = this;
    const at = this.#backend.clock.now();
    const { conversation_id: id } = data;
    const conversationId = typeof id === "string" && id !== "" ? id : null;
    const asked = { at, connection: this, kind, message, conversationId, userId, image, model, data };
    const turn = new CassMockTurn(asked, this, this.#backend, settle);
    this.#turn = turn;
    this.#readOrNot();
    await turn.perform();
    this.#turn = undefined;
    this.#readOrNot();
  }

  /** While a turn runs and another frame waits, the server stops reading. */
  #readOrNot(): void {
    if (this.settings.unreadFrame === "1011") this.read(!(this.#turn && this.inbox.hasWaiting));
  }

  /** Handles a failure of the server: an `error`, or the end of the connection. */
  #fail(message: string): void {
    const { failure } = this.settings;
    if (failure === "error") this.push({ type: "error", message });
    else this.kill(failure);
  }

  #sayUnknown(type: string): void {
    this.push({ type: "error", message: `Unknown message type: ${type}` });
  }

  /** Sends a response without a turn. */
  #sayUnsolicited(): void {
    const { profile, time } = this.#backend;
    const { settings, model } = this;
    const context = { kind: "chat", model, profile, settings } as const;
    const reply = replyOf([{ text: "Nobody asked.", usage: {}, tools: [] }], context);
    this.push(responseFrame(reply, context, null, time.stamp(), []));
  }

  #record(direction: "c2s" | "s2c", frame: string | Uint8Array): void {
    const { clock, journal } = this.#backend;
    journal.add(journal.frames, { at: clock.now(), connection: this, direction, ...noted(frame) });
  }
}

/** Names a frame by its type only, since the frame may contain a token. */
function typeOf(frame: InboundFrame): string {
  const { message } = readFrame(frame);
  return message ? String(message["type"]) : describeFrame(frame);
}

export function acceptCass(backend: CassBackend, link: PeerLink): CassPeer {
  const { journal, origins, peers } = backend;
  if (origins.own === "" && link.url !== undefined && URL.canParse(link.url))
    backend.origins = { ...origins, own: new URL(link.url).origin.replace(/^ws/, "http") };
  const peer = new CassPeer(peers.length + 1, link, backend);
  peers.push(peer);
  journal.add(journal.connections, peer);
  const isOver = () => peer.state === "closed" || peer.state === "zombie";
  backend.noteAttempt(userIn(link.url, backend), isOver, peer);
  peer.start();
  return peer;
}

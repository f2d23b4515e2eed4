// What the connections and REST calls of a mock share: users, conversations, tokens.
import { type CancelTimer, type Clock, systemClock } from "../../core/clock.ts";
import { checkNames } from "../names.ts";
import type { PeerLink } from "../server/link.ts";
import { checkAnswer } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import { type Account, Accounts } from "./accounts.ts";
import type { Origins } from "./audio-frame.ts";
import { ClientHistory, isStorm } from "./client-rules.ts";
import { CassJournal } from "./journal.ts";
import { type CassProvider, Models, PROVIDERS } from "./models.ts";
import { OPTIONS, SWITCHES } from "./names.ts";
import { readOpening } from "./opening.ts";
import type { CassOpening, MockCassOptions } from "./options.ts";
import { CassPeer } from "./peer.ts";
import { type ProfileName, type Settings, settingsOf } from "./profiles.ts";
import { type CassAnswer, type CassTool, helloAnswer } from "./script.ts";
import { ServerTime } from "./server-time.ts";
import { type CassMessage, Store } from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";
import { Tokens } from "./tokens.ts";

const MODELS: { readonly [profile in ProfileName]: Readonly<Record<CassProvider, string>> } = {
  documented: { anthropic: "claude-sonnet-4-20250514", openai: "gpt-4o", local: "llama3.1:8b" },
  v1: { anthropic: "claude-sonnet-4-20250514", openai: "gpt-4o", local: "llama3.1:8b" },
  v2: { anthropic: "claude-haiku-4-5-20251001", openai: "gpt-4o", local: "llama3.1:8b" },
  relay: { anthropic: "claude-haiku-4-5-20251001", openai: "gpt-4o", local: "llama3.1:8b" },
};

/** The server without its sockets: what its connections and its REST calls share. */
export class CassBackend {
  readonly withPort = "MockCassServer";
  readonly profile: ProfileName;
  readonly basePath: string;
  readonly clock: Clock;
  readonly time: ServerTime;
  readonly journal = new CassJournal();
  readonly peers: CassPeer[] = [];
  readonly history = new ClientHistory();
  readonly accounts = new Accounts();
  readonly store: Store;
  readonly tokens: Tokens;
  readonly models: Models;
  readonly newId: () => string;
  answer: CassAnswer;
  /** Without a port it is learned from whoever comes first. */
  origins: Origins = { own: "", foreign: "https://elsewhere.example" };
  #settings: Settings;
  readonly #perConnection: NonNullable<MockCassOptions["perConnection"]>;
  readonly #timers = new Set<CancelTimer>();
  readonly #audio = new Set<string>();
  #toolUses = 0;

  constructor(options: MockCassOptions) {
    checkNames(options, OPTIONS, "option");
    this.#settings = settingsOf(options);
    this.profile = options.profile ?? "v2";
    this.basePath = options.basePath ?? "";
    this.clock = options.clock ?? systemClock;
    const { epoch = this.clock.wallTime() - this.clock.now(), utcOffset = -300 } = options;
    this.time = new ServerTime(this.clock, epoch, utcOffset);
    this.newId = options.id ?? (() => crypto.randomUUID());
    this.tokens = new Tokens(options.secret ?? "mock-cass", this.time, options.token);
    this.store = new Store(
      this.newId,
      () => this.time.stamp(),
      () => this.journal.changed(),
    );
    const { provider = "anthropic", providers = PROVIDERS, models } = options;
    this.models = new Models(provider, providers, { ...MODELS[this.profile], ...models });
    this.#perConnection = options.perConnection ?? (() => ({}));
    this.answer = options.answer ?? helloAnswer;
    checkAnswer(this.answer);
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** A client has connected, over whatever the link is. */
  accept(link: PeerLink): CassPeer {
    if (this.origins.own === "" && link.url !== undefined && URL.canParse(link.url))
      this.origins = { ...this.origins, own: new URL(link.url).origin.replace(/^ws/, "http") };
    const opening = readOpening(link.url, this.tokens);
    const userId = this.#userOf(opening.token);
    const number = this.journal.connections.length + 1;
    const peer = new CassPeer(number, link, this, opening, this.#ownSwitches({ number, userId }));
    this.peers.push(peer);
    this.journal.add(this.journal.connections, peer);
    this.#noteAttempt(userId, () => peer.state === "closed" || peer.state === "zombie", peer);
    peer.start();
    return peer;
  }

  /** A client was refused before it was connected. */
  refused(url: string): void {
    this.#noteAttempt(this.#userOf(readOpening(url, this.tokens).token), () => true, undefined);
  }

  /** Sets switches anew, for what happens from now on. */
  set(switches: MockCassSwitches): void {
    checkNames(switches, SWITCHES, "switch");
    this.#settings = changed(this.#settings, switches);
  }

  /** The account of a user, unless it is gone. */
  accountOf(userId: string, { deletedUser }: Settings): Account | undefined {
    return deletedUser ? undefined : this.accounts.get(userId);
  }

  /**
   * Keeps messages of a conversation, when the switch says so.
   * @returns how many there are then; undefined where they are not kept yet, or nowhere
   */
  persist(
    conversationId: string | null,
    messages: readonly Omit<CassMessage, "timestamp">[],
    { persistence, persistDelay }: Settings,
  ): number | undefined {
    if (conversationId === null || messages.length === 0) return undefined;
    const keep = () =>
      this.store.addMessages(
        conversationId,
        messages.map((message) => ({ ...message, timestamp: this.time.stamp() })),
      );
    switch (persistence) {
      case "beforeResponse":
        return keep();
      case "late":
        this.later(persistDelay, () => void keep());
        return undefined;
      case "never":
        return undefined;
    }
  }

  /** Does something after so many ms, unless the server has ended. */
  later(ms: number, work: () => void): void {
    const cancel = this.clock.setTimeout(
      () => {
        this.#timers.delete(cancel);
        work();
      },
      ms,
      { unref: true },
    );
    this.#timers.add(cancel);
  }

  newAudio(): string {
    const id = this.newId();
    this.#audio.add(id);
    return id;
  }

  hasAudio(id: string): boolean {
    return this.#audio.has(id);
  }

  toolUse({ name, input = {} }: CassTool): object {
    return { id: `toolu_${++this.#toolUses}`, tool: name, input };
  }

  addAccount(user: Partial<Account>): Account {
    const userId = user.userId ?? this.newId();
    const account = {
      userId,
      email: `${userId}@cass.example`,
      displayName: "Somebody",
      password: "",
      relationship: "user",
      createdAt: this.time.stamp(),
      ...user,
    };
    this.accounts.add(account);
    this.journal.changed();
    return account;
  }

  tokenPair(userId: string, { accessLifetime, refreshLifetime }: Settings) {
    return {
      access_token: this.tokens.issue(userId, "access", accessLifetime),
      refresh_token: this.tokens.issue(userId, "refresh", refreshLifetime),
    };
  }

  /** The process ends, and another takes its place: accounts and conversations are on its disk. */
  restart(): void {
    for (const peer of this.peers) peer.kill(1012);
  }

  /** Nothing happens any more. */
  die(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    for (const peer of this.peers) peer.die();
  }

  #ownSwitches(opening: CassOpening): MockCassSwitches {
    const switches = this.#perConnection(opening);
    try {
      checkNames(switches, SWITCHES, "switch");
    } catch (error) {
      this.journal.threw(error);
    }
    return switches;
  }

  #userOf(token: string | undefined): string | null {
    const reading = this.tokens.read(token);
    return "userId" in reading ? reading.userId : null;
  }

  #noteAttempt(userId: string | null, isOver: () => boolean, connection: CassPeer | undefined): void {
    const vain = this.history.attempt({ at: this.clock.now(), client: userId ?? "", isOver });
    if (isStorm(vain))
      this.journal.add(this.journal.violations, {
        connection,
        kind: "reconnect-storm",
        detail: `${vain + 1} in a second`,
      });
  }
}

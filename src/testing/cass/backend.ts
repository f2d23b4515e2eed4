// The state that all connections and REST calls of a mock share: users, conversations, tokens.
import { type CancelTimer, type Clock, systemClock } from "../../core/clock.ts";
import { checkMockNames } from "../names.ts";
import type { MockPeer } from "../server/peer.ts";
import { checkAnswer } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import type { Origins } from "./audio.ts";
import type { CassOpening, MockCassOptions } from "./options.ts";
import {
  CASS_OPTIONS,
  CASS_SWITCHES,
  type CassMockSettings,
  type CassProfileName,
  cassSettings,
} from "./profiles.ts";
import { CassJournal } from "./record.ts";
import { type CassAnswer, type CassTool, helloAnswer } from "./script.ts";
import { ServerTime } from "./server-time.ts";
import {
  type CassMessage,
  type CassProvider,
  Models,
  PROVIDERS,
  Store,
  type StoredAccount,
} from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";
import { type TokenReading, Tokens } from "./tokens.ts";

const OLDER = "claude-sonnet-4-20250514";
const CLAUDE: { readonly [profile in CassProfileName]: string } = {
  ...{ documented: OLDER, v1: OLDER },
  ...{ v2: "claude-haiku-4-5-20251001", relay: "claude-haiku-4-5-20251001" },
};

const SECOND = 1_000;
const CONNECTS_PER_SECOND = 5;

/** An attempt to connect: its user, and whether its connection is over. */
interface Attempt {
  readonly at: number;
  readonly userId: string | null;
  readonly isOver: () => boolean;
}

export class CassBackend {
  readonly withPort = "MockCassServer";
  readonly profile: CassProfileName;
  readonly basePath: string;
  readonly clock: Clock;
  readonly time: ServerTime;
  readonly journal = new CassJournal();
  readonly peers: (MockPeer & { kill(code: number): void; die(): void })[] = [];
  readonly accounts = new Map<string, StoredAccount>();
  readonly store: Store;
  readonly tokens: Tokens;
  readonly models: Models;
  readonly newId: () => string;
  /** Chats whose connection ended before the reply. */
  readonly lostChats = new Set<string>();
  /** The ids of the audio files that clients can fetch. */
  readonly audio = new Set<string>();
  answer: CassAnswer;
  /** Without a port, the address of the first connection sets `own`. */
  origins: Origins = { own: "", foreign: "https://elsewhere.example" };
  #settings: CassMockSettings;
  readonly #perConnection: NonNullable<MockCassOptions["perConnection"]>;
  readonly #timers = new Set<CancelTimer>();
  #attempts: readonly Attempt[] = [];
  #toolUses = 0;

  constructor(options: MockCassOptions) {
    checkMockNames(options, CASS_OPTIONS, "option");
    const { profile = "v2", clock = systemClock, answer = helloAnswer, basePath = "" } = options;
    checkAnswer(answer);
    this.#settings = cassSettings(options);
    this.profile = profile;
    this.basePath = basePath;
    this.clock = clock;
    this.answer = answer;
    const { epoch = clock.wallTime() - clock.now(), utcOffset = -300 } = options;
    this.time = new ServerTime(clock, epoch, utcOffset);
    this.newId = options.id ?? (() => crypto.randomUUID());
    this.tokens = new Tokens(options.secret ?? "mock-cass", this.time, options.token);
    const changed = (): void => this.journal.changed();
    this.store = new Store(this.newId, () => this.time.stamp(), changed);
    const usual: Record<CassProvider, string> = {
      anthropic: CLAUDE[profile],
      openai: "gpt-4o",
      local: "llama3.1:8b",
    };
    const { provider = "anthropic", providers = PROVIDERS, models } = options;
    this.models = new Models(provider, providers, { ...usual, ...models });
    this.#perConnection = options.perConnection ?? (() => ({}));
  }

  get settings(): CassMockSettings {
    return this.#settings;
  }

  /** Sets switches for later events. */
  set(switches: MockCassSwitches): void {
    checkMockNames(switches, CASS_SWITCHES, "switch");
    this.#settings = changed(this.#settings, switches);
  }

  /** Returns the switches that the test sets for a new connection. */
  switchesFor(opening: CassOpening): MockCassSwitches {
    const switches = this.#perConnection(opening);
    try {
      checkMockNames(switches, CASS_SWITCHES, "switch");
    } catch (error) {
      this.journal.threw(error);
    }
    return switches;
  }

  /** Returns a user's account, or undefined if it is deleted. */
  accountOf(userId: string, { deletedUser }: CassMockSettings): StoredAccount | undefined {
    return deletedUser ? undefined : this.accounts.get(userId);
  }

  /** @returns the conversation's new number of messages; undefined if the messages are stored later or never */
  persist(
    conversationId: string | null,
    messages: readonly Omit<CassMessage, "timestamp">[],
    { persistence, persistDelay }: CassMockSettings,
  ): number | undefined {
    if (conversationId === null || messages.length === 0 || persistence === "never") return undefined;
    const keep = () => {
      const stamped = messages.map((message) => ({ ...message, timestamp: this.time.stamp() }));
      return this.store.addMessages(conversationId, stamped);
    };
    if (persistence === "beforeResponse") return keep();
    const cancel = this.clock.setTimeout(
      () => {
        this.#timers.delete(cancel);
        keep();
      },
      persistDelay,
      { unref: true },
    );
    this.#timers.add(cancel);
    return undefined;
  }

  toolUse({ name, input = {} }: CassTool): object {
    return { id: `toolu_${++this.#toolUses}`, tool: name, input };
  }

  addAccount(user: Partial<StoredAccount>): StoredAccount {
    const userId = user.userId ?? this.newId();
    const account: StoredAccount = {
      ...{ userId, email: `${userId}@cass.example`, displayName: "Somebody" },
      ...{ password: "", relationship: "user", createdAt: this.time.stamp() },
      ...user,
    };
    this.accounts.set(userId, account);
    this.journal.changed();
    return account;
  }

  tokenPair(userId: string, { accessLifetime, refreshLifetime }: CassMockSettings) {
    return {
      access_token: this.tokens.issue(userId, "access", accessLifetime),
      refresh_token: this.tokens.issue(userId, "refresh", refreshLifetime),
    };
  }

  /**
   * Records an attempt to connect. Reports a `reconnect-storm` for a user with too many ended connections. An open
   * connection does not count: a client that reconnects has none, so the open ones belong to other clients.
   */
  noteAttempt(
    userId: string | null,
    isOver: () => boolean,
    connection?: CassJournal["connections"][0],
  ): void {
    const at = this.clock.now();
    const recent = this.#attempts.filter((attempt) => at - attempt.at < SECOND);
    const vain = recent.filter((attempt) => attempt.userId === userId && attempt.isOver());
    this.#attempts = [...recent, { at, userId, isOver }];
    if (vain.length < CONNECTS_PER_SECOND) return;
    const detail = `${vain.length + 1} in a second`;
    this.journal.add(this.journal.violations, { connection, kind: "reconnect-storm", detail });
  }

  /** Simulates a new server process. Accounts and conversations survive, as if they were on disk. */
  restart(): void {
    for (const peer of this.peers) peer.kill(1012);
  }

  /** Stops all timers and connections. */
  die(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    for (const peer of this.peers) peer.die();
  }
}

/** Returns the token's user, or undefined for a token that the server does not accept. */
export function accepted(token: TokenReading, { adminTokens }: CassMockSettings): string | undefined {
  if (token.kind === "access") return token.userId;
  return token.kind === "admin" && adminTokens ? token.userId : undefined;
}

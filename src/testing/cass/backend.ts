// What the connections and REST calls of a mock share: users, conversations, tokens.
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

/** An attempt to connect: whose, and whether nothing is left of it. */
interface Attempt {
  readonly at: number;
  readonly userId: string | null;
  readonly isOver: () => boolean;
}

/** The server without its sockets: what its connections and its REST calls share. */
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
  /** Chats that were lost with their connections. */
  readonly lostChats = new Set<string>();
  /** The ids of the speech that can be fetched. */
  readonly audio = new Set<string>();
  answer: CassAnswer;
  /** Without a port, the first connection tells the own origin. */
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

  /** Sets switches anew, for what happens from now on. */
  set(switches: MockCassSwitches): void {
    checkMockNames(switches, CASS_SWITCHES, "switch");
    this.#settings = changed(this.#settings, switches);
  }

  /** The switches that a test has for a connection that is about to open. */
  switchesFor(opening: CassOpening): MockCassSwitches {
    const switches = this.#perConnection(opening);
    try {
      checkMockNames(switches, CASS_SWITCHES, "switch");
    } catch (error) {
      this.journal.threw(error);
    }
    return switches;
  }

  /** The account of a user, unless it is gone. */
  accountOf(userId: string, { deletedUser }: CassMockSettings): StoredAccount | undefined {
    return deletedUser ? undefined : this.accounts.get(userId);
  }

  /** @returns how many messages the conversation has then; undefined where they are not kept yet, or nowhere */
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
   * Notes an attempt to connect, and a client with too many attempts in vain. A client that connects again has no
   * connection left, so open ones belong to others.
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
}

/** Whose token it is, if it counts. */
export function accepted(token: TokenReading, { adminTokens }: CassMockSettings): string | undefined {
  if (token.kind === "access") return token.userId;
  return token.kind === "admin" && adminTokens ? token.userId : undefined;
}

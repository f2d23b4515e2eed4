// `MockCass`: the mock without a port. It uses sockets from elsewhere, such as msw.
import { checkMockNames } from "../names.ts";
import { ProtocolMock } from "../server/protocol-mock.ts";
import { CassBackend } from "./backend.ts";
import type { MockCassOptions } from "./options.ts";
import { acceptCass } from "./peer.ts";
import type {
  CassConnection,
  CassFrame,
  CassReceived,
  CassRequest,
  CassViolationKind,
  ReceivedAuth,
  ReceivedTurn,
} from "./record.ts";
import { Rest } from "./rest.ts";
import type { CassAnswer } from "./script.ts";
import type { CassModel, CassProvider, NewConversation, StoredConversation, StoredUser } from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";

/** Returns the mock's backend. For the transports in this folder, not part of the public API. */
export let cassBackendOf: (mock: MockCass) => CassBackend;

/** A user that a test created, with password and tokens. */
export interface NewCassUser extends StoredUser {
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The mock of the Cass server without a port. It uses WebSockets and HTTP requests from elsewhere, such as msw. For a
 * server with a port, and for faults below the protocol, see {@link MockCassServer}.
 *
 * msw has no TCP connections and no Close frames: `drop()` is a close event with 1006, a client notices a `zombie` only
 * by a timeout of its own, `refuseUpgrade` has no effect, and `chunking` throws.
 *
 * @example
 * ```ts
 * import { http, ws } from "msw";
 * import { setupServer } from "msw/node";
 *
 * const mock = new MockCass({ answer: () => ["Hello <gesture:wave>"] });
 * const agent = ws.link("wss://cass.example/ws");
 * const network = setupServer(
 *   agent.addEventListener("connection", mock.accept),
 *   http.all("https://cass.example/*", ({ request }) => mock.fetch(request)),
 * );
 * network.listen({ onUnhandledFrame: "error" });
 * ```
 */
export class MockCass extends ProtocolMock<
  CassConnection,
  CassViolationKind,
  CassFrame,
  CassConnection | undefined
> {
  static {
    cassBackendOf = (mock) => mock.#backend;
  }

  readonly #backend: CassBackend;
  readonly #rest: Rest;

  constructor(options: MockCassOptions = {}) {
    const backend = new CassBackend(options);
    const { journal, peers } = backend;
    super({ journal, peers, accept: (link) => acceptCass(backend, link) });
    this.#backend = backend;
    this.#rest = new Rest(backend);
  }

  /** Answers a REST call. Pass it to msw, or to a client as its `fetch`. Bound to the mock. */
  readonly fetch = (input: Request | URL | string, init?: RequestInit): Promise<Response> =>
    this.#rest.fetch(new Request(input, init));

  /** Every JSON object from clients, of any type, in the order of handling. */
  get received(): readonly CassReceived[] {
    return this.#backend.journal.received;
  }

  /** Every turn that the server accepted: chats and both kinds of onboarding. */
  get turns(): readonly ReceivedTurn[] {
    return this.#backend.journal.turns;
  }

  /** Every `auth`, with the server's answer. */
  get auths(): readonly ReceivedAuth[] {
    return this.#backend.journal.auths;
  }

  /** Every REST call, without tokens and passwords. */
  get requests(): readonly CassRequest[] {
    return this.#backend.journal.requests;
  }

  /** The stored conversations. */
  get conversations(): readonly StoredConversation[] {
    return this.#backend.store.all;
  }

  /** The users with an account. */
  get users(): readonly StoredUser[] {
    return [...this.#backend.accounts.values()];
  }

  /** The language model of new connections. */
  get model(): CassModel {
    return this.#backend.models.current;
  }

  /** The script for new turns. Running turns keep their script. */
  get answer(): CassAnswer {
    return this.#backend.answer;
  }

  set answer(answer: CassAnswer) {
    this.#backend.answer = answer;
  }

  /** Sets switches for all connections at any time. Switches that a connection set for itself stay. */
  set(switches: MockCassSwitches): void {
    this.#backend.set(switches);
  }

  /** Creates an account with tokens. */
  addUser(user: Partial<StoredUser> & { readonly password?: string } = {}): NewCassUser {
    checkMockNames(user, { userId: true, email: true, displayName: true, password: true }, "field");
    const { password = "correct horse", ...given } = user;
    const account = this.#backend.addAccount({ ...given, password });
    const { access_token, refresh_token } = this.#backend.tokenPair(account.userId, this.#backend.settings);
    const { userId, email, displayName } = account;
    return { userId, email, displayName, password, accessToken: access_token, refreshToken: refresh_token };
  }

  /** Deletes an account. Its tokens stay valid, and its conversations stay. */
  deleteUser(userId: string): void {
    this.#backend.accounts.delete(userId);
  }

  /**
   * Creates a token.
   * @param options.type `access` by default
   * @param options.lifetime in seconds; a negative one gives an expired token. By default the server's own lifetime
   */
  issueToken(
    userId: string,
    options: { readonly type?: "access" | "refresh" | "admin"; readonly lifetime?: number } = {},
  ): string {
    checkMockNames(options, { type: true, lifetime: true }, "option");
    const { type = "access", lifetime } = options;
    const { accounts, settings, tokens } = this.#backend;
    if (type === "admin")
      return tokens.issueAdmin(userId, accounts.get(userId)?.displayName ?? userId, lifetime);
    const usual = type === "access" ? settings.accessLifetime : settings.refreshLifetime;
    return tokens.issue(userId, type, lifetime ?? usual);
  }

  /** Creates a conversation, like `POST /conversations/new`. */
  addConversation(conversation: NewConversation = {}): StoredConversation {
    checkMockNames(conversation, { title: true, userId: true, projectId: true, continuous: true }, "field");
    return this.#backend.store.create(conversation);
  }

  /** Sets the language model of new connections. */
  useModel(provider: CassProvider, model?: string): void {
    this.#backend.models.use(provider);
    if (model !== undefined) this.#backend.models.choose(model);
  }

  /** Resolves with the next turn. The n-th call gets the n-th turn, past or future. */
  nextTurn(): Promise<ReceivedTurn> {
    return this.#backend.journal.next(this.turns);
  }

  /** Resolves with the next `auth`. The n-th call gets the n-th `auth`, past or future. */
  nextAuth(): Promise<ReceivedAuth> {
    return this.#backend.journal.next(this.auths);
  }

  /** Resolves with the next REST call. The n-th call of this method gets the n-th REST call, past or future. */
  nextRequest(): Promise<CassRequest> {
    return this.#backend.journal.next(this.requests);
  }

  /**
   * Closes every connection with 1012, like a restart of the real server. A running turn is cut short and not stored.
   * New connections are accepted, and all other state stays. A client learns of it a little later: wait for its `disconnected`.
   */
  restart(): void {
    this.#backend.restart();
  }

  /** Stops running answers, timers, connections and waits. Idempotent. It waits for no client. */
  override async stop(): Promise<void> {
    this.#backend.die();
    this.#rest.stop();
    await super.stop();
  }
}

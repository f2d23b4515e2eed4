// `MockCass`: the mock without a port, for sockets that something else hands it.
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

/** What is behind a mock: for the transports in this folder, and no part of what users see. */
export let cassBackendOf: (mock: MockCass) => CassBackend;

/** A user whom a test has made, with what is needed to be one. */
export interface NewCassUser extends StoredUser {
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The mock of the Cass server without a port: it speaks over the WebSockets that something else hands it, and answers
 * the requests that something else hands it, such as msw. For a server with a port, and faults beneath the protocol,
 * see {@link MockCassServer}.
 *
 * Over msw there are no TCP connection and no Close frames: `drop()` is a close event with 1006, a `zombie` is found out
 * by nobody but a client that waits, `refuseUpgrade` has no effect, and `chunking` throws.
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

  /** Answers a REST call: give it to msw, or to a client in place of `fetch`. Bound to the mock. */
  readonly fetch = (input: Request | URL | string, init?: RequestInit): Promise<Response> =>
    this.#rest.fetch(new Request(input, init));

  /** Every JSON object of a client, of all types, in the order in which they were handled. */
  get received(): readonly CassReceived[] {
    return this.#backend.journal.received;
  }

  /** Every turn that the server has taken on: chats, and both kinds of onboarding. */
  get turns(): readonly ReceivedTurn[] {
    return this.#backend.journal.turns;
  }

  /** Every `auth`, and what was said to it. */
  get auths(): readonly ReceivedAuth[] {
    return this.#backend.journal.auths;
  }

  /** Every REST call, without its secrets. */
  get requests(): readonly CassRequest[] {
    return this.#backend.journal.requests;
  }

  /** What the server keeps. */
  get conversations(): readonly StoredConversation[] {
    return this.#backend.store.all;
  }

  /** Who has an account. */
  get users(): readonly StoredUser[] {
    return [...this.#backend.accounts.values()];
  }

  /** The language model that new connections get. */
  get model(): CassModel {
    return this.#backend.models.current;
  }

  /** How turns are answered from now on; those that run are not touched. */
  get answer(): CassAnswer {
    return this.#backend.answer;
  }

  set answer(answer: CassAnswer) {
    this.#backend.answer = answer;
  }

  /** Sets switches anew, at any time, for all connections that have not set them for themselves. */
  set(switches: MockCassSwitches): void {
    this.#backend.set(switches);
  }

  /** Makes an account, and tokens for it. */
  addUser(user: Partial<StoredUser> & { readonly password?: string } = {}): NewCassUser {
    checkMockNames(user, { userId: true, email: true, displayName: true, password: true }, "field");
    const { password = "correct horse", ...given } = user;
    const account = this.#backend.addAccount({ ...given, password });
    const { access_token, refresh_token } = this.#backend.tokenPair(account.userId, this.#backend.settings);
    const { userId, email, displayName } = account;
    return { userId, email, displayName, password, accessToken: access_token, refreshToken: refresh_token };
  }

  /** Deletes an account. Its tokens are as good as before, and so are its conversations. */
  deleteUser(userId: string): void {
    this.#backend.accounts.delete(userId);
  }

  /**
   * Makes a token.
   * @param options.type `access` by default
   * @param options.lifetime in seconds; one below zero has expired already. As long as the server's own by default
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

  /** Makes a conversation, as `POST /conversations/new` does. */
  addConversation(conversation: NewConversation = {}): StoredConversation {
    checkMockNames(conversation, { title: true, userId: true, projectId: true, continuous: true }, "field");
    return this.#backend.store.create(conversation);
  }

  /** Chooses the language model of connections to come. */
  useModel(provider: CassProvider, model?: string): void {
    this.#backend.models.use(provider);
    if (model !== undefined) this.#backend.models.choose(model);
  }

  /** The first turn on the first call, the second on the second, whether it is there already or not. */
  nextTurn(): Promise<ReceivedTurn> {
    return this.#backend.journal.next(this.turns);
  }

  /** The first `auth` on the first call, the second on the second, whether it is there already or not. */
  nextAuth(): Promise<ReceivedAuth> {
    return this.#backend.journal.next(this.auths);
  }

  /** The first REST call on the first call, the second on the second, whether it is there already or not. */
  nextRequest(): Promise<CassRequest> {
    return this.#backend.journal.next(this.requests);
  }

  /**
   * Ends every connection as the real server does that restarts: with 1012, also in the middle of a turn, which is
   * then not stored. New connections are taken, and everything else is as it was.
   */
  restart(): void {
    this.#backend.restart();
  }

  /** Ends everything: running answers, timers, connections, waits. Idempotent, and waits for no client. */
  override async stop(): Promise<void> {
    this.#backend.die();
    this.#rest.stop();
    await super.stop();
  }
}

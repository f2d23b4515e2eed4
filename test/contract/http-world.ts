import { type BackendAnswer, type BackendRequest, ManualClock, MockCodebuffBackend } from "agentwire/testing";
import type {
  Answer,
  AnyClient,
  Backend,
  ContractOptions,
  Facts,
  Fixture,
  Link,
  Received,
  Step,
  Universal,
  World,
} from "./fixture.ts";
import { SIGN, usual } from "./fixture.ts";

/** What differs between the protocols whose backend is called over HTTP. */
export interface HttpProtocol extends Universal {
  readonly name: string;
  readonly facts: Facts;
  /** The key that the backend knows. */
  readonly apiKey: string;
  client(options: ContractOptions, backend: { readonly url: string; readonly clock: ManualClock }): AnyClient;
}

/** A fixture for a protocol whose backend is called over HTTP. */
export function overHttp(protocol: HttpProtocol): Fixture {
  const { name, facts } = protocol;
  return { name, facts, start: () => HttpWorld.start(protocol) };
}

/** Each call stands alone. */
const NO_LINK = "there is no link";

const ENDPOINTS = ["me", "agents", "agent-runs", "steps", "token-count", "chat"] as const;

class HttpWorld implements World, Backend {
  readonly clock = new ManualClock();
  answer: Answer = usual;
  readonly #protocol: HttpProtocol;
  readonly #servers: MockCodebuffBackend[] = [];
  readonly #clients: AnyClient[] = [];
  readonly #silence = new AbortController();

  private constructor(protocol: HttpProtocol) {
    this.#protocol = protocol;
  }

  static async start(protocol: HttpProtocol): Promise<World> {
    const world = new HttpWorld(protocol);
    await world.start();
    return world;
  }

  get backend(): Backend {
    return this;
  }

  get link(): Link {
    throw new Error(NO_LINK);
  }

  get mistakes(): readonly string[] {
    return this.#servers.flatMap(({ violations }) =>
      violations.map(({ kind, detail }) => `${kind}: ${detail}`),
    );
  }

  client(options: ContractOptions = {}): AnyClient {
    const client = this.#protocol.client(options, { url: this.#server.url, clock: this.clock });
    this.#clients.push(client);
    return client;
  }

  toUniversal(of: Parameters<Universal["toUniversal"]>[0]): ReturnType<Universal["toUniversal"]> {
    return this.#protocol.toUniversal(of);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#clients.map((client) => client.close({ force: true }));
    await this.#server.stop();
    await Promise.all(closed);
  }

  get prompts(): readonly Received[] {
    return this.#servers.flatMap((server) => server.requests({ endpoint: "chat" }).map(receivedIn));
  }

  async received(count: number): Promise<void> {
    await this.#server.waitFor(() => this.prompts.length >= count);
  }

  /** A client's first call asks for its user. */
  get calls(): number {
    return this.#servers.flatMap((server) => server.requests({ endpoint: "me" })).length;
  }

  async start(): Promise<void> {
    const port = this.#servers.length === 0 ? 0 : Number(new URL(this.#server.url).port);
    const server = await MockCodebuffBackend.start({
      port,
      clock: new ManualClock(),
      users: [{ key: this.#protocol.apiKey }],
      answer: ({ request }) => this.#played(this.answer(spoken(request.messages.at(-1)?.text ?? ""))),
    });
    this.#servers.push(server);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  fallSilent(): void {
    this.#silence.abort();
    for (const endpoint of ENDPOINTS) this.#server.fault(endpoint, { hang: true });
  }

  get #server(): MockCodebuffBackend {
    const last = this.#servers.at(-1);
    if (!last) throw new Error("Nobody is there yet");
    return last;
  }

  /** An answer whose steps are asked for one by one: each place in the stream adds what follows it. */
  #played(steps: Iterable<Step> | AsyncIterable<Step>): BackendAnswer {
    const iterator = Symbol.asyncIterator in steps ? steps[Symbol.asyncIterator]() : steps[Symbol.iterator]();
    const frames: (string | (() => Promise<void>))[] = [];
    const goOn = async (): Promise<void> => {
      const { done, value } = await iterator.next();
      if (this.#silence.signal.aborted) await new Promise<never>(() => {});
      if (done) frames.push(chunk({}, { finish_reason: "stop" }), "data: [DONE]\n\n");
      else if (typeof value === "string") frames.push(chunk({ content: value }), goOn);
      else if (value === SIGN) frames.push(chunk({ reasoning: "hm" }), goOn);
      else frames.push(data({ error: { message: value.fails, code: 502 } }));
    };
    frames.push(chunk({ role: "assistant", content: "" }), goOn);
    return { frames };
  }
}

function chunk(delta: object, more: object = {}): string {
  return data({
    id: "gen-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
}

function data(json: object): string {
  return `data: ${JSON.stringify(json)}\n\n`;
}

const USER = /^<user_message>([\s\S]*)<\/user_message>$/;

function spoken(text: string): string {
  return USER.exec(text)?.[1] ?? text;
}

/** What users have said, in the messages of a request. */
function receivedIn({ body }: BackendRequest): Received {
  const { messages } = body as { readonly messages: readonly { role: string; content: unknown }[] };
  const said = messages.flatMap(({ role, content }) =>
    role === "user" && Array.isArray(content)
      ? content.flatMap((part: { readonly text?: string }) => USER.exec(part.text ?? "")?.[1] ?? [])
      : [],
  );
  return { text: said.at(-1) ?? "", known: said.slice(0, -1) };
}

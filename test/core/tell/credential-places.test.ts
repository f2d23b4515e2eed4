import { inspect } from "node:util";
import { CassClient, type CassClientOptions, CassRest } from "agentwire/cass";
import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { CodebuffCli, type CodebuffCliOptions } from "agentwire/codebuff-cli";
import { CodebuffRun, type CodebuffRunOptions, openAiCompatible } from "agentwire/codebuff-run";
import { CodeyClient } from "agentwire/codey";
import {
  FakeCodebuffCli,
  type FakeCodebuffScenario,
  MockCodebuffBackend,
  MockCodebuffServer,
  step,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { rejection } from "../../helpers/turns.ts";

const SECRET = 'hush-4f9b "c/d';

/** Nobody listens there. */
const NOWHERE = "ws://127.0.0.1:1/ws";

/** How a value comes to be read by somebody. */
const WAYS: Readonly<Record<string, (value: unknown) => string>> = {
  "String()": String,
  message: (value) => (value instanceof Error ? value.message : ""),
  stack: (value) => (value instanceof Error ? (value.stack ?? "") : ""),
  "JSON.stringify": (value) => JSON.stringify(value) ?? "",
  "JSON.stringify of its members": (value) =>
    typeof value === "object" && value !== null ? JSON.stringify(membersOf(value)) : "",
  inspect: (value) => inspect(value, { depth: Number.POSITIVE_INFINITY, maxStringLength: null }),
  "inspect with what is hidden": (value) =>
    inspect(value, { depth: Number.POSITIVE_INFINITY, maxStringLength: null, showHidden: true }),
  structuredClone: (value) => {
    try {
      return inspect(structuredClone(value), { depth: Number.POSITIVE_INFINITY });
    } catch {
      return ""; // a client or a turn cannot be cloned
    }
  },
};

function membersOf(value: object): object {
  const names = Object.getOwnPropertyNames(value);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(value, name)]));
}

/** What none of them may hold: the credential as it is, as JSON and as a URL writes it, and its beginning. */
const FORMS = [SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET), "hush-"];

/** An error as a careless library throws it: its words, causes and properties hold the credential. */
function careless(secret: string): Error {
  const headers = new Headers({ authorization: "Bearer hush-4f9b" });
  const inner = Object.assign(new TypeError(`no, ${secret}`), { config: { headers: { "X-Key": secret } } });
  const all = new AggregateError([inner, new Error(JSON.stringify({ secret }))], "several");
  return Object.assign(new Error("request failed", { cause: all }), { request: { headers }, [secret]: 1 });
}

interface Said {
  readonly note: (...values: readonly unknown[]) => void;
  readonly logger: Record<"debug" | "info" | "warn" | "error", (line: string) => void>;
}

interface Place {
  readonly client: string;
  readonly place: string;
  readonly play: (said: Said) => Promise<void>;
}

const codebuff = (place: string, options: Partial<CodebuffClientOptions>, use = unsent): Place => ({
  client: "codebuff",
  place,
  play: async (said) => {
    const { note, logger } = said;
    await using client = new CodebuffClient({
      url: NOWHERE,
      reconnect: false,
      logger,
      debug: true,
      ...options,
    });
    for (const name of ["reconnecting", "disconnected", "protocolWarning", "message", "frame"] as const)
      client.on(name, (value) => note(value));
    await use(client, said);
    note(client, client.conversation().state);
  },
});

async function unsent(client: CodebuffClient, { note }: Said): Promise<void> {
  const turn = client.prompt("hello");
  note(await turn.outcome, turn, await rejection(turn.result), await rejection(client.connect()));
}

const quoting = (url: string, init: object): never => {
  throw Object.assign(careless(SECRET), { url, init });
};

/** A prompt with a token of its own that is handed back. */
const handedBack = (
  place: string,
  make: (client: CodebuffClient) => ReturnType<CodebuffClient["prompt"]>,
): Place =>
  codebuff(place, {}, async (client, { note }) => {
    const turn = make(client);
    note(turn);
    const outcome = await turn.outcome;
    const error = await rejection(turn.result);
    note(outcome, turn, error);
    expect(error).toMatchObject({ delivery: "not-sent", input: { prompt: "hello", costMode: "max" } });
  });

const input = { prompt: "hello", authToken: SECRET, costMode: "max" };

/** Of a real server that repeats what it was sent. */
const repeated = (place: string, options: Partial<CodebuffClientOptions>, prompt: object = {}): Place => ({
  client: "codebuff",
  place,
  play: async (said) => {
    const words = `no: ${SECRET}, ${JSON.stringify({ data: SECRET })}; ${encodeURIComponent(SECRET)}`;
    await using server = await MockCodebuffServer.start({
      heartbeat: false,
      answer: () => [step.chunk(""), step.promptError({ message: words })],
    });
    await codebuff(place, { url: server.url, ...options }, async (client) => {
      const turn = client.prompt({ prompt: "hello", ...prompt });
      const outcome = await turn.outcome;
      expect(outcome.status).toBe("failed");
      said.note(outcome.status === "failed" && outcome.error, turn);
      server.connections.at(-1)?.close(1011, `no: ${JSON.stringify(SECRET)}`);
    }).play(said);
  },
});

const cass = (
  place: string,
  options: Partial<CassClientOptions>,
  use?: (rest: CassRest, said: Said) => Promise<void>,
): Place => ({
  client: "cass",
  place,
  play: async (said) => {
    const { note, logger } = said;
    const fetch = (url: string, init: object): never => quoting(url, init);
    await using client = new CassClient({
      url: NOWHERE,
      reconnect: false,
      allowAnonymous: true,
      logger,
      fetch,
      ...options,
    });
    const turn = client.prompt("hello");
    note(await turn.outcome, turn, await rejection(client.connect()), client, client.rest);
    note(await rejection(client.rest.me()));
    const { createWebSocket: _, ...alike } = options;
    const rest = new CassRest({ url: "http://127.0.0.1:1/", retries: 0, fetch, logger, ...alike });
    note(rest, await rejection(rest.me()));
    await use?.(rest, said);
  },
});

const cli = (place: string, options: CodebuffCliOptions, scenario: FakeCodebuffScenario = {}): Place => ({
  client: "codebuff-cli",
  place,
  play: async ({ note, logger }) => {
    await using program = await FakeCodebuffCli.start(scenario);
    await using client = new CodebuffCli({
      command: program.command,
      homeDir: "/nowhere/at/all",
      logger,
      debug: true,
      ...options,
      args: [...program.args, ...(options.args ?? [])],
      env: { CODEBUFF_API_KEY: "", ...program.env, ...options.env },
    });
    client.on("stderr", (line) => note(line));
    client.on("protocolWarning", (warning) => note(warning));
    client.on("frame", (frame) => note(frame));
    const turn = client.prompt("hello");
    const outcome = await turn.outcome;
    expect(outcome.status).toBe("failed");
    note(outcome, turn, client, client.credentials());
  },
});

/** Of a run there is nothing but calls; each of them fails. */
const run = (
  place: string,
  options: CodebuffRunOptions,
  backend: (server: MockCodebuffBackend) => void = () => {},
): Place => ({
  client: "codebuff-run",
  place,
  play: async ({ note, logger }) => {
    await using server = await MockCodebuffBackend.start({ users: [{ key: KEY }] });
    backend(server);
    await using client = new CodebuffRun({
      apiKey: KEY,
      baseUrl: server.url,
      headers: { "x-key": SECRET },
      agent: { id: "helper", displayName: "Helper", model: "openai/gpt-5-mini" },
      clock: IMPATIENT,
      logger,
      debug: true,
      ...options,
    });
    for (const name of ["protocolWarning", "event", "message", "frame"] as const)
      client.on(name, (...values: readonly unknown[]) => note(values[0]));
    const turn = client.prompt("hello");
    const outcome = await turn.outcome;
    expect(outcome.status).toBe("failed");
    note(outcome, turn, await rejection(turn.result), client, client.conversation());
    note(await client.connect().catch((error: unknown) => error));
  },
});

/** Waits for no further try; time-outs are longer than those waits. */
const IMPATIENT: Clock = {
  ...systemClock,
  setTimeout: (callback, delay) => systemClock.setTimeout(callback, delay < 5_000 ? 0 : delay),
};

/** A header takes no such key as {@link SECRET}. */
const KEY = "hush-4f9b-key";

/** What a server says that repeats what it was sent. */
const WORDS = `no: ${KEY}, ${JSON.stringify(SECRET)}, ${encodeURIComponent(SECRET)}`;

const stderr = {
  stderr: [
    {
      text: `Error: bad key ${SECRET}, ${JSON.stringify(SECRET)}
`,
    },
  ],
  exit: { code: 1 },
} satisfies FakeCodebuffScenario;

const PLACES: readonly Place[] = [
  codebuff("`url`", { url: `${NOWHERE}?auth=${encodeURIComponent(SECRET)}`, createWebSocket: quoting }),
  codebuff("`url`, a URL", {
    url: new URL(`${NOWHERE}?x=1&sig=${encodeURIComponent(SECRET)}`),
    createWebSocket: quoting,
  }),
  codebuff("`url`, a function", {
    url: async () => `${NOWHERE}?jwt=${encodeURIComponent(SECRET)}`,
    createWebSocket: quoting,
  }),
  codebuff("`url`, a function that fails", {
    url: () => Promise.reject(careless(SECRET)),
    authToken: SECRET,
  }),
  codebuff("`headers`", {
    headers: { "x-key": SECRET, authorization: "Bearer hush-4f9b" },
    createWebSocket: quoting,
  }),
  codebuff("`authToken`", { authToken: SECRET, createWebSocket: quoting }),
  codebuff("a `url` with user info", {}, async (_, { note }) => {
    for (const url of [`wss://user:${encodeURIComponent(SECRET)}@host/`, "wss://hush-4f9b@host/"])
      note(await rejection((async () => new CodebuffClient({ url }))()));
  }),
  codebuff("`init`", { createWebSocket: quoting }, async (client, { note }) => {
    note(await rejection(client.init({ fileContext: {}, authToken: SECRET })));
  }),
  codebuff("a value that is no prompt", {}, async (client, { note }) => {
    for (const wrong of [
      { ...input, prompt: 5 },
      { ...input, authToken: [SECRET] },
      [SECRET],
      { authToken: SECRET },
    ])
      note(await rejection((async () => client.prompt(wrong as never))()));
  }),
  handedBack("a prompt that meets no server", (client) => client.prompt(input)),
  handedBack("a prompt of a conversation", (client) => client.conversation().prompt(input)),
  handedBack("a prompt that waits behind another", (client) => {
    const conversation = client.conversation();
    conversation.prompt("first");
    const turn = conversation.prompt(input);
    void client.close();
    return turn;
  }),
  handedBack("a prompt whose client is closed", (client) => {
    const turn = client.prompt(input);
    void client.close();
    return turn;
  }),
  handedBack("a prompt whose signal is aborted", (client) =>
    client.prompt(input, { signal: AbortSignal.abort() }),
  ),
  repeated("`authToken`, which the server repeats", { authToken: SECRET }),
  repeated("`authToken` of a function, which the server repeats", { authToken: async () => SECRET }),
  repeated("`authToken` of a prompt, which the server repeats", {}, { authToken: SECRET }),
  repeated("`headers`, which the server repeats", { headers: { "x-key": SECRET } }),
  {
    client: "codebuff",
    place: "`authToken`, a function that fails with the last one",
    play: async (said) => {
      await using server = await MockCodebuffServer.start({ heartbeat: false });
      let asked = 0;
      const authToken = (): string => {
        if (asked++ === 0) return SECRET;
        throw careless(SECRET);
      };
      await codebuff("", { url: server.url, authToken }, async (client, { note }) => {
        await client.prompt("hello").result;
        const turn = client.prompt("hello");
        note(await turn.outcome, turn, await rejection(client.init({ fileContext: {} })));
      }).play(said);
    },
  },
  ...(["url", "headers"] as const).map(
    (place): Place => ({
      client: "codey",
      place: `\`${place}\``,
      play: async ({ note, logger }) => {
        await using client = new CodeyClient({
          url: place === "url" ? `${NOWHERE}?pass=${encodeURIComponent(SECRET)}` : NOWHERE,
          ...(place === "headers" ? { headers: { cookie: `sid=${SECRET}` } } : {}),
          createWebSocket: quoting,
          reconnect: false,
          logger,
          debug: true,
        });
        const turn = client.prompt("hello");
        note(await turn.outcome, turn, await rejection(client.connect()), client, client.conversation());
      },
    }),
  ),
  cass("`token`", { token: SECRET, createWebSocket: quoting }),
  cass("`token`, a function", { token: () => SECRET, createWebSocket: quoting }),
  cass("`refreshToken`", { refreshToken: SECRET, createWebSocket: quoting }),
  cass("`url`", { url: `${NOWHERE}?token=${encodeURIComponent(SECRET)}`, createWebSocket: quoting }),
  cass("the login and the registration", {}, async (rest, { note }) => {
    const who = { email: "ada@cass.example", password: SECRET };
    note(await rejection(rest.login(who)), await rejection(rest.register({ ...who, displayName: "Ada" })));
    note(await rejection((async () => rest.login({ ...who, email: 5 as never }))()));
    note(await rejection((async () => rest.login({ ...who, password: [SECRET] as never }))()));
  }),
  run("`apiKey` and `headers`, which a `fetch` that fails repeats", { fetch: quoting }),
  run("`apiKey` and `headers`, which the account's endpoint repeats", {}, (server) => {
    server.fault("me", { status: 401, body: { error: WORDS } });
  }),
  run("`apiKey` and `headers`, which START repeats", {}, (server) => {
    server.fault("agent-runs", { status: 400, body: { error: WORDS, details: { key: KEY, [KEY]: 1 } } });
  }),
  run("`apiKey` and `headers`, which a refused chat repeats", {}, (server) => {
    server.fault("chat", { status: 403, body: { error: "forbidden", message: WORDS } });
  }),
  run("`apiKey` and `headers`, which a refused chat repeats as text", {}, (server) => {
    server.fault("chat", { status: 400, raw: `<html>${WORDS}</html>` });
  }),
  run("`apiKey` and `headers`, which the address of a redirect repeats", {}, (server) => {
    server.fault("chat", { status: 307, raw: "", headers: { location: `https://other.example/${KEY}` } });
  }),
  run("`apiKey` and `headers`, which a stream repeats", {}, (server) => {
    server.answer = () => ({
      frames: [`data: ${JSON.stringify({ error: { message: WORDS, code: KEY } })}\n\n`],
    });
  }),
  run("`apiKey` and `headers` of a provider that repeats them", {
    providers: [
      openAiCompatible({
        baseUrl: "http://127.0.0.1:1/v1",
        apiKey: SECRET,
        headers: { "x-key": SECRET },
        fetch: quoting,
      }),
    ],
  }),
  cli("`apiKey`, which the program repeats", { apiKey: SECRET }, stderr),
  cli("`env`, which the program repeats", { env: { MY_TOKEN: SECRET } }, stderr),
  cli("`args`, which the program repeats", { args: ["--api-key", SECRET] }, stderr),
  cli("`args` of a program that does not start", {
    command: "/nowhere/at/all/codebuff",
    args: [`--token=${SECRET}`],
    apiKey: SECRET,
  }),
  cli("`args` of a program that the system refuses", {
    args: [`--token=${SECRET}`],
    env: { TOO_MUCH: "x".repeat(4_000_000) },
    apiKey: SECRET,
  }),
];

describe("a client shows a credential nowhere, wherever the caller gave it", () => {
  test.each(PLACES)("$client: $place", async ({ play }) => {
    const values: unknown[] = [];
    const note = (...more: readonly unknown[]): void => void values.push(...more);
    await play({ note, logger: { debug: note, info: note, warn: note, error: note } });
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      for (const [way, show] of Object.entries(WAYS)) {
        const shown = show(value);
        for (const form of FORMS) expect(shown, way).not.toContain(form);
      }
    }
  });
});

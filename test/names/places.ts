import { AcpClient, type AcpOptions } from "agentwire/acp";
import { CassClient, type CassClientOptions, CassRest, type CassRestOptions } from "agentwire/cass";
import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import {
  CodebuffCli,
  type CodebuffCliOptions,
  findCodebuffCredentials,
  listCodebuffChats,
  resolveCodebuffCredentials,
} from "agentwire/codebuff-cli";
import { CodebuffRun, type CodebuffRunOptions, openAiCompatible } from "agentwire/codebuff-run";
import { CodeyClient, type CodeyClientOptions } from "agentwire/codey";
import { ManualClock } from "agentwire/testing";
import type { AnyClient } from "../contract/fixture.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";
import {
  acpOptions,
  cassOptions,
  cliOptions,
  codebuffOptions,
  codeyOptions,
  runOptions,
} from "./all-options.ts";
import { ofTools } from "./tools-places.ts";

/** A place where a caller gives names: what may stand there, and how it is given. */
export interface Place {
  readonly place: string;
  /** Every name that exists there, each with something that it takes; `undefined` where another excludes it. */
  readonly all: object;
  /** Everything is ended by `finished`; the caller's mistakes are thrown at once. */
  readonly give: (given: never, finished: AbortSignal) => unknown;
}

/** A client that calls nobody, or whose calls nobody ever answers. */
export interface Maker {
  readonly name: string;
  readonly make: () => AnyClient;
  /** Its prompts, as the object that it takes. */
  readonly prompt: object;
  /** Those that its options of a prompt have besides the shared ones. */
  readonly options: object;
}

const url = "ws://127.0.0.1:9/ws";
const socket = { url, createWebSocket: () => new FakeSocket() };
const token = "token";
const image = { data: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), mediaType: "image/jpeg" } as const;

const turn = { signal: new AbortController().signal, timeout: 1, idleTimeout: 1 };
const keepalive = { interval: 1, timeout: 1 };
const reconnect = { maxAttempts: 1, minDelay: 1, maxDelay: 1, shouldReconnect: () => true };
const rule = { tool: "rm", when: () => true, then: "deny" };
const nothing = () => [];
const tool = {
  description: "Does it.",
  parameters: { type: "object" },
  endsAgentStep: true,
  execute: nothing,
};

const codebuff = () => new CodebuffClient(socket);
const codey = () => new CodeyClient(socket);
const cass = () => new CassClient({ ...socket, token });
const cli = () => new CodebuffCli({ command: "/nowhere/at/all" });
const acp = () => new AcpClient({ command: "/nowhere/at/all" });
const never = (): Promise<never> => new Promise(() => {});
const backend = { apiKey: "k", baseUrl: "http://127.0.0.1:9", fetch: never };
const run = () => new CodebuffRun({ ...backend, agent: { id: "a", displayName: "A", model: "m" } });

export const makers: readonly Maker[] = [
  {
    name: "CodebuffClient",
    make: codebuff,
    prompt: {
      prompt: "hello",
      content: [],
      promptId: "p1",
      sessionState: {},
      model: "m",
      costMode: "normal",
      toolResults: [],
      fingerprintId: "f",
      authToken: "t",
      repoUrl: "r",
      agentId: "a",
      promptParams: {},
    },
    options: { chunkDecoding: "auto" },
  },
  { name: "CodeyClient", make: codey, prompt: { content: "hello", agentId: 1 }, options: {} },
  {
    name: "CassClient",
    make: cass,
    prompt: { message: "hello", conversationId: undefined, image },
    options: { recover: false, allowEmpty: false },
  },
  {
    name: "CodebuffCli",
    make: cli,
    prompt: { prompt: "hello" },
    options: {
      mode: "max",
      cwd: ".",
      promptVia: "arg",
      allowCommands: false,
      agent: undefined, // profiles exclude one another
      params: undefined,
      sessionId: "s1",
      timeoutSeconds: undefined,
    },
  },
  {
    name: "AcpClient",
    make: acp,
    prompt: { blocks: [{ type: "text", text: "hello" }] },
    options: {},
  },
  {
    name: "CodebuffRun",
    make: run,
    prompt: { prompt: "hello", content: [] },
    options: {
      agent: "a",
      costMode: "normal",
      maxAgentSteps: 1,
      maxContextTokens: 1,
      params: {},
      previousRun: undefined,
      extraToolResults: [],
    },
  },
];

/** A client that is closed at the end. */
function until<C extends AnyClient>(finished: AbortSignal, client: C): C {
  finished.addEventListener("abort", () => void client.close({ force: true }));
  return client;
}

/** What every client has. */
const ofEach = makers.flatMap(({ name, make, prompt, options }): Place[] => {
  const ended = (finished: AbortSignal): AnyClient => until(finished, make());
  return [
    { place: `${name}.prompt, input`, all: prompt, give: (it, end) => ended(end).prompt(it) },
    {
      place: `${name}.prompt, options`,
      all: { ...turn, ...options },
      give: (it, end) => ended(end).prompt("hello", it),
    },
    {
      place: `${name}.conversation`,
      all: { from: undefined },
      give: (it, end) => ended(end).conversation(it),
    },
    {
      place: `a conversation of ${name}, input`,
      all: prompt,
      give: (it, end) => ended(end).conversation().prompt(it),
    },
    {
      place: `a conversation of ${name}, options`,
      all: { ...turn, ...options },
      give: (it, end) => ended(end).conversation().prompt("hello", it),
    },
    { place: `${name}.connect`, all: { signal: turn.signal }, give: (it, end) => ended(end).connect(it) },
    {
      place: `${name}.close`,
      all: { force: true, drainTimeout: 1 },
      give: (it, end) => ended(end).close(it),
    },
    {
      place: `${name}.on, options`,
      all: { signal: turn.signal },
      give: (it, end) => ended(end).on("status", () => {}, it),
    },
    {
      place: `a turn of ${name}, on, options`,
      all: { signal: turn.signal },
      give: (it, end) =>
        ended(end)
          .prompt("hello")
          .on("status", () => {}, it),
    },
  ];
});

/** Options of a client: `make` makes one of them, and it is closed. */
function options<Options>(
  name: string,
  make: (options: Options) => AnyClient,
  places: Readonly<Record<string, readonly [all: object, wrap?: (given: object) => object]>>,
): readonly Place[] {
  return Object.entries(places).map(([where, [all, wrap = (given: object) => given]]) => ({
    place: `new ${name}, ${where}`,
    all,
    give: (given, finished) => until(finished, make(wrap(given) as Options)),
  }));
}

/** What is in the options of one that has a connection; `base` is what it needs besides. */
const inLink = (base: object) =>
  ({
    keepalive: [keepalive, (given: object) => ({ ...base, keepalive: given })],
    reconnect: [reconnect, (given: object) => ({ ...base, reconnect: given })],
  }) as const;

const inGate = {
  "a rule": [rule, (given: object) => ({ ...socket, toolPolicy: [{ ...rule, tool: "ls" }, given] })],
} as const;

const credentials = { apiKey: "k", homeDir: "/nowhere", configDirName: "c", credentialOrder: "cli" };
const call = { signal: turn.signal };
const restUrl = "http://127.0.0.1:9/";

/** A call of REST that is never answered. */
function rest(place: string, all: object, give: (rest: CassRest, given: never) => unknown): Place {
  return {
    place: `CassRest.${place}`,
    all,
    give: (given, signal) => give(new CassRest({ url: restUrl, token, fetch: never, signal }), given),
  };
}

const login = { email: "a@b.example", password: "secret" };
const intro = { userId: "u1", conversationId: "c1", profile: {}, allowForeignUser: false };
const demo = { userId: "u1", message: "hello", profile: {}, allowForeignUser: false };

const ofCass: readonly Place[] = [
  {
    place: "CassClient.onboardingIntro, input",
    all: intro,
    give: (it, end) => until(end, cass()).onboardingIntro(it),
  },
  {
    place: "CassClient.onboardingIntro, options",
    all: turn,
    give: (it, end) => until(end, cass()).onboardingIntro({ userId: "u1", conversationId: null }, it),
  },
  {
    place: "CassClient.onboardingDemo, input",
    all: demo,
    give: (it, end) => until(end, cass()).onboardingDemo(it),
  },
  {
    place: "CassClient.onboardingDemo, options",
    all: turn,
    give: (it, end) => until(end, cass()).onboardingDemo({ userId: "u1" }, it),
  },
  {
    place: "CassClient.conversation",
    all: { id: "c1", from: undefined },
    give: (it, end) => until(end, cass()).conversation(it),
  },
  {
    place: "an image",
    all: image,
    give: (it, end) => until(end, cass()).prompt({ message: "hello", image: it }),
  },
  {
    place: "new CassRest",
    all: {
      url: restUrl,
      token,
      refreshToken: "refresh",
      onTokens: nothing,
      fetch: never,
      timeout: 1,
      retries: 1,
      maxReceiveBytes: 1,
      allowInsecure: false,
      signal: turn.signal,
      logger: undefined,
      clock: new ManualClock(),
    },
    give: (it: CassRestOptions) => new CassRest(it),
  },
  rest("login, input", login, (it, given) => it.login(given)),
  rest("login, options", call, (it, given) => it.login(login, given)),
  rest("register, input", { ...login, displayName: "A" }, (it, given) => it.register(given)),
  rest("register, options", call, (it, given) => it.register({ ...login, displayName: "A" }, given)),
  rest("refresh", call, (it, given) => it.refresh(given)),
  rest("me", call, (it, given) => it.me(given)),
  rest("listConversations", { ...call, limit: 1 }, (it, given) => it.listConversations(given)),
  rest("newConversation", { ...call, title: "t", projectId: "p", userId: "u" }, (it, given) =>
    it.newConversation(given),
  ),
  rest("continuousConversation", call, (it, given) => it.continuousConversation(given)),
  rest("getConversation", call, (it, given) => it.getConversation("c1", given)),
  rest("getMessages", { ...call, limit: 1, sinceHours: 1 }, (it, given) => it.getMessages("c1", given)),
  rest("setTitle", call, (it, given) => it.setTitle("c1", "t", given)),
  rest("deleteConversation", call, (it, given) => it.deleteConversation("c1", given)),
  rest("getModel", call, (it, given) => it.getModel(given)),
  rest("setProvider", call, (it, given) => it.setProvider("p", given)),
  rest("setModel", call, (it, given) => it.setModel("m", given)),
  rest("getStatus", call, (it, given) => it.getStatus(given)),
  rest("getLibrary", call, (it, given) => it.getLibrary(given)),
];

export const places: readonly Place[] = [
  ...options("CodebuffClient", (given: CodebuffClientOptions) => new CodebuffClient(given), {
    options: [codebuffOptions],
    ...inLink(socket),
    ...inGate,
  }),
  ...options("CodeyClient", (given: CodeyClientOptions) => new CodeyClient(given), {
    options: [codeyOptions],
    ...inLink(socket),
    ...inGate,
  }),
  ...options("CassClient", (given: CassClientOptions) => new CassClient(given), {
    options: [cassOptions],
    ...inLink({ ...socket, token }),
  }),
  ...options("CodebuffCli", (given: CodebuffCliOptions) => new CodebuffCli(given), { options: [cliOptions] }),
  ...options("AcpClient", (given: AcpOptions) => new AcpClient(given), {
    options: [acpOptions],
    "a rule": [rule, (given: object) => ({ command: "a", toolPolicy: [{ ...rule, tool: "ls" }, given] })],
    "the app's name": [acpOptions.clientInfo, (given: object) => ({ command: "a", clientInfo: given })],
  }),
  ...options("CodebuffRun", (given: CodebuffRunOptions) => new CodebuffRun(given), {
    options: [runOptions],
    "a rule": [rule, (given: object) => ({ ...backend, toolPolicy: [{ ...rule, tool: "ls" }, given] })],
    "a tool": [tool, (given: object) => ({ ...backend, tools: { mine: given } })],
  }),
  {
    place: "openAiCompatible",
    all: {
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: "k",
      headers: {},
      model: "m",
      name: "n",
      fetch: never,
      streamTimeout: 1,
      allowInsecure: false,
      clock: new ManualClock(),
    },
    give: (it) => openAiCompatible(it),
  },
  ...ofTools,
  ...ofEach,
  {
    place: "CodebuffClient.init",
    all: { fileContext: {}, repoUrl: "r", fingerprintId: "f", authToken: "t" },
    give: (it, end) => until(end, codebuff()).init(it),
  },
  ...ofCass,
  { place: "findCodebuffCredentials", all: credentials, give: (it) => findCodebuffCredentials(it, {}) },
  { place: "resolveCodebuffCredentials", all: credentials, give: (it) => resolveCodebuffCredentials(it, {}) },
  {
    place: "listCodebuffChats",
    all: { homeDir: "/nowhere", configDirName: "c" },
    give: (it) => listCodebuffChats("/nowhere", it),
  },
];

import { CassClient, type CassClientEvents, type CassClientOptions } from "agentwire/cass";
import { cassStep, type MockCassOptions } from "agentwire/testing";
import { expect } from "vitest";
import { link, once, rejection, saw, says, status, wayToRest } from "../../helpers/cass.ts";
import { onEach, type Scene } from "./each.ts";

const EVENTS = [
  "status",
  "reconnecting",
  "reconnected",
  "disconnected",
  "protocolWarning",
  "event",
  "frame",
  "message",
  "authenticated",
  "title",
  "system",
  "audio",
  "recovering",
  "serverError",
  "stray",
  "unknownMessage",
] as const satisfies readonly (keyof CassClientEvents)[];

/** Everything that a value says, whoever looks at it: inspected, as JSON, or by its properties, hidden ones too. */
function textsIn(value: unknown, seen = new Set<unknown>()): readonly string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  if (seen.has(value)) return [];
  seen.add(value);
  const own = Object.getOwnPropertyNames(value).flatMap((name) => [
    name,
    ...textsIn(Reflect.get(value, name), seen),
  ]);
  return [String(value), ...own];
}

/** All that leaves a client while somebody works with it. */
interface Listening {
  readonly client: CassClient;
  readonly said: string[];
  /** Notes what a promise rejects with; what it gives is for who has asked. */
  failed(promise: Promise<unknown>): Promise<void>;
}

function listening(
  scene: Scene,
  options: Partial<CassClientOptions>,
  names: readonly (typeof EVENTS)[number][],
): Listening {
  const said: string[] = [];
  const note = (...values: readonly unknown[]): void => {
    for (const value of values) {
      said.push(...textsIn(value));
      said.push(JSON.stringify(value) ?? "");
    }
  };
  const client = new CassClient({
    url: scene.server.url,
    clock: scene.clock,
    token: scene.user.accessToken,
    debug: true,
    logger: { debug: note, info: note, warn: note, error: note },
    ...wayToRest(scene.server),
    ...options,
  });
  // A turn is an object of ours, with timers and listeners in it.
  for (const name of names)
    client.on(name, (...values: readonly unknown[]) =>
      note(name, ...values.filter((value) => !isTurn(value))),
    );
  return {
    client,
    said,
    failed: (promise) =>
      promise.then(
        () => {},
        (error: unknown) => note(error),
      ),
  };
}

const isTurn = (value: unknown): boolean => typeof value === "object" && value !== null && "outcome" in value;

/** What nobody is to see: the tokens whole, escaped, and in parts that are as good. */
function secretsOf({ user }: Scene, given: readonly string[]): readonly string[] {
  const tokens = [user.accessToken, user.refreshToken, ...given];
  const signatures = tokens.map((token) => token.split(".").at(2) ?? token);
  return [...tokens, ...tokens.map(encodeURIComponent), ...signatures, user.password, "wrong-password"];
}

interface Story {
  readonly what: string;
  /** Whether the server itself quotes tokens: `message` then does so too, for it tells what came as it came. */
  readonly quotes?: true;
  readonly mock?: MockCassOptions;
  readonly client?: (scene: Scene) => Partial<CassClientOptions>;
  readonly play: (listening: Listening, scene: Scene) => Promise<void>;
}

const withRefresh = ({ user }: Scene): Partial<CassClientOptions> => ({ refreshToken: user.refreshToken });

/** Short ones fit into the reason of a Close, which servers may quote them in. */
const SHORT: MockCassOptions = { token: ({ type, sub }) => `secret+${type}/${sub?.slice(0, 8)}` };

const STORIES: readonly Story[] = [
  {
    what: "all is well",
    mock: { auth: "checked" },
    play: async ({ client, failed }, { user }) => {
      await client.prompt("hi").result;
      await failed(client.rest.me());
      await failed(client.rest.login({ email: user.email, password: user.password }));
      await failed(client.rest.login({ email: user.email, password: "wrong-password" }));
    },
  },
  {
    what: "the token is refused, and renewed, and refused",
    mock: { connectedUserId: null, auth: "error" },
    client: withRefresh,
    play: ({ client, failed }) => failed(client.connect()),
  },
  {
    what: "the token has expired, and cannot be renewed",
    mock: { rejectRefresh: 401 },
    client: (scene) => ({
      ...withRefresh(scene),
      token: scene.server.issueToken(scene.user.userId, { lifetime: -10 }),
    }),
    play: ({ client, failed }) => failed(client.connect()),
  },
  {
    what: "the server refuses it in its own words",
    quotes: true,
    mock: { connected: "none" },
    play: async ({ client, failed }, { server, user }) => {
      const connecting = failed(client.connect());
      const connection = await server.nextConnection();
      connection.push({ type: "error", message: `Bad token ${user.accessToken}` });
      await connecting;
    },
  },
  {
    what: "the link is lost, and comes back",
    mock: { auth: "checked", ...SHORT },
    play: async ({ client, failed }, { server, clock, user }) => {
      await client.connect();
      says(server, cassStep.hang());
      const turn = client.prompt("hi");
      await saw(turn, "thinking", 2);
      server.refuseUpgrades(503);
      const waits = once(client, "reconnecting");
      link(server).close(4001, `bye ${user.accessToken}`);
      const { delay } = await waits;
      await failed(turn.result);
      const again = once(client, "reconnecting");
      await clock.advance(delay);
      await again;
      server.refuseUpgrades(undefined);
      const back = once(client, "reconnected");
      await clock.advance((await again).delay);
      await back;
    },
  },
  {
    what: "an error of a turn, and one of none, quote it",
    quotes: true,
    mock: { auth: "checked" },
    play: async ({ client, failed }, { server, user }) => {
      const message = `failed with ${user.accessToken}`;
      says(server, cassStep.say({ type: "error", message }), cassStep.hang());
      await failed(client.prompt("hi").result);
      const told = once(client, "serverError");
      link(server).push({ type: "error", message });
      await told;
    },
  },
  {
    what: "frames that nobody understands quote it",
    quotes: true,
    mock: { auth: "checked" },
    play: async ({ client }, { server, user }) => {
      await client.connect();
      for (const raw of [`no json ${user.accessToken}`, `["${user.accessToken}"]`]) {
        const warned = once(client, "protocolWarning");
        link(server).send(raw);
        await warned;
      }
    },
  },
  {
    what: "REST fails",
    client: (scene) => ({
      ...withRefresh(scene),
      fetch: async (url, init) => {
        if (String(url).endsWith("/status")) throw new TypeError(`no route ${JSON.stringify(init)}`);
        return await scene.server.fetch(String(url), init as RequestInit);
      },
    }),
    mock: { restStatus: { "GET /auth/me": 401, "POST /auth/refresh": 503 } },
    play: async ({ client, failed }, { clock }) => {
      const passed = clock.pass(250, 500);
      const me = failed(client.rest.me());
      await passed;
      await me;
      const again = clock.pass(250, 500);
      const down = failed(client.rest.getStatus());
      await again;
      await down;
    },
  },
  {
    what: "REST quotes what it was told",
    client: (scene) => ({
      fetch: async (_, init) =>
        new Response(JSON.stringify({ detail: `${JSON.stringify(init)} ${scene.user.accessToken}` }), {
          status: 422,
        }),
    }),
    play: async ({ client, failed }, { user }) => {
      await failed(client.rest.login({ email: user.email, password: "wrong-password" }));
      await failed(client.rest.me());
      await failed(client.rest.refresh());
    },
  },
  {
    what: "no socket can be made, and who makes them says why",
    client: () => ({
      createWebSocket: (url) => {
        throw new Error(`cannot dial ${url}`);
      },
    }),
    play: ({ client, failed }) => failed(client.connect()),
  },
];

for (const auth of ["query", "message"] as const) {
  for (const { what, quotes, mock = {}, client = () => ({}), play } of STORIES) {
    onEach(
      `secrets, ${auth}: nothing that a client says holds any when ${what}`,
      { connected: false, mock },
      async (scene) => {
        const given: string[] = [];
        const onTokens: CassClientOptions["onTokens"] = ({ accessToken, refreshToken = "" }) =>
          given.push(accessToken, refreshToken);
        const names = EVENTS.filter((name) => !quotes || name !== "message");
        const ear = listening(scene, { auth, onTokens, ...client(scene) }, names);
        await play(ear, scene);
        const closed = status(ear.client, "closed");
        await scene.server.stop();
        await ear.client.close({ force: true });
        await closed;
        const secrets = secretsOf(scene, given).filter((secret) => secret !== "");
        const leaks = ear.said.filter((text) => secrets.some((secret) => text.includes(secret)));
        expect(leaks).toEqual([]);
        expect(ear.said.length).toBeGreaterThan(0);
      },
    );
  }
}

onEach(
  "secrets, constructor: what it refuses it does not quote",
  { connected: false },
  async ({ server, user }) => {
    const { refreshToken, accessToken } = user;
    for (const options of [
      { token: refreshToken },
      { token: `${accessToken}\n` },
      { refreshToken: accessToken },
      { token: () => accessToken, refreshToken },
      { token: accessToken, url: "ws://elsewhere.example/ws" },
      { token: accessToken, url: `${server.url}?token=${accessToken}#x` },
      { token: accessToken, url: `no address ${accessToken}` },
    ]) {
      const error = await rejection((async () => new CassClient({ url: server.url, ...options }))());
      expect(textsIn(error).join("\n")).not.toContain(refreshToken);
      expect(textsIn(error).join("\n")).not.toContain(accessToken);
      expect(error).toMatchObject({ code: "invalid-input" });
    }
  },
);

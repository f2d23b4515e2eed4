import { CassClient } from "agentwire/cass";
import { expect } from "vitest";
import { asked, link, once, rejection, status, thrown, works } from "../../helpers/cass.ts";
import { forAll, onEach } from "./each.ts";
import { nobody, refreshes, renewable, stale } from "./made.ts";

const message = { auth: "message" } as const;
const LOCAL = { localhostBypass: true, localhostUser: "local-user", badQueryToken: "anonymous" } as const;
const NO_LOCAL = { localhostBypass: true, localhostUser: null, badQueryToken: "anonymous" } as const;

/** A JWT, which nobody has signed. */
function jwt(claims: object): string {
  const part = (value: object): string =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${part({ alg: "HS256" })}.${part(claims)}.signature`;
}

// --- the bypass for clients on the server's machine ---

onEach(
  "3.3 absent token: the server says who it is, and nobody vouches for it",
  { mock: LOCAL, client: nobody },
  async ({ client, server }) => {
    server.addUser({ userId: "local-user" });
    expect(client.identity).toEqual({ userId: "local-user", verified: false, sdkMode: true });
    expect(await works(client)).toBe("Hello!");
  },
);

onEach(
  "3.3 invalid token: nor with `allowAnonymous`, which is about nobody",
  { connected: false, mock: LOCAL, client: (made) => ({ ...stale(made), allowAnonymous: true }) },
  async ({ client }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "identity-mismatch" });
  },
);

onEach(
  "3.3 no default user: the client is nobody",
  { connected: false, mock: NO_LOCAL, client: stale },
  async ({ client }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "anonymous", got: null });
  },
);

onEach(
  "3.3 bad auth & difference 5: an auth_success for the user of the machine is none",
  {
    connected: false,
    mock: { ...LOCAL, auth: "checked", badAuth: "oldIdentity" },
    client: (made) => ({ ...stale(made), ...message }),
  },
  async ({ client }) => {
    expect(await rejection(client.connect())).toMatchObject({
      reason: "identity-mismatch",
      got: "local-user",
    });
  },
);

// --- what is verified ---

const FUTURE = 4_102_444_800;
forAll("3.4 rule 1: a refresh token, or an empty one, is refused by the constructor", () => {
  const url = "wss://cass.example/ws";
  for (const token of ["", jwt({ sub: "u", type: "refresh", exp: FUTURE })])
    expect(thrown(() => new CassClient({ url, token }))).toMatchObject({ code: "invalid-input" });
  expect(thrown(() => new CassClient({ url, refreshToken: "" }))).toMatchObject({ code: "invalid-input" });
  expect(
    thrown(() => new CassClient({ url, refreshToken: jwt({ sub: "u", type: "access", exp: FUTURE }) })),
  ).toMatchObject({ code: "invalid-input" });
});

onEach(
  "3.4 rule 1: what a function gives is looked at as well",
  { connected: false, client: ({ user }) => ({ token: () => user.refreshToken }) },
  async ({ client, server }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "refresh-failed", retryable: false });
    expect(server.upgrades).toEqual([]);
  },
);

for (const lifetime of [59, 61]) {
  onEach(
    `3.4 rule 1: a token with ${lifetime} s left is ${lifetime < 60 ? "renewed" : "used"}`,
    {
      client: ({ server, user }) => ({
        token: server.issueToken(user.userId, { lifetime }),
        refreshToken: user.refreshToken,
      }),
    },
    async (scene) => expect(refreshes(scene)).toBe(lifetime < 60 ? 1 : 0),
  );
}

onEach(
  "3.4 rule 2: who is expected may be said by an option, or by an administrator's token",
  {
    client: ({ server, user }) => ({
      token: server.issueToken(user.userId, { type: "admin" }),
      expectedUserId: user.userId,
    }),
    mock: { adminTokens: true },
  },
  async ({ client, user }) => {
    expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
  },
);

onEach(
  "3.4 rule 2: a token that cannot be read has to be somebody's, and nobody vouches for whose",
  { mock: { token: ({ sub, type }) => `opaque-${type}-${sub}` } },
  async ({ client, user }) => {
    expect(client.identity).toMatchObject({ userId: user.userId, verified: false });
  },
);

onEach(
  "3.4 rule 2: and not nobody's",
  { connected: false, mock: { token: ({ sub, type }) => `opaque-${type}-${sub}`, connectedUserId: null } },
  async ({ client }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "anonymous" });
  },
);

const ANSWERS = [
  { auth: "checked", reason: undefined },
  { auth: "falseSuccess", reason: "identity-mismatch" },
  { auth: "error", reason: "rejected" },
  { auth: "unknown", reason: "rejected" },
  { auth: "silence", reason: "timeout" },
] as const;
for (const { auth, reason } of ANSWERS) {
  onEach(
    `3.4 rule 3: with the message method ${auth} is ${reason ?? "good"}, whatever the greeting says`,
    { connected: false, mock: { auth, connectedUserId: "foreign" }, client: message },
    async ({ client, server, clock }) => {
      const failed = reason ? rejection(client.connect()) : undefined;
      if (!failed) await client.connect();
      await server.nextAuth();
      if (reason === "timeout") await clock.advance(10_000);
      if (failed) expect(await failed).toMatchObject({ name: "CassAuthError [handshake-refused]", reason });
    },
  );
}

onEach(
  "3.4 rule 4: one that is refused on arrival too",
  {
    connected: false,
    mock: { perConnection: ({ number }) => ({ connectedUserId: number === 1 ? null : "actual" }) },
    client: ({ user }) => ({ refreshToken: user.refreshToken }),
  },
  async (scene) => {
    const { client, server } = scene;
    await client.connect();
    expect([refreshes(scene), server.connections.length]).toEqual([1, 2]);
    expect(client.identity?.verified).toBe(true);
  },
);

onEach(
  "3.4 rule 4: with the message method on the same one",
  {
    connected: false,
    mock: { auth: "error" },
    client: ({ user }) => ({ ...message, refreshToken: user.refreshToken }),
  },
  async (scene) => {
    const { client, server } = scene;
    const connected = client.connect();
    await server.nextAuth();
    server.set({ auth: "checked" });
    await connected;
    expect([refreshes(scene), server.connections.length]).toEqual([1, 1]);
    expect(asked(server)).toEqual(["auth", "auth"]);
  },
);

onEach(
  "3.4 rule 4: then it is over: 1000, and no connection more",
  {
    connected: false,
    mock: { connectedUserId: null },
    client: ({ user }) => ({ refreshToken: user.refreshToken }),
  },
  async ({ client, server, clock }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "anonymous" });
    await status(client, "closed");
    await server.waitFor(() => link(server).closed);
    expect(link(server).closed?.code).toBe(1000);
    await clock.advance(600_000);
    expect(server.connections.length).toBe(2);
  },
);

forAll("3.4 rule 5: without credentials nothing connects unless that is asked for", () => {
  expect(thrown(() => new CassClient({ url: "wss://cass.example/ws" }))).toMatchObject({
    code: "invalid-input",
    hint: expect.stringContaining("allowAnonymous"),
  });
});

for (const allowAnonymous of [true, false]) {
  onEach(
    `3.4 rule 5: with credentials being nobody is ${allowAnonymous ? "let through" : "refused"} with \`allowAnonymous: ${allowAnonymous}\``,
    { connected: false, client: { allowAnonymous }, mock: { connectedUserId: null } },
    async ({ client }) => {
      if (allowAnonymous) await client.connect();
      else expect(await rejection(client.connect())).toMatchObject({ reason: "anonymous" });
      expect(client.identity?.userId).toBe(allowAnonymous ? null : undefined);
    },
  );
}

onEach(
  "3.4 rule 6: a refresh that is refused is final until somebody logs in",
  { connected: false, mock: { rejectRefresh: 401 }, client: renewable },
  async (scene) => {
    const { client, server, user } = scene;
    expect(await rejection(client.rest.me())).toMatchObject({ reason: "refresh-failed" });
    expect(await rejection(client.rest.me())).toMatchObject({ reason: "refresh-failed" });
    expect(refreshes(scene)).toBe(1);
    server.set({ rejectRefresh: false });
    const { email, password } = user;
    await client.rest.login({ email, password });
    await client.connect();
    expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
  },
);

onEach(
  "3.4 rule 7: onboarding is for who is signed in, unless it is meant otherwise",
  { mock: { onboarding: "answered" } },
  async ({ client, server, user }) => {
    const { userId } = server.addUser();
    expect(thrown(() => client.onboardingDemo({ userId }))).toMatchObject({ code: "invalid-input" });
    await client.onboardingDemo({ userId: user.userId }).result;
    expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
    await client.onboardingDemo({ userId, allowForeignUser: true }).result;
    expect(client.identity).toMatchObject({ userId, verified: false });
    expect(link(server).userId).toBe(userId);
  },
);

onEach(
  "3.4 rule 7: and after a reconnect the client is its user again",
  { mock: { onboarding: "answered" } },
  async ({ client, server, clock, user }) => {
    const { userId } = server.addUser();
    await client.onboardingDemo({ userId, allowForeignUser: true }).result;
    const waits = once(client, "reconnecting");
    const back = once(client, "reconnected");
    link(server).drop();
    await clock.advance((await waits).delay);
    await back;
    expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
  },
);

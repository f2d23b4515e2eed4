import { expect } from "vitest";
import { asked, once, rejection, status, walkBackoff, works } from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { nobody, renewable, stale } from "./made.ts";

const message = { auth: "message" } as const;
const LOCAL = { localhostBypass: true, localhostUser: "local-user" } as const;
const FOREIGN = "00000000-0000-4000-8000-00000000f0e1";

onEach("switch connected=sent: the connection is ready, and verified", async ({ client, user }) => {
  expect(client.identity).toEqual({ userId: user.userId, verified: true, sdkMode: true });
});

onEach(
  "switch connected=none: a server that does not greet is given up after 10 s",
  { connected: false, mock: { connected: "none" } },
  async ({ client, server, clock }) => {
    const failed = rejection(client.connect());
    await status(client, "handshaking");
    await clock.advance(10_000);
    expect(await failed).toMatchObject({ code: "connect-timeout", timeout: 10_000 });
    expect(server.received).toEqual([]);
  },
);

onEach(
  "switch connected=none: with `requireConnected: false` an open socket is ready, and nobody vouches for it",
  { mock: { connected: "none" }, client: { requireConnected: false } },
  async ({ client }) => {
    expect(client.identity).toEqual({ userId: null, verified: false });
    expect(await works(client)).toBe("Hello!");
  },
);

for (const connectedDelay of [0, 500]) {
  onEach(
    `switch connectedDelay=${connectedDelay}: nothing is sent before the greeting`,
    { connected: false, mock: { connectedDelay } },
    async ({ client, server, clock }) => {
      const waits = clock.timer(500);
      const turn = client.prompt("hello");
      if (connectedDelay > 0) {
        await waits;
        expect(server.frames).toEqual([]);
        await clock.advance(connectedDelay);
      }
      expect((await turn.result).text).toBe("Hello!");
    },
  );
}

for (const connectedUserId of ["actual", "foreign", "somebody", null] as const) {
  onEach(
    `switch connectedUserId=${connectedUserId}: ${connectedUserId === "actual" ? "it is who the token names" : "somebody else is refused"}`,
    { connected: false, mock: { connectedUserId } },
    async ({ client, user }) => {
      if (connectedUserId === "actual") {
        await client.connect();
        expect(client.identity?.userId).toBe(user.userId);
        return;
      }
      const error = await rejection(client.connect());
      expect(error).toMatchObject({
        reason: connectedUserId === null ? "anonymous" : "identity-mismatch",
        expected: user.userId,
        got: connectedUserId === "foreign" ? FOREIGN : connectedUserId,
      });
      await status(client, "closed");
    },
  );
}

onEach(
  "switch connectedUserId=somebody: it is who is expected",
  { mock: { connectedUserId: "somebody" }, client: { expectedUserId: "somebody" } },
  async ({ client }) => expect(client.identity).toMatchObject({ userId: "somebody", verified: true }),
);

onEach(
  "switch connectedUserId=null: being nobody is let through where that is asked for",
  { mock: { connectedUserId: null }, client: { allowAnonymous: true } },
  async ({ client }) => expect(client.identity).toMatchObject({ userId: null, verified: false }),
);

onEach(
  "switch initializing=true: a server that starts up is asked again until it is ready",
  { connected: false, mock: { perConnection: ({ number }) => ({ initializing: number < 3 }) } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    const first = once(client, "reconnecting");
    await client.connect();
    expect((await first).error).toMatchObject({ reason: "initializing", retryable: true });
    expect(server.connections.length).toBe(3);
  },
);

onEach(
  "switch initializing=false: the first connection is the last",
  { mock: { initializing: false } },
  async ({ server }) => expect(server.connections.length).toBe(1),
);

for (const sdkMode of [true, false]) {
  onEach(
    `switch sdkMode=${sdkMode}: the identity says which pipeline it is, and replies are read alike`,
    { mock: { sdkMode } },
    async ({ client, profile }) => {
      expect(client.identity?.sdkMode).toBe(sdkMode);
      const { text, animations } = await client.prompt("hi").result;
      expect(text).toBe("Hello!");
      const names = animations.map(({ name }) => name);
      const talks = !sdkMode && (profile === "v1" || profile === "v2");
      expect(names).toEqual(profile === "relay" ? [] : [...(talks ? ["talk"] : []), "wave", "happy"]);
    },
  );
}

const AUTHS = {
  falseSuccess: "identity-mismatch",
  silence: "timeout",
  error: "rejected",
  unknown: "rejected",
};
for (const auth of ["checked", "falseSuccess", "silence", "error", "unknown"] as const) {
  onEach(
    `switch auth=${auth}: ${auth === "checked" ? "the answer names the user" : "no answer but that of the user will do"}`,
    { connected: false, mock: { auth }, client: message },
    async ({ client, server, user, clock }) => {
      if (auth === "checked") {
        await client.connect();
        expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
        return;
      }
      const failed = rejection(client.connect());
      await server.nextAuth();
      if (auth === "silence") await clock.advance(10_000);
      expect(await failed).toMatchObject({ name: "CassAuthError [handshake-refused]", reason: AUTHS[auth] });
      expect(asked(server)).toEqual(["auth"]);
    },
  );
}

for (const badAuth of ["error", "oldIdentity"] as const) {
  onEach(
    `switch badAuth=${badAuth}: the old identity of a connection is not the user's`,
    {
      connected: false,
      mock: { auth: "checked", badAuth, ...LOCAL },
      client: (made) => ({ ...message, ...stale(made) }),
    },
    async ({ client }) =>
      expect(await rejection(client.connect())).toMatchObject(
        badAuth === "error" ? { reason: "rejected" } : { reason: "identity-mismatch", got: "local-user" },
      ),
  );
}

for (const badQueryToken of ["anonymous", "refused"] as const) {
  onEach(
    `switch badQueryToken=${badQueryToken}: a token that is not good is noticed`,
    { connected: false, mock: { badQueryToken }, client: stale },
    async ({ client, user }) =>
      expect(await rejection(client.connect())).toMatchObject({
        reason: badQueryToken === "refused" ? "rejected" : "anonymous",
        expected: user.userId,
      }),
  );
}

for (const localhostBypass of [false, true]) {
  onEach(
    `switch localhostBypass=${localhostBypass}: without a token the client is whoever the server says`,
    { mock: { localhostBypass, localhostUser: "local-user" }, client: nobody },
    async ({ client, server }) => {
      server.addUser({ userId: "local-user" });
      const userId = localhostBypass ? "local-user" : null;
      expect(client.identity).toEqual({ userId, verified: false, sdkMode: true });
      expect(await works(client)).toBe("Hello!");
    },
  );
}

for (const localhostUser of [null, "local-user"]) {
  onEach(
    `switch localhostUser=${localhostUser}: with a bad token the client is nobody's`,
    {
      connected: false,
      mock: { localhostBypass: true, localhostUser, badQueryToken: "anonymous" },
      client: stale,
    },
    async ({ client }) =>
      expect(await rejection(client.connect())).toMatchObject(
        localhostUser === null
          ? { reason: "anonymous", got: null }
          : { reason: "identity-mismatch", got: "local-user" },
      ),
  );
}

for (const adminTokens of [true, false]) {
  onEach(
    `switch adminTokens=${adminTokens}: an administrator's token ${adminTokens ? "names its user" : "is as good as none"}`,
    {
      connected: false,
      mock: { adminTokens, badQueryToken: "anonymous" },
      client: ({ server, user }) => ({ token: server.issueToken(user.userId, { type: "admin" }) }),
    },
    async ({ client, user }) => {
      if (adminTokens) {
        await client.connect();
        expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
      } else {
        expect(await rejection(client.connect())).toMatchObject({ reason: "anonymous" });
      }
    },
  );
}

for (const deletedUser of [false, true]) {
  onEach(
    `switch deletedUser=${deletedUser}: the connection is verified, and a turn ${deletedUser ? "with an id works" : "works"}`,
    { mock: { deletedUser } },
    async ({ client, server, user, profile }) => {
      expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
      const { id } = server.addConversation({ userId: user.userId });
      expect((await client.prompt({ message: "hi", conversationId: id }).result).text).toBe("Hello!");
      const outcome = await client.prompt("without an id").outcome;
      expect(outcome).toMatchObject(
        deletedUser && profile === "v2"
          ? { status: "failed", error: { code: "connection-lost", delivery: "unknown" } }
          : { status: "completed" },
      );
    },
  );
}

onEach(
  "switch rejectRefresh=false: a token that has expired is renewed before the dial",
  { mock: { rejectRefresh: false }, client: renewable },
  async ({ client, server, user }) => {
    expect(server.requests.map(({ route }) => route)).toEqual(["POST /auth/refresh"]);
    expect(server.connections.length).toBe(1);
    expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
  },
);

onEach(
  "switch rejectRefresh=401: a refresh token that is refused ends it, without a dial",
  { connected: false, mock: { rejectRefresh: 401 }, client: renewable },
  async ({ client, server }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "refresh-failed", retryable: false });
    await status(client, "closed");
    expect(server.connections).toEqual([]);
    expect(server.requests.length).toBe(1);
  },
);

onEach(
  "switch rejectRefresh=429: who asks too often waits, and asks again",
  { connected: false, mock: { rejectRefresh: 429 }, client: renewable },
  async ({ client, server, clock, user }) => {
    const connected = client.connect();
    const last = clock.timer(500);
    await clock.pass(250);
    await last;
    server.set({ rejectRefresh: false });
    await clock.advance(500);
    await connected;
    expect(server.requests.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(client.identity?.userId).toBe(user.userId);
  },
);

onEach(
  "switch rejectRefresh=429: and the dial with it, when that has not helped",
  { connected: false, mock: { rejectRefresh: 429 }, client: renewable },
  async (scene) => {
    const { client, server, clock } = scene;
    const connected = client.connect();
    const backoff = once(client, "reconnecting");
    await clock.pass(250, 500);
    const { error } = await backoff;
    expect(error).toMatchObject({ reason: "refresh-failed", retryable: true });
    server.set({ rejectRefresh: false });
    await clock.advance(250);
    await connected;
    expect(server.requests.map(({ status }) => status)).toEqual([429, 429, 429, 200]);
  },
);

for (const accessLifetime of [1_800, 30]) {
  onEach(
    `switch accessLifetime=${accessLifetime}: ${accessLifetime > 60 ? "a good token is used" : "a token that ends within a minute is renewed once, and what comes is used"}`,
    { mock: { accessLifetime }, client: ({ user }) => ({ refreshToken: user.refreshToken }) },
    async ({ client, server, user }) => {
      expect(server.requests.length).toBe(accessLifetime > 60 ? 0 : 1);
      expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
    },
  );
}

for (const refreshLifetime of [604_800, -1]) {
  onEach(
    `switch refreshLifetime=${refreshLifetime}: ${refreshLifetime > 0 ? "the refresh token is good for another" : "one that has expired is refused, for good"}`,
    { connected: false, mock: { refreshLifetime }, client: renewable },
    async ({ client }) => {
      if (refreshLifetime > 0) await client.connect();
      else
        expect(await rejection(client.connect())).toMatchObject({
          reason: "refresh-failed",
          retryable: false,
        });
    },
  );
}

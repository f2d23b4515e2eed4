import { CassClient } from "agentwire/cass";
import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import { failureOf, rejection, says, status, thrown } from "../../helpers/cass.ts";
import { onEach, type SceneOptions } from "./each.ts";
import { byProfile } from "./profiles.ts";

const message = { auth: "message" } as const;
const expired: SceneOptions = {
  connected: false,
  client: ({ server, user }) => ({ token: server.issueToken(user.userId, { lifetime: -10 }) }),
};

onEach(
  "difference 3: a model that fails is a typed error, by a frame or by a lost connection",
  async ({ client, server, profile }) => {
    says(server, cassStep.fail());
    expect(await failureOf(client.prompt("go"))).toMatchObject(
      byProfile<object>(profile, {
        documented: { code: "turn-failed", serverMessage: "Failed to generate response" },
        relay: { code: "turn-failed", serverMessage: "the model is overloaded" },
        rest: { code: "connection-lost", closeCode: 1006, delivery: "unknown" },
      }),
    );
  },
);

onEach(
  "difference 4 & 8 AuthError: an expired token in the address is never taken for being nobody",
  expired,
  async ({ client, user, profile }) => {
    expect(await rejection(client.connect())).toMatchObject({
      name: "CassAuthError [handshake-refused]",
      code: "handshake-refused",
      retryable: false,
      expected: user.userId,
      ...(profile === "documented" ? { reason: "rejected" } : { reason: "anonymous", got: null }),
    });
    await status(client, "closed");
  },
);

onEach(
  "difference 4 & 3.3 invalid token: nor for being the user of the server's machine",
  { ...expired, mock: { localhostBypass: true, localhostUser: "local-user", badQueryToken: "anonymous" } },
  async ({ client, user }) => {
    expect(await rejection(client.connect())).toMatchObject({
      reason: "identity-mismatch",
      expected: user.userId,
      got: "local-user",
    });
  },
);

onEach(
  "difference 8: animations come in the order of the text and count through, wherever they were counted anew",
  async ({ client, server, profile }) => {
    says(
      server,
      "<emote:happy:0.5>Let me see. <gesture:point>",
      cassStep.tools("look"),
      "<emote:love>Found <gesture:nod:2> it.",
    );
    const { animations, text } = await client.prompt("go").result;
    const short = animations.map(({ index, name, intensity, delay, offset }) =>
      [index, name, intensity, delay, offset].map(String).join(" "),
    );
    expect(short).toEqual(
      byProfile<readonly string[]>(profile, {
        documented: ["0 love 1 undefined 0", "1 nod 1 undefined 6"],
        relay: [],
        v1: ["0 happy 0.5 0.5 0", "1 point 1 0 11", "2 love 1 0.5 12", "3 nod 2 0 18"],
        // Only the last round is in the text, without its tags: nothing says where they were.
        v2: [
          "0 point 1 0 undefined",
          "1 happy 0.5 0.5 undefined",
          "2 nod 2 0 undefined",
          "3 love 1 0.5 undefined",
        ],
      }),
    );
    expect(text).toBe(profile === "v1" ? "Let me see.\nFound it." : "Found it.");
  },
);

onEach(
  "difference 9: the text has no tags, and the response as it came has them where its server does",
  async ({ client, server, profile }) => {
    says(server, "Hello! <gesture:wave> there");
    const { text, message } = await client.prompt("go").result;
    expect(text).toBe("Hello! there");
    expect(message?.text).toBe(profile === "documented" ? "Hello! <gesture:wave> there" : "Hello! there");
    expect(message?.raw ?? undefined).toBe(
      profile === "v1" || profile === "v2" ? "Hello! <gesture:wave> there" : undefined,
    );
  },
);

for (const token of ["", 5, null, {}, ["a token"]]) {
  onEach(
    `difference 14 & difference 6: a token that is no string, or an empty one, is never sent: ${JSON.stringify(token)}`,
    { connected: false, client: { ...message, token: () => token as unknown as string } },
    async ({ client, server }) => {
      expect(await rejection(client.connect())).toMatchObject({
        code: "handshake-refused",
        reason: "refresh-failed",
        retryable: false,
        cause: { code: "invalid-input" },
      });
      expect([server.received, server.connections.length]).toEqual([[], 0]);
      const url = server.url;
      expect(thrown(() => new CassClient({ url, token: token as unknown as string }))).toMatchObject({
        code: "invalid-input",
      });
    },
  );
}

import { type CassRoute, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { afterEach, expect } from "vitest";
import type { CassRestOptions } from "../../../src/cass/rest/options.ts";
import { CassRest } from "../../../src/cass/rest/rest.ts";
import { RawCass } from "../../testing/mock-cass-raw-client.ts";
import { everythingIn } from "./everything-in.ts";
import { WatchedClock } from "./watched-clock.ts";

export const PASSWORD = "correct horse battery";

/** Everything that no error of the present test may show. */
export const secrets: string[] = [];
afterEach(() => {
  secrets.length = 0;
});

export type Served = Awaited<ReturnType<typeof served>>;

/** A server with a user, and one clock for both sides. */
export async function served(options: MockCassOptions = {}) {
  const clock = new WatchedClock();
  const server = await MockCassServer.start({ clock, localhostBypass: false, title: "none", ...options });
  const user = server.addUser({ email: "ada@cass.example", displayName: "Ada", password: PASSWORD });
  const { accessToken, refreshToken } = user;
  secrets.push(PASSWORD, accessToken, refreshToken);
  const rest = (more: Partial<CassRestOptions> = {}) =>
    new CassRest({ url: server.httpUrl, clock, token: accessToken, ...more });
  const sent = (route: CassRoute) => server.requests.filter((request) => request.route === route);
  return { server, clock, user, rest, sent, [Symbol.asyncDispose]: () => server.stop() };
}

/** What a call fails with; in nothing that it shows is there a credential. */
export async function failureOf(call: Promise<unknown>): Promise<Error> {
  const error = await call.then(
    (value) => {
      throw new Error(`it is resolved, with ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
  const shown = everythingIn(error);
  for (const secret of secrets) expect(shown).not.toContain(secret);
  if (error instanceof Error) return error;
  throw new Error("no Error was thrown");
}

/** A conversation of the user, in which so much was said. */
export async function withTalk(it: Served, turns: number): Promise<{ readonly id: string }> {
  const { id } = it.server.addConversation({ userId: it.user.userId, title: "T" });
  for (let turn = 1; turn <= turns; turn++) await talk(it, id, `talk ${turn}`);
  return { id };
}

export async function talk({ server, user }: Served, id: string, message: string): Promise<void> {
  using client = await RawCass.connected(server, user.accessToken);
  await client.answerTo(message, { conversation_id: id });
}

export const text = expect.any(String);
export const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);

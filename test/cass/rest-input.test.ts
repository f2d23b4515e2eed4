import { describe, expect, test } from "vitest";
import { RestHost } from "../../src/cass/rest/host.ts";
import type { CassRestOptions } from "../../src/cass/rest/options.ts";
import { CassRest } from "../../src/cass/rest/rest.ts";
import { ClosedError, InvalidInputError } from "../../src/core/errors.ts";
import { Redactor } from "../../src/core/tell/redact.ts";
import { thrownBy } from "../core/support/promises.ts";
import { everythingIn } from "./support/everything-in.ts";
import { failureOf, PASSWORD, served } from "./support/served.ts";
import { jwt } from "./support/tokens.ts";

describe("the address", () => {
  test("may be the base URL, the socket's URL, a URL object or a function", async () => {
    await using it = await served({ basePath: "/deep/cass" });
    const { url, httpUrl } = it.server;
    expect([url.endsWith("/deep/cass/ws"), httpUrl.endsWith("/deep/cass/")]).toEqual([true, true]);
    for (const given of [
      url,
      httpUrl,
      `${url}?token=t`,
      httpUrl.slice(0, -1),
      new URL(url),
      () => url,
      async () => new URL(httpUrl),
    ])
      expect(await it.rest({ url: given }).me()).toMatchObject({ display_name: "Ada" });
  });

  test("escapes ids", async () => {
    const ids = ["a/b", "a?b#c", "a b", "ü%41", "..a", "c"];
    let next = 0;
    await using it = await served({ id: () => ids[next++ % ids.length] ?? "" });
    const rest = it.rest();
    for (const _ of ids) it.server.addConversation({ userId: it.user.userId });
    for (const { id } of it.server.conversations) expect((await rest.getConversation(id)).id).toBe(id);
    expect(it.server.conversations.length).toBe(ids.length);
  });
});

describe("a mistake of the caller is thrown at once, and nothing is sent", () => {
  const options = [
    { title: "no options", options: undefined, says: /`url` is missing/ },
    { title: "no address", options: {}, says: /`url` is missing/ },
    { title: "an unreadable address", options: { url: "hunter2" }, says: /URL cannot be read/ },
    { title: "a number as the address", options: { url: 7 }, says: /`url` is 7/ },
    { title: "a number as the token", options: { token: 7 }, says: /`token` is 7/ },
    { title: "an empty token", options: { token: "" }, says: /`token` is an empty string/ },
    {
      title: "a refresh token as the token",
      options: { token: jwt({ type: "refresh", sub: "hunter2" }) },
      says: /refresh token/,
    },
    {
      title: "a function as the refresh token",
      options: { refreshToken: () => "t" },
      says: /`refreshToken` is a function/,
    },
    { title: "an object as `onTokens`", options: { onTokens: {} }, says: /`onTokens` is an object/ },
    { title: "a string as `fetch`", options: { fetch: "fetch" }, says: /`fetch` is a string/ },
    { title: "a negative time", options: { timeout: -1 }, says: /`timeout` is -1/ },
    { title: "0.5 retries", options: { retries: 0.5 }, says: /`retries` is 0.5/ },
    { title: "zero bytes", options: { maxReceiveBytes: 0 }, says: /`maxReceiveBytes` is 0/ },
    {
      title: "a string as `allowInsecure`",
      options: { allowInsecure: "yes" },
      says: /`allowInsecure` is a string/,
    },
    { title: "an object as the signal", options: { signal: {} }, says: /`signal` is an object/ },
    { title: "a string as the logger", options: { logger: "console" }, says: /`logger` is a string/ },
    { title: "a number as the clock", options: { clock: 0 }, says: /`clock` is 0/ },
    {
      title: "a token over plain http:// to another machine",
      options: { url: "http://example.com/", token: "hunter2" },
      says: /unencrypted to example\.com/,
    },
    {
      title: "a refresh token over plain ws:// to another machine",
      options: { url: "ws://example.com/ws", refreshToken: "hunter2" },
      says: /unencrypted to example\.com/,
    },
  ];
  test.each(options)("in an option: $title", ({ options, says }) => {
    const given =
      options && Object.keys(options).length > 0 ? { url: "http://127.0.0.1:1/", ...options } : options;
    const error = thrownBy(() => new CassRest(given as unknown as CassRestOptions));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(says);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
  });

  const calls: readonly [string, (rest: CassRest, any: never) => unknown][] = [
    ["login without anything", (rest, any) => rest.login(any)],
    ["login without a password", (rest) => rest.login({ email: "a@b" } as never)],
    ["login with an empty password", (rest) => rest.login({ email: "a@b", password: "" })],
    ["login with a blank email", (rest) => rest.login({ email: " ", password: "hunter2" })],
    [
      "login with a number as options",
      (rest) => rest.login({ email: "a@b", password: "hunter2" }, 7 as never),
    ],
    ["register without a name", (rest) => rest.register({ email: "a@b", password: "hunter2" } as never)],
    ["refresh with an object as the signal", (rest) => rest.refresh({ signal: {} as never })],
    ["list with the limit 0", (rest) => rest.listConversations({ limit: 0 })],
    ["list with an infinite limit", (rest) => rest.listConversations({ limit: Number.POSITIVE_INFINITY })],
    ["create with a blank title", (rest) => rest.newConversation({ title: " " })],
    ["create for a null user", (rest) => rest.newConversation({ userId: null as never })],
    ["read without an id", (rest, any) => rest.getConversation(any)],
    ["read a blank id", (rest) => rest.getConversation(" ")],
    ["read the id `..`", (rest) => rest.getConversation("..")],
    ["read messages of the id `.`", (rest) => rest.getMessages(".")],
    ["read messages of an id with a lone surrogate", (rest) => rest.getMessages("a\ud800")],
    ["read messages with the limit 0.5", (rest) => rest.getMessages("c", { limit: 0.5 })],
    ["read messages with `sinceHours` 0", (rest) => rest.getMessages("c", { sinceHours: 0 })],
    ["rename without a title", (rest, any) => rest.setTitle("c", any)],
    ["rename to an empty title", (rest) => rest.setTitle("c", "")],
    ["rename an empty id", (rest) => rest.setTitle("", "T")],
    ["delete an empty id", (rest) => rest.deleteConversation("")],
    ["set a blank provider", (rest) => rest.setProvider(" ")],
    ["set a number as the model", (rest) => rest.setModel(7 as never)],
  ];
  test.each(calls)("in a call: %s", (_, call) => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      return new Response("{}");
    };
    const rest = new CassRest({ url: "http://127.0.0.1:1/", token: "t", fetch });
    const error = thrownBy(() => call(rest, undefined as never));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
    expect(sent).toBe(0);
  });
});

describe("a CassRest of a client", () => {
  test("shares the client's tokens and `fetch`, and closes with the client", async () => {
    await using it = await served();
    const redactor = new Redactor();
    let address: string | undefined;
    const used: string[] = [];
    const shared = { timeout: 1_000, clock: it.clock, redactor };
    const host = new RestHost(
      {
        ...shared,
        url: () => address ?? "",
        fetch: (url, init) => {
          used.push(url);
          return fetch(url, init);
        },
        retries: 0,
        maxReceiveBytes: 1_000_000,
        allowInsecure: false,
      },
      { ...shared, refreshToken: it.user.refreshToken, callbackThrew: () => {} },
    );
    const { credentials } = host;
    const rest = new CassRest(host);
    expect(rest).toBeInstanceOf(CassRest);
    address = it.server.url; // known only now
    expect(await rest.me()).toMatchObject({ user_id: it.user.userId });
    expect(await credentials.current()).toBe(credentials.known);
    expect(used.map((url) => new URL(url).pathname)).toEqual(["/auth/refresh", "/auth/me"]);
    const { accessToken } = await rest.login({ email: it.user.email, password: PASSWORD });
    expect(credentials.known).toBe(accessToken);
    host.close();
    expect(await failureOf(rest.me())).toBeInstanceOf(ClosedError);
  });
});

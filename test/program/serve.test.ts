// `agentwire serve`, and `agentwire chat remote` over it.
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { agentwire, linesOf, talkingTo } from "./support/program.ts";

interface Ready {
  readonly type: string;
  readonly url: string;
  readonly token?: string;
  readonly log: string;
}

const SERVE = ["serve", "mock", "--port", "0", "--json"];

/** A server that is ready. */
async function serving(
  more: readonly string[] = ["--log", "memory"],
  env: Readonly<Record<string, string>> = {},
) {
  const child = talkingTo([...SERVE, ...more], env);
  await child.until("\n");
  const [ready] = linesOf<Ready>(child.text);
  if (ready?.type !== "ready") throw new Error(`it is not ready: ${child.text}`);
  return { child, ...ready };
}

const remote = (url: string, token: string, ...more: string[]) =>
  agentwire(["chat", "remote", "--url", url, "-p", "ask", "--output", "json", ...more], {
    env: { AGENTWIRE_TOKEN: token },
  });

describe("a server", () => {
  test("prints where it is and a random token, talks, and drains at SIGTERM", async () => {
    const { child, url, token = "", log } = await serving();
    await using _ = child;
    expect({ log, url }).toEqual({
      log: "memory",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/chats$/),
    });
    expect(token.length).toBeGreaterThan(30);
    const { code, stdout } = await remote(url, token);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      text: expect.stringContaining("I take main"),
    });
    child.terminate();
    expect(await child.exitCode()).toBe(0);
    expect(child.stderr).toBe("ending: turns that run get 5 s\n");
  });

  test("refuses whoever lacks the token", async () => {
    const { child, url } = await serving();
    await using _ = child;
    expect((await fetch(`${url}/main/events?live=no`)).status).toBe(401);
    const { code, stderr } = await remote(url, "another token of some length");
    expect(code).toBe(4);
    expect(JSON.parse(stderr).error.title).toBe("You are not signed in.");
  });

  test("takes the token of the environment, and does not print it", async () => {
    const own = "a token of my own, long enough";
    const { child, token, url } = await serving(undefined, { AGENTWIRE_TOKEN: own });
    await using _ = child;
    expect(token).toBeUndefined();
    expect((await remote(url, own)).code).toBe(0);
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    expect(child.text + child.stderr).not.toContain(own);
  });

  test("keeps chats in a file, for the next one", async () => {
    const first = await serving([]);
    await using _first = first.child;
    expect(first.log).toMatch(/serve\/mock\.sqlite$/);
    await remote(first.url, first.token ?? "");
    first.child.terminate();
    await first.child.exitCode();
    const second = await serving(["--log", first.log]);
    await using _second = second.child;
    const { text } = JSON.parse((await remote(second.url, second.token ?? "")).stdout);
    expect(text).toContain("I take main");
    const headers = { authorization: `Bearer ${second.token}` };
    const events = await (await fetch(`${second.url}/main/events?live=no`, { headers })).text();
    expect(events.match(/"turn.started"/g)).toHaveLength(2);
  });

  test("asks its viewers about a tool", async () => {
    const { child, url, token = "" } = await serving();
    await using _ = child;
    const call = ["chat", "remote", "--url", url, "-p", "hello", "--output", "json"];
    const env = { AGENTWIRE_TOKEN: token };
    expect((await agentwire(call, { env })).code).toBe(3);
    expect((await agentwire([...call, "--allow", "shell"], { env })).code).toBe(0);
  });

  test("gives a running turn time at SIGTERM, and ends at once at a second signal", async () => {
    const { child, url, token = "" } = await serving();
    await using _ = child;
    await using talk = talkingTo(["chat", "remote", "--url", url, "-p", "count"], { AGENTWIRE_TOKEN: token });
    await talk.until("1 2");
    child.terminate();
    await talk.until("10 11"); // it goes on
    child.terminate();
    expect(await child.exitCode()).toBe(143);
  });

  test("knows other names with --name alone", async () => {
    const { child, url, token } = await serving(["--log", "memory", "--name", "chat.example"]);
    await using _ = child;
    const { port } = new URL(url);
    const ask = (host: string) =>
      new Promise((resolve) => {
        const headers = { host, authorization: `Bearer ${token}` };
        get({ port, path: "/chats/main/events?live=no", headers }, ({ statusCode }) => resolve(statusCode));
      });
    expect(await Promise.all(["chat.example", `127.0.0.1:${port}`, "other.example"].map(ask))).toEqual([
      200, 200, 403,
    ]);
  });

  test("says in words how to talk with it", async () => {
    await using child = talkingTo(["serve", "mock", "--port", "0", "--log", "memory"]);
    expect(await child.until("Ctrl-C ends.")).toMatch(
      /agentwire serves mock at http.*\nThe token, shown this once: (\S+)\n[\s\S]*AGENTWIRE_TOKEN=\1 agentwire chat remote --url http/,
    );
  });
});

describe("a server that cannot start exits with a reason", () => {
  test("a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await agentwire([
      "serve",
      "mock",
      "--log",
      "memory",
      "--port",
      String(port),
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(`agentwire: Port ${port} is taken.\nPass another one, or --port 0 for a free one.\n`);
    other.close();
  });

  test.each([
    [["--host", "192.0.2.1", "--log", "memory"], {}, 2, "is no address of this machine"],
    [["--log", "memory"], { AGENTWIRE_TOKEN: "short" }, 2, "AGENTWIRE_TOKEN is too short"],
    [["--log", "redis"], { AGENTWIRE_REDIS_URL: "redis://127.0.0.1:1" }, 4, "Redis cannot be reached"],
  ])("%j", async (more, env, code, words) => {
    const ended = await agentwire([...SERVE, ...more], { env });
    expect(ended.stderr).toContain(words);
    expect(ended).toMatchObject({ code, stdout: "" });
  });
});

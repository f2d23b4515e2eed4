import { createRelay, memoryLog } from "agentwire/server";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import type { AgentSource, UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { answerOf, HOST, Rig } from "./support/rig.ts";

const APP = "https://app.example";

/** All requests of the wire. */
const REQUESTS: readonly (readonly [name: string, path: string, init: RequestInit])[] = [
  ["events", "/chats/c/events", {}],
  ["JSON lines", "/chats/c/events?live=no", {}],
  ["a position", "/chats/c/events?after=log-unknown.7", {}],
  ["Durable Streams", "/chats/c/stream", {}],
  ["Durable Streams, live", "/chats/c/stream?offset=-1&live=sse", {}],
  ["Durable Streams, head", "/chats/c/stream", { method: "HEAD" }],
  ["snapshot", "/chats/c/snapshot", {}],
  ["head", "/chats/c", { method: "HEAD" }],
  ["remove", "/chats/c", { method: "DELETE" }],
  [
    "command",
    "/chats/c/commands",
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"key":"k","type":"prompt","input":{"text":"a"}}',
    },
  ],
];

describe("R18: nothing happens without `authorize`", () => {
  test("a relay cannot be made without it", () => {
    const options = { source: () => new Rig().agent, log: memoryLog() };
    // @ts-expect-error `authorize` is required
    expect(() => createRelay(options)).toThrow(/`authorize` is missing/);
  });

  test.each(REQUESTS)(
    "%s: a refusal answers 401, the same for a chat that exists and one that does not",
    async (_, path, init) => {
      let isOpen = true;
      const rig = new Rig({ authorize: () => isOpen && { user: "u" } });
      const viewer = await rig.view("/chats/c/events");
      await rig.prompt("Hello");
      await viewer.turns(1);
      isOpen = false;
      const before = await rig.events();
      const known = await rig.request(path, init);
      const unknown = await rig.request(path.replace("/chats/c", "/chats/none"), init);
      expect([known.status, unknown.status]).toEqual([401, 401]);
      expect(await known.text()).toBe(await unknown.text());
      expect(await rig.events()).toEqual(before);
      expect(await rig.log.head("none")).toBeUndefined();
    },
  );

  test.each(REQUESTS)(
    "%s: `authorize` that throws answers 503, is logged, and nothing is told",
    async (_, path, init) => {
      const rig = new Rig({
        authorize: () => {
          throw new Error("the database is gone");
        },
      });
      const response = await rig.request(path, init);
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("2");
      expect(await response.text()).not.toContain("database");
      expect(rig.logged.join()).toContain("database");
    },
  );

  test("a value that is no verdict is a refusal", async () => {
    for (const verdict of [undefined, true, {}, { user: "" }, { user: 7 }]) {
      // @ts-expect-error a wrong verdict
      const rig = new Rig({ authorize: () => verdict });
      expect((await rig.request("/chats/c", { method: "HEAD" })).status).toBe(503);
    }
  });

  test("a `Response` is the answer as it is", async () => {
    const rig = new Rig({ authorize: () => new Response("pay first", { status: 402 }) });
    const response = await rig.request("/chats/c/events");
    expect([response.status, await response.text()]).toEqual([402, "pay first"]);
  });

  test("each request asks for its own action", async () => {
    const asked: string[] = [];
    const rig = new Rig({
      authorize: (_, { chat, action }) => {
        asked.push(`${chat} ${action}`);
        return false;
      },
    });
    const id = { session_id: "s", permission_id: "p" };
    const commands = [
      { type: "prompt", input: { text: "a" } },
      { type: "cancel", target: "p" },
      { type: "withdraw", target: "p" },
      { type: "decide", ...id, decision: "once" },
      { type: "decide", ...id, decision: "reject" },
      { type: "decide", ...id, decision: "always" },
      { type: "decide", ...id, decision: { decision: "once", scope: "turn" } },
      { type: "answer", session_id: "s", question_id: "q", answer: null },
      { type: "revoke", id: "g" },
      { type: "resume", how: "with-transcript" },
      { type: "set_mode", id: "m" },
      { type: "set_model", id: "m" },
    ];
    for (const command of commands) await rig.post(command);
    await rig.request("/chats/c/events");
    await rig.request("/chats/c", { method: "DELETE" });
    const actions = [
      "prompt",
      "cancel",
      "cancel",
      "decide",
      "decide",
      "grant",
      "grant",
      "answer",
      "grant",
      "resume",
      "grant",
      "prompt",
    ];
    expect(asked).toEqual([...actions, "read", "remove"].map((action) => `c ${action}`));
  });
});

describe("R19: no page of another origin can make a command", () => {
  const command = { type: "prompt", input: { text: "a" } };

  test.each<[string, Record<string, string>]>([
    ["another origin", { origin: "https://evil.example" }],
    ["`Origin: null`", { origin: "null" }],
    ["a cross-site request", { "sec-fetch-site": "cross-site" }],
    ["a cross-site request without an origin", { "sec-fetch-site": "cross-site", origin: "null" }],
    ["a request of the same site", { "sec-fetch-site": "same-site", origin: "http://other.localhost" }],
    ["the same host on another port", { origin: "http://localhost:8080" }],
    ["a foreign `Host`", { host: "evil.example" }],
  ])("%s answers 403 `origin`", async (_, headers) => {
    const rig = new Rig();
    for (const type of ["application/json", "text/plain"]) {
      const answer = await answerOf(rig.post(command, { headers: { "content-type": type, ...headers } }));
      expect(answer).toMatchObject({ status: 403, body: { code: "origin" } });
    }
    expect((await rig.request("/chats/c", { method: "DELETE", headers })).status).toBe(403);
    expect(await rig.log.head("c")).toBeUndefined();
  });

  test.each(["cross-site", "same-site"])(
    "a %s read without an origin, as of an image or a script, answers 403 and opens no stream",
    async (site) => {
      const rig = new Rig({ origins: "*", maxViewers: 1 });
      for (const path of ["/chats/c/events", "/chats/c/events?live=no", "/chats/c/snapshot"])
        expect((await rig.request(path, { headers: { "sec-fetch-site": site } })).status).toBe(403);
      await rig.view();
    },
  );

  test("a form as `text/plain` answers 415, with any origin", async () => {
    const headers = { "content-type": "text/plain", "sec-fetch-site": "same-origin" };
    expect((await new Rig().post(command, { headers })).status).toBe(415);
  });

  test.each<[string, Record<string, string>]>([
    ["no browser", {}],
    ["a page of the same origin", { "sec-fetch-site": "same-origin", origin: "http://localhost" }],
    ["an old browser's page of the same origin", { origin: "http://localhost" }],
    ["the address bar", { "sec-fetch-site": "none" }],
    ["a page of `origins`", { "sec-fetch-site": "cross-site", origin: APP }],
  ])("%s is served", async (_, headers) => {
    const rig = new Rig({ origins: [APP] });
    expect((await rig.post(command, { headers })).status).toBe(202);
  });

  test("`hosts` names the hosts of the server, with any port", async () => {
    const rig = new Rig({ hosts: ["Chat.Example"] });
    expect((await rig.post(command, { headers: { host: "chat.example:8443" } })).status).toBe(202);
    expect((await rig.post(command, { headers: { host: "localhost" } })).status).toBe(403);
  });

  test('`origins: "*"` with `credentials` is refused at the start, and so is a wrong origin', () => {
    expect(() => new Rig({ origins: "*", credentials: true })).toThrow(/each page could act for its visitor/);
    expect(() => new Rig({ origins: [APP, "https://app.example/"] })).toThrow(
      /`origins\[1\]` is "https:\/\/app.example\/"/,
    );
  });

  test.each(["localhost:8787", "http://localhost", ""])("`hosts` with %j is refused at the start", (host) => {
    expect(() => new Rig({ hosts: ["[::1]", host] })).toThrow(/`hosts\[1\]` is .*without scheme and port/);
  });

  test("a refused origin or host is logged once, because a page cannot read the answer", async () => {
    const warned: string[] = [];
    const logger = { ...console, warn: (text: string) => void warned.push(text) };
    const rig = new Rig({ logger });
    for (const headers of [{ origin: APP, host: "x.example" }, { origin: APP }, { origin: APP }])
      await rig.post(command, { headers: { "sec-fetch-site": "cross-site", ...headers } });
    expect(warned).toEqual([
      "agentwire relay: refused a request: the host name x.example is not one of `hosts`",
      `agentwire relay: refused a request: the origin ${APP} is not one of \`origins\``,
    ]);
  });
});

describe("CORS", () => {
  const preflight = (headers: Record<string, string>) => ({ method: "OPTIONS", headers });

  test("OPTIONS answers 204 for a page of `origins`, with the headers that it asks for", async () => {
    const rig = new Rig({ origins: [APP], credentials: true });
    const asked = { origin: APP, "access-control-request-headers": "authorization, content-type, x-team" };
    for (const path of ["/chats/c/commands", "/chats/c/events", "/chats/c"]) {
      const response = await rig.request(path, preflight(asked));
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": APP,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, HEAD, POST, DELETE",
        "access-control-allow-headers": "authorization, content-type, x-team",
        vary: "Origin",
      });
    }
  });

  test("OPTIONS of a page that asks for no headers names those of the protocol", async () => {
    const rig = new Rig({ origins: [APP] });
    const response = await rig.request("/chats/c/events", preflight({ origin: APP }));
    expect(response.headers.get("access-control-allow-headers")).toBe(
      "Content-Type, Last-Event-ID, Relay-Seen, Authorization",
    );
  });

  test("OPTIONS answers 403 `origin` for another page", async () => {
    const rig = new Rig({ origins: [APP] });
    const answer = await answerOf(
      rig.request("/chats/c/commands", preflight({ origin: "https://evil.example" })),
    );
    expect(answer).toMatchObject({ status: 403, body: { code: "origin" } });
  });

  test("answers and refusals have the headers for a page of `origins`, and none for others", async () => {
    const rig = new Rig({ origins: [APP] });
    const listed = await rig.request("/chats/c/snapshot", { headers: { origin: APP } });
    expect(listed.headers.get("access-control-allow-origin")).toBe(APP);
    expect(listed.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await rig.request("/chats/c/none", { headers: { origin: APP } });
    expect(refused.headers.get("access-control-allow-origin")).toBe(APP);
    const foreign = await rig.request("/chats/c/snapshot", { headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });

  test('`origins: "*"` allows each page, without cookies', async () => {
    const rig = new Rig({ origins: "*" });
    const response = await rig.request("/chats/c/snapshot", { headers: { origin: "https://any.example" } });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("vary")).toBeNull();
  });
});

describe("R17: what leaves the server", () => {
  test("`redact` sees each event before the log does, also those of the relay itself", async () => {
    const secret = "sk-12345";
    const hide = (text: string): string => text.replaceAll(secret, "***");
    const rig = new Rig({
      mock: { script: () => [agentStep.hang()] },
      redact: (event) => JSON.parse(hide(JSON.stringify(event))),
    });
    const viewer = await rig.view();
    await rig.prompt(`My key is ${secret}`, "p1");
    await rig.prompt(`Again ${secret}`, "p2");
    await viewer.until(({ queue }) => queue?.length === 1);
    await rig.post({ type: "withdraw", target: "p2" });
    await rig.post({ type: "cancel", target: "p1" });
    await viewer.turns(2);
    const text = JSON.stringify(await rig.events());
    expect(text).toContain("My key is ***");
    expect(text).toContain("Again ***");
    expect(text).not.toContain(secret);
    expect(rig.agent.prompts.map((prompt) => prompt.text)).toEqual([`My key is ${secret}`]);
  });

  test.each<[string, () => never]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["returns no event", () => ({}) as never],
  ])("a `redact` that %s ends the turn, and the event is shown to nobody", async (_, redact) => {
    const rig = new Rig({
      redact: (event) => (event.type === "item.delta" ? redact() : event),
    });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    expect(viewer.events.map(({ type }) => type)).not.toContain("item.delta");
    expect(viewer.events.find(({ type }) => type === "error")?.data).toMatchObject({
      code: "relay.driver-lost",
    });
    expect(rig.logged.join()).toContain("an event must not be shown");
  });

  test("no event has `raw`, and no error has a stack", async () => {
    const rig = new Rig({
      mock: { script: () => [agentStep.fail("broken")] },
      redact: (event) => {
        expect(event.raw).toBeNull();
        return event;
      },
    });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    expect(JSON.stringify(viewer.events)).not.toMatch(/"stack"|\.ts:\d/);
  });

  test("an event of a source has neither its raw message nor a stack, however deep, and lists stay lists", async () => {
    const agent = new MockAgent({ script: () => [agentStep.error("broken")] });
    const deep = (levels: number): unknown =>
      levels === 0 ? "end" : { cause: deep(levels - 1), stack: "at x.ts:1" };
    const alter = (event: UniversalEvent): UniversalEvent =>
      event.type === "error"
        ? ({
            ...event,
            raw: { secret: 1 },
            data: {
              ...event.data,
              details: { tries: [{ stack: "at x.ts:1", why: "late" }], deep: deep(20) },
            },
          } as UniversalEvent)
        : event;
    const source: AgentSource = {
      name: agent.name,
      client: () => agent.client(),
      toUniversal: (of, options) => {
        const stream = agent.toUniversal(of as never, options);
        return new Proxy(stream, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name, target);
            if (name === "on")
              return (...[type, listener, how]: Parameters<typeof target.on>) =>
                target.on(type, (event, position) => listener(alter(event), position), how);
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
      },
    };
    const rig = new Rig({ source: () => source });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    const error = viewer.events.find(({ type }) => type === "error");
    expect(error?.raw).toBeNull();
    expect(error?.data).toMatchObject({ details: { tries: [{ why: "late" }] } });
    expect(JSON.stringify(error)).not.toMatch(/stack|"end"|secret/);
  });

  test("an event that is too large is cut, with a note", async () => {
    const rig = new Rig({
      maxEventBytes: 200_000,
      mock: {
        deltas: "whole",
        script: () => [agentStep.tool({ name: "cat", output: "x".repeat(1_000_000) })],
      },
    });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    const lengths = viewer.events.map((event) => JSON.stringify(event).length);
    expect(Math.max(...lengths)).toBeLessThan(200_000);
    expect(JSON.stringify(viewer.events)).toContain("[cut: the event was too large]");
  });
});

test("a request by an absolute path of another host is judged by its `Host`", async () => {
  const rig = new Rig();
  const request = new Request("http://evil.example/chats/c/snapshot");
  expect((await rig.relay.handler(request)).status).toBe(403);
  expect((await rig.relay.handler(new Request(`${HOST}:8080/chats/c/snapshot`))).status).toBe(204);
});

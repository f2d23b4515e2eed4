import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { relayListener } from "agentwire/server/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { Script } from "../../universal/build.ts";
import { answerOf } from "./support/rig.ts";
import { served } from "./support/served.ts";

const prompt = { key: "p1", type: "prompt", input: { text: "Hello" } };

test("relayListener(relay) instead of relayListener(relay.handler) is refused", () => {
  expect(() => relayListener({ handler: () => {} } as never)).toThrow(/Pass `relay.handler`/);
});

describe("the handler over node:http", () => {
  test("R22: streams events, JSON lines, the head, and answers commands", async () => {
    const { rig, url, view, post } = await served();
    const viewer = await view();
    expect(await answerOf(post(prompt))).toEqual({ status: 202, body: { key: "p1", again: false } });
    await viewer.turns(1);
    const lines = await (await fetch(`${url}/chats/c/events?live=no`)).text();
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(viewer.events);
    const head = await fetch(`${url}/chats/c`, { method: "HEAD" });
    expect(head.headers.get("relay-head")).toBe(viewer.position);
    expect((await fetch(`${url}/chats/c/snapshot`)).status).toBe(204);
    expect((await fetch(`${url}/chats/c/commands`)).status).toBe(405);
    expect((await fetch(`${url}/none`)).status).toBe(404);
    expect((await fetch(`${url}/chats/c`, { method: "DELETE" })).status).toBe(204);
    expect(await viewer.ended()).toBe("clean");
    expect(await rig.log.head("c")).toBeUndefined();
  });

  test("a viewer whose connection breaks leaves", async () => {
    const { view } = await served({ maxViewers: 1 });
    const gone = new AbortController();
    const viewer = await view("/chats/c/events", { signal: gone.signal });
    await viewer.until(({ state }) => state);
    gone.abort();
    expect(await viewer.ended()).toBe("cut");
    for (;;) {
      const next = await view();
      if (next.response.status !== 200) continue;
      await next.until(({ state }) => state);
      await next.close();
      return;
    }
  });

  test("a viewer that does not read costs its socket, the others get everything, and so does the viewer later", async () => {
    const { rig, port, view, post } = await served({
      mock: { deltas: 64, script: () => ["x".repeat(400_000)] },
    });
    const stuck = connect(port, "127.0.0.1");
    stuck.write("GET /chats/c/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stuck.pause();
    onTestFinished(() => void stuck.destroy());
    const viewer = await view();
    await post(prompt);
    await viewer.turns(1);
    const length = viewer.events.reduce(
      (sum, event) => sum + (event.type === "item.delta" ? event.data.delta.length : 0),
      0,
    );
    expect(length).toBe(400_000);
    let read = "";
    stuck.setEncoding("utf8").on("data", (text) => {
      read += text;
    });
    stuck.resume();
    const deltas = viewer.events.filter(({ type }) => type === "item.delta").length;
    await rig.until(async () => read.includes('"turn.ended"'));
    expect(read.split('"item.delta"').length - 1).toBe(deltas);
  });

  test("a handler around it may change the answer and its stream", async () => {
    const { view, post } = await served({}, (handler) => async (request) => {
      const response = await handler(request);
      const headers = { ...Object.fromEntries(response.headers), "x-around": "yes" };
      return new Response(response.body?.pipeThrough(new TransformStream()) ?? null, {
        ...response,
        headers,
      });
    });
    const viewer = await view();
    expect(viewer.response.headers.get("x-around")).toBe("yes");
    await post(prompt);
    await viewer.turns(1);
  });

  test("a request of HTTP/1.0 without a host is answered, and headers that came twice are one", async () => {
    const seen: (string | null)[] = [];
    const { port } = await served({}, (handler) => (request) => {
      seen.push(request.headers.get("set-cookie"), new URL(request.url).host);
      return handler(request);
    });
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let got = "";
      socket.on("data", (data) => {
        got += String(data);
      });
      socket.on("end", () => resolve(got));
      socket.on("error", reject);
      socket.write("GET /chats/c/snapshot HTTP/1.0\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n");
    });
    expect(text).toMatch(/^HTTP\/1.1 204/);
    expect(seen).toEqual(["a=1, b=2", "localhost"]);
  });

  test("a long text goes out as fast as its reader takes it, and a reader that leaves ends the reading", async () => {
    let pages = 0;
    const { rig, port, url } = await served({ drive: false });
    const lease = await rig.log.acquire("c", "test", 60_000);
    if (lease === null || lease === "orphan") throw new Error("no lease");
    const script = new Script().session();
    for (let at = 0; at < 3_000; at++) script.error("x".repeat(3_000));
    for (let at = 0; at < script.events.length; at += 500)
      await rig.log.append("c", lease.epoch, at + 1, script.events.slice(at, at + 500));
    const page = rig.log.page.bind(rig.log);
    rig.log.page = (...args) => {
      pages++;
      return page(...args);
    };
    const whole = await (await fetch(`${url}/chats/c/events?live=no`)).text();
    const all = pages;
    expect(whole.trim().split("\n")).toHaveLength(script.events.length);
    pages = 0;
    const stuck = connect(port, "127.0.0.1").pause();
    stuck.write("GET /chats/c/events?live=no HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await rig.until(async () => pages > 0);
    for (let round = 0; round < 200; round++) await new Promise((resolve) => setImmediate(resolve));
    expect(pages).toBeLessThan(all);
    stuck.destroy();
    expect((await fetch(`${url}/chats/c`, { method: "HEAD" })).status).toBe(200);
  });

  test("a stream that the relay has ended before the socket got it is a whole answer", async () => {
    const { url } = await served({}, (handler) => async (request) => {
      const gone = new AbortController();
      const response = await handler(new Request(request, { signal: gone.signal }));
      gone.abort();
      return response;
    });
    expect(await (await fetch(`${url}/chats/c/events`)).text()).toBe("");
  });

  test("a body that is too large answers 413, and the connection ends", async () => {
    const { port } = await served({ maxBody: 1_000 });
    const answer = await new Promise<{ status: number | undefined; connection: string | undefined }>(
      (resolve, reject) => {
        const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
        const request = httpRequest({
          port,
          host: "127.0.0.1",
          method: "POST",
          path: "/chats/c/commands",
          headers,
        });
        request.on("response", (response) => {
          resolve({ status: response.statusCode, connection: response.headers.connection });
          response.resume();
        });
        request.on("error", reject);
        request.write("x".repeat(2_000));
        onTestFinished(() => void request.destroy());
      },
    );
    expect(answer).toEqual({ status: 413, connection: "close" });
  });

  test.each(["GET //[ HTTP/1.1\r\nHost: localhost", "GET / HTTP/1.1\r\nHost: a b"])(
    "%j answers 400 or 403, and the server lives on",
    async (head) => {
      const { port, url } = await served();
      const text = await new Promise<string>((resolve, reject) => {
        const socket = connect(port, "127.0.0.1");
        let got = "";
        socket.on("data", (data) => {
          got += String(data);
        });
        socket.on("end", () => resolve(got));
        socket.on("error", reject);
        socket.write(`${head}\r\nConnection: close\r\n\r\n`);
      });
      expect(text).toMatch(/^HTTP\/1.1 4\d\d/);
      expect((await fetch(`${url}/chats/c/snapshot`)).status).toBe(204);
    },
  );

  test("a foreign `Host` is refused", async () => {
    const { port } = await served();
    const status = await new Promise((resolve) => {
      const request = httpRequest({
        port,
        host: "127.0.0.1",
        path: "/chats/c/events",
        headers: { host: "evil.example" },
      });
      request.on("response", (response) => {
        resolve(response.statusCode);
        response.resume();
      });
      request.end();
    });
    expect(status).toBe(403);
  });
});

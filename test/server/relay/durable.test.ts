import { ManualClock } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { settle } from "../../../src/testing/settle.ts";
import { BrokenLog } from "./support/broken-log.ts";
import { answerOf, Rig, type RigOptions } from "./support/rig.ts";

const STREAM = "/chats/c/stream";
const TAIL = ["stream-next-offset", "stream-up-to-date", "stream-cursor"] as const;

/** A chat with one answered prompt, and where its log ends. */
async function answered(options: RigOptions = {}) {
  const rig = new Rig(options);
  const viewer = await rig.view();
  await rig.prompt("Hello");
  await viewer.turns(1);
  await viewer.close();
  const { log = "", head = 0 } = (await rig.log.head("c")) ?? {};
  return { rig, log, head, end: offset(log, head), events: await rig.events() };
}

function offset(log: string, at: number): string {
  return `${log}.${String(at).padStart(15, "0")}`;
}

/** A chat of which nobody keeps the events up to the snapshot. */
async function trimmed() {
  const { rig, log, head } = await answered({ retention: 5, mock: { deltas: 1 } });
  await rig.until(async () => (await rig.log.head("c"))?.first !== 1);
  return { rig, log, head };
}

describe("a catch-up read of /chats/{id}/stream", () => {
  test.each(["", "?offset=-1"])("%s answers 200 with all events as one array", async (query) => {
    const { rig, end, events, log, head } = await answered();
    const response = await rig.request(`${STREAM}${query}`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store, no-transform",
      "content-type": "application/json",
      "cross-origin-resource-policy": "same-origin",
      etag: `"${log}.0-${head}"`,
      "stream-next-offset": end,
      "stream-up-to-date": "true",
      vary: "Origin",
      "x-content-type-options": "nosniff",
    });
    expect(await response.json()).toEqual(events);
  });

  test("goes on behind an offset, and behind a position of the main wire", async () => {
    const { rig, log, events } = await answered();
    for (const at of [offset(log, 3), `${log}.3`])
      expect(await (await rig.request(`${STREAM}?offset=${at}`)).json()).toEqual(events.slice(3));
    const viewer = await rig.view(`/chats/c/events?after=${offset(log, 3)}`);
    await viewer.until(({ state }) => state);
    expect(viewer.events).toEqual(events.slice(3));
  });

  test("sorted as texts, its offsets are in the order of the events", async () => {
    const { rig } = await answered({ mock: { deltas: 1 } });
    const { log = "", head = 0 } = (await rig.log.head("c")) ?? {};
    expect(head).toBeGreaterThan(10);
    const response = await rig.request(`${STREAM}?offset=${log}.9`);
    expect((response.headers.get("stream-next-offset") ?? "") > offset(log, 9)).toBe(true);
  });

  test("at the end answers an empty array", async () => {
    const { rig, end } = await answered();
    for (const at of [end, "now"]) {
      const response = await rig.request(`${STREAM}?offset=${at}`);
      expect(await response.text()).toBe("[]");
      expect(TAIL.map((name) => response.headers.get(name))).toEqual([end, "true", null]);
      expect(response.headers.has("etag")).toBe(at !== "now");
    }
  });

  test("answers 304 to its tag, also in a list, until there is more", async () => {
    const { rig, end } = await answered();
    const tag = (await rig.request(STREAM)).headers.get("etag") ?? "";
    for (const sent of [tag, `"a", W/${tag}`]) {
      const response = await rig.request(STREAM, { headers: { "if-none-match": sent } });
      expect([response.status, await response.text()]).toEqual([304, ""]);
      expect(response.headers.get("stream-next-offset")).toBe(end);
    }
    const viewer = await rig.view();
    await rig.prompt("More");
    await viewer.turns(2);
    expect((await rig.request(STREAM, { headers: { "if-none-match": tag } })).status).toBe(200);
  });

  test("breaks off if the chat is removed meanwhile, so that nobody takes it for the whole", async () => {
    for (const path of [STREAM, "/chats/c/events?live=no"]) {
      const { rig } = await answered({ mock: { deltas: 1, script: () => ["x".repeat(600)] } });
      const reader = (await rig.request(path)).body?.getReader();
      await reader?.read();
      await rig.request("/chats/c", { method: "DELETE" });
      await expect(reader?.read()).rejects.toThrow("the chat was removed");
      expect(rig.logged.at(-1)).toMatch(/the log cannot be read to the end/);
    }
  });
});

describe("HEAD /chats/{id}/stream", () => {
  test("answers 200 with the last offset, and 404 for an unknown chat", async () => {
    const { rig, end } = await answered();
    const response = await rig.request(STREAM, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("stream-next-offset")).toBe(end);
    expect((await rig.request("/chats/none/stream", { method: "HEAD" })).status).toBe(404);
  });
});

describe("a long-poll of /chats/{id}/stream", () => {
  test("answers at once what there is", async () => {
    const { rig, end, events } = await answered();
    const response = await rig.request(`${STREAM}?offset=-1&live=long-poll`);
    expect(await response.json()).toEqual(events);
    expect(TAIL.map((name) => response.headers.get(name))).toEqual([end, "true", expect.any(String)]);
  });

  test("waits for the next events, also on a server that does not drive the chat", async () => {
    const { rig } = await answered();
    const other = new Rig({ log: rig.log, drive: false });
    for (const each of [rig, other]) {
      const start = (await rig.events()).length;
      const waiting = each.request(`${STREAM}?offset=now&live=long-poll`);
      await settle();
      await rig.prompt("More");
      const response = await waiting;
      expect(response.status).toBe(200);
      const got = (await response.json()) as UniversalEvent[];
      expect(got.length).toBeGreaterThan(0);
      expect(got).toEqual((await rig.events()).slice(start, start + got.length));
      const viewer = await rig.view();
      await viewer.turns(each === rig ? 2 : 3);
    }
  });

  test("without news answers 204 after 16 to 25 s", async () => {
    const clock = new ManualClock();
    const { rig, end } = await answered({ clock, mock: { clock } });
    let response: Response | undefined;
    const waiting = rig.request(`${STREAM}?offset=now&live=long-poll`).then((answer) => {
      response = answer;
    });
    await clock.advance(16_000 - 1);
    expect(response).toBeUndefined();
    await clock.advance(9_000);
    await waiting;
    expect(response?.status).toBe(204);
    expect(TAIL.map((name) => response?.headers.get(name))).toEqual([end, "true", expect.any(String)]);
  });

  test("R23: ends with the relay, which reads nothing more", async () => {
    const broken = new BrokenLog();
    const { rig } = await answered({ log: broken.log });
    const other = new Rig({ log: rig.log, drive: false });
    let status: number | undefined;
    void other.request(`${STREAM}?offset=now&live=long-poll`).then((response) => {
      status = response.status;
    });
    await settle();
    await other.relay.close();
    const calls = broken.calls.get("head");
    await settle();
    expect([status, broken.calls.get("head")]).toEqual([204, calls]);
  });

  test("of a chat that is removed answers 404", async () => {
    const { rig } = await answered();
    const waiting = rig.request(`${STREAM}?offset=now&live=long-poll`);
    await settle();
    await rig.request("/chats/c", { method: "DELETE" });
    expect((await waiting).status).toBe(404);
  });
});

describe("an event stream of /chats/{id}/stream", () => {
  test("has `data` and `control` for what there is and what comes, and beats", async () => {
    const clock = new ManualClock({ epoch: Date.UTC(2024, 9, 9) + 5 * 20_000 });
    const { rig, log, head, events } = await answered({
      clock,
      mock: { clock, script: () => ["Hi"] },
      maxFrameEvents: 3,
    });
    const viewer = await rig.view(`${STREAM}?offset=${offset(log, 1)}&live=sse`);
    const control = (at: number) => ({
      streamNextOffset: offset(log, at),
      streamCursor: "5",
      ...(at === head ? { upToDate: true } : {}),
    });
    await viewer.until(({ frames }) => frames.at(-1)?.data === JSON.stringify(control(head)));
    expect(viewer.response.headers.get("content-type")).toBe("text/event-stream");
    expect(viewer.response.headers.get("x-accel-buffering")).toBe("no");
    const pairs = viewer.frames.slice(1).map(({ event, data = "" }) => [event, JSON.parse(data)]);
    const ends = [...events.keys()].filter((at) => at > 1 && (at - 1) % 3 === 0).concat(head);
    expect(pairs).toEqual(
      ends.flatMap((end, index) => [
        ["data", events.slice(ends[index - 1] ?? 1, end)],
        ["control", control(end)],
      ]),
    );
    await rig.prompt("More");
    await viewer.until(({ frames }) => frames.at(-1)?.data?.includes("upToDate"));
    await clock.advance(15_000);
    expect(viewer.frames.at(-1)).toMatchObject({ comment: "beat" });
  });

  test("tells at once that it has caught up, once", async () => {
    const { rig, end } = await answered();
    const viewer = await rig.view(`${STREAM}?offset=now&live=sse`);
    await viewer.until(({ frames }) => frames.length > 1);
    await rig.post({ type: "withdraw", target: "nothing" });
    await settle();
    expect(viewer.frames.map(({ event, retry }) => event ?? retry)).toEqual(["1000", "control"]);
    expect(JSON.parse(viewer.frames.at(-1)?.data ?? "")).toMatchObject({
      streamNextOffset: end,
      upToDate: true,
    });
  });

  test("ends cleanly after 48 to 65 s", async () => {
    const clock = new ManualClock();
    const { rig } = await answered({ clock, mock: { clock } });
    const viewer = await rig.view(`${STREAM}?offset=now&live=sse`);
    await clock.advance(48_000 - 1);
    expect(viewer.end).toBe("open");
    await clock.advance(17_000);
    expect(await viewer.ended()).toBe("clean");
  });

  test("of a chat that is removed ends without another frame", async () => {
    const { rig } = await answered();
    const viewer = await rig.view(`${STREAM}?offset=now&live=sse`);
    await viewer.until(({ frames }) => frames.length > 1);
    await rig.request("/chats/c", { method: "DELETE" });
    expect(await viewer.ended()).toBe("clean");
    expect(viewer.frames).toHaveLength(2);
  });
});

describe("the cursor", () => {
  test("is the number of the interval of 20 s, and above the one that the client sends", async () => {
    const clock = new ManualClock({ epoch: Date.UTC(2024, 9, 9) + 7 * 20_000 });
    const { rig } = await answered({ clock, mock: { clock } });
    const cursor = async (sent: string) => {
      const response = await rig.request(`${STREAM}?offset=-1&live=long-poll${sent}`);
      return Number(response.headers.get("stream-cursor"));
    };
    expect([await cursor(""), await cursor("&cursor=3"), await cursor("&cursor=abc")]).toEqual([7, 7, 7]);
    expect(await cursor("&cursor=7")).toBe(7 + 1 + 90);
    expect(await cursor("&cursor=1000")).toBe(1_000 + 1 + 90);
  });
});

describe("refusals of /chats/{id}/stream", () => {
  test.each(["", "abc", "1", "0,1", "-2", "log-abc.-1", "log-abc.1&offset=log-abc.1", "now&offset=now"])(
    "offset=%s answers 400 `invalid-position`",
    async (at) => {
      const { rig } = await answered();
      expect(await answerOf(rig.request(`${STREAM}?offset=${at}`))).toMatchObject({
        status: 400,
        body: { code: "invalid-position" },
      });
    },
  );

  test.each([
    ["live=sse", "invalid-position"],
    ["live=long-poll", "invalid-position"],
    ["live=yes&offset=-1", "invalid-input"],
    ["live=&offset=-1", "invalid-input"],
  ])("%s answers 400 `%s`", async (query, code) => {
    const { rig } = await answered();
    expect(await answerOf(rig.request(`${STREAM}?${query}`))).toMatchObject({ status: 400, body: { code } });
  });

  test.each(["", "?offset=-1&live=long-poll", "?offset=now&live=sse", "?offset=log-abc.1"])(
    "an unknown chat answers 404 `unknown-chat` (%s), and is not made",
    async (query) => {
      const rig = new Rig();
      expect(await answerOf(rig.request(`${STREAM}${query}`))).toMatchObject({
        status: 404,
        body: { code: "unknown-chat" },
      });
      expect(await rig.log.head("c")).toBeUndefined();
    },
  );

  test.each(["", "&live=long-poll", "&live=sse"])(
    "an offset of another log, or behind the end, answers 410 (%s)",
    async (live) => {
      const clock = new ManualClock();
      const { rig, log, head } = await answered({ clock, mock: { clock } });
      expect(await answerOf(rig.request(`${STREAM}?offset=log-other.1${live}`))).toMatchObject({
        status: 410,
        body: { code: "other-log" },
      });
      const ahead = rig.request(`${STREAM}?offset=${offset(log, head + 1)}${live}`);
      await clock.advance(2_000);
      expect(await answerOf(ahead)).toMatchObject({ status: 410, body: { code: "ahead" } });
    },
  );

  test("R16: what is no longer kept answers 410 `trimmed`, with the snapshot's position, from which it goes on", async () => {
    const { rig, log, head } = await trimmed();
    const { status, body } = await answerOf(rig.request(`${STREAM}?offset=-1`));
    expect({ status, body }).toMatchObject({
      status: 410,
      body: { code: "trimmed", snapshot: `${log}.${head}` },
    });
    expect((await rig.request(`${STREAM}?offset=${body["snapshot"]}`)).status).toBe(200);
    expect((await rig.request(`${STREAM}?offset=now`)).status).toBe(200);
  });

  test.each(["PUT", "POST", "DELETE", "PATCH"])("%s answers 405 with `Allow`", async (method) => {
    const { rig } = await answered();
    const response = await rig.request(STREAM, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await rig.log.head("c")).toBeDefined();
  });

  test("`maxViewers` holds for streams and long-polls: 503 with `Retry-After`", async () => {
    const { rig } = await answered({ maxViewers: 1 });
    const viewer = await rig.view();
    for (const live of ["sse", "long-poll"]) {
      const response = await rig.request(`${STREAM}?offset=now&live=${live}`);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
    }
    await viewer.close();
    await rig.view(`${STREAM}?offset=now&live=sse`);
  });

  test("a log that does not answer: 503 `log-unavailable`", async () => {
    const broken = new BrokenLog();
    const { rig } = await answered({ log: broken.log });
    broken.fail("head");
    expect(await answerOf(rig.request(STREAM))).toMatchObject({
      status: 503,
      body: { code: "log-unavailable" },
    });
  });

  test("pages of `origins` may read the offsets", async () => {
    const { rig } = await answered({ origins: ["https://app.example"] });
    const response = await rig.request(STREAM, { headers: { origin: "https://app.example" } });
    const exposed = response.headers.get("access-control-expose-headers")?.toLowerCase();
    for (const name of [...TAIL, "etag"]) expect(exposed).toContain(name);
  });
});

import type { SavedChat } from "agentwire/chat";
import { createChat } from "agentwire/chat";
import { agentStep } from "agentwire/testing/agent";
import { JsonlReader } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { answerOf, Rig } from "./support/rig.ts";

/** A chat with one answered prompt. */
async function answered(rig = new Rig(), turns = 1): Promise<Rig> {
  const viewer = await rig.view();
  await rig.prompt("Hello");
  await viewer.turns(turns);
  await viewer.close();
  return rig;
}

async function headOf(rig: Rig): Promise<{ readonly log: string; readonly head: number }> {
  const head = await rig.log.head("c");
  if (!head) throw new Error("no chat");
  return head;
}

describe("GET /chats/{id}/events", () => {
  test("answers 200 with an event stream: a retry, the events with the last one's position, then the state", async () => {
    const rig = await answered();
    const { log, head } = await headOf(rig);
    const viewer = await (await rig.view()).until(({ state }) => state);
    expect(viewer.response.headers.get("content-type")).toBe("text/event-stream");
    expect(viewer.response.headers.get("x-accel-buffering")).toBe("no");
    expect(viewer.response.headers.get("cache-control")).toBe("no-store, no-transform");
    expect(viewer.response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(viewer.frames.map(({ event, id, retry }) => event ?? retry ?? id)).toEqual([
      "1000",
      "events",
      "state",
    ]);
    expect(viewer.frames.at(1)?.id).toBe(`${log}.${head}`);
    expect(viewer.events).toEqual(await rig.events());
    expect(viewer.state).toMatchObject({
      head,
      caught_up: true,
      log,
      source: "mock",
      queue: [],
      busy: false,
    });
  });

  test("a chat that does not exist yet can be viewed, and shows its first prompt", async () => {
    const rig = new Rig();
    const viewer = await (await rig.view()).until(({ state }) => state);
    expect(viewer.state).toMatchObject({ head: 0, log: "", driver: "idle", queue: [] });
    expect(await rig.log.head("c")).toBeUndefined();
    await rig.prompt("Hello");
    await viewer.turns(1);
    expect(viewer.events).toEqual(await rig.events());
  });

  test.each(["after", "Last-Event-ID"])("goes on behind a position in `%s`", async (where) => {
    const rig = await answered();
    const { log } = await headOf(rig);
    const at = `${log}.3`;
    const viewer =
      where === "after"
        ? await rig.view(`/chats/c/events?after=${at}`)
        : await rig.view(`/chats/c/events?after=${log}.1`, { "last-event-id": at });
    await viewer.until(({ state }) => state);
    expect(viewer.events).toEqual((await rig.events()).slice(3));
  });

  test.each(["-1", "1.5", "1e9", "abc", "", "1", "twice", ".5", "log."])(
    "answers 400 `invalid-position` to after=%s",
    async (after) => {
      const rig = new Rig();
      const query = after === "twice" ? "after=log-abc.1&after=log-abc.1" : `after=${after}`;
      const answer = await answerOf(rig.request(`/chats/c/events?${query}`));
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid-position" } });
    },
  );

  test.each([
    ["a line feed", "log-abc.1%0aevent: gone"],
    ["a megabyte", "9".repeat(1_048_576)],
  ])("answers 400 to a `Last-Event-ID` with %s", async (_, id) => {
    const answer = await answerOf(new Rig().request("/chats/c/events", { headers: { "last-event-id": id } }));
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid-position" } });
  });

  test("answers 412 `other-log` with the log to a position of another log, of another chat, and of no chat", async () => {
    const rig = await answered();
    const { log } = await headOf(rig);
    await rig.prompt("Hello", undefined, "other");
    const other = await rig.log.head("other");
    for (const after of [`log-00000000.1`, `${other?.log}.0`])
      expect(await answerOf(rig.request(`/chats/c/events?after=${after}`))).toMatchObject({
        status: 412,
        body: { code: "other-log", log },
      });
    expect(await answerOf(rig.request(`/chats/none/events?after=${log}.0`))).toMatchObject({
      status: 412,
      body: { code: "other-log", log: null },
    });
  });

  test("answers JSON lines to the head, with `Relay-Head`, for `live=no` and for `Accept: application/x-ndjson`", async () => {
    const rig = await answered();
    const { log, head } = await headOf(rig);
    for (const [query, accept] of [
      ["?live=no", "*/*"],
      ["", "application/x-ndjson"],
    ] as const) {
      const response = await rig.request(`/chats/c/events${query}`, { headers: { accept } });
      expect(response.headers.get("content-type")).toBe("application/x-ndjson");
      expect(response.headers.get("relay-head")).toBe(`${log}.${head}`);
      expect(new JsonlReader().push(await response.text())).toEqual(await rig.events());
    }
    const rest = await rig.request(`/chats/c/events?live=no&after=${log}.${head - 1}`);
    expect(new JsonlReader().push(await rest.text())).toEqual((await rig.events()).slice(-1));
  });
});

describe("GET /chats/{id}/snapshot", () => {
  test("answers 204 without a snapshot, then 200 with a tag, 304 to that tag, and the chat goes on from it", async () => {
    const rig = new Rig({ retention: 20, mock: { deltas: 1 } });
    expect((await rig.request("/chats/c/snapshot")).status).toBe(204);
    await answered(rig);
    await answered(rig, 2);
    const { head } = await headOf(rig);
    await rig.until(async () => (await rig.snapshot())?.position === head);
    const response = await rig.request("/chats/c/snapshot");
    const tag = response.headers.get("etag") ?? "";
    const { position, saved } = (await response.json()) as { position: string; saved: SavedChat };
    expect(tag).toBe(`"${position}"`);
    expect((await rig.request("/chats/c/snapshot", { headers: { "if-none-match": tag } })).status).toBe(304);
    expect(saved).not.toHaveProperty("state");
    const chat = createChat(rig.agent, { from: saved });
    expect(chat.getSnapshot().messages.map(({ role, status }) => `${role} ${status}`)).toEqual([
      "user sent",
      "assistant completed",
      "user sent",
      "assistant completed",
    ]);
    await chat.close();

    await rig.until(async () => (await rig.log.head("c"))?.first !== 1);
    const trimmed = await answerOf(rig.request("/chats/c/events"));
    expect(trimmed).toMatchObject({ status: 410, body: { code: "trimmed", snapshot: position } });
    const rest = await (await rig.view(`/chats/c/events?after=${position}`)).until(({ state }) => state);
    expect(rest.events).toEqual([]);
  });
});

describe("HEAD and DELETE /chats/{id}", () => {
  test("HEAD answers 200 with the head and the log, and 404 for an unknown chat", async () => {
    const rig = await answered();
    const { log, head } = await headOf(rig);
    const response = await rig.request("/chats/c", { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("relay-head")).toBe(`${log}.${head}`);
    expect(response.headers.get("relay-log")).toBe(log);
    expect((await rig.request("/chats/none", { method: "HEAD" })).status).toBe(404);
  });

  test("DELETE answers 204, cancels the turn, removes the chat, and viewers get `gone` on every server", async () => {
    const rig = new Rig({ mock: { script: () => [agentStep.hang()] } });
    const other = new Rig({ log: rig.log, drive: false });
    const [viewer, far] = [await rig.view(), await other.view()];
    await rig.prompt("Hello");
    await rig.agent.waitFor(({ prompts }) => prompts.length === 1);
    await far.until(({ events }) => events.length > 0);
    expect((await rig.request("/chats/c", { method: "DELETE" })).status).toBe(204);
    for (const each of [viewer, far]) {
      expect(await each.ended()).toBe("clean");
      expect(each.frames.at(-1)).toMatchObject({ event: "gone" });
    }
    expect(rig.agent.cancels).toHaveLength(1);
    expect(await rig.log.head("c")).toBeUndefined();
    expect((await rig.request("/chats/c", { method: "DELETE" })).status).toBe(204);
    const anew = await rig.view();
    await rig.prompt("Again");
    await anew.until(({ events }) => events.length > 0);
  });
});

describe("paths and methods", () => {
  test.each(["/", "/chats", "/chats/c/nothing", "/chats/c/chat", "/chats/c/events/more", "/chatsc/events"])(
    "%s answers 404 `no-route`",
    async (path) => {
      expect(await answerOf(new Rig().request(path))).toMatchObject({
        status: 404,
        body: { code: "no-route" },
      });
    },
  );

  test.each([
    ["empty", "/chats//events"],
    ["longer than 128", `/chats/${"x".repeat(129)}/events`],
    ["a bad percent sign", "/chats/%zz/events"],
    ["U+0000", "/chats/a%00b/events"],
    ["half a character", "/chats/%ED%A0%80/events"],
  ])("an id that is %s answers 400 `invalid-chat`", async (_, path) => {
    expect(await answerOf(new Rig().request(path))).toMatchObject({
      status: 400,
      body: { code: "invalid-chat" },
    });
  });

  test("an id may have any other characters, and is decoded once", async () => {
    const rig = new Rig();
    const chat = "a/b?c#d%2e é";
    const viewer = await rig.view(`/chats/${encodeURIComponent(chat)}/events`);
    await rig.prompt("Hello", undefined, chat);
    await viewer.turns(1);
    expect(await rig.log.head(chat)).toBeDefined();
  });

  test.each([
    ["POST", "/chats/c/events", "GET, OPTIONS"],
    ["GET", "/chats/c/commands", "POST, OPTIONS"],
    ["PUT", "/chats/c/snapshot", "GET, OPTIONS"],
    ["GET", "/chats/c", "HEAD, DELETE, OPTIONS"],
  ])("%s %s answers 405 with `Allow`", async (method, path, allow) => {
    const response = await new Rig().request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ code: "method" });
  });

  test("`basePath` moves all paths", async () => {
    const rig = new Rig({ basePath: "/api/agents" });
    expect((await rig.request("/api/agents/c", { method: "HEAD" })).status).toBe(404);
    expect(await answerOf(rig.request("/chats/c/events"))).toMatchObject({ body: { code: "no-route" } });
  });
});

describe("GET /chats/{id}/events?live=no", () => {
  test("has no lines for a chat that does not exist, and none behind the head", async () => {
    const rig = new Rig();
    const none = await rig.request("/chats/c/events?live=no");
    expect([none.status, await none.text(), none.headers.get("relay-head")]).toEqual([200, "", null]);
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    const rest = await rig.request(`/chats/c/events?live=no&after=${viewer.position}`);
    expect([rest.status, await rest.text()]).toEqual([200, ""]);
    expect(rest.headers.get("relay-head")).toBe(viewer.position);
  });
});

test("a request that was given up before its stream began leaves no viewer", async () => {
  const rig = new Rig({ maxViewers: 1 });
  const given = await rig.request("/chats/c/events", { signal: AbortSignal.abort() });
  expect(await given.text()).not.toContain("state");
  expect((await rig.request("/chats/c/events")).status).toBe(200);
});

import { remote } from "agentwire/remote";
import { type EventLog, memoryLog } from "agentwire/server";
import { ManualClock } from "agentwire/testing";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { checkTranscript } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { CHAT, RealRelay } from "../../remote/support/real-relay.ts";
import { answerOf, HOST, Rig, type RigOptions } from "./support/rig.ts";

const hangs = { script: () => [agentStep.hang()] };
const asks = {
  script: function* () {
    yield agentStep.tool({ name: "rm", input: { path: "a" }, approval: true, output: "gone" });
    yield "Done";
  },
};

/** A chat whose agent waits for an approval. */
async function asked(options: RigOptions = {}) {
  const rig = new Rig({ mock: asks, ...options });
  const viewer = await rig.view();
  await rig.prompt("Remove a", "p1");
  await viewer.until(({ events }) => events.some(({ type }) => type === "permission.requested"));
  const request = viewer.events.find(({ type }) => type === "permission.requested");
  if (request?.type !== "permission.requested") throw new Error("not asked");
  const { session_id, data } = request;
  const decide = { type: "decide", session_id, permission_id: data.permission_id, decision: "once" };
  return { rig, viewer, decide };
}

describe("the body of a command", () => {
  const row = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    answerOf(
      new Rig().request("/chats/c/commands", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      }),
    );
  const nested = (depth: number) =>
    `{"key":"k","type":"prompt","input":${"[".repeat(depth)}${"]".repeat(depth)}}`;

  test.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["a text", '"prompt"'],
    ["empty", ""],
    ["a field `__proto__`", '{"key":"k","type":"prompt","input":{"text":"a","__proto__":{}}}'],
    ["nested deeper than 64", nested(70)],
    ["nested deeper than the stack", nested(100_000)],
    ["a byte order mark", '\ufeff{"key":"k","type":"prompt","input":{"text":"a"}}'],
  ])("that is or has %s answers 400 `invalid-json`", async (_, body) => {
    expect(await row(body)).toMatchObject({ status: 400, body: { code: "invalid-json" } });
  });

  test("that has no type answers 415, and one that is missing 400", async () => {
    const body = new TextEncoder().encode('{"key":"k","type":"prompt","input":{"text":"a"}}');
    const post = (init: RequestInit) =>
      answerOf(new Rig().request("/chats/c/commands", { method: "POST", ...init }));
    expect(await post({ body })).toMatchObject({ status: 415, body: { code: "content-type" } });
    const headers = { "content-type": "application/json" };
    expect(await post({ headers })).toMatchObject({ status: 400, body: { code: "invalid-json" } });
  });

  test("that is no UTF-8, of another charset, or of another length than declared, answers 400 `invalid-json`", async () => {
    const json = '{"key":"k","type":"prompt","input":{"text":"a"}}';
    const bytes = new Uint8Array([...new TextEncoder().encode(json)]);
    bytes[4] = 0xff;
    expect(await row(bytes)).toMatchObject({ status: 400, body: { code: "invalid-json" } });
    const charset = { "content-type": "application/json; charset=latin1" };
    expect(await row(json, charset)).toMatchObject({ status: 400, body: { code: "invalid-json" } });
    expect(await row(json, { "content-length": "3" })).toMatchObject({
      status: 400,
      body: { code: "invalid-json" },
    });
    const utf8 = { "content-type": 'application/json; charset="UTF-8"' };
    expect(await row(json, utf8)).toMatchObject({ status: 202 });
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "of the type `%s` answers 415 `content-type`",
    async (type) => {
      expect(await row("{}", { "content-type": type })).toMatchObject({
        status: 415,
        body: { code: "content-type" },
      });
    },
  );

  test("that is too large answers 413 `too-large`, whether its length was declared or not", async () => {
    const rig = new Rig({ maxBody: 1_000 });
    const text = "x".repeat(1_000);
    expect(await answerOf(rig.prompt(text))).toMatchObject({ status: 413, body: { code: "too-large" } });
    const headers = { "content-length": "1000000" };
    expect(await answerOf(rig.post({ type: "prompt", input: { text: "a" } }, { headers }))).toMatchObject({
      status: 413,
    });
  });

  test("that breaks off answers 400 `invalid-json`", async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("cut")) });
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      duplex: "half",
    } as const;
    const answer = await answerOf(new Rig().relay.handler(new Request(`${HOST}/chats/c/commands`, init)));
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid-json" } });
  });
});

describe("the fields of a command", () => {
  const input = { text: "Hello" };
  const image = (more: object) => ({ type: "prompt", input: { text: "a", images: [more] } });
  const svg = Buffer.from("<svg/>").toString("base64");
  test.each<[string, object]>([
    ["no key", { key: undefined, type: "prompt", input }],
    ["a key that is no text", { key: 7, type: "prompt", input }],
    ["an empty key", { key: "", type: "prompt", input }],
    ["a key of 129 characters", { key: "k".repeat(129), type: "prompt", input }],
    ["half a character in the key", { key: "\ud800", type: "prompt", input }],
    ["no type", { input }],
    ["an unknown type", { type: "promt", input }],
    ["a type from the prototype", { type: "constructor", input }],
    ["an unknown field", { type: "prompt", input, wenBusy: "refuse" }],
    ["an unknown field of the input", { type: "prompt", input: { txt: "a" } }],
    ["an unknown `whenBusy`", { type: "prompt", input, whenBusy: "never" }],
    ["no input", { type: "prompt" }],
    ["a blank text", { type: "prompt", input: { text: " \n" } }],
    ["an image without a type", image({ data: "AAAA" })],
    ["an SVG", image({ data: svg, mediaType: "image/svg+xml" })],
    ["an SVG by URL", image({ data: `data:image/svg+xml;base64,${svg}` })],
    ["an image by URL", image({ data: "https://example.com/a.png" })],
    ["the decision `maybe`", { type: "decide", session_id: "s", permission_id: "s.1", decision: "maybe" }],
    ["no session", { type: "decide", permission_id: "s.1", decision: "once" }],
    ["an answer that is a number", { type: "answer", session_id: "s", question_id: "s.1", answer: 7 }],
    ["a cancel without a target", { type: "cancel" }],
    ["a cancel of half a turn", { type: "cancel", target: { session_id: "s" } }],
    ["an unknown way to resume", { type: "resume", how: "somehow" }],
    ["no place to move to", { type: "move_queued", target: "p" }],
    ["no mode to set", { type: "set_mode" }],
    ["a model that is no text", { type: "set_model", id: 5 }],
  ])("%s answers 400 `invalid-input`", async (_, command) => {
    const rig = new Rig();
    const answer = await answerOf(rig.post(command));
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid-input" } });
    expect(await rig.log.head("c")).toBeUndefined();
  });

  test("an unknown name gets a guess, and is not quoted", async () => {
    const { body } = await answerOf(new Rig().post({ type: "promt", input }));
    expect(body["message"]).toContain("Did you mean `prompt`?");
    expect(body["message"]).not.toContain("promt`");
    const field = await answerOf(new Rig().post({ type: "prompt", input, wenBusy: "refuse" }));
    expect(field.body["message"]).toContain("Did you mean `whenBusy`?");
  });

  test("a text that is too long, or too many images, answers 413", async () => {
    const png = { data: "iVBORw0KGgo=", mediaType: "image/png" };
    const rig = new Rig({ maxText: 5, maxImages: 1 });
    for (const given of [{ text: "123456" }, { text: "1", images: [png, png] }])
      expect(await answerOf(rig.post({ type: "prompt", input: given }))).toMatchObject({
        status: 413,
        body: { code: "too-large" },
      });
    expect(
      await answerOf(rig.post({ type: "prompt", input: { text: "12345", images: [png] } })),
    ).toMatchObject({
      status: 202,
    });
  });

  test("an image that is none answers 400", async () => {
    const image = { data: "aGVsbG8=", mediaType: "text/plain" };
    const answer = await answerOf(new Rig().post({ type: "prompt", input: { text: "a", images: [image] } }));
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid-input" } });
    expect(answer.body["message"]).toContain("image/png");
  });

  test("images, edits, branches, modes, models and files that the agent cannot take answer 400 `unsupported`", async () => {
    const rig = new Rig({ mock: { capabilities: { images: false, branches: false } } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    const png = { data: "iVBORw0KGgo=", mediaType: "image/png" };
    for (const command of [
      { type: "prompt", input: { text: "a", images: [png] } },
      { type: "regenerate", message_id: "m" },
      { type: "select_branch", message_id: "m" },
      { type: "set_mode", id: "m" },
      { type: "set_model", id: "m" },
      { type: "prompt", input: { text: "a", files: ["a.ts"] } },
    ])
      expect(await answerOf(rig.post(command))).toMatchObject({ status: 400, body: { code: "unsupported" } });
  });
});

describe("modes and models", () => {
  const choice = (...ids: string[]) => ({
    current: ids[0] ?? "",
    available: ids.map((id) => ({ id, name: id })),
  });
  const mock = { modes: choice("ask", "auto"), models: choice("small", "big") };

  test("`set_mode` and `set_model` set them, and every viewer sees it", async () => {
    const rig = new Rig({ mock });
    const [one, other] = [await rig.view(), await rig.view()];
    await rig.prompt("Hello");
    await one.turns(1);
    for (const command of [
      { type: "set_mode", id: "auto" },
      { type: "set_model", id: "big" },
    ])
      expect(await answerOf(rig.post(command))).toMatchObject({ status: 202, body: { again: false } });
    for (const viewer of [one, other])
      await viewer.until(({ events }) =>
        ["mode", "model"].every((label) => JSON.stringify(events).includes(`"label":"${label}"`)),
      );
    expect([rig.agent.modes?.current, rig.agent.models?.current]).toEqual(["auto", "big"]);
    expect(checkTranscript(await rig.events(), { live: true })).toEqual([]);
  });

  test("an id that the agent does not have answers 400 `invalid-input`", async () => {
    const rig = new Rig({ mock });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    for (const type of ["set_mode", "set_model"])
      expect(await answerOf(rig.post({ type, id: "yolo" }))).toMatchObject({
        status: 400,
        body: { code: "invalid-input", message: expect.not.stringContaining("yolo") },
      });
  });

  test("of a chat that nobody drives wait for its driver; what the agent refuses is logged", async () => {
    const rig = new Rig({ mock });
    expect(await answerOf(rig.post({ type: "set_mode", id: "auto" }))).toMatchObject({ status: 202 });
    await rig.until(async () => rig.agent.modes?.current === "auto");
    const short = new Rig({ mock: { ...mock, connectDelay: 5 }, waitUntil: () => {} });
    await short.post({ type: "set_mode", id: "auto" }); // the driver ends as soon as it has nothing to do
    await short.until(async () => short.agent.modes?.current === "auto");
    const without = new Rig();
    expect(await answerOf(without.post({ type: "set_model", id: "big" }))).toMatchObject({ status: 202 });
    await without.until(async () =>
      without.logged.some((line) => line.includes("`set_model` was not carried out")),
    );
  });
});

describe("R6: the key of a command", () => {
  test("a repeated prompt answers 202 `again`, also on another server, and runs once", async () => {
    const rig = new Rig();
    const other = new Rig({ log: rig.log, agent: rig.agent });
    const viewer = await rig.view();
    expect((await answerOf(rig.prompt("Hello", "p1"))).body).toEqual({ key: "p1", again: false });
    expect((await answerOf(rig.prompt("Hello", "p1"))).body).toEqual({ key: "p1", again: true });
    await viewer.turns(1);
    expect((await answerOf(other.prompt("Hello", "p1"))).body).toEqual({ key: "p1", again: true });
    await rig.prompt("Last", "p2");
    await viewer.turns(2);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["Hello", "Last"]);
  });

  test("the same key with another body, or from another user, answers 422 `key-reused`", async () => {
    let user = "user_1";
    const rig = new Rig({ authorize: () => ({ user }) });
    await rig.prompt("Hello", "p1");
    expect(await answerOf(rig.prompt("Other", "p1"))).toMatchObject({
      status: 422,
      body: { code: "key-reused" },
    });
    user = "user_2";
    expect(await answerOf(rig.prompt("Hello", "p1"))).toMatchObject({
      status: 422,
      body: { code: "key-reused" },
    });
  });

  test("the order of the fields of a body does not matter", async () => {
    const rig = new Rig();
    const png = { data: "iVBORw0KGgo=", mediaType: "image/png" };
    await rig.post({ key: "k", type: "prompt", input: { text: "a", images: [png] } });
    const again = await answerOf(rig.post({ input: { images: [png], text: "a" }, type: "prompt", key: "k" }));
    expect(again.body).toEqual({ key: "k", again: true });
  });
});

describe("decisions", () => {
  test("R12: the first of two viewers wins, both see it, and the second answers 409 `settled`", async () => {
    const { rig, viewer, decide } = await asked();
    const second = await rig.view();
    expect(await answerOf(rig.post({ ...decide, key: "d1" }))).toMatchObject({ status: 202 });
    await viewer.turns(1);
    await second.turns(1);
    for (const { events } of [viewer, second])
      expect(events.find(({ type }) => type === "permission.resolved")?.data).toMatchObject({
        status: "accept",
      });
    expect(await answerOf(rig.post({ ...decide, key: "d2", decision: "reject" }))).toMatchObject({
      status: 409,
      body: { code: "settled" },
    });
    expect(rig.agent.decisions).toHaveLength(1);
  });

  test("R12: of two decisions in the inbox the first wins, and the second has no effect", async () => {
    const { rig, viewer, decide } = await asked();
    const [one, two] = await Promise.all([
      answerOf(rig.post({ ...decide, key: "d1", decision: "reject" })),
      answerOf(rig.post({ ...decide, key: "d2" })),
    ]);
    expect(one.status).toBe(202);
    expect([202, 409]).toContain(two.status); // 409: the first one was carried out meanwhile
    await viewer.turns(1);
    expect(rig.agent.decisions).toHaveLength(1);
    expect(viewer.events.find(({ type }) => type === "permission.resolved")?.data).toMatchObject({
      status: "reject",
    });
  });

  test("R6: the same decision again answers 200 `done` once it has settled the request", async () => {
    const { rig, viewer, decide } = await asked();
    await rig.post({ ...decide, key: "d1" });
    await viewer.turns(1);
    expect(await answerOf(rig.post({ ...decide, key: "d1" }))).toEqual({
      status: 200,
      body: { key: "d1", done: true },
    });
  });

  test("R12: a decision about an unknown request, or about another session's, answers 409 `stale-request`", async () => {
    const { rig, decide } = await asked();
    for (const wrong of [{ permission_id: `${decide.session_id}.99` }, { session_id: "session-old" }])
      expect(await answerOf(rig.post({ ...decide, ...wrong }))).toMatchObject({
        status: 409,
        body: { code: "stale-request" },
      });
    expect(rig.agent.decisions).toEqual([]);
  });

  test("R12: a decision that another server takes is carried out by the driver", async () => {
    const { rig, viewer, decide } = await asked();
    const other = new Rig({ log: rig.log, agent: rig.agent });
    expect((await answerOf(other.post({ ...decide, key: "d1" }))).status).toBe(202);
    await viewer.turns(1);
    expect(rig.agent.decisions).toHaveLength(1);
  });

  test("an answer to a question reaches the agent", async () => {
    const rig = new Rig({
      mock: {
        script: function* () {
          yield agentStep.question({ questions: ["Which one?"] });
          yield "Done";
        },
      },
    });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.until(({ events }) => events.some(({ type }) => type === "question.requested"));
    const asking = viewer.events.find(({ type }) => type === "question.requested");
    if (asking?.type !== "question.requested") throw new Error("not asked");
    await rig.post({
      type: "answer",
      session_id: asking.session_id,
      question_id: asking.data.question_id,
      answer: "The first",
    });
    await viewer.turns(1);
    expect(rig.agent.answers).toMatchObject([{ answers: [["The first"]] }]);
  });

  test("a grant needs the action `grant`, is shown in the state, and `revoke` revokes it", async () => {
    const asked_: string[] = [];
    const { rig, viewer, decide } = await asked({
      mock: {
        script: function* () {
          yield agentStep.tool({ name: "rm", input: { path: "a" }, approval: true, output: "gone" });
          yield agentStep.wait("more");
        },
      },
      authorize: (_, { action }) => {
        asked_.push(action);
        return { user: "u" };
      },
    });
    await rig.post({ ...decide, decision: { decision: "once", scope: "turn" } });
    await viewer.until(({ state }) => state?.grants.length === 1);
    expect(asked_).toEqual(["read", "prompt", "grant"]);
    const [grant] = viewer.state?.grants ?? [];
    expect(grant).toMatchObject({ tool: "rm" });
    await rig.post({ type: "revoke", id: grant?.id });
    await viewer.until(({ state }) => state?.grants.length === 0);
    expect(asked_.at(-1)).toBe("grant");
  });
});

describe("the queue", () => {
  test("R5: prompts run one by one, in the order of their 202, and the state lists those that wait", async () => {
    const rig = new Rig({ mock: { script: ({ text }) => [agentStep.wait(text), text] } });
    const viewer = await rig.view();
    for (const text of ["one", "two", "three"]) await rig.prompt(text, text);
    await viewer.until(({ queue }) => queue?.length === 2);
    expect(viewer.state?.queue).toMatchObject([
      { key: "two", by: "user_1", input: { text: "two" } },
      { key: "three", by: "user_1", input: { text: "three" } },
    ]);
    for (const text of ["three", "two", "one"]) rig.agent.release(text);
    await viewer.turns(3);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    const starts = viewer.events.flatMap(({ type, data }) =>
      type === "turn.started" ? [data.metadata?.prompt_id] : [],
    );
    expect(starts).toEqual(["one", "two", "three"]);
  });

  test("a prompt that the log has forgotten and gets again does not run again", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock }, keyTtl: 1 });
    const viewer = await rig.view();
    await rig.prompt("one", "one");
    await viewer.turns(1);
    await clock.advance(10);
    expect((await answerOf(rig.prompt("one", "one"))).body).toEqual({ key: "one", again: false });
    await rig.prompt("two", "two");
    await viewer.turns(2);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  test("a prompt that the inbox gives out again does not run again", async () => {
    const clock = new ManualClock();
    const memory = memoryLog({ clock });
    let hidden = "";
    const log: EventLog = new Proxy(memory, {
      get: (_, name: keyof EventLog) =>
        name === "queue"
          ? async (id: string) => (await memory.queue(id)).filter(({ key }) => key !== hidden)
          : (memory[name] as () => unknown).bind(memory),
    });
    const rig = new Rig({ log, clock, mock: { clock }, keyTtl: 1 });
    const viewer = await rig.view();
    await rig.prompt("one", "one");
    await viewer.turns(1);
    await clock.advance(10);
    hidden = "one"; // the queue was read before the log lost its end
    await rig.prompt("one", "one");
    await rig.prompt("two", "two");
    await viewer.turns(2);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(viewer.events.filter(({ type }) => type === "error")).toEqual([]);
  });

  test("`withdraw` removes a prompt, and the log says so. Later it answers 409 `settled`", async () => {
    const rig = new Rig({ mock: hangs });
    const viewer = await rig.view();
    await rig.prompt("one", "one");
    await rig.prompt("two", "two");
    await viewer.until(({ queue }) => queue?.length === 1);
    expect((await answerOf(rig.post({ key: "w", type: "withdraw", target: "two" }))).status).toBe(202);
    await viewer.until(({ queue }) => queue?.length === 0);
    expect(new Set(viewer.events.map(({ session_id }) => session_id)).size).toBe(1);
    await rig.post({ type: "cancel", target: "one" });
    await viewer.turns(2); // not inside of the turn that ran
    expect(viewer.events.find(({ type }) => type === "error")?.data).toMatchObject({
      code: "relay.withdrawn",
    });
    expect((await answerOf(rig.post({ key: "w", type: "withdraw", target: "two" }))).body).toEqual({
      key: "w",
      again: true,
    });
    for (const target of ["two", "one", "none"])
      expect(await answerOf(rig.post({ type: "withdraw", target }))).toMatchObject({
        status: 409,
        body: { code: "settled" },
      });
  });

  test("`edit_queued`, `move_queued` and `send_now` change the waiting prompts", async () => {
    const rig = new Rig({ mock: { script: ({ text }) => (text === "one" ? [agentStep.hang()] : [text]) } });
    const viewer = await rig.view();
    for (const text of ["one", "two", "three", "four"]) await rig.prompt(text, text);
    await viewer.until(({ queue }) => queue?.length === 3);
    await rig.post({ type: "edit_queued", target: "two", input: { text: "2" } });
    await rig.post({ type: "move_queued", target: "three", before: "two" });
    await viewer.until(({ state }) => {
      const [first, second] = state?.queue ?? [];
      return first?.key === "three" && second?.input.text === "2";
    });
    await rig.post({ type: "send_now", target: "four" });
    await viewer.turns(4);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["one", "four", "three", "2"]);
    expect(rig.agent.cancels).toHaveLength(1);
    for (const command of [
      { type: "edit_queued", target: "two", input: { text: "x" } },
      { type: "move_queued", target: "two", before: null },
      { type: "send_now", target: "two" },
    ])
      expect(await answerOf(rig.post(command))).toMatchObject({ status: 409, body: { code: "settled" } });
  });

  test("`whenBusy: refuse` answers 409 `busy` while a turn runs", async () => {
    const rig = new Rig({ mock: hangs });
    const viewer = await rig.view();
    const refusing = { type: "prompt", input: { text: "two" }, whenBusy: "refuse" };
    await rig.prompt("one");
    await viewer.until(({ events }) => events.length > 0);
    expect(await answerOf(rig.post(refusing))).toMatchObject({ status: 409, body: { code: "busy" } });
  });
});

describe("cancel", () => {
  test("R13: ends the turn that it names, by its prompt or by its ids, and no other", async () => {
    const rig = new Rig({ mock: hangs });
    const viewer = await rig.view();
    await rig.prompt("one", "one");
    await viewer.until(({ events }) => events.some(({ type }) => type === "turn.started"));
    expect(await answerOf(rig.post({ type: "cancel", target: "other" }))).toMatchObject({
      status: 409,
      body: { code: "settled" },
    });
    expect((await answerOf(rig.post({ type: "cancel", target: "one" }))).status).toBe(202);
    await viewer.turns(1);
    await rig.prompt("two", "two");
    await viewer.until(({ events }) => events.filter(({ type }) => type === "turn.started").length === 2);
    const started = viewer.events.findLast(({ type }) => type === "turn.started");
    if (started?.type !== "turn.started") throw new Error("no turn");
    const target = { session_id: started.session_id, turn_id: started.data.turn_id };
    expect(
      (await answerOf(rig.post({ type: "cancel", target: { ...target, turn_id: "trn_99" } }))).status,
    ).toBe(409);
    expect((await answerOf(rig.post({ type: "cancel", target }))).status).toBe(202);
    await viewer.turns(2);
    expect((await answerOf(rig.post({ type: "cancel", target }))).status).toBe(409);
    expect(rig.agent.cancels).toHaveLength(2);
  });

  test("withdraws a prompt that still waits, without ending the running turn", async () => {
    const rig = new Rig({ mock: hangs });
    const viewer = await rig.view();
    await rig.prompt("one", "one");
    await rig.prompt("two", "two");
    await viewer.until(({ queue }) => queue?.length === 1);
    await rig.post({ type: "cancel", target: "two" });
    await viewer.until(({ queue }) => queue?.length === 0);
    expect(rig.agent.cancels).toHaveLength(0);
    expect(rig.agent.prompts).toHaveLength(1);
  });
});

describe("branches", () => {
  test("`regenerate`, `edit` and `select_branch` work where the source can", async () => {
    const rig = new Rig({ mock: { script: ({ text, n }) => [`${text} ${n}`] } });
    const viewer = await rig.view();
    await rig.prompt("Hello", "p1");
    await viewer.turns(1);
    await rig.post({ key: "r1", type: "regenerate", message_id: "p1" });
    await viewer.turns(2);
    await rig.post({ key: "e1", type: "edit", message_id: "p1", input: { text: "Bye" } });
    await viewer.turns(3);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["Hello", "Hello", "Bye"]);
    const branches = viewer.events.flatMap(({ type, data }) =>
      type === "turn.started" ? [data.metadata?.branch_of !== undefined] : [],
    );
    expect(branches).toEqual([false, true, true]);
    await rig.post({ type: "select_branch", message_id: "p1" });
    await viewer.until(({ events }) =>
      events.some(({ type, data }) => type === "item.completed" && data.item.kind === "status"),
    );
  });

  test("keep the agent's memory of each branch over a change of the server", async () => {
    const agent = new MockAgent({
      script: ({ messages, n }) => [`${n}: I know ${messages.length} messages`],
    });
    const a = new Rig({ agent });
    const viewer = await a.view();
    await a.prompt("one", "p1");
    await viewer.turns(1);
    await a.prompt("two", "p2");
    await viewer.turns(2);
    await a.post({ key: "r1", type: "edit", message_id: "p1", input: { text: "other" } });
    await viewer.turns(3);
    await a.relay.close();
    const b = new Rig({ log: a.log, agent });
    const later = await b.view();
    await b.post({ type: "select_branch", message_id: "p1" });
    await b.prompt("three", "p3");
    await later.turns(4);
    expect(agent.prompts.at(-1)?.text).toBe("three");
    expect(JSON.stringify(later.events.slice(viewer.events.length))).toContain("I know 4 messages");
  });

  test("a `regenerate` that cannot run ends in the log with its reason", async () => {
    const rig = new Rig();
    const viewer = await rig.view();
    await rig.post({ key: "r1", type: "regenerate", message_id: "none" });
    await viewer.turns(1);
    const started = viewer.events.find(({ type }) => type === "turn.started");
    expect(started?.data).toMatchObject({ metadata: { prompt_id: "r1" } });
    expect(viewer.events.find(({ type }) => type === "error")?.data).toMatchObject({
      code: "mock.invalid_input",
    });
  });
});

describe("a server that does not drive the chat", () => {
  /** One that drives, and one that does not. */
  async function twoServers(options: RigOptions = {}) {
    const driving = new Rig({ mock: hangs, ...options });
    const other = new Rig({ log: driving.log, drive: false });
    const viewer = await other.view();
    await driving.prompt("one", "one");
    await viewer.until(({ state, events }) => state?.busy && events.length > 0);
    return { driving, other, viewer };
  }

  test("takes a cancel, which the driver carries out; one that comes too late has no effect", async () => {
    const { driving, other, viewer } = await twoServers();
    const [{ session_id } = { session_id: "" }] = viewer.events;
    const late = { type: "cancel", target: { session_id, turn_id: "trn_9" } };
    expect((await other.post(late)).status).toBe(202);
    expect((await other.post({ type: "cancel", target: "gone" })).status).toBe(202);
    expect((await other.post({ type: "cancel", target: "one" })).status).toBe(202);
    await viewer.turns(1);
    expect(driving.agent.cancels).toHaveLength(1);
    expect(driving.logged).toEqual([]);
  });

  test("refuses a prompt with `whenBusy: refuse` while the driver is busy, or another prompt waits", async () => {
    const { other } = await twoServers();
    const refuse = { type: "prompt", input: { text: "two" }, whenBusy: "refuse" };
    expect(await answerOf(other.post(refuse))).toMatchObject({ status: 409, body: { code: "busy" } });
    const idle = new Rig({ drive: false });
    expect((await idle.post(refuse)).status).toBe(202);
    expect(await answerOf(idle.post(refuse))).toMatchObject({ status: 409, body: { code: "busy" } });
  });

  test("takes a second decision, which has no effect: the first one counts", async () => {
    const { rig, viewer, decide } = await asked();
    const other = new Rig({ log: rig.log, drive: false });
    expect((await other.post(decide)).status).toBe(202);
    expect((await other.post({ ...decide, decision: "reject" })).status).toBe(202);
    await viewer.turns(1);
    expect(rig.agent.decisions).toMatchObject([{ decision: "once" }]);
    expect(JSON.stringify(viewer.events)).toContain("gone");
  });
});

test("a prompt that waits because the agent forgot the conversation is cancelled by its key", async () => {
  const forgetful = () => new MockAgent({ capabilities: { history: "server" } });
  const a = new Rig({ agent: forgetful() });
  const viewer = await a.view();
  await a.prompt("one");
  await viewer.turns(1);
  await a.relay.close();
  const lease = await a.log.acquire("c", "other", 10_000);
  if (lease === null || lease === "orphan") throw new Error("no lease");
  await a.log.put("c", lease.epoch, "state", undefined);
  await a.log.release("c", "other", lease.epoch);
  const b = new Rig({ log: a.log, agent: forgetful() });
  const next = await b.view();
  await b.prompt("two", "p2");
  await next.until(({ state, queue }) => state?.context_lost && queue?.length === 1);
  await b.post({ type: "cancel", target: "p2" });
  await next.turns(2);
  expect(next.events.findLast(({ type }) => type === "turn.ended")?.data).toMatchObject({
    metadata: { status: "cancelled" },
  });
  await b.post({ type: "resume" });
  await b.post({ type: "resume", how: "without-context" });
  await b.prompt("three");
  await next.turns(3);
  expect(b.agent.prompts.map(({ text }) => text)).toEqual(["three"]);
});

test("a relay may drive the chat of another relay", async () => {
  const agent = new MockAgent();
  await using inner = await RealRelay.start(agent);
  const outer = new Rig({ source: () => remote({ url: inner.url, chat: CHAT }) });
  const viewer = await outer.view();
  await outer.prompt("Hello");
  await viewer.turns(1);
  expect(agent.prompts.map(({ text }) => text)).toEqual(["Hello"]);
  expect(JSON.stringify(viewer.events)).toContain("Hello");
});

import { isAgentwireError } from "agentwire";
import { type BackendScript, MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { CHAT, call, chat, chatBody, send, start } from "./codebuff-backend-raw-client.ts";

/** What a program in JavaScript may write, past what the compiler refuses. */
function misspelt<Fields>(fields: unknown): Fields {
  return fields as Fields;
}

/** The words of a refusal, at once or by a promise. */
async function refusalOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    expect(isAgentwireError(error, "invalid-input")).toBe(true);
    return (error as Error).message;
  }
  return "not refused";
}

describe("a backend server", () => {
  test("listens on the given port of 127.0.0.1, or on a free port", async () => {
    await using first = await MockCodebuffBackend.start();
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const port = Number(new URL(first.url).port);
    expect(await refusalOf(() => MockCodebuffBackend.start({ port }))).toContain("in use");
    await first.stop();
    await using second = await MockCodebuffBackend.start({ port });
    expect(second.url).toBe(first.url);
  });

  test("exposes the key of its first user", async () => {
    await using backend = await MockCodebuffBackend.start();
    expect(backend.apiKey).toBe("test-key");
    await using other = await MockCodebuffBackend.start({ users: [{ key: "mine" }] });
    expect(other.apiKey).toBe("mine");
    await using nobody = await MockCodebuffBackend.start({ users: [] });
    expect(nobody.apiKey).toBe("");
  });

  test("ends all answers and waits on stop(), without waiting for clients", async () => {
    const backend = await MockCodebuffBackend.start({ answer: [{ text: ["a", new Promise(() => {})] }] });
    const response = await send(backend, CHAT, { body: chatBody(await start(backend)) });
    await backend.waitFor(() => backend.requests({ endpoint: "chat" })[0]?.response?.frames[2]);
    backend.fault("me", { hang: true });
    const hanging = call(backend, "GET /api/v1/me");
    hanging.catch(() => {});
    await backend.waitFor(() => backend.requests({ endpoint: "me" })[0]);
    const waiting = backend.waitFor(() => undefined);
    await backend.stop();
    await backend.stop();
    await expect(waiting).rejects.toThrow("The mock server has stopped");
    await expect(response.text()).rejects.toThrow();
    await expect(hanging).rejects.toThrow();
    expect(backend.requests().map(({ state }) => state)).toEqual(["answered", "cut", "cut"]);
  });

  test("detects that a client leaves during a stream", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: [{ text: ["a", new Promise(() => {})] }],
    });
    const leaving = new AbortController();
    const body = chatBody(await start(backend));
    const response = await send(backend, CHAT, { body, signal: leaving.signal });
    await backend.waitFor(() => backend.requests({ endpoint: "chat" })[0]?.response?.frames[2]);
    leaving.abort();
    const request = await backend.waitFor(() => backend.requests({ state: "disconnected" })[0]);
    expect(request).toMatchObject({ endpoint: "chat", response: { status: 200 } });
    expect(request.response?.frames).toHaveLength(3);
    await expect(response.text()).rejects.toThrow();
  });

  test("answers 50 runs at once without mixing them up", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: ({ agentId }) => [`one ${agentId}`, `two ${agentId}`],
    });
    const agents = Array.from({ length: 50 }, (_, number) => `agent-${number}`);
    const said = await Promise.all(
      agents.map(async (agent) => {
        const runId = await start(backend, agent);
        return [(await chat(backend, runId)).said, (await chat(backend, runId)).said];
      }),
    );
    expect(said).toEqual(agents.map((agent) => [`one ${agent}`, `two ${agent}`]));
    expect(backend.scriptExhausted).toBe(false);
  });

  test("ignores a request whose client leaves before the body is complete", async () => {
    await using backend = await MockCodebuffBackend.start();
    const leaving = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
        leaving.abort();
      },
    });
    const request = { method: "POST", body, duplex: "half", signal: leaving.signal } as const;
    await expect(fetch(`${backend.url}/api/v1/agent-runs`, request)).rejects.toThrow();
    await call(backend, "GET /api/v1/me");
    expect(backend.requests()).toMatchObject([{ endpoint: "me" }]);
  });
});

describe("an unknown name is refused, with a suggestion", () => {
  const started = (options: unknown) => () =>
    MockCodebuffBackend.start(misspelt<MockCodebuffBackendOptions>(options));

  test.each<[string, () => unknown, string]>([
    ["an option", started({ prot: 1 }), "option `prot` does not exist. Did you mean `port`?"],
    [
      "a stream switch",
      started({ sse: { crfl: true } }),
      "option `sse.crfl` does not exist. Did you mean `crlf`?",
    ],
    [
      "a field of a user",
      started({ users: [{ kye: "a" }] }),
      "field of the user `kye` does not exist. Did you mean `key`?",
    ],
    ["a profile", started({ profile: "jul" }), "profile `jul` does not exist. Did you mean `july`?"],
    ["a quota", started({ quota: "weakly" }), "quota `weakly` does not exist. Did you mean `weekly`?"],
    [
      "a free mode gate",
      started({ freeModeGate: "session_expire" }),
      "freeModeGate `session_expire` does not exist. Did you mean `session_expired`?",
    ],
    ["a size", started({ sse: { chunkBytes: 0 } }), "`chunkBytes` is no size."],
    ["a number of frames", started({ sse: { cutAfter: -1 } }), "`cutAfter` is no number of frames."],
    ["a script", started({ answer: 5 }), "`answer` is no script."],
    [
      "a field of a script",
      started({ answer: { answers: [], fault: {} } }),
      "field of the script `fault` does not exist.",
    ],
    [
      "an endpoint of a script",
      started({ answer: { answers: [], faults: { chats: [] } } }),
      "Did you mean `chat`?",
    ],
    ["an answer", started({ answer: [5] }), "an answer of the script is no answer."],
    [
      "a field of an answer",
      started({ answer: [{ txt: ["a"] }] }),
      "field of the answer `txt` does not exist. Did you mean `text`?",
    ],
    [
      "a field of a tool call",
      started({ answer: [{ toolCalls: [{ name: "t", args: {} }] }] }),
      "field of the tool call `args` does not exist.",
    ],
    ["a part", started({ answer: [{ parts: [{ txt: "a" }] }] }), "field of the part `txt` does not exist."],
    [
      "a part with two fields",
      started({ answer: [{ parts: [{ text: "a", reasoning: "b" }] }] }),
      "a part has more than one field",
    ],
    ["a tool call without a name", started({ answer: [{ toolCalls: [{}] }] }), "a tool call has no name."],
    [
      "zero fragments",
      started({ answer: [{ toolCalls: [{ name: "t", fragments: 0 }] }] }),
      "`fragments` is no number of fragments.",
    ],
    ["a text in place of a part", started({ answer: [{ parts: ["a"] }] }), "a part is no part."],
    ["a text that is not a list", started({ answer: [{ text: 5 }] }), "`text` is no list."],
    ["a number in a text", started({ answer: [{ text: [5] }] }), "`text` has a piece that is no text."],
    ["a number in place of a frame", started({ answer: [{ frames: [5] }] }), "a frame is no text."],
    [
      "frames together with a text",
      started({ answer: [{ frames: [], text: "a" }] }),
      "`frames` stands in place of text.",
    ],
    [
      "frames with an invalid switch",
      started({ answer: [{ sse: { endAfter: 0.5 } }] }),
      "`endAfter` is no number of frames.",
    ],
  ])("%s", async (_title, act, words) => {
    expect(await refusalOf(act)).toContain(words);
  });

  test("as an argument of the server's methods", async () => {
    await using backend = await MockCodebuffBackend.start();
    const says: [() => unknown, string][] = [
      [
        () => backend.set(misspelt({ balence: 0 })),
        "switch `balence` does not exist. Did you mean `balance`?",
      ],
      [() => backend.set({ profile: misspelt("may") }), "profile `may` does not exist."],
      [() => backend.addUser(misspelt({ mail: "a" })), "field of the user `mail` does not exist."],
      [
        () => backend.requests(misspelt({ endpont: "me" })),
        "filter `endpont` does not exist. Did you mean `endpoint`?",
      ],
      [() => backend.fault(misspelt("chats"), {}), "endpoint `chats` does not exist. Did you mean `chat`?"],
      [() => backend.fault("chat", misspelt({ state: 1 })), "field of the fault `state` does not exist."],
      [() => backend.fault("chat", { when: "START" }), "`when` is for `agent-runs` alone."],
      [
        () => {
          backend.answer = misspelt<BackendScript>("Hello");
        },
        "`answer` is no script.",
      ],
    ];
    for (const [act, words] of says) expect(await refusalOf(act)).toContain(words);
  });

  test("in a function's answer: the call, all waits and stop() fail", async () => {
    const backend = await MockCodebuffBackend.start({ answer: () => misspelt({ txt: "a" }) });
    const waiting = backend.waitFor(() => undefined);
    const { status, body } = await chat(backend, await start(backend));
    expect({ status, body }).toEqual({ status: 500, body: { error: "Failed to process request" } });
    await expect(waiting).rejects.toThrow("field of the answer `txt` does not exist.");
    expect(await refusalOf(() => backend.stop())).toContain("Did you mean `text`?");
  });
});

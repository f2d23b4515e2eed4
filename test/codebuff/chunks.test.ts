import { describe, expect, test } from "vitest";
import type { ChunkObject } from "../../src/codebuff/messages.ts";
import { ChunkDecoder, type ChunkDecoding, SSE_CODE } from "../../src/codebuff/prompts/chunks.ts";

// A client loads it while it connects.
await SSE_CODE.load();

/** A payload as the proxy's OpenAI connector writes it. */
function completion(delta: object, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null }];
  return JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices, ...more });
}

const frame = (payload: string): string => `data: ${payload}\n\n`;
const says = (content: string): string => frame(completion({ role: "assistant", content }));
const DONE = frame("[DONE]");

/** The error of an upstream API, in the form that was observed. */
const upstreamError = {
  type: "BackendError",
  message: "model not found",
  code: "404",
  retryable: false,
  status_code: 404,
};
const failed = frame(
  JSON.stringify({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: {}, finish_reason: "error" }],
    error: upstreamError,
  }),
);
const failedInChoice = frame(
  JSON.stringify({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: {}, finish_reason: "error", error: upstreamError }],
  }),
);
const reported = { message: "model not found", kind: "BackendError", status: 404, retryable: false };

interface Decoded {
  readonly texts: readonly string[];
  readonly oddities: readonly string[];
  readonly errors: readonly unknown[];
}

/** Decodes some chunks and, after them, the end of the prompt. */
function decode(chunks: readonly (string | ChunkObject)[], mode: ChunkDecoding): Decoded {
  const decoder = new ChunkDecoder(mode);
  const decoded = chunks.map((chunk) => decoder.decode(chunk));
  const rest = decoder.end();
  const all = rest ? [...decoded, rest] : decoded;
  return {
    texts: all.map(({ text }) => text),
    oddities: all.flatMap(({ oddity = [] }) => oddity),
    errors: all.flatMap(({ error = [] }) => error),
  };
}

const plain = (...texts: string[]): Decoded => ({ texts, oddities: [], errors: [] });

const REPR = "<src.core.services.Response object at 0x7f3a2c>";

describe.each(["auto", "text"] as const)("in %s mode plain text stays as it is", (mode) => {
  test.each([
    "Hello",
    "",
    "  \n\n",
    "é😀",
    "\ud83d",
    "data: ",
    "data: typed by a model",
    'data: {"a":1}',
    'data: {"a":1}\n\n',
    "data: 5\n\n",
    "data: null\n\n",
    "data: not json\n\n",
    'data: {"object":"chat.completion"}\n\n',
    `${says("x")}and so on`,
    `Here is an example:\n${says("x")}`,
    `${says("x")}${frame('{"object":"other"}')}`,
    says("x").trimEnd(),
    says("x").slice(0, -1),
    ` ${says("x")}`,
    ": comment\n\n",
    "event: message\ndata: [DONE]\n\n",
    "<src.core.Response>",
    "<src.core.Response object at 0xXYZ>",
    `${REPR} `,
    `see ${REPR}`,
    "<src.a object at 0x1> is not <src.b object at 0x2>, or is it >",
  ])("%j", (chunk) => {
    expect(decode([chunk], mode)).toEqual(plain(chunk));
  });
});

describe("in auto mode", () => {
  const decoded: readonly (readonly [name: string, chunk: string, text: string])[] = [
    ["an exact frame gives its text", says("Hello"), "Hello"],
    ["two events in one chunk give both texts", says("Hel") + says("lo"), "Hello"],
    ["a text and the end mark in one chunk", says("Hi") + DONE, "Hi"],
    ["the end mark gives nothing", DONE, ""],
    ["the end mark gives nothing, twice", DONE + DONE, ""],
    ["a delta without content gives nothing", frame(completion({})), ""],
    ["a delta whose content is null gives nothing", frame(completion({ content: null })), ""],
    ["a payload without choices gives nothing", frame('{"object":"chat.completion.chunk"}'), ""],
    ["a payload with no choice gives nothing", frame(completion({}, { choices: [] })), ""],
    ["a text with line ends in it comes out whole", says("a\n\ndata: b\n\n"), "a\n\ndata: b\n\n"],
  ];

  test.each(decoded)("%s", (_, chunk, text) => {
    expect(decode([chunk], "auto")).toEqual(plain(text));
  });

  test("a chunk has its parsed objects, without the end marks", () => {
    const decoder = new ChunkDecoder("auto");
    expect(decoder.decode(says("a") + DONE).parsed).toEqual([
      JSON.parse(completion({ role: "assistant", content: "a" })),
    ]);
    expect(decoder.decode("a").parsed).toBeUndefined();
  });

  test("a stream can mix plain and encoded chunks", () => {
    expect(decode(["Hello", says(", "), "world", DONE, DONE], "auto")).toEqual(
      plain("Hello", ", ", "world", "", ""),
    );
  });

  test("a frame split over two chunks stays text: each chunk is decoded alone", () => {
    const [head, tail] = [says("x").slice(0, 20), says("x").slice(20)];
    expect(decode([head, tail], "auto")).toEqual(plain(head, tail));
  });
});

describe("in openai-sse mode", () => {
  test("the chunks form one stream, wherever they are cut", () => {
    const stream = says("Hel") + says("lo, ") + says("world é😀") + DONE + DONE;
    const whole = decode([stream], "openai-sse");
    const dripped = decode(Array.from(stream), "openai-sse");
    expect(whole).toEqual(plain("Hello, world é😀"));
    expect(dripped.texts.join("")).toBe("Hello, world é😀");
    expect(dripped.oddities).toEqual([]);
  });

  test("CRLF line ends, comments and other fields are read", () => {
    const chunk = `: keep-alive\r\n\r\nevent: message\r\ndata: ${completion({ content: "x" })}\r\n\r\n`;
    expect(decode([chunk], "openai-sse")).toEqual(plain("x"));
  });

  test("a payload needs no `object` field", () => {
    expect(decode([frame('{"choices":[{"delta":{"content":"x"}}]}')], "openai-sse")).toEqual(plain("x"));
  });

  test("text outside of an event is reported, and is not part of the answer", () => {
    const { texts, oddities } = decode(["Hello\n", says("x")], "openai-sse");
    expect(texts.join("")).toBe("x");
    expect(oddities).toEqual([expect.stringContaining("outside of server-sent events")]);
  });

  test("a payload that is not JSON is reported, and the payloads around it are read", () => {
    const { texts, oddities } = decode([says("a"), frame("{"), says("b")], "openai-sse");
    expect(texts.join("")).toBe("ab");
    expect(oddities).toEqual([expect.stringContaining("not JSON")]);
  });

  test("an event without its closing blank line is read when the prompt ends", () => {
    expect(decode([says("x").trimEnd()], "openai-sse")).toEqual(plain("", "x"));
  });

  test("a truncated event is reported and adds no text", () => {
    const { texts, oddities } = decode([says("x").slice(0, 30)], "openai-sse");
    expect(texts.join("")).toBe("");
    expect(oddities).toHaveLength(1);
  });
});

describe.each(["auto", "openai-sse"] as const)("in %s mode an error of the upstream API", (mode) => {
  test.each([
    ["on the payload", failed],
    ["on its choice", failedInChoice],
  ])("is found %s, and adds no text", (_, chunk) => {
    expect(decode([chunk], mode)).toEqual({ texts: [""], oddities: [], errors: [reported] });
  });

  test.each([
    ["before the end mark", failed + DONE],
    ["after the end mark", DONE + failed],
    ["before two end marks", failed + DONE + DONE],
  ])("is found %s in one chunk", (_, chunk) => {
    expect(decode([chunk], mode).errors).toEqual([reported]);
  });

  test("is found among chunks with text", () => {
    const { texts, errors } = decode([says("par"), says("tial"), failed, DONE, DONE], mode);
    expect(texts.join("")).toBe("partial");
    expect(errors).toEqual([reported]);
  });

  test("is the first one, when a chunk holds several", () => {
    const second = frame(completion({}, { error: { ...upstreamError, message: "second" } }));
    expect(decode([failed + second], mode).errors).toEqual([reported]);
  });

  test("gets a default message if the payload has none", () => {
    const { errors } = decode([frame(completion({}, { error: { status_code: "404" } }))], mode);
    expect(errors).toEqual([{ message: "the model API reported an error", kind: "error", retryable: false }]);
  });

  test("is retryable where the payload says so", () => {
    const error = { ...upstreamError, status_code: 503, retryable: true };
    const { errors } = decode([frame(completion({}, { error }))], mode);
    expect(errors).toEqual([{ ...reported, status: 503, retryable: true }]);
  });

  test.each([[null], ["text"], [[upstreamError]]])("is not read from an `error` member of %j", (error) => {
    expect(decode([frame(completion({ content: "x" }, { error }))], mode)).toEqual(plain("x"));
  });
});

describe("the name of a Python object", () => {
  const names = [
    REPR,
    "<src.core.services.stream.<locals>.Reader object at 0x7F3A>", // a class that was made in a function
  ];

  test.each(names)("is reported in every mode, and is text only in text mode: %s", (chunk) => {
    const odd = [expect.stringContaining("Python")];
    expect(decode([chunk], "text")).toEqual({ texts: [chunk], oddities: odd, errors: [] });
    expect(decode([chunk], "auto")).toEqual({ texts: [""], oddities: odd, errors: [] });
    expect(decode([chunk], "openai-sse")).toEqual({ texts: [""], oddities: odd, errors: [] });
  });
});

describe("text mode", () => {
  test("decodes nothing, not even an exact frame", () => {
    expect(decode([says("x"), failed, DONE], "text")).toEqual(plain(says("x"), failed, DONE));
  });
});

describe("only string chunks add text", () => {
  const chunks = [{ type: "start" }, "Hello", { type: "text", text: "Hello" }, { type: "finish" }];

  test.each(["auto", "text"] as const)("in %s mode", (mode) => {
    expect(decode(chunks, mode)).toEqual(plain("", "Hello", "", ""));
  });
});

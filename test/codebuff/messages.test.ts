import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode, isResponseChunk, responseChunkSchema } from "../../src/codebuff/messages.ts";
import { parseFrame } from "../../src/core/text.ts";
import { runs } from "../helpers/runs.ts";

const action = (data: unknown) => ({ type: "action", data });

describe("`decode()` reads every documented and captured frame", () => {
  const frames: readonly { readonly name: string; readonly raw: string; readonly message: object }[] = [
    {
      name: "the documented ack, with a null error",
      raw: '{"type":"ack","txid":1,"success":true,"error":null}',
      message: { type: "ack", txid: 1, success: true, error: null },
    },
    {
      name: "the documented refusal",
      raw: '{"type":"ack","txid":2,"success":false,"error":"Invalid JSON: Unexpected token at position 42"}',
      message: {
        type: "ack",
        txid: 2,
        success: false,
        error: "Invalid JSON: Unexpected token at position 42",
      },
    },
    {
      name: "the proxy's ack, spaced and without its null fields",
      raw: '{"type": "ack", "txid": 0, "success": true}',
      message: { type: "ack", txid: 0, success: true },
    },
    {
      name: "the proxy's refusal without txid",
      raw: '{"type": "ack", "success": false, "error": "Session ID dup is already in use"}',
      message: { type: "ack", success: false, error: "Session ID dup is already in use" },
    },
    {
      name: "a text chunk",
      raw: '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"def f(n):\\n"}}',
      message: { type: "response-chunk", userInputId: "p-1", chunk: "def f(n):\n" },
    },
    {
      name: "an object chunk of the original server, whatever its fields",
      raw: '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":{"type":"start","agentId":"base"}}}',
      message: { type: "response-chunk", userInputId: "p-1", chunk: { type: "start", agentId: "base" } },
    },
    {
      name: "the prompt-response of the proxy, all nulls",
      raw: '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{},"toolCalls":null,"toolResults":null,"output":null}}',
      message: {
        type: "prompt-response",
        promptId: "p-1",
        sessionState: {},
        toolCalls: null,
        toolResults: null,
        output: null,
      },
    },
    {
      name: "the prompt-response of the original server",
      raw: '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"fileContext":{},"mainAgentState":{}},"toolCalls":[{"toolName":"t","toolCallId":"c","input":{"a":1}}],"toolResults":[{"toolName":"t"}],"output":{"type":"lastMessage","value":"done"}}}',
      message: {
        type: "prompt-response",
        promptId: "p-1",
        sessionState: { fileContext: {}, mainAgentState: {} },
        toolCalls: [{ toolName: "t", toolCallId: "c", input: { a: 1 } }],
        toolResults: [{ toolName: "t" }],
        output: { type: "lastMessage", value: "done" },
      },
    },
    {
      name: "a prompt-response without any optional field",
      raw: '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"a":[1,null]}}}',
      message: { type: "prompt-response", promptId: "p-1", sessionState: { a: [1, null] } },
    },
    {
      name: "the documented prompt-error",
      raw: '{"type":"action","data":{"type":"prompt-error","userInputId":"p-1","message":"Backend unavailable","error":"Connection timeout after 30 seconds","remainingBalance":null}}',
      message: {
        type: "prompt-error",
        userInputId: "p-1",
        message: "Backend unavailable",
        error: "Connection timeout after 30 seconds",
        remainingBalance: null,
      },
    },
    {
      name: "a prompt-error with only its required fields",
      raw: '{"type":"action","data":{"type":"prompt-error","userInputId":"p-1","message":"no"}}',
      message: { type: "prompt-error", userInputId: "p-1", message: "no" },
    },
    {
      name: "a prompt-error with an infinite balance",
      raw: '{"type":"action","data":{"type":"prompt-error","userInputId":"p-1","message":"no","remainingBalance":Infinity}}',
      message: {
        type: "prompt-error",
        userInputId: "p-1",
        message: "no",
        remainingBalance: Number.POSITIVE_INFINITY,
      },
    },
    {
      name: "the documented action-error",
      raw: '{"type":"action","data":{"type":"action-error","message":"Authentication failed","error":"Invalid auth token","remainingBalance":null}}',
      message: {
        type: "action-error",
        message: "Authentication failed",
        error: "Invalid auth token",
        remainingBalance: null,
      },
    },
    {
      name: "the documented init-response",
      raw: '{"type":"action","data":{"type":"init-response","message":"Session initialized successfully","agentNames":null,"usage":0.0,"remainingBalance":999999.0,"next_quota_reset":null}}',
      message: {
        type: "init-response",
        message: "Session initialized successfully",
        agentNames: null,
        usage: 0,
        remainingBalance: 999_999,
        next_quota_reset: null,
      },
    },
    {
      name: "the proxy's init-response, with a bare Infinity",
      raw: '{"type": "action", "data": {"type": "init-response", "message": "Session initialized successfully", "usage": 0.0, "remainingBalance": Infinity}}',
      message: {
        type: "init-response",
        message: "Session initialized successfully",
        usage: 0,
        remainingBalance: Number.POSITIVE_INFINITY,
      },
    },
    {
      name: "the original server's init-response",
      raw: '{"type":"action","data":{"type":"init-response","usage":12,"remainingBalance":488,"balanceBreakdown":{"free":488},"agentNames":{"base":"Base"},"next_quota_reset":"2025-11-01T00:00:00.000Z"}}',
      message: {
        type: "init-response",
        usage: 12,
        remainingBalance: 488,
        balanceBreakdown: { free: 488 },
        agentNames: { base: "Base" },
        next_quota_reset: "2025-11-01T00:00:00.000Z",
      },
    },
  ];

  test.each(frames)("$name", ({ raw, message }) => {
    expect(decode(parseFrame(raw))).toEqual(message);
  });

  test("unknown fields are kept at every level", () => {
    const data = {
      type: "prompt-response",
      promptId: "p",
      sessionState: {},
      extra: 1,
      toolCalls: [{ toolName: "t", toolCallId: "c", input: null, more: 2 }],
    };
    expect(decode(action(data))).toEqual(data);
    expect(decode({ type: "ack", success: true, extra: [1] })).toEqual({
      type: "ack",
      success: true,
      extra: [1],
    });
  });
});

describe("an optional field of a wrong type counts as absent", () => {
  const wrong: readonly { readonly message: object; readonly field: string }[] = [
    { message: { type: "ack", success: true, txid: "5" }, field: "txid" },
    { message: { type: "ack", success: false, error: { text: "no" } }, field: "error" },
    {
      message: action({ type: "prompt-error", userInputId: "p", message: "m", error: 7 }),
      field: "error",
    },
    {
      message: action({ type: "prompt-error", userInputId: "p", message: "m", remainingBalance: "3" }),
      field: "remainingBalance",
    },
    { message: action({ type: "action-error", message: "m", error: [] }), field: "error" },
    {
      message: action({ type: "prompt-response", promptId: "p", sessionState: {}, toolCalls: "none" }),
      field: "toolCalls",
    },
    {
      message: action({ type: "prompt-response", promptId: "p", sessionState: {}, toolResults: [1] }),
      field: "toolResults",
    },
    {
      message: action({ type: "prompt-response", promptId: "p", sessionState: {}, output: "done" }),
      field: "output",
    },
    {
      message: action({ type: "init-response", usage: 1, remainingBalance: 2, agentNames: { a: 1 } }),
      field: "agentNames",
    },
    {
      message: action({ type: "init-response", usage: 1, remainingBalance: 2, next_quota_reset: 3 }),
      field: "next_quota_reset",
    },
  ];

  test.each(wrong)("$field of $message", ({ message, field }) => {
    const decoded = decode(message);
    expect(decoded.type).not.toBe("invalid");
    expect(new Map(Object.entries(decoded)).get(field)).toBeUndefined();
  });
});

describe("a wrong required field makes the message invalid, and the problem names it", () => {
  const wrong: readonly (readonly [field: string, message: unknown])[] = [
    ["success", { type: "ack", txid: 1 }],
    ["success", { type: "ack", txid: 1, success: "true" }],
    ["userInputId", action({ type: "response-chunk", chunk: "x" })],
    ["chunk", action({ type: "response-chunk", userInputId: "p" })],
    ["chunk", action({ type: "response-chunk", userInputId: "p", chunk: null })],
    ["chunk", action({ type: "response-chunk", userInputId: "p", chunk: { text: "no type" } })],
    ["promptId", action({ type: "prompt-response", sessionState: {} })],
    ["sessionState", action({ type: "prompt-response", promptId: "p" })],
    ["sessionState", action({ type: "prompt-response", promptId: "p", sessionState: [] })],
    ["userInputId", action({ type: "prompt-error", message: "m" })],
    ["message", action({ type: "prompt-error", userInputId: "p", message: null })],
    ["message", action({ type: "action-error", error: "e" })],
    ["usage", action({ type: "init-response", remainingBalance: 1 })],
    ["remainingBalance", action({ type: "init-response", usage: 0, remainingBalance: null })],
    ["data", { type: "action" }],
    ["data", { type: "action", data: null }],
    ["data", { type: "action", data: [] }],
    ["data", action({ userInputId: "p" })],
    ["data", action({ type: 7 })],
  ];

  test.each(wrong)("%s in %j", (field, message) => {
    const decoded = decode(message);
    expect(decoded.type).toBe("invalid");
    expect(decoded).toHaveProperty("problem", expect.stringContaining(field));
  });

  test("the problem never quotes a value, which may be secret", () => {
    const decoded = decode(action({ type: "prompt-error", userInputId: 5, message: ["s3cret"] }));
    expect(decoded).toMatchObject({ type: "invalid" });
    expect(JSON.stringify(decoded)).not.toContain("s3cret");
  });
});

describe("unknown or hostile input never throws", () => {
  test.each(["broadcast", "constructor", "__proto__", "toString", "hasOwnProperty"])(
    "the action type %s is an unknown action",
    (type) => {
      const data: unknown = JSON.parse(`{"type":${JSON.stringify(type)},"x":1}`);
      expect(decode(action(data))).toEqual({ type: "unknown-action", data });
    },
  );

  test.each(["broadcast", "constructor", "__proto__", "", 7, null, undefined])(
    "the message type %s is an unknown message",
    (type) => {
      const message = { type, data: { a: 1 } };
      expect(decode(message)).toEqual({ type: "unknown-message", message });
    },
  );

  test.each([[null], [5], ["text"], [true], [[]], [[{ type: "ack", success: true }]], [undefined]])(
    "%j is an invalid message",
    (value) => {
      expect(decode(value)).toMatchObject({
        type: "invalid",
        problem: expect.stringContaining("not an object"),
      });
    },
  );

  test("a `__proto__` member adds no fields to the message", () => {
    const decoded = decode(JSON.parse('{"type":"ack","success":true,"__proto__":{"txid":5,"error":"x"}}'));
    expect(decoded).toHaveProperty("success", true);
    expect(decoded).not.toHaveProperty("txid", 5);
    expect(decoded).not.toHaveProperty("error", "x");
    expect({}).not.toHaveProperty("txid");
  });

  test("any JSON value is decoded", () => {
    const typed = fc.record(
      { type: fc.constantFrom("ack", "action", "x"), data: fc.jsonValue(), success: fc.jsonValue() },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), typed), (value) => {
        expect(decode(value).type).toBeTypeOf("string");
      }),
      runs(100),
    );
  });
});

describe("the fast check for a response-chunk", () => {
  const field = fc.oneof(fc.string(), fc.constant("response-chunk"), fc.jsonValue());
  const chunk = fc.oneof(
    fc.string(),
    fc.record({ type: field, text: fc.string() }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const nearChunk = fc.record(
    { type: fc.oneof(fc.constant("response-chunk"), field), userInputId: field, chunk, extra: field },
    { requiredKeys: [] },
  );
  const valid = fc.record({
    type: fc.constant("response-chunk"),
    userInputId: fc.string(),
    chunk: fc.oneof(fc.string(), fc.record({ type: fc.string(), rest: fc.jsonValue() })),
  });

  test("agrees with the schema for any value", () => {
    const value = fc.oneof(nearChunk, valid, fc.object(), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(value, (data) => {
        expect(isResponseChunk(data)).toBe(responseChunkSchema.safeParse(data).success);
      }),
      runs(2_000),
    );
  });

  test("passes every valid chunk through unchanged", () => {
    fc.assert(
      fc.property(valid, (data) => {
        expect(decode(action(data))).toBe(data);
        expect(responseChunkSchema.safeParse(data).data).toEqual(data);
      }),
      runs(100),
    );
  });
});

describe("an outgoing message", () => {
  test("has exactly the documented form", () => {
    expect(encode.identify(1, "session-abc123")).toBe(
      '{"type":"identify","txid":1,"clientSessionId":"session-abc123"}',
    );
    expect(encode.ping(42)).toBe('{"type":"ping","txid":42}');
    expect(encode.topics("subscribe", 5, ["updates", "errors"])).toBe(
      '{"type":"subscribe","txid":5,"topics":["updates","errors"]}',
    );
    expect(encode.topics("unsubscribe", 6, ["updates"])).toBe(
      '{"type":"unsubscribe","txid":6,"topics":["updates"]}',
    );
    expect(encode.action(10, '{"type":"prompt"}')).toBe(
      '{"type":"action","txid":10,"data":{"type":"prompt"}}',
    );
  });

  test("is valid JSON, whatever the names", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (id, topics) => {
        expect(JSON.parse(encode.identify(0, id))).toEqual({
          type: "identify",
          txid: 0,
          clientSessionId: id,
        });
        expect(JSON.parse(encode.topics("subscribe", 1, topics))).toHaveProperty("topics", topics);
      }),
      runs(100),
    );
  });
});

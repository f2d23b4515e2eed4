import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { decode } from "../../src/codebuff/messages.ts";
import { isPrintModeEvent, isToolOutput } from "../../src/codebuff-events/print-mode.ts";
import { isDelta, SCHEMAS } from "../../src/codey/messages.ts";
import { runs, share } from "../helpers/runs.ts";

const json = fc.jsonValue({ maxDepth: 2 });

// --- the guards that are written by hand ---

const object = z.custom<object>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

const toolOutput = z.union([
  z.looseObject({ type: z.literal("json"), value: z.custom((value) => value !== undefined) }),
  z.looseObject({ type: z.literal("media"), data: z.string(), mediaType: z.string() }),
]);

const string = z.string();
const perhaps = z.optional(string);

const event = <Shape extends z.core.$ZodLooseShape>(type: string, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...shape });

const subagent = {
  agentId: string,
  agentType: string,
  displayName: string,
  onlyChild: z.boolean(),
  model: perhaps,
  parentAgentId: perhaps,
  params: z.optional(object),
  prompt: perhaps,
};

const ofTool = { toolCallId: string, toolName: perhaps, parentAgentId: perhaps };
const strings = z.array(string);

const printModeEvent = z.union([
  event("start", { agentId: perhaps, model: perhaps, messageHistoryLength: z.optional(z.number()) }),
  event("text", { text: string, agentId: perhaps }),
  event("error", { message: string, source: perhaps }),
  event("download", { version: string, status: string }),
  event("tool_call", {
    toolCallId: string,
    toolName: string,
    input: object,
    agentId: perhaps,
    parentAgentId: perhaps,
    includeToolCall: z.optional(z.boolean()),
  }),
  event("tool_progress", { ...ofTool, output: string }),
  event("tool_result", { ...ofTool, output: z.array(toolOutput) }),
  event("finish", { totalCost: z.number(), agentId: perhaps }),
  event("subagent_start", subagent),
  event("subagent_finish", subagent),
  event("reasoning_delta", { text: string, ancestorRunIds: strings, runId: string, agentId: perhaps }),
  event("subagent_chunk", { agentId: string, agentType: string, chunk: string }),
  event("reasoning_chunk", { agentId: string, ancestorRunIds: strings, chunk: string }),
]);

const text = fc.oneof({ weight: 3, arbitrary: fc.string() }, fc.constantFrom(null, 7, [], {}));
const output = fc.oneof(
  fc.record({ type: fc.constantFrom("json", "media", "text"), value: json }, { requiredKeys: [] }),
  fc.record({ type: fc.constant("media"), data: text, mediaType: text }, { requiredKeys: ["type"] }),
  json,
);

const TYPES = [
  "start",
  "text",
  "error",
  "download",
  "tool_call",
  "tool_progress",
  "tool_result",
  "finish",
  "subagent_start",
  "subagent_finish",
  "reasoning_delta",
  "subagent_chunk",
  "reasoning_chunk",
  "new_thing",
  "toString",
];

const mostly = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 12, arbitrary: right },
    { weight: 1, arbitrary: json },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const nearEvent = fc.record(
  {
    type: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...TYPES) }, json),
    text: mostly(fc.string()),
    message: mostly(fc.string()),
    version: mostly(fc.string()),
    status: mostly(fc.string()),
    toolCallId: mostly(fc.string()),
    toolName: mostly(fc.string()),
    input: mostly(fc.object({ maxDepth: 1 })),
    output: mostly(
      fc.oneof(
        { weight: 1, arbitrary: fc.string() },
        {
          weight: 4,
          arbitrary: fc.array(
            fc.oneof({ weight: 3, arbitrary: fc.constant({ type: "json", value: 1 }) }, output),
            {
              maxLength: 3,
            },
          ),
        },
      ),
    ),
    totalCost: mostly(fc.double({ noNaN: true, noDefaultInfinity: true })),
    agentId: mostly(fc.string()),
    agentType: mostly(fc.string()),
    displayName: mostly(fc.string()),
    onlyChild: mostly(fc.boolean()),
    ancestorRunIds: mostly(fc.array(fc.string(), { maxLength: 2 })),
    runId: mostly(fc.string()),
    chunk: mostly(fc.string()),
    model: mostly(fc.string()),
    source: mostly(fc.string()),
    prompt: mostly(fc.string()),
    params: mostly(fc.object({ maxDepth: 1 })),
    messageHistoryLength: mostly(fc.nat()),
    includeToolCall: mostly(fc.boolean()),
    parentAgentId: mostly(fc.string()),
    extra: json,
  },
  { requiredKeys: ["type"] },
);

describe("a hand-written guard agrees with its schema", () => {
  test("isPrintModeEvent, for values close to an event", () => {
    const said = { yes: 0, no: 0 };
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: nearEvent }, json), (value) => {
        const is = isPrintModeEvent(value as never);
        said[is ? "yes" : "no"]++;
        expect(is).toBe(printModeEvent.safeParse(value).success);
      }),
      runs(4_000),
    );
    expect(Math.min(said.yes, said.no)).toBeGreaterThan(share(4_000) / 20); // it was asked of both
  });

  test("isDelta, for values close to a text or thinking delta", () => {
    const said = { yes: 0, no: 0 };
    const agent = fc.oneof(fc.nat(), fc.constantFrom(4_294_967_295, 4_294_967_296, -1, 0.5, -0), json);
    const near = fc.record(
      {
        type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom("TextDelta", "ThinkingDelta") }, text),
        agent_id: mostly(agent),
        content: mostly(fc.string()),
        extra: json,
      },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: near }, json), (value) => {
        const is = isDelta(value as never);
        said[is ? "yes" : "no"]++;
        const { TextDelta, ThinkingDelta } = SCHEMAS;
        expect(is).toBe(TextDelta.safeParse(value).success || ThinkingDelta.safeParse(value).success);
      }),
      runs(4_000),
    );
    expect(Math.min(said.yes, said.no)).toBeGreaterThan(share(4_000) / 20);
  });

  test("isToolOutput, for values close to a result part", () => {
    fc.assert(
      fc.property(output, (value) => {
        expect(isToolOutput(value)).toBe(toolOutput.safeParse(value).success);
      }),
      runs(2_000),
    );
  });
});

// --- decode ---

/** What a field has to be. */
const KINDS = {
  string: { holds: (value: unknown) => typeof value === "string", right: fc.string({ maxLength: 4 }) },
  number: {
    holds: (value: unknown) => typeof value === "number",
    right: fc.oneof(fc.double({ noNaN: true }), fc.constant(Number.POSITIVE_INFINITY)),
  },
  finite: { holds: Number.isFinite, right: fc.integer() },
  boolean: { holds: (value: unknown) => typeof value === "boolean", right: fc.boolean() },
  object: {
    holds: isPlain,
    right: fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 2, noNullPrototype: true }),
  },
  objects: {
    holds: (value: unknown) => Array.isArray(value) && value.every(isPlain),
    right: fc.array(fc.constant({ a: 1 }), { maxLength: 2 }),
  },
  strings: {
    holds: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string"),
    right: fc.array(fc.string({ maxLength: 3 }), { maxLength: 2 }),
  },
  texts: { holds: (value: unknown) => allOf(value, "string"), right: fc.constant({ a: "b" }) },
  numbers: { holds: (value: unknown) => allOf(value, "number"), right: fc.constant({ free: 3 }) },
  toolCalls: {
    holds: (value: unknown) =>
      Array.isArray(value) &&
      value.every(
        (call) =>
          isPlain(call) && typeof call["toolName"] === "string" && typeof call["toolCallId"] === "string",
      ),
    right: fc.array(fc.constant({ toolName: "t", toolCallId: "c", input: {} }), { maxLength: 2 }),
  },
  mcpConfig: {
    holds: isMcpConfig,
    right: fc.constantFrom(
      {},
      { type: "stdio", command: "npx", args: ["a"], env: { A: "b" } },
      { url: "http://a", headers: null },
    ),
  },
} as const;

type Kind = keyof typeof KINDS;

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function allOf(value: unknown, kind: "string" | "number"): boolean {
  return isPlain(value) && Object.values(value).every((field) => typeof field === kind);
}

function isMcpConfig(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { type, command, args, env, url, params, headers } = value;
  const strings = [type, command, url].every((field) => field == null || typeof field === "string");
  const records = [env, headers].every((field) => field == null || allOf(field, "string"));
  return (
    strings && records && (args == null || KINDS.strings.holds(args)) && (params == null || isPlain(params))
  );
}

/** The fields of a message: those it must have, those that it may have and that then must be right, and those that count as absent when they are wrong. */
interface Fields {
  readonly required: Readonly<Record<string, Kind>>;
  readonly strict?: Readonly<Record<string, Kind>>;
  readonly loose?: Readonly<Record<string, Kind>>;
}

const FAILURE = { error: "string", remainingBalance: "number" } as const;

const MESSAGES: Readonly<Record<string, Fields>> = {
  "prompt-response": {
    required: { promptId: "string", sessionState: "object" },
    loose: { toolCalls: "toolCalls", toolResults: "objects", output: "object" },
  },
  "prompt-error": { required: { userInputId: "string", message: "string" }, loose: FAILURE },
  "action-error": { required: { message: "string" }, loose: FAILURE },
  "init-response": {
    required: { usage: "number", remainingBalance: "number" },
    loose: {
      message: "string",
      agentNames: "texts",
      next_quota_reset: "string",
      balanceBreakdown: "numbers",
      autoTopupAdded: "number",
    },
  },
  "tool-call-request": {
    required: { toolName: "string" },
    strict: {
      userInputId: "string",
      requestId: "string",
      toolCallId: "string",
      input: "object",
      toolArgs: "object",
      mcpConfig: "mcpConfig",
    },
    loose: { timeout: "finite" },
  },
  "read-files": { required: { requestId: "string", filePaths: "strings" } },
  "read-files-request": { required: { requestId: "string", filePaths: "strings" } },
  "request-mcp-tool-data": {
    required: { requestId: "string", mcpConfig: "mcpConfig" },
    loose: { toolNames: "strings" },
  },
  "subagent-response-chunk": {
    required: { userInputId: "string", agentId: "string", agentType: "string", chunk: "string" },
    loose: { prompt: "string", forwardToPrompt: "boolean" },
  },
  "message-cost-response": {
    required: { promptId: "string", credits: "number" },
    loose: { agentId: "string" },
  },
  "handlesteps-log-chunk": {
    required: { userInputId: "string", agentId: "string", level: "string" },
    loose: { message: "string" },
  },
  "usage-response": {
    required: { usage: "number", remainingBalance: "number" },
    loose: {
      balanceBreakdown: "numbers",
      next_quota_reset: "string",
      autoTopupAdded: "number",
      autoTopupEnabled: "boolean",
    },
  },
  "request-reconnect": { required: {} },
};

const ABSENT = Symbol("absent");
const REQUESTS = ["tool-call-request", "read-files", "read-files-request", "request-mcp-tool-data"];

function dataOf(
  type: string,
  { required, strict = {}, loose = {} }: Fields,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries({ ...required, ...strict, ...loose }).map(([name, kind]) => {
    const odd = fc.oneof(fc.constant(null), fc.constant(ABSENT), json);
    const right: fc.Arbitrary<unknown> = KINDS[kind].right;
    return [name, fc.oneof({ weight: 8, arbitrary: right }, { weight: 2, arbitrary: odd })] as const;
  });
  const hostile = fc.constantFrom(ABSENT, ABSENT, { toolName: "x", polluted: true });
  return fc
    .record({ ...Object.fromEntries(fields), extra: json, hostile })
    .map(({ extra, hostile, ...given }) => {
      const data: Record<string, unknown> = { type, extra };
      for (const [name, value] of Object.entries(given)) if (value !== ABSENT) data[name] = value;
      // An own member, as a parser makes it of what a server writes.
      if (hostile !== ABSENT) Object.defineProperty(data, "__proto__", { value: hostile, enumerable: true });
      return data;
    });
}

const own = (data: object, name: string): unknown =>
  Object.hasOwn(data, name) ? Reflect.get(data, name) : undefined;

describe("decode of any message", () => {
  test.each(Object.entries(MESSAGES))(
    "%s: never throws, and returns `invalid` exactly if a required or checked field is wrong",
    (type, fields) => {
      const { required, strict = {}, loose = {} } = fields;
      const prototype = Object.getOwnPropertyNames(Object.prototype).length;
      fc.assert(
        fc.property(dataOf(type, fields), (data) => {
          const wrong = [
            ...Object.entries(required).filter(([name, kind]) => !KINDS[kind].holds(own(data, name))),
            ...Object.entries(strict).filter(
              ([name, kind]) => own(data, name) != null && !KINDS[kind].holds(own(data, name)),
            ),
          ];
          const decoded = decode({ type: "action", data });
          expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(prototype);
          if (wrong.length > 0) {
            expect(decoded.type).toBe("invalid");
            for (const [name] of wrong)
              expect(decoded).toHaveProperty("problem", expect.stringContaining(name));
            const requestId =
              own(data, "requestId") ?? (REQUESTS.includes(type) ? own(data, "toolCallId") : undefined);
            const asks = REQUESTS.includes(type) && typeof requestId === "string";
            expect(own(decoded, "request")).toEqual(asks ? { type, requestId } : undefined);
            return;
          }
          expect(decoded.type).toBe(type);
          expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
          for (const name of Object.keys({ ...required, ...strict, extra: 0 })) {
            expect(own(decoded, name)).toEqual(own(data, name));
          }
          for (const [name, kind] of Object.entries(loose)) {
            const given = own(data, name);
            expect(own(decoded, name)).toEqual(
              given === null || KINDS[kind].holds(given) ? given : undefined,
            );
          }
        }),
        runs(250),
      );
    },
  );
});

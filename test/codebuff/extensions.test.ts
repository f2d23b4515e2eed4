import { describe, expect, test } from "vitest";
import { decode } from "../../src/codebuff/messages.ts";

const action = (data: object): object => ({ type: "action", data });

/** Each extension message with what it must have, and with everything else it may have. */
const messages: Readonly<
  Record<string, { readonly must: Readonly<Record<string, unknown>>; readonly may: object }>
> = {
  "tool-call-request": {
    must: { toolName: "write_file" },
    may: {
      userInputId: "p-1",
      requestId: "r1",
      toolCallId: "r1",
      input: { type: "file", path: "n.txt", content: "new\n" },
      toolArgs: { path: "n.txt" },
      timeout: 30_000,
      mcpConfig: { type: "stdio", command: "npx", args: ["srv"], env: { A: "b" } },
    },
  },
  "read-files": { must: { requestId: "rf-1", filePaths: ["a.txt", "missing.txt"] }, may: {} },
  "read-files-request": { must: { requestId: "rf-1", filePaths: ["a.txt"] }, may: {} },
  "request-mcp-tool-data": {
    must: { requestId: "m1", mcpConfig: { url: "https://mcp.example", params: { a: 1 }, headers: {} } },
    may: { toolNames: ["search"] },
  },
  "subagent-response-chunk": {
    must: { userInputId: "p-1", agentId: "a7", agentType: "file-picker", chunk: "look" },
    may: { prompt: "find it", forwardToPrompt: true },
  },
  "message-cost-response": { must: { promptId: "p-1", credits: 3 }, may: { agentId: "a7" } },
  "handlesteps-log-chunk": {
    must: { userInputId: "p-1", agentId: "a7", level: "info" },
    may: { data: { n: 1 }, message: "step" },
  },
  "usage-response": {
    must: { usage: 12, remainingBalance: 488 },
    may: {
      balanceBreakdown: { free: 488 },
      next_quota_reset: "2025-11-01T00:00:00.000Z",
      autoTopupAdded: 5,
      autoTopupEnabled: true,
    },
  },
  "request-reconnect": { must: {}, may: {} },
};

describe.each(Object.entries(messages))("%s", (type, { must, may }) => {
  test("is decoded with all its fields, and keeps unknown ones", () => {
    const data = { type, ...must, ...may, later: { a: 1 } };
    expect(decode(action(data))).toEqual(data);
  });

  test("needs only its required fields, and accepts null for the others", () => {
    expect(decode(action({ type, ...must }))).toMatchObject({ type, ...must });
    const nulls = Object.fromEntries(Object.keys(may).map((name) => [name, null]));
    expect(decode(action({ type, ...nulls, ...must }))).toMatchObject({ type, ...must });
  });

  test("is invalid without any one of its required fields", () => {
    for (const name of Object.keys(must)) {
      const { [name]: _, ...rest } = must;
      for (const data of [
        { type, ...rest },
        { type, ...rest, [name]: null },
      ]) {
        expect(decode(action(data))).toMatchObject({
          type: "invalid",
          problem: expect.stringContaining(name),
        });
      }
    }
  });

  test("is decoded without an optional field of a wrong type", () => {
    for (const name of Object.keys(may)) {
      if (name === "data" || (type === "tool-call-request" && name !== "timeout")) continue;
      expect(decode(action({ type, ...must, [name]: Symbol("wrong") }))).toMatchObject({
        type,
        [name]: undefined,
      });
    }
  });
});

test.each(["userInputId", "input", "toolArgs", "mcpConfig"])(
  "a tool call with a wrong %s is invalid, because it would run as a different call",
  (name) => {
    const { must } = messages["tool-call-request"] ?? {};
    const data = { type: "tool-call-request", requestId: "r1", ...must, [name]: 5 };
    expect(decode(action(data))).toMatchObject({ type: "invalid", request: { requestId: "r1" } });
  },
);

test("null counts as absent in the configuration of an MCP server too", () => {
  const mcpConfig = { command: "npx", env: null, args: null };
  expect(
    decode(action({ type: "tool-call-request", requestId: "r1", toolName: "t", mcpConfig })),
  ).toMatchObject({
    mcpConfig,
  });
});

test.each([
  ["tool-call-request", { requestId: "r1" }, "r1"],
  ["tool-call-request", { toolCallId: "t1", toolName: 5 }, "t1"],
  ["read-files", { requestId: "f1", filePaths: "a.txt" }, "f1"],
  ["read-files-request", { requestId: "f2", filePaths: [1] }, "f2"],
  ["request-mcp-tool-data", { requestId: "m1", mcpConfig: { args: [1] } }, "m1"],
])("an invalid %s keeps its request id, so that it can be answered", (type, fields, requestId) => {
  expect(decode(action({ type, ...fields }))).toMatchObject({
    type: "invalid",
    request: { type, requestId },
  });
});

test("an invalid message gets no answer if it has no id or is no request", () => {
  for (const data of [
    { type: "read-files", filePaths: ["a"] },
    { type: "usage-response", requestId: "r1" },
  ]) {
    expect(decode(action(data))).not.toHaveProperty("request");
  }
});

test("a bare Infinity is a valid balance in a usage-response too", () => {
  const data = { type: "usage-response", usage: 0, remainingBalance: Number.POSITIVE_INFINITY };
  expect(decode(action(data))).toEqual(data);
});

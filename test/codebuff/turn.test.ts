import { isAgentwireError } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { CodebuffTurnError } from "../../src/codebuff/errors.ts";
import type { PromptError, PromptResponse, ResponseChunk } from "../../src/codebuff/messages.ts";
import { ChunkDecoder, type ChunkDecoding, SSE_CODE } from "../../src/codebuff/prompts/chunks.ts";
import {
  type MessageForPrompt,
  newPromptState,
  type PromptState,
  type PromptStep,
  stepPrompt,
} from "../../src/codebuff/turn.ts";

// A client loads it while it connects.
await SSE_CODE.load();

const chunk = (text: ResponseChunk["chunk"]): ResponseChunk => ({
  type: "response-chunk",
  userInputId: "p-1",
  chunk: text,
});

const response: PromptResponse = {
  type: "prompt-response",
  promptId: "p-1",
  sessionState: { a: 1 },
  toolCalls: null,
  toolResults: null,
  output: null,
};

const promptError = (fields: Partial<PromptError> = {}): PromptError => ({
  type: "prompt-error",
  userInputId: "p-1",
  message: "Streaming error: stream broke",
  error: "Streaming error: stream broke",
  remainingBalance: null,
  ...fields,
});

const sse = (payload: object): string =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", ...payload })}\n\n`;
const says = (content: string): string => sse({ choices: [{ delta: { content } }] });
const upstream = { type: "BackendError", message: "no such model", status_code: 404, retryable: false };
const failed = sse({ choices: [{ delta: {}, finish_reason: "error" }], error: upstream });
const DONE = "data: [DONE]\n\n";

function newState(mode: ChunkDecoding = "auto"): PromptState {
  return newPromptState("p-1", new ChunkDecoder(mode), (text) => text);
}

/** All steps of one prompt. */
function run(messages: readonly MessageForPrompt[], mode: ChunkDecoding = "auto"): readonly PromptStep[] {
  const state = newState(mode);
  return messages.map((message) => stepPrompt(state, message));
}

/** The error that the last message ended the prompt with. */
function errorOf(messages: readonly MessageForPrompt[], mode: ChunkDecoding = "auto"): CodebuffTurnError {
  const end = run(messages, mode).at(-1)?.end;
  if (!end || !("error" in end)) throw new Error("The prompt did not fail");
  return end.error;
}

describe("a prompt that succeeds", () => {
  test("gives each chunk with the text that it adds, then the response and the end", () => {
    expect(run([chunk("Hello"), chunk({ type: "start" }), chunk(says("!")), response])).toEqual([
      { event: { ...chunk("Hello"), text: "Hello" } },
      { event: { ...chunk({ type: "start" }), text: "" } },
      {
        event: {
          ...chunk(says("!")),
          text: "!",
          parsed: [{ object: "chat.completion.chunk", choices: [{ delta: { content: "!" } }] }],
        },
      },
      { event: response, end: { response } },
    ]);
  });

  test("needs no chunk", () => {
    expect(run([response])).toEqual([{ event: response, end: { response } }]);
  });

  test("is not ended by an `error` or `finish` chunk, or by an end mark", () => {
    const steps = run([
      chunk({ type: "error" }),
      chunk({ type: "finish" }),
      chunk(DONE),
      chunk(DONE),
      chunk("more"),
    ]);
    expect(steps.filter(({ end }) => end)).toEqual([]);
  });

  test("reports what is odd about a chunk, and goes on", () => {
    const [odd, next] = run([chunk("<src.a.B object at 0x1>"), chunk("text")]);
    expect(odd).toMatchObject({ event: { text: "" }, oddity: expect.stringContaining("Python") });
    expect(next).toEqual({ event: { ...chunk("text"), text: "text" } });
  });
});

describe("a prompt-error", () => {
  test("fails the prompt before the stream, with the server's exact message", () => {
    const message = "Failed to process prompt: Failed to stream response: upstream exploded";
    const error = errorOf([promptError({ message, error: message })]);
    expect(error).toMatchObject({
      name: "CodebuffTurnError [turn-failed]",
      code: "turn-failed",
      message,
      serverMessage: message,
      serverError: message,
      origin: "action",
      kind: "prompt-error",
      promptId: "p-1",
      retryable: false,
    });
    expect(isAgentwireError(error, "turn-failed")).toBe(true);
    expect(error).not.toHaveProperty("balance");
  });

  test("fails the prompt in mid-stream too, and is not an event", () => {
    const [first, last] = run([chunk("Hel"), promptError()]);
    expect(first?.event).toMatchObject({ text: "Hel" });
    expect(last?.event).toBeUndefined();
    expect(last?.end).toMatchObject({ error: { serverMessage: "Streaming error: stream broke" } });
  });

  test("carries the detail and the balance if the server gives them", () => {
    const error = errorOf([
      promptError({ message: "Top up.", error: "Insufficient credits", remainingBalance: -3 }),
    ]);
    expect(error).toMatchObject({
      serverMessage: "Top up.",
      serverError: "Insufficient credits",
      balance: -3,
    });
  });

  test.each([{ error: null }, { error: undefined }])("needs no detail: %j", (fields) => {
    expect(errorOf([promptError(fields)]).serverError).toBeUndefined();
  });

  test("keeps a balance of zero", () => {
    expect(errorOf([promptError({ remainingBalance: 0 })]).balance).toBe(0);
  });
});

describe("an action-error of a prompt", () => {
  test("fails the prompt with the kind `action-error`", () => {
    const message = "Invalid auth token";
    expect(errorOf([{ type: "action-error", message }])).toMatchObject({
      origin: "action",
      kind: "action-error",
      code: "turn-failed",
      serverMessage: message,
      message,
    });
  });
});

describe("an error inside the stream", () => {
  test.each(["auto", "openai-sse"] as const)(
    "turns the response that follows into a failure, in %s mode",
    (mode) => {
      const messages = [chunk(says("par")), chunk(failed), chunk(DONE), chunk(DONE), response];
      const error = errorOf(messages, mode);
      expect(error).toBeInstanceOf(CodebuffTurnError);
      expect(error).toMatchObject({
        origin: "stream",
        kind: "BackendError",
        status: 404,
        retryable: false,
        code: "turn-failed",
        serverMessage: "no such model",
        message: "no such model",
        promptId: "p-1",
      });
      expect(run(messages, mode).at(-1)?.event).toBeUndefined();
      expect(run(messages, mode).filter(({ end }) => end)).toHaveLength(1);
    },
  );

  test("is reported as the first one if there are several", () => {
    const second = sse({ error: { ...upstream, message: "second" } });
    expect(errorOf([chunk(failed), chunk(second), response]).serverMessage).toBe("no such model");
  });

  test("is retryable if it says so", () => {
    const busy = sse({ error: { ...upstream, status_code: 503, retryable: true } });
    expect(errorOf([chunk(busy), response])).toMatchObject({ status: 503, retryable: true });
  });

  test("is only text in text mode", () => {
    expect(run([chunk(failed), response], "text").at(-1)).toEqual({ event: response, end: { response } });
  });
});

describe("a prompt that ended silently", () => {
  test("fails with a message that says what is known", () => {
    const error = errorOf([chunk("Hel"), { type: "silent-end" }]);
    expect(error).toMatchObject({
      code: "turn-failed",
      origin: "silent-end",
      kind: "silent-end",
      promptId: "p-1",
    });
    expect(error.message).toBe("the prompt ended without a terminal message; its backend may not stream");
  });
});

describe("an event without its closing blank line at the end of a prompt", () => {
  test("comes before the response", () => {
    const [, last] = run([chunk(says("x").trimEnd()), response], "openai-sse");
    expect(last).toMatchObject({ rest: { type: "response-chunk", userInputId: "p-1", text: "x" } });
    expect(last?.event).toEqual(response);
    expect(last?.end).toEqual({ response });
  });

  test("fails the prompt if it holds an error", () => {
    expect(errorOf([chunk(failed.trimEnd()), response], "openai-sse")).toMatchObject({
      origin: "stream",
      serverMessage: "no such model",
    });
  });

  test("is reported if it is truncated, and the prompt succeeds", () => {
    const [, last] = run([chunk(says("x").slice(0, 20)), response], "openai-sse");
    expect(last).toMatchObject({ rest: { text: "" }, oddity: expect.stringContaining("not JSON") });
    expect(last?.end).toEqual({ response });
  });

  test("is absent if every event was complete", () => {
    const [, last] = run([chunk(says("x") + DONE), response], "openai-sse");
    expect(last).toEqual({ event: response, end: { response } });
  });
});

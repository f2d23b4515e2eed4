import { type Mutant, mutantsOf } from "./mutant.ts";

/** What one message means for one prompt, how chunks become text, what a conversation remembers. */
export const ANSWERS: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff/turn.ts",
    ["codebuff/turn.test.ts"],
    [
      {
        name: "stream-error-succeeds",
        breaks: "a prompt-response after an error in the stream is a success",
        find: "  if (error) return { ...rest, end: { error } };",
        replace: "",
      },
      {
        name: "last-stream-error",
        breaks: "the last error of a stream is told, not the first",
        find: "  state.streamError ??= decoded.error;\n  if (typeof chunk",
        replace: "  state.streamError = decoded.error ?? state.streamError;\n  if (typeof chunk",
      },
      {
        name: "stream-error-shows-token",
        breaks: "an error in the stream holds credentials",
        find: "const message = redact(streamError.message);",
        replace: "const { message } = streamError;",
        tests: ["codebuff/client.test.ts"],
      },
      {
        name: "output-error-succeeds",
        breaks: "an answer whose output is an error is a success",
        find: "const failed = outputFailure(state, response);",
        replace: "const failed = undefined as ReturnType<typeof outputFailure>;",
        tests: ["codebuff/original-server.test.ts"],
      },
      {
        name: "output-error-shows-token",
        breaks: "an error in the output holds credentials",
        find: 'typeof message === "string" ? redact(message) :',
        replace: 'typeof message === "string" ? message :',
        tests: ["codebuff/original-server.test.ts"],
      },
      {
        name: "rest-lost",
        breaks: "an event that was not finished when the prompt ended is lost",
        find: "  const decoded = state.decoder.end();",
        replace: "  const decoded = undefined as ReturnType<typeof state.decoder.end>;",
      },
      {
        name: "last-step-is-cost",
        breaks: "the cost of a prompt is that of its last step",
        find: "state.steps = (state.steps ?? 0) + credits;",
        replace: "state.steps = credits;",
        tests: ["codebuff/original-server.test.ts"],
      },
      {
        name: "steps-win",
        breaks: "the server's own sum of the cost is ignored",
        find: "const amount = total ?? steps;",
        replace: "const amount = steps ?? total;",
        tests: ["codebuff/original-server.test.ts"],
      },
      {
        name: "subagent-adds-text",
        breaks: "what a sub-agent says is part of the answer",
        find: 'chunk: frame.chunk, text: "" }',
        replace: "chunk: frame.chunk, text: String(frame.chunk) }",
        tests: ["codebuff/original-server.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/chunks.ts",
    ["codebuff/chunks.test.ts"],
    [
      {
        name: "text-twice",
        breaks: "strings count although events are the source of the text",
        find: 'this.#textSource === "strings" || decoded.text === ""',
        replace: 'this.#textSource !== undefined || decoded.text === ""',
        tests: ["codebuff/chunks.test.ts", "codebuff/client.test.ts"],
      },
      {
        name: "end-mark-is-text",
        breaks: "`[DONE]` is read as an event",
        find: "if (payload.trim() === DONE) continue;",
        replace: "",
      },
      {
        name: "any-json-is-sse",
        breaks: "text that looks like events is decoded although it is no completion",
        find: "decoded.oddities.length === 0 && decoded.parsed.every(isCompletionChunk)",
        replace: "decoded.oddities.length === 0",
      },
      {
        name: "repr-is-text",
        breaks: "the name of a Python object is part of the answer",
        find: 'text: this.#mode === "text" ? chunk : "", oddity',
        replace: "text: chunk, oddity",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/sse.ts",
    ["codebuff/sse.test.ts"],
    [
      {
        name: "endless-event",
        breaks: "an event that never ends fills the memory",
        find: "if (this.#held + this.#line.length > MAX_EVENT) this.#giveUp();",
        replace: "",
      },
      {
        name: "held-not-counted",
        breaks: "an event of many lines fills the memory",
        find: "    this.#held += data.length;",
        replace: "",
      },
      {
        name: "cr-kept",
        breaks: "a line that ends in CRLF keeps its CR",
        find: 'raw.endsWith("\\r") ? raw.slice(0, -1) : raw',
        replace: "raw",
      },
      {
        name: "exact-sse-by-half",
        breaks: "a chunk whose last event has no end is taken for whole",
        find: '!chunk.startsWith("data: ") || !chunk.endsWith("\\n\\n")',
        replace: '!chunk.startsWith("data: ")',
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/memory.ts",
    ["codebuff/memory.test.ts"],
    [
      {
        name: "newest-first",
        breaks: "the model is shown the new prompt before what was said",
        find: "content: [...this.#messages, ...chatMessages(data)]",
        replace: "content: [...chatMessages(data), ...this.#messages]",
      },
      {
        name: "prompt-twice",
        breaks: "the proxy gets the prompt's words twice",
        find: "const { prompt: _, ...rest } = data;",
        replace: "const { ...rest } = data;",
      },
      {
        name: "proxy-state-kept",
        breaks: "what the proxy echoes is kept as a state",
        find: 'if (server === "codebuff") this.#sessionState = result.sessionState;',
        replace: "this.#sessionState = result.sessionState;",
      },
      {
        name: "answer-forgotten",
        breaks: "only the user's side of a turn is remembered",
        find: ', { role: "assistant", content: result.text }];',
        replace: "];",
      },
      {
        name: "beginning-forgotten",
        breaks: "a conversation that began on the proxy begins anew on the original server",
        find: "if (this.#messages.length === 0 || Object.keys(given).length > 0) return given;",
        replace: "if (this.#messages.length >= 0) return given;",
        tests: ["codebuff/original-server.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/frame-limit.ts",
    ["codebuff/bad-input.test.ts"],
    [
      {
        name: "frame-limit-off-by-one",
        breaks: "a frame of just the limit is refused",
        find: "if (bytes <= limit) return bytes;",
        replace: "if (bytes < limit) return bytes;",
      },
      {
        name: "frame-limit-in-characters",
        breaks: "the limit of a frame counts characters",
        find: "const bytes = utf8Length(frame);",
        replace: "const bytes = frame.length || utf8Length(frame);",
      },
      {
        name: "unknown-server-takes-all",
        breaks: "a frame that the proxy refuses is sent to a server that is not known yet",
        find: 'server === "codebuff" ? CODEBUFF_MAX_FRAME : PROXY_MAX_FRAME',
        replace: 'server !== "proxy" ? CODEBUFF_MAX_FRAME : PROXY_MAX_FRAME',
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/client.ts",
    ["codebuff/bad-input.test.ts"],
    [
      {
        name: "own-token-unchecked",
        breaks: "a token that a call brings along travels over plain ws://",
        find: "    this.#core.assertPrivate();",
        replace: "",
      },
      {
        name: "own-token-shows",
        breaks: "a token that a call brings along shows in what the library says",
        find: "    this.#core.redactor.add(token);",
        replace: "",
        tests: ["codebuff/client.test.ts"],
      },
      {
        name: "input-shared",
        breaks: "what the caller does to the input after the call is sent",
        find: 'return JSON.parse(toJson(data, "the prompt"));',
        replace: 'return toJson(data, "the prompt") === "" ? data : data;',
        tests: ["codebuff/original-server.test.ts"],
      },
      {
        name: "token-never-closed",
        breaks: "a closed client waits for its token",
        find: "    this.#token.close();",
        replace: "",
        tests: ["codebuff/reentrancy.test.ts"],
      },
      {
        name: "stale-unsubscribe-too-large",
        breaks: "a topic can be subscribed to that cannot be left again",
        find: 'checkFrame(encode.topics("unsubscribe", this',
        replace: "checkFrame(encode.topics(type, this",
      },
    ],
  ),
];

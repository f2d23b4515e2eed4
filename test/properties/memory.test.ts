import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildPrompt,
  type CodebuffPromptInput,
  type PromptActionData,
  promptFor,
} from "../../src/codebuff/input.ts";
import type { Content } from "../../src/codebuff/prompts/content.ts";
import { CodebuffMemory } from "../../src/codebuff/prompts/memory.ts";
import type { CodebuffResult } from "../../src/codebuff/turn.ts";
import { runs } from "../helpers/runs.ts";

/** One turn of a conversation: what the user says, on which server, and what comes of it. */
interface Said {
  readonly input: string | CodebuffPromptInput;
  readonly server: "proxy" | "codebuff";
  /** The answer; `undefined` when the turn failed. */
  readonly answer: string | undefined;
  /** Whether the conversation goes through JSON before this turn. */
  readonly moved: boolean;
}

const words = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text.trim() !== "");

const part = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: words }),
  fc.record({ type: fc.constant("file" as const), name: words, text: words }),
  fc.record({ type: fc.constant("image" as const), image: fc.uint8Array({ minLength: 1, maxLength: 4 }) }),
  fc.record({
    type: fc.constant("image" as const),
    image: fc.base64String({ minLength: 4, maxLength: 8 }),
    mediaType: fc.constantFrom("image/png", "image/gif"),
  }),
  fc.record({ type: fc.constant("image" as const), image: fc.constant("https://example.com/a.png") }),
);

/** A message of its own, of a kind that both servers take. */
const message = fc.record({
  role: fc.constant("user" as const),
  content: fc.oneof(
    words,
    fc.array(fc.record({ type: fc.constant("text" as const), text: words }), { minLength: 1, maxLength: 2 }),
  ),
});

const content: fc.Arbitrary<Content> = fc.array(fc.oneof(part, message), { minLength: 1, maxLength: 3 });

const input: fc.Arbitrary<string | CodebuffPromptInput> = fc.oneof(
  words,
  fc.record({ prompt: words }),
  fc.record({ content }),
  fc.record({ prompt: words, content }),
);

const said: fc.Arbitrary<Said> = fc.record({
  input,
  server: fc.constantFrom("proxy" as const, "codebuff" as const),
  answer: fc.option(fc.string(), { nil: undefined, freq: 4 }),
  moved: fc.boolean(),
});

const data = (given: string | CodebuffPromptInput): PromptActionData =>
  buildPrompt(given, { fingerprintId: "fp", costMode: "normal", model: undefined, newPromptId: () => "p" });

const resultOf = (text: string, n: number): CodebuffResult => ({
  text,
  promptId: "p",
  sessionState: { n },
  toolCalls: [],
  toolResults: [],
  output: null,
});

/** Everything that a model is shown of a content, in order, without the form it has. */
function shown(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(shown);
  const { content, text, image, name, image_url: url } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof name === "string") return [`File ${JSON.stringify(name)}:\n${String(text)}`];
  if (image !== undefined) return [imageOf(value)];
  if (url !== undefined) return [String(Object(url)["url"])];
  return shown(content ?? text);
}

function imageOf(part: unknown): string {
  const { image, mediaType = "image/png" } = part as {
    readonly image: string | Uint8Array;
    readonly mediaType?: string;
  };
  const text = typeof image === "string" ? image : Buffer.from(image).toString("base64");
  return text.startsWith("https:") ? text : `data:${mediaType};base64,${text}`;
}

/** What the user says with one input, as it has to reach a model: whole messages, then the parts, then the words. */
function saidWith(given: string | CodebuffPromptInput): string[] {
  if (typeof given === "string") return [given];
  const { content = [], prompt } = given;
  const [messages, parts] = [
    content.filter((item) => "role" in item),
    content.filter((item) => !("role" in item)),
  ];
  return [...messages.flatMap(shown), ...parts.flatMap(shown), ...(prompt === undefined ? [] : [prompt])];
}

const rolesOf = (messages: unknown): readonly unknown[] =>
  Array.isArray(messages) ? messages.map((each: { readonly role?: unknown }) => each.role) : [];

const parsed = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never;

describe("a conversation of any turns on either server, some of which fail", () => {
  test("sends the proxy the whole history in order and once, and the original server its last state", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 8 }), input, (turns, last) => {
        let memory = new CodebuffMemory(undefined);
        const history: string[] = [];
        let state: object | undefined;
        for (const [n, { input, server, answer, moved }] of turns.entries()) {
          if (moved) memory = new CodebuffMemory(parsed(memory.state));
          if (answer === undefined) continue;
          memory.remember(data(input), resultOf(answer, n), server);
          history.push(...saidWith(input), answer);
          if (server === "codebuff") state = { n };
        }
        const proxy = memory.withHistory(data(last), "proxy");
        expect(shown(proxy.content)).toEqual([...history, ...saidWith(last)]);
        expect(rolesOf(proxy.content).every((role) => role === "user" || role === "assistant")).toBe(true);
        expect(proxy).not.toHaveProperty("prompt");
        expect(proxy.sessionState).toEqual({});

        const original = memory.withHistory(data(last), "codebuff");
        const begun = Object(original.sessionState["mainAgentState"])["messageHistory"];
        if (state) expect(original.sessionState).toEqual(state);
        else expect(begun).toHaveLength(memory.messages.length);
        const { content = [], prompt } = original;
        expect([...shown(content), ...(prompt === undefined ? [] : [prompt])].sort()).toEqual(
          saidWith(last).sort(),
        );
      }),
      runs(500),
    );
  });

  test("continues from its state in another process as it would in this one", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 6 }), fc.nat(6), (turns, at) => {
        const here = new CodebuffMemory(undefined);
        let there = here;
        for (const [n, { input, server, answer }] of turns.entries()) {
          if (n === at) there = new CodebuffMemory(parsed(here.state));
          for (const to of ["proxy", "codebuff"] as const) {
            expect(there.withHistory(data(input), to)).toEqual(here.withHistory(data(input), to));
          }
          if (answer === undefined) continue;
          here.remember(data(input), resultOf(answer, n), server);
          if (there !== here) there.remember(data(input), resultOf(answer, n), server);
          expect(parsed(there.state)).toEqual(parsed(here.state));
        }
      }),
      runs(300),
    );
  });

  test("returns snapshots of its state, which later turns do not change", () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 5 }), (turns) => {
        const memory = new CodebuffMemory(undefined);
        const taken: { readonly state: unknown; readonly text: string }[] = [];
        for (const [n, { input, server, answer = "" }] of turns.entries()) {
          taken.push({ state: memory.state, text: JSON.stringify(memory.state) });
          memory.remember(data(input), resultOf(answer, n), server);
        }
        for (const { state, text } of taken) expect(JSON.stringify(state)).toBe(text);
      }),
      runs(200),
    );
  });
});

describe("a prompt outside a conversation", () => {
  test("sends the proxy each part and text once, as one message after the whole messages", () => {
    fc.assert(
      fc.property(input, (given) => {
        const { content = [], prompt } = promptFor("proxy", data(given));
        const words = prompt === undefined ? [] : [prompt];
        expect([...shown(content), ...words]).toEqual(saidWith(given));
        expect(rolesOf(content).every((role) => role === "user")).toBe(true);
      }),
      runs(500),
    );
  });

  test("sends the original server the parts of a single message, each once", () => {
    fc.assert(
      fc.property(input, (given) => {
        const { content = [], prompt } = promptFor("codebuff", data(given));
        expect(
          content.every((part) => "type" in part && (part.type === "text" || part.type === "image")),
        ).toBe(true);
        expect([...shown(content), ...(prompt === undefined ? [] : [prompt])].sort()).toEqual(
          saidWith(given).sort(),
        );
      }),
      runs(500),
    );
  });
});

import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { CodebuffRun } from "agentwire/codebuff-run";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildDemo } from "../../src/cass/input.ts";
import { buildInit, buildPrompt } from "../../src/codebuff/input.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { thrown } from "../contract/support.ts";
import { makers, places } from "./places.ts";

// A name that does not exist is refused, in every place of every client where a caller gives one.

let finished = new AbortController();

beforeEach(() => {
  finished = new AbortController();
});

afterEach(() => finished.abort());

/** A name with a letter left out. */
const misspelt = (name: string): string =>
  name.slice(0, name.length >> 1) + name.slice((name.length >> 1) + 1);

/** A name with its first two different neighbours swapped. */
function swapped(name: string): string {
  const at = [...name].findIndex((letter, place) => letter !== name[place + 1]);
  return `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
}

/** What an object would have if it were looked up carelessly. */
const OF_EVERY_OBJECT = ["constructor", "toString", "hasOwnProperty", "__proto__"];

/** With one more field of its own, which is undefined. */
function withName(all: object, name: string): object {
  const given = { ...all };
  Object.defineProperty(given, name, { value: undefined, enumerable: true });
  return given;
}

function refusalOf(call: () => unknown): InvalidInputError {
  const error = thrown(call);
  expect(error).toBeInstanceOf(InvalidInputError);
  return error as InvalidInputError;
}

describe.each(places)("the names at $place", ({ all, give }) => {
  const names = Object.keys(all);
  const giving = (given: object) => () => give(given as never, finished.signal);

  test("every existing name is accepted", async () => {
    const made = giving(all)();
    if (made instanceof Promise) made.catch(() => {}); // nobody ever answers
  });

  test.each(names)("`%s` misspelt throws at once, and the error suggests the name", (name) => {
    const { code, hint, message } = refusalOf(giving(withName(all, misspelt(name))));
    expect([code, hint]).toEqual(["invalid-input", `Did you mean \`${name}\`?`]);
    expect(message).toContain(misspelt(name));
  });

  test.each(names)("`%s` with swapped letters, or in upper case, is suggested", (name) => {
    for (const wrong of [swapped(name), name.toUpperCase()])
      expect(refusalOf(giving(withName(all, wrong))).hint).toBe(`Did you mean \`${name}\`?`);
  });

  test.each(names)("`%s` is suggested, even if its absence is an error too", (name) => {
    const given = Object.fromEntries(
      Object.entries(all).map(([each, value]) => [each === name ? misspelt(each) : each, value]),
    );
    expect(refusalOf(giving(given)).hint).toBe(`Did you mean \`${name}\`?`);
  });

  test("a name unlike all others throws an error that lists the existing names", () => {
    const { hint } = refusalOf(giving(withName(all, "qqqqqqqqqqqq")));
    expect(hint).toMatch(/^These exist: /);
    for (const name of names) expect(hint).toContain(name);
  });

  test.each(OF_EVERY_OBJECT)("`%s` is not an existing name", (name) => {
    expect(refusalOf(giving(withName(all, name))).hint).toMatch(/^(These exist:|Did you mean) /);
  });

  test("inherited properties and symbols are ignored", () => {
    class Given {}
    Object.assign(Given.prototype, { qqqqqqqqqqqq: 1 });
    const given = Object.assign(new Given(), all, { [Symbol("qqqqqqqqqqqq")]: 1 });
    const made = giving(given)();
    if (made instanceof Promise) made.catch(() => {});
  });
});

describe("fields that a backend gets unchanged may have any names", () => {
  const free = { timeut: 1, constructor: 2, nested: { anything: true } };

  test("in the prompt and the init of Codebuff", () => {
    const given = {
      content: [{ type: "text" as const, text: "hello", ...free }],
      sessionState: free,
      toolResults: [free],
      promptParams: free,
    };
    const defaults = { fingerprintId: "f", costMode: "normal", model: undefined, newPromptId: () => "p1" };
    expect(buildPrompt(given, defaults)).toMatchObject(given);
    expect(buildInit({ fileContext: free }, "f")).toMatchObject({ fileContext: free });
  });

  test("in Cass's onboarding profile", () => {
    const profile = { relationship: "friend", background: { context: "here", ...free }, ...free };
    const { frame } = buildDemo({ userId: "u1", profile }, 1_000);
    expect(JSON.parse(frame(undefined, undefined))).toMatchObject({ profile });
  });

  test("in the parameters of a CLI agent", () => {
    const client = new CodebuffCli({ command: "/nowhere/at/all", profile: "print" });
    expect(() => client.prompt("hello", { agent: "a", params: free })).not.toThrow();
    void client.close({ force: true });
  });

  test("in the parameters and the state of a run", () => {
    const client = new CodebuffRun({
      apiKey: "k",
      baseUrl: "http://127.0.0.1:9",
      fetch: () => new Promise(() => {}),
    });
    const state = { sessionState: { mainAgentState: { messageHistory: [], ...free }, fileContext: free } };
    const previousRun = { ...state, ...free } as never;
    expect(() => client.prompt("hello", { params: free, previousRun })).not.toThrow();
    expect(() => client.conversation({ from: previousRun })).not.toThrow();
    void client.close({ force: true });
  });

  test("in headers, and in a client's tools", () => {
    const tools = { timeut: () => [] };
    const client = new CodebuffClient({ url: "ws://127.0.0.1:9", tools, headers: { timeut: "1" } });
    void client.close({ force: true });
  });
});

/** The events of a client besides the shared ones. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  CodebuffClient: [
    "initResponse",
    "usage",
    "reconnectRequested",
    "toolCall",
    "actionError",
    "late",
    "orphan",
    "unknownAction",
    "unknownMessage",
  ],
  CodeyClient: ["sessionStarted", "late", "stray", "serverError", "unknownMessage"],
  CassClient: [
    "authenticated",
    "title",
    "system",
    "audio",
    "recovering",
    "serverError",
    "stray",
    "unknownMessage",
  ],
  CodebuffCli: ["spawned", "stderr"],
  AcpClient: ["spawned", "session", "notification"],
  CodebuffRun: ["step", "compaction"],
};

const SHARED = [
  "status",
  "reconnecting",
  "reconnected",
  "disconnected",
  "protocolWarning",
  "turn",
  "event",
  "approval",
  "question",
  "settled",
  "message",
  "frame",
];

const OF_A_TURN = ["event", "toolCall", "status", "approval", "question", "end"];

interface Emits {
  readonly on: (name: never, listener: () => void) => () => void;
}

describe.each(makers)("the events of $name", ({ name: client, make }) => {
  const emitters: readonly {
    readonly of: string;
    readonly names: readonly string[];
    readonly made: () => Emits;
  }[] = [
    {
      of: "the client",
      names: [...SHARED, ...(OWN[client] ?? [])],
      made: () => {
        const made = make();
        finished.signal.addEventListener("abort", () => void made.close({ force: true }));
        return made;
      },
    },
    {
      of: "a turn",
      names: OF_A_TURN,
      made: () => {
        const made = make();
        finished.signal.addEventListener("abort", () => void made.close({ force: true }));
        return made.prompt("hello");
      },
    },
    {
      of: "a client that is closed",
      names: [...SHARED, ...(OWN[client] ?? [])],
      made: () => {
        const made = make();
        void made.close({ force: true });
        return made;
      },
    },
  ];

  test.each(emitters)("each event of $of accepts a listener", ({ names, made }) => {
    const emitter = made();
    for (const name of names) expect(emitter.on(name as never, () => {})).toBeInstanceOf(Function);
  });

  test.each(emitters)(
    "a misspelt event of $of throws at once, and the error suggests the name",
    ({ names, made }) => {
      const emitter = made();
      for (const name of names)
        expect(refusalOf(() => emitter.on(misspelt(name) as never, () => {}))).toMatchObject({
          code: "invalid-input",
          message: expect.stringContaining(`event \`${misspelt(name)}\` does not exist`),
          hint: `Did you mean \`${name}\`?`,
        });
    },
  );

  test.each(emitters)("an unknown event of $of throws, and the error lists the events", ({ names, made }) => {
    const emitter = made();
    for (const name of [
      "qqqqqqqqqqqq",
      "constructor",
      "__proto__",
      "",
      5,
      undefined,
      null,
      {},
      Symbol("status"),
    ]) {
      const { hint } = refusalOf(() => emitter.on(name as never, () => {}));
      expect(hint, String(name)).toBe(`These exist: ${names.join(", ")}.`);
    }
  });
});

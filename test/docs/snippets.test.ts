import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodebuffClient } from "agentwire/codebuff";
import { codeyStep, codeyTool, MockCodebuffServer, MockCodeyServer, step } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { approvals, content, handlers } from "../../docs/snippets/codebuff.ts";
import { conversation, errors } from "../../docs/snippets/readme.ts";
import {
  agent,
  codeyDecision,
  fakeCli,
  manualClock,
  record,
  replay,
  script,
} from "../../docs/snippets/testing.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { kinds, RawCodey } from "../testing/mock-codey-raw-client.ts";

const output = capturedOutput();

/** A client of `server` that is closed when the test leaves. */
function clientOf(server: MockCodebuffServer) {
  const client = new CodebuffClient({ url: server.url });
  return { client, [Symbol.asyncDispose]: () => client.close({ force: true }) };
}

describe("the programs of README.md, docs/start.md and docs/turns.md", () => {
  test("the first program prints the answer and closes its chat", async () => {
    await import("../../docs/snippets/first-program.ts");
    await vi.waitFor(() => expect(output.logged).toEqual([["You said: Hello!"]]));
  });

  test("the first stream prints the answer", async () => {
    await import("../../docs/snippets/start-first.ts");
    expect(output.streamed).toBe("You said: Hello!");
  });

  test("the program for a real server streams an answer and prints the id of its prompt", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["Five", " syllables here."] });
    vi.stubEnv("AGENTWIRE_URL", server.url);

    await import("../../docs/snippets/first-server.ts");

    expect(output.streamed).toBe("Five syllables here.");
    expect(output.logged).toEqual([[`\n(prompt ${server.prompts[0]?.data.promptId} is complete)`]]);
    expect(server.connections.map(({ closed }) => closed?.by)).toEqual(["client"]);
  });

  test("the conversation remembers, and continues from its saved state", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["You are Ada."] });
    await using user = clientOf(server);

    const resumed = await conversation(user.client);

    expect(output.streamed).toBe("You are Ada.");
    expect(resumed.messages.map((message) => message.content)).toEqual([
      "My name is Ada.",
      "You are Ada.",
      "What is my name?",
      "You are Ada.",
    ]);
  });

  test("the error program asks the user where the request may have been done", async () => {
    await using server = await MockCodebuffServer.start({
      answer: ({ connection }) => {
        connection.drop();
        return [];
      },
    });
    await using user = clientOf(server);

    const [retry, askUser] = [vi.fn(), vi.fn()];
    await errors(user.client, retry, askUser);

    expect(output.logged).toEqual([
      [expect.stringMatching(/^the connection ended \(.*\) with the request under way; /)],
    ]);
    expect(askUser).toHaveBeenCalledOnce();
    expect(retry).not.toHaveBeenCalled();
  });

  test("the error program tries again what was not sent", async () => {
    await using client = new CodebuffClient({ url: "ws://127.0.0.1:1/ws" });
    const [retry, askUser] = [vi.fn(), vi.fn()];
    await errors(client, retry, askUser);
    expect(retry.mock.calls).toEqual([["Hello"]]);
    expect(askUser).not.toHaveBeenCalled();
  });
});

describe("the programs of docs/codebuff.md", () => {
  test("the content of a prompt arrives beside its text", async () => {
    await using server = await MockCodebuffServer.start();
    await using user = clientOf(server);

    content(user.client, new Uint8Array([1, 2, 3]), "it broke");

    const prompt = await server.waitFor(({ prompts }) => prompts[0]);
    const sent = JSON.stringify(prompt.messages);
    for (const part of ["What is wrong in this screenshot?", "AQID", "error.log", "it broke"]) {
      expect(sent).toContain(part);
    }
  });

  test("the handlers run what the script of docs/testing.md requests", async () => {
    await using server = await script();
    const client = handlers(server.url, "a-token", {
      weather: async (city) => ({ city, sky: "clear" }),
      mayRead: (path) => path === "package.json",
      readText: async () => "{}",
      listTools: async () => [],
      callTool: async () => [],
    });
    await using _closing = { [Symbol.asyncDispose]: () => client.close({ force: true }) };

    const { text, cost } = await client.prompt("What is the weather like?").result;

    const output = '{"type":"json","value":{"city":"Oslo","sky":"clear"}}';
    expect(text).toBe(`I read 2 characters, and the tool said ${output}.`);
    expect(cost).toEqual({ amount: 3, unit: "credits" });
    expect(server.violations).toEqual([]);
  });
});

describe("the approvals of docs/codebuff.md", () => {
  const question = (text: string) => ({ question: text, options: [{ label: "yes" }, { label: "no" }] });
  const machine = {
    tools: {
      "*": ({ name }: { readonly name: string }) => [{ type: "json", value: `ran ${name}` } as const],
    },
    onReadFiles: () => ({ "a.txt": "text" }),
  };
  const start = () =>
    MockCodebuffServer.start({
      profile: "codebuff",
      *answer() {
        const files = yield* step.readFiles(["a.txt"]);
        yield JSON.stringify(files);
        for (const [toolName, path] of [
          ["write_file", ".env"],
          ["write_file", "a.txt"],
          ["browse", ""],
        ] as const) {
          yield JSON.stringify(yield* step.toolCall({ toolName, input: { path } }));
        }
        const questions = [question("Now?"), question("Later?")];
        yield JSON.stringify(yield* step.toolCall({ toolName: "ask_user", input: { questions } }));
      },
    });

  test("come from rules, dialogs and the user's own words", async () => {
    await using server = await start();
    const confirmed: string[] = [];
    const client = approvals(server.url, "a-token", machine, {
      confirm: async (text) => confirmed.push(text) === 1,
      choose: async (labels, text) => (text === "Now?" ? (labels[1] ?? "") : "in a while"),
    });
    await using _closing = { [Symbol.asyncDispose]: () => client.close({ force: true }) };

    const { text } = await client.prompt("go").result;

    expect(confirmed).toEqual([
      'Let the agent call write_file with {"path":"a.txt"}?',
      'Let the agent call browse with {"path":""}?',
    ]);
    expect(text).toBe(
      '{"a.txt":"text"}' +
        '[{"type":"json","value":{"errorMessage":"denied by `toolPolicy`"}}]' +
        '[{"type":"json","value":"ran write_file"}]' +
        '[{"type":"json","value":{"errorMessage":"denied by the user: not like this"}}]' +
        '[{"type":"json","value":{"answers":[{"questionIndex":0,"selectedOption":"no"},' +
        '{"questionIndex":1,"otherText":"in a while"}]}}]',
    );
  });
});

describe("the programs of docs/testing.md", () => {
  test("the server on a port answers and reports no violation", async () => {
    await import("../../docs/snippets/testing-server.ts");
    expect(output.logged).toEqual([["Hello you said hello"], [1, []]]);
  });

  test("the mock behind msw answers the app that opens the global WebSocket", async () => {
    const { client, mock, network } = await import("../../docs/snippets/testing-msw.ts");
    try {
      expect((await client.prompt("hello").result).text).toBe("Hello");
      expect(mock.violations).toEqual([]);
    } finally {
      await client.close();
      network.close();
      await mock.stop();
    }
  });

  test("the agent without a wire asks for an approval and accepts a denial", async () => {
    await agent();

    expect(output.logged).toEqual([["You want to tidy up. As you like."], ["too risky"]]);
  });

  test("the fake CLI prints its events and reports how it was started", async () => {
    await fakeCli();

    expect(output.logged).toEqual([
      ['{"type":"start","messageHistoryLength":0}'],
      ['{"type":"text","text":"Hello"}'],
      ['{"type":"finish","totalCost":3}'],
      [["--stream-json", "--", "say hello"], "say hello", 0],
    ]);
  });

  test("the Codey mock asks before it runs a tool, and reports the decision", async () => {
    await using server = await MockCodeyServer.start({
      *answer() {
        yield codeyStep.calls(codeyTool.shell("ls", "a.txt\n"));
      },
    });
    using client = await RawCodey.connected(server);
    client.send("what is here?");
    const asked = await client.until("ToolAwaitingApproval");
    const deciding = codeyDecision(server);
    client.decide("toolu_1", true);
    await client.closed;
    using again = await RawCodey.open(server);
    await deciding;
    expect(kinds(asked)).toEqual(["ToolRequest", "A toolu_1"]);
    expect(output.logged).toEqual([
      ["toolu_1", true],
      [[], { live: 1, leaked: expect.any(Number) }],
    ]);
    expect(kinds([await again.next()])).toEqual(["Connected"]);
  });

  test("the manual clock ends a silent turn by its time limit", async () => {
    await manualClock();
    expect(output.logged).toMatchObject([
      [{ status: "failed", error: { code: "turn-timeout", kind: "idle" }, partial: { text: "one" } }],
    ]);
  });

  test("a recording is replayed without the server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "agentwire-"));
    const before = process.cwd();
    process.chdir(folder); // the snippets name a file where they run
    try {
      {
        await using server = await MockCodebuffServer.start({ answer: () => ["Once ", "and again."] });
        await record(server.url);
      }
      await replay();
    } finally {
      process.chdir(before);
      await rm(folder, { recursive: true, force: true });
    }
    expect(output.logged).toEqual([["Once and again."]]);
  });
});

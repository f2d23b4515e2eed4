import { CodeyClient, type CodeyClientOptions, type ToolCall } from "agentwire/codey";
import { codeyStep, codeyTool, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import * as page from "../../docs/snippets/codey.ts";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();

/** The real server but for this: it answers a Close, so that nobody waits for it. */
const started = (options: MockCodeyOptions = {}): Promise<MockCodeyServer> =>
  MockCodeyServer.start({ closeReply: true, ...options });

/** Closes a client when the test leaves. */
function closing(client: CodeyClient) {
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

const clientOf = (server: MockCodeyServer, options: Partial<CodeyClientOptions> = {}) =>
  closing(new CodeyClient({ url: server.url, ...options }));

const looks = (): MockCodeyOptions => ({
  answer: () => ["Look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "Seen."],
});

test("the first program of docs/codey.md allows only reading, and prints the usage", async () => {
  await using server = await started({
    answer: () => [
      "Let me see. ",
      codeyStep.calls(codeyTool.readFile("a.txt", "alpha"), codeyTool.shell("rm a.txt", "")),
      "An alpha.",
    ],
  });
  vi.stubEnv("CODEY_URL", server.url);
  await import("../../docs/snippets/codey-first.ts");
  expect(output.streamed).toBe("Let me see. An alpha.");
  expect(output.logged).toEqual([["\n(mcp_read_file)"], ["\n(2 rounds, 2 calls, 20 tokens)"]]);
  expect(server.decisions.map(({ approved }) => approved)).toEqual([true, false]);
  expect(server.violations).toEqual([]);
});

test("rules decide the calls that they name, by the whole input, and the user decides the rest", async () => {
  await using server = await started({
    answer: () => [
      codeyStep.calls(
        codeyTool.readFile("src/a.ts", "a"),
        codeyTool.readFile("/etc/passwd", "root"),
        codeyTool.shell("ls", "a"),
        codeyTool.shell("ls", "a", { params: { command: "ls", working_dir: "/etc" } }),
        { name: "mcp_web_search", params: { query: "a" } },
      ),
    ],
  });
  const asked: ToolCall[] = [];
  const client = page.policy(server.url, {
    confirm: async (call) => {
      asked.push(call);
      return asked.length > 1;
    },
    isProjectFile: (input) => JSON.stringify(input).includes('"src/'),
  });
  await using _closing = closing(client);
  const { toolCalls } = await client.prompt("look").result;
  expect(toolCalls.map(({ state, reason }) => [state, reason])).toEqual([
    ["done", undefined],
    ["denied", "not now"],
    ["done", undefined],
    ["done", undefined],
    ["denied", "denied by `toolPolicy`"],
  ]);
  expect(asked.map(({ input }) => input)).toEqual([
    { path: "/etc/passwd" },
    { command: "ls", working_dir: "/etc" },
  ]);
});

test("a dialog decides by hand, and a late click has no effect", async () => {
  await using server = await started(looks());
  const shown: string[] = [];
  const hidden: string[] = [];
  let onShown = (): void => {};
  const isShown = new Promise<void>((resolve) => {
    onShown = resolve;
  });
  const { client, onClick } = page.manual(server.url, {
    show: ({ id }) => {
      shown.push(id);
      onShown();
    },
    hide: (id) => hidden.push(id),
  });
  await using _closing = closing(client);
  const turn = client.prompt("look");
  await isShown;
  await turn.cancel();
  onClick("toolu_1");
  expect([shown, hidden, output.logged]).toEqual([["toolu_1"], ["toolu_1"], [["decided by: cancelled"]]]);
  expect(server.decisions).toMatchObject([{ approved: false }]);
});

test("a cancelled turn's leftovers are reported, and the next turn is complete", async () => {
  await using server = await started({
    answer: ({ number }) => (number === 1 ? [codeyStep.hang()] : ["As you like."]),
  });
  await using user = clientOf(server);
  await user.client.connect();
  await page.cancelling(user.client);
  expect(output.logged).toEqual([[0, 0, undefined]]);
  expect(server.violations).toEqual([]);
});

test("a client that reconnects reports that the server has forgotten the conversation", async () => {
  let sessions = 0;
  await using server = await started({ sessionId: () => `session ${++sessions}` });
  await using user = closing(page.reconnecting(server.url));
  const reconnected = new Promise<void>((resolve) => user.client.on("reconnected", resolve));
  await user.client.connect();
  server.dropAll();
  await reconnected;
  expect(output.logged).toEqual([["session 1"], ["session 2 knows nothing of what was said"]]);
});

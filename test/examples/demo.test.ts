import { MockCodebuffServer } from "agentwire/testing";
import { expect, test } from "vitest";
import { demo } from "../../examples/demo.ts";

/** Runs the demo with these arguments; what it printed and how it ended. */
async function run(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const code = await demo(args, {
    pace: 0,
    write: (piece) => {
      text += piece;
    },
  });
  return { code, text };
}

test("the demo on the mock shows every feature and prints a summary", async () => {
  const { code, text } = await run();
  expect(code).toBe(0);
  expect(text).toContain("word by word, as you see it here.");
  expect(text).toContain("I know what I said before");
  expect(text).toMatch(
    /forgotten it until\n\s+the connection ended \(code 1006\) with the request under way; .*\n\s+code: "connection-lost", delivery: "unknown", partial text: 87 characters/,
  );
  expect(text).toMatch(/connection-lost; attempt 1 to connect again after \d+ ms/);
  expect(text).toContain("ready again by itself");
  expect(text).toContain("Nobody lost a word");
  expect(text).toMatch(/may I run: ls build\nyou {4}yes\n\s+it ran, and found: old\.js\nagent/);
  expect(text).toMatch(/may I run: rm -rf build\nyou {4}no\nagent {2}As you like: nothing was deleted\.\n/);
  expect(text).toContain("2 tool calls: 1 approved, 1 denied");
  expect(text).toContain("logged in, and the server takes us for who we are\nyou    Good morning!");
  expect(text).toMatch(
    /uses recall_journal\nagent {2}\*wave\* Good morning! You wanted .*, \*happy\* and to call/,
  );
  expect(text).toContain('the conversation is called "Plans for today" now\nyou    And what comes first?');
  expect(text).toMatch(
    /the link broke before the answer came\nagent {2}The plants: .*\n\s+found again in what the/,
  );
  expect(text).toContain("2 prompts to Cass, 1 reply found again; 2 gestures");
  expect(text).toMatch(
    /uses run_terminal_command\nagent {2}Two of them sleep .*\n\s+3 credits; the next prompt/,
  );
  expect(text).toMatch(
    /rewrite them all\.\nagent {2}As you like\. First I delete \.\.\.\n\s+cancelled: the program .* are gone, 2 processes/,
  );
  expect(text).toContain("2 runs of a program, 1 gone on with, 2 processes ended by a cancel");
  expect(text).toMatch(
    /may I run: rm -rf build\nyou {4}no\nagent {2}As you like: nothing was deleted\.\n\s+its mode is `default`/,
  );
  expect(text).toContain("2 prompts to an ACP agent, 2 permissions asked; 1 process, which is gone");
  expect(text).toMatch(
    /I search\. \n\s+uses find_file\nagent {2}There is one\. \n\s+uses spawn_agents\n\s+Reader joins\nagent {2}Yes, but/,
  );
  expect(text).toContain("For parser.test.ts, as I said.");
  expect(text).toContain("2 prompts of an agent in this process: 3 runs with its sub-agent, 10 credits");
  expect(text).toMatch(
    /you {4}Mend the greeting\.\nagent {2}A letter is missing\. \n {4}\| @@ .*\n {4}\| -Hello, wrld!\n {4}\| \+Hello, world!\n\s+may I/,
  );
  expect(text).toMatch(/yes\nagent {2}It is mended\.\n\s+taken back: greeting\.txt, which is as it was\n/);
  expect(text).toContain("1 change of a file, shown before it happened; 1 taken back");
  for (const name of ["codebuff", "codey", "cass", "codebuff-cli", "codebuff-run", "acp"])
    expect(text).toMatch(new RegExp(`createChat\\(${name}\\(\\.\\.\\.\\)\\)\\nyou {4}Hello\\n`));
  expect(text).toContain("6 answers on 6 backends, by one chat");
  expect(text).toContain("3 answers completed, 1 broken off");
  expect(text).toContain("the server saw 4 prompts, each once");
});

test("the demo has no escape codes in a pipe", async () => {
  const { text } = await run("--help");
  expect(text).not.toContain("\u001b");
});

test("the demo on a given server sends two prompts, cuts no link and closes its connection", async () => {
  await using server = await MockCodebuffServer.start();
  const { code, text } = await run("--url", server.url, "--model", "openai:gpt-4");
  expect(code).toBe(0);
  expect(text).toContain("no link is cut there");
  expect(text).not.toContain("may I run");
  expect(text).not.toContain("Cass");
  expect(text).not.toContain("Codebuff CLI");
  expect(text).not.toContain("in this process, with");
  expect(text).not.toContain("Mend");
  expect(text).not.toContain("createChat");
  expect(server.prompts.map(({ data }) => data.model)).toEqual(["openai:gpt-4", "openai:gpt-4"]);
  expect(server.prompts[1]?.messages).toHaveLength(3);
  expect(server.violations).toEqual([]);
  expect(server.connections.map(({ closed }) => closed?.by)).toEqual(["client"]);
});

test("the demo fails with a message if the server cannot be reached", async () => {
  const server = await MockCodebuffServer.start();
  await server.stop();
  const { code, text } = await run("--url", server.url);
  expect(code).toBe(1);
  expect(text).toContain(`cannot connect to ${server.url}`);
  expect(text).toContain("is the server running?");
  expect(text).not.toContain("continues the conversation");
});

test.each([
  [["--nope"], "Unknown option '--nope'"],
  [["--url", "http://127.0.0.1:1/ws"], "Use ws://."],
  [["--url", "nonsense"], "the URL cannot be read"],
])(
  "the demo with the invalid arguments %j exits with 2, and names the mistake and --help",
  async (args, complaint) => {
    const { code, text } = await run(...args);
    expect(code).toBe(2);
    expect(text).toContain(complaint);
    expect(text).toContain("--help");
  },
);

test("the demo's --help lists every option", async () => {
  const { code, text } = await run("--help");
  expect(code).toBe(0);
  for (const option of ["--url", "--model", "--help"]) expect(text).toContain(option);
});

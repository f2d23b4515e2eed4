import { describe, expect, test } from "vitest";
import { backendNamed } from "../../examples/support/backends.ts";
import { BIDI, SEQUENCES } from "../tui/support/hostile.ts";
import { terminalStringsIn } from "../tui/support/output.ts";
import { script } from "../tui/support/scripts.ts";
import { closeLater, open, openOver } from "./open-chat.tsx";
import type { TestTerminal } from "./terminal.ts";

/** No turn runs. */
const over = (terminal: TestTerminal): Promise<void> =>
  terminal.until(() => !/working \d/.test(terminal.screen));

async function says(terminal: TestTerminal, prompt: string, answer: RegExp): Promise<void> {
  terminal.type(`${prompt}\r`);
  await terminal.until(() => answer.test(terminal.everything));
}

describe("keys", () => {
  test("that come all at once are all taken: text, Enter, and the text of the next prompt", async () => {
    const { terminal } = await open(script);
    await says(terminal, "one\rtwo", /characters: one[\s\S]*characters: two/);
  });

  test("of the arrows go round the choices of an approval, and Esc leaves the reason", async () => {
    const { terminal } = await open(script);
    terminal.type("tool ls\r");
    await terminal.sees(/>n reject/);
    terminal.type("\u001b[C\r");
    await terminal.sees(/The reason, then Enter/);
    terminal.type("\u001b");
    await terminal.sees(/>r reject with a reason/);
    for (const choice of [/>e every call/, />y once/]) {
      terminal.type("\u001b[C");
      await terminal.sees(choice);
    }
    terminal.type("\r");
    await terminal.sees(/\| a\.txt[\s\S]*The tool is done\./);
  });

  test("Ctrl-T shows reasoning from then on, and Ctrl-O the whole output of a tool", async () => {
    const { terminal } = await open(script, { rows: 60 });
    await says(terminal, "reason", /\+ Thought.*\n\nThought over\./);
    await over(terminal);
    terminal.type("\u0014");
    await terminal.sees(/reasoning is shown/);
    await says(
      terminal,
      "reason",
      /\+ Thought\n.*\| first thought\n.*\| second thought\n.*\| third thought\n\nThought/,
    );
    await says(
      terminal,
      "output 500",
      /\| output 1\n.*\| output 2\n[\s\S]*\.\.\. 49\d more lines[\s\S]*long\./,
    );
    await over(terminal);
    expect(terminal.everything).not.toContain("| output 500");
    terminal.type("\u000f");
    await terminal.until(() => /output 500\n/.test(terminal.everything));
  });
});

test("/retry sends a failed prompt again", async () => {
  const { terminal } = await open(script);
  await says(terminal, "fail", /the model is overloaded[\s\S]*check before[\s\S]*\/retry sends it again/);
  await over(terminal);
  terminal.type("/retry\r");
  await terminal.until(() => terminal.everything.split("the model is overloaded").length === 3);
  expect(terminal.everything.match(/^> fail$/gm)).toHaveLength(2);
});

test("Esc cancels at each point, without a turn does no harm, and the next prompt is answered", async () => {
  const { terminal } = await open(script, { rows: 40 });
  terminal.type("\u001b");
  let cancelled = 0;
  for (const [prompt, shows] of [
    ["nothing", /working/],
    ["think", /I think about it\./],
    ["begin", /I begin\./],
    ["running", /shell runs/],
    ["tool ls", /wants to use shell/],
  ] as const) {
    terminal.type(`${prompt}\r`);
    await terminal.sees(shows);
    terminal.type("\u001b");
    cancelled++;
    await terminal.until(() => terminal.everything.match(/^cancelled; \/retry/gm)?.length === cancelled);
    await over(terminal);
  }
  await says(terminal, "hello", /You said 5 characters: hello/);
});

describe("the link", () => {
  test("that is cut ends the answer with what to do, and the next prompt goes over a new link", async () => {
    const { terminal } = await open(script, { reconnect: { delay: 0 } });
    await says(terminal, "lose", /Before the loss\.[\s\S]*x [\s\S]*\/retry sends it again/);
    await says(terminal, "hello", /You said 5 characters: hello/);
    await terminal.sees(/^connected/m);
  });

  test("that is waited for does not hold up a prompt", async () => {
    const { terminal } = await open(script, { reconnect: { delay: 3_600_000 } });
    terminal.type("lose\r");
    await terminal.sees(/attempt 1 in \d+/);
    await says(terminal, "hello", /You said 5 characters: hello/);
    await terminal.until(() => !terminal.screen.includes("Reconnecting"));
  });

  test("that comes back with the answer goes on where it was", async () => {
    const { terminal } = await open(script, { reconnect: { delay: 0 } });
    await says(terminal, "recover", /Behind the loss\./);
    await over(terminal);
    expect(terminal.everything.match(/Before the loss\./g)).toHaveLength(1);
    expect(terminal.everything).not.toContain("/retry");
    expect(terminal.screen).not.toMatch(/Reconnecting|Recovering/);
  });

  test("that is closed for good is named, and the next prompt makes a new one", async () => {
    const { terminal } = await open(script);
    terminal.type("close\r");
    await terminal.sees(/Your next message connects again/);
    await says(terminal, "hello", /You said 5 characters: hello/);
    await terminal.until(() => !terminal.screen.includes("connects again"));
  });

  test("whose context is lost makes prompts wait until the user wants the transcript sent along", async () => {
    const { terminal } = await open(script);
    await says(terminal, "remember me", /characters: remember me/);
    terminal.type("forget\r");
    await terminal.sees(/The agent has forgotten this conversation\.[\s\S]*y yes/);
    terminal.type("y");
    await terminal.until(() => !terminal.screen.includes("y yes"));
    await says(terminal, "hello", /User: remember me[\s\S]*The user now writes/);
  });
});

test.each([
  ["with half a prompt typed", [["half", /> half/]]],
  [
    "in the reason of an approval",
    [
      ["tool ls\r", /n reject/],
      ["r", /The reason, then Enter/],
    ],
  ],
  ["in a question", [["choose\r", /> 1 main/]]],
  ["with a prompt that waits", [["begin\rthen this\r", /1 queued/]]],
  ["after the context was lost", [["forget\r", /has forgotten/]]],
] as const)("three Ctrl-C %s end the chat", async (_, steps) => {
  const { terminal, exits } = await open(script);
  for (const [keys, shows] of steps) {
    terminal.type(keys);
    await terminal.sees(shows);
  }
  terminal.type("\u0003\u0003\u0003");
  await terminal.until(() => exits.length > 0);
  expect(exits[0]).toBe("interrupted");
});

test("the first Ctrl-C cancels the running turn and queued prompts, and the chat continues", async () => {
  const { terminal, agent } = await open(script);
  terminal.type("begin\rthen this\r");
  await terminal.sees(/1 queued/);
  terminal.type("\u0003");
  await terminal.sees(/cancelled; Ctrl-C again leaves/);
  await over(terminal);
  await says(terminal, "hello", /You said 5 characters: hello/);
  expect(agent.prompts.map(({ text }) => text)).toEqual(["begin", "hello"]);
});

/** Nothing of the agent has reached the terminal but characters. */
function expectInert({ written }: TestTerminal): void {
  for (const [name, sequence] of Object.entries(SEQUENCES))
    expect(written.includes(sequence), name).toBe(false);
  expect(terminalStringsIn(written)).toEqual([]);
  for (const control of ["\u0007", "\b", "\u001bc"]) expect(written).not.toContain(control);
  for (const control of BIDI.match(/[\u2000-\u206f]/g) ?? []) expect(written).not.toContain(control);
}

describe("no control sequence of the agent reaches the terminal", () => {
  test.each([
    ["text in pieces", "hostile", undefined, /The end\./],
    ["reasoning", "hostilethought", undefined, /The end\./],
    ["a question", "hostilequestion", /2 plain/, /The end\./],
    ["the words of a failure", "hostilefailure", undefined, /^x /m],
    ["a tool, a status, a file, a sub-agent, data and an error", "hostiletool", /y once/, /The end\./],
  ] as const)("in %s", async (_, prompt, dialog, end) => {
    const { terminal } = await open(script);
    terminal.type(`${prompt}\r`);
    if (dialog) {
      await terminal.sees(dialog);
      const asked = terminal.everything.replace(/\n\s*\|? {0,3}/g, "");
      for (const shown of prompt === "hostiletool" ? ["\\u{1b}]0;owned", "\\u{202e}", "\\u{9b}31m"] : [])
        expect(asked).toContain(shown); // what the user judges hides nothing
      terminal.type(prompt === "hostiletool" ? "y" : "\r");
    }
    await terminal.until(() => end.test(terminal.everything));
    await over(terminal);
    expectInert(terminal);
  });
});

/** What a user sees and answers, with the mock of each backend of `examples/`. */
const CONVERSATIONS = {
  codebuff: [
    [/wants to use get_weather\n.*city: Oslo[\s\S]*y once/, "y"],
    [/Go out\?\n.*1 yes\n.*2 no/, "2\r"],
    [/Noted\.[\s\S]*3 credits/, ""],
  ],
  codey: [
    [/wants to use mcp_shell\n.*\$ find[\s\S]*y once/, "y"],
    [/160 total[\s\S]*Two pages, 160 lines\.[\s\S]*20 out/, ""],
  ],
  cass: [[/You said: hello\.[\s\S]*claude/, ""]],
  cli: [[/\+ Read [^\n]+ is done\n[\s\S]*nothing was\s+changed\.[\s\S]*3 credits/, ""]],
  mock: [
    [/wants to use shell\n.*\$ find[\s\S]*y once/, "n"],
    [/I looked at nothing\./, ""],
  ],
} as const;

test.each(Object.entries(CONVERSATIONS))(
  "%s: a prompt, what it asks for, and its answer",
  async (name, steps) => {
    const backend = await backendNamed(name, undefined);
    closeLater(() => backend.stop());
    const { terminal } = await openOver(backend.source);
    terminal.type("hello\r");
    for (const [shows, keys] of steps) {
      await terminal.until(() => shows.test(terminal.everything));
      terminal.type(keys);
    }
    expect(terminal.everything).not.toContain("<gesture");
  },
);

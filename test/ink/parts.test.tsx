import { render } from "ink";
import type { ReactElement } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import {
  Approval,
  Composer,
  plainTheme,
  Question,
  Resume,
  StatusLine,
  Transcript,
} from "../../src/ink/components/exports.ts";
import { useAgentChat } from "../../src/react/index.ts";
import { agentStep, MockAgent, type MockAgentScript } from "../../src/testing/index.ts";
import { clears, TestTerminal } from "./terminal.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An element on a terminal of its own. */
function shown(element: ReactElement, { columns = 80, rows = 24 } = {}) {
  const terminal = new TestTerminal(columns, rows);
  const { stdin, stdout } = terminal;
  const options = { stdin, stdout, interactive: true, exitOnCtrlC: false, patchConsole: false };
  const app = render(element, options);
  closers.push(() => app.unmount());
  return { terminal, app };
}

interface OwnProps {
  readonly chat: Chat;
  readonly onInterrupt: () => void;
}

/** A program of parts. */
function Own({ chat, onInterrupt }: OwnProps): ReactElement {
  const snapshot = useAgentChat(chat);
  const [asked] = snapshot.pending;
  const look = { theme: plainTheme };
  const keys = { onInterrupt, onEscape: () => chat.cancel() };
  const isForgotten = snapshot.connection.contextLost;
  return (
    <Transcript {...snapshot} {...look}>
      {asked?.type === "approval" && (
        <Approval
          key={asked.id}
          pending={asked}
          onDecide={(how) => chat.decide(asked.id, how)}
          {...keys}
          {...look}
        />
      )}
      {asked?.type === "question" && (
        <Question
          key={asked.id}
          pending={asked}
          onAnswer={(answer) => chat.answer(asked.id, answer)}
          {...look}
        />
      )}
      {isForgotten && !asked && <Resume onResume={(how) => chat.resume(how)} {...keys} {...look} />}
      <StatusLine {...snapshot} {...look} />
      <Composer
        onSubmit={(text) => chat.send(text).ok}
        isHidden={isForgotten || asked !== undefined}
        {...keys}
        {...look}
      />
    </Transcript>
  );
}

function open(script: MockAgentScript, size: { readonly columns?: number; readonly rows?: number } = {}) {
  const agent = new MockAgent({ script });
  const chat = createChat(agent);
  closers.push(() => chat.close());
  const onInterrupt = vi.fn();
  return { agent, chat, onInterrupt, ...shown(<Own chat={chat} onInterrupt={onInterrupt} />, size) };
}

describe("<Transcript>", () => {
  test.each([8, 24])("prints 500 lines once each and in order, on a terminal of %i rows", async (rows) => {
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`);
    const { terminal } = open([lines.map((line) => `${line}\n`)], { rows });
    terminal.type("go\r");
    const printed = () => terminal.everything.split("\n").filter((row) => row.startsWith("line"));
    await terminal.until(() => /\nconnected/.test(terminal.screen) && printed().length >= lines.length);
    expect(printed()).toEqual(lines);
    expect(clears(terminal.written)).toBe(0);
  });

  test("has a blank line between messages, and shows open parts below finished ones", async () => {
    const { terminal, agent } = open([[agentStep.reasoning("Hm."), "One.", agentStep.wait("gate"), " Two."]]);
    terminal.type("go\r");
    await terminal.sees(/^> go\n\n\+ Thought\n\nOne\.\n\n\* working/m);
    terminal.type("more\r");
    await terminal.sees(/One\.\n\n> more \(waits\)\n\* working .* - 1 queued/);
    agent.release("gate");
    await terminal.sees(/One\. Two\.\n(?:.* s\n)?\n> more\n\n/);
  });

  test("prints a call's input once before its dialog, if it is too tall for the dialog", async () => {
    const content = Array.from({ length: 50 }, (_, at) => `row ${at}`).join("\n");
    const { terminal, agent } = open(
      function* () {
        yield* agentStep.tool({ name: "write", input: { content }, approval: true });
        yield "Over.";
      },
      { rows: 12 },
    );
    terminal.type("go\r");
    await terminal.sees(
      /\? Allow write\? Its input is above\n t and a do not ask again for: exactly this input\n y once/,
    );
    for (let at = 0; at < 50; at++) expect(terminal.everything.split(`| > row ${at}\n`)).toHaveLength(2);
    terminal.type("y");
    await terminal.sees(/\+ write is done\n {2}\| \(its input is above\)\n\nOver\./);
    for (let at = 0; at < 50; at++) expect(terminal.everything.split(`| > row ${at}\n`)).toHaveLength(2);
    expect(agent.decisions).toMatchObject([{ decision: "once" }]);
    expect(clears(terminal.written)).toBe(0);
  });

  test("shows why a call was rejected", async () => {
    const { terminal } = open(function* () {
      yield* agentStep.tool({ name: "shell", input: { command: "ls" }, approval: true });
      yield "As you like.";
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    terminal.type("r");
    await terminal.sees(/The reason/);
    terminal.type("use git\r");
    await terminal.sees(
      /x shell was denied\n {2}\| \$ ls\n {2}\| Denied by the user: use git\n\nAs you like\./,
    );
  });

  test("shows the text of a new file once, in its approval and afterwards", async () => {
    const content = "first\nsecond\n";
    const diff = "@@ -0,0 +1,2 @@\n+first\n+second\n";
    const { terminal } = open(function* () {
      yield* agentStep.tool({
        name: "write_file",
        title: "Write a.txt",
        input: { path: "a.txt", content },
        preview: [{ path: "a.txt", diff, by: "tool" }],
        output: { file: "a.txt", message: "Created new file", unifiedDiff: content },
        approval: true,
      });
      yield "Over.";
    });
    terminal.type("go\r");
    await terminal.sees(/path: a\.txt\n.*content is the text that is added below\n[\s\S]*y once/);
    expect(terminal.screen.split("second")).toHaveLength(2);
    terminal.type("y");
    await terminal.sees(/\+ Write a\.txt is done\n[\s\S]*Over\./);
    expect(terminal.everything.split("second")).toHaveLength(2);
  });

  test("prints a question's text above its dialog, if it is too tall for the dialog", async () => {
    const question = Array.from({ length: 30 }, (_, at) => `part ${at}`).join("\n");
    const { terminal } = open(
      function* () {
        const answers = yield* agentStep.question({ questions: [{ question, options: ["yes", "no"] }] });
        yield `It is ${JSON.stringify(answers ?? null)}.`;
      },
      { rows: 12 },
    );
    terminal.type("go\r");
    await terminal.sees(/\? The question is above\.\n> 1 yes\n {2}2 no\n/);
    for (let at = 0; at < 30; at++) expect(terminal.everything).toContain(`part ${at}\n`);
    terminal.type("2\r");
    await terminal.sees(/It is \[\["no"\]\]\./);
    expect(clears(terminal.written)).toBe(0);
  });
});

describe("<Resume>", () => {
  test.each([
    ["y", /User: one/],
    ["n", /^two$/],
  ])("after the key %s sends the queued prompt, with or without the transcript", async (key, sent) => {
    const { terminal, agent } = open([["One.", agentStep.wait("gate"), agentStep.forget()], ["Two."]]);
    terminal.type("one\r");
    await terminal.sees(/One\./);
    terminal.type("two\r");
    await terminal.sees(/> two \(waits\)/);
    agent.release("gate");
    await terminal.sees(/> two \(waits\)\n\? The agent has forgotten[\s\S]*y yes, n no/);
    terminal.type(key);
    await terminal.sees(/Two\./);
    expect(agent.prompts.at(-1)?.text).toMatch(sent);
  });

  test("ignores keys before its choices are shown, and after other text", async () => {
    const onResume = vi.fn();
    const { terminal } = shown(<Resume onResume={onResume} theme={plainTheme} />);
    terminal.type("y"); // in the tick of the first frame
    await terminal.sees(/y yes/);
    for (const key of "any") terminal.type(key);
    await terminal.sees(/\n\.\.\./);
    await terminal.sees(/y yes/);
    expect(onResume).not.toHaveBeenCalled();
    terminal.type("n");
    await vi.waitFor(() => expect(onResume.mock.calls).toEqual([["without-context"]]));
  });
});

describe("Ctrl-C and Esc", () => {
  test("Ctrl-C clears the composer, or goes to the app if it is empty; Esc goes to the app", async () => {
    const onInterrupt = vi.fn();
    const onEscape = vi.fn();
    const { terminal } = shown(
      <Composer onSubmit={() => {}} placeholder="Ask" theme={plainTheme} {...{ onInterrupt, onEscape }} />,
    );
    terminal.type("draft");
    await terminal.sees(/> draft/);
    terminal.type("\u0003");
    await terminal.sees(/> Ask/);
    expect(onInterrupt).not.toHaveBeenCalled();
    terminal.type("\u0003");
    await vi.waitFor(() => expect(onInterrupt).toHaveBeenCalledTimes(1));
    terminal.type("\u001b");
    await vi.waitFor(() => expect(onEscape).toHaveBeenCalledTimes(1));
  });

  test("go to the app from a dialog that does not use them", async () => {
    const { terminal, agent, onInterrupt } = open(function* () {
      yield* agentStep.tool({ name: "shell", input: { command: "ls" }, approval: true });
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    terminal.type("\u0003");
    await vi.waitFor(() => expect(onInterrupt).toHaveBeenCalledTimes(1));
    terminal.type("r");
    await terminal.sees(/The reason/);
    terminal.type("\u001b");
    await terminal.sees(/y once/);
    expect(agent.cancels).toEqual([]);
    terminal.type("\u001b");
    await terminal.sees(/cancelled/);
    expect(agent.cancels).toHaveLength(1);
  });
});

test("a hidden composer keeps its text", async () => {
  const composer = (isHidden: boolean) => (
    <Composer onSubmit={() => {}} isHidden={isHidden} theme={plainTheme} />
  );
  const { terminal, app } = shown(composer(false));
  terminal.type("draft");
  await terminal.sees(/> draft/);
  app.rerender(composer(true));
  await terminal.until(() => !terminal.screen.includes("draft"));
  app.rerender(composer(false));
  await terminal.sees(/> draft/);
});

import { setImmediate } from "node:timers/promises";
import { render } from "ink";
import type { ReactElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Approval, Question, Resume } from "../../src/ink/components/exports.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { TestTerminal } from "./terminal.ts";

/** ms; more than a slow machine needs. */
const PATIENCE = 30_000;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function mount(element: ReactElement) {
  const terminal = new TestTerminal();
  const { stdin, stdout } = terminal;
  const app = render(element, { stdin, stdout, interactive: true, patchConsole: false });
  closers.push(() => app.unmount());
  return { terminal, app };
}

const look = { theme: plainTheme, columns: 80 };
const request = { type: "approval", id: "a", tool: "shell", input: "ls" } as const;

test("the second of two Enters sent together does not answer the next question", async () => {
  const labels = [{ label: "no" }, { label: "yes" }];
  const questions = ["Delete it?", "Push it?"].map((question) => ({
    question,
    options: labels,
    multi_select: false,
  }));
  const answers: unknown[] = [];
  const pending = { type: "question", id: "q", questions } as const;
  const { terminal } = mount(
    <Question pending={pending} onAnswer={(answer) => answers.push(answer)} {...look} />,
  );
  await terminal.sees(/1 no/);
  terminal.type("\r\r");
  await terminal.sees(/Push it\?[\s\S]*1 no/);
  expect(answers).toEqual([]);
  terminal.type("\r\r");
  await vi.waitFor(() => expect(answers).toEqual([[["no"], ["no"]]]), PATIENCE);
});

test("an approval uses the first of two keys sent together", async () => {
  const decisions: unknown[] = [];
  const { terminal } = mount(
    <Approval pending={request} onDecide={(each) => decisions.push(each)} {...look} />,
  );
  await terminal.sees(/y once/);
  terminal.type("\r\r");
  await vi.waitFor(() => expect(decisions).toEqual(["reject"]), PATIENCE);
});

test("an approval that becomes active again ignores keys until its choices are shown", async () => {
  const decisions: unknown[] = [];
  const element = (isActive: boolean) => (
    <Approval pending={request} onDecide={(each) => decisions.push(each)} isActive={isActive} {...look} />
  );
  const { terminal, app } = mount(element(true));
  await terminal.sees(/y once/);
  app.rerender(element(false));
  app.rerender(element(true));
  await terminal.sees(/\.\.\./);
  terminal.type("y");
  await terminal.sees(/y once/);
  expect(decisions).toEqual([]);
});

test.each(["explain why", "yes", "every file?"])(
  "a word of letters decides no approval: %s",
  async (word) => {
    const decisions: unknown[] = [];
    const pending = { ...request, grant: "ls" };
    const { terminal } = mount(
      <Approval pending={pending} onDecide={(each) => decisions.push(each)} {...look} />,
    );
    await terminal.sees(/y once/);
    for (const letter of word) {
      terminal.type(letter);
      await setImmediate();
    }
    await terminal.sees(/\.\.\./);
    await terminal.sees(/>n reject/);
    expect(decisions).toEqual([]);
  },
);

test.each([
  ["y", "once"],
  ["y\r", "once"],
  ["a", "always"],
])("a letter alone, or with Enter, decides an approval: %j", async (keys, decision) => {
  const decisions: unknown[] = [];
  const pending = { ...request, grant: "ls" };
  const { terminal } = mount(
    <Approval pending={pending} onDecide={(each) => decisions.push(each)} {...look} />,
  );
  await terminal.sees(/y once/);
  terminal.type(keys);
  await vi.waitFor(() => expect(decisions).toEqual([decision]), PATIENCE);
});

test("Esc and Backspace take a letter back", async () => {
  const decisions: unknown[] = [];
  const onEscape = vi.fn();
  const { terminal } = mount(
    <Approval pending={request} onDecide={(each) => decisions.push(each)} onEscape={onEscape} {...look} />,
  );
  await terminal.sees(/y once/);
  terminal.type("y");
  await terminal.sees(/>y once/);
  terminal.type("\u007f");
  await terminal.sees(/>n reject/);
  terminal.type("y");
  await terminal.sees(/>y once/);
  terminal.type("\u001b");
  await terminal.sees(/>n reject/);
  expect(onEscape).not.toHaveBeenCalled();
  expect(decisions).toEqual([]);
});

test("a word of letters does not continue a forgotten conversation; a letter alone does", async () => {
  const chosen: unknown[] = [];
  const { terminal } = mount(<Resume onResume={(how) => chosen.push(how)} {...look} />);
  await terminal.sees(/y .*n /);
  for (const letter of "now") {
    terminal.type(letter);
    await setImmediate();
  }
  await terminal.sees(/\.\.\./);
  await terminal.sees(/y .*n /);
  expect(chosen).toEqual([]);
  terminal.type("n");
  await vi.waitFor(() => expect(chosen).toEqual(["without-context"]), PATIENCE);
});

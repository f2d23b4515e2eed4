import { afterEach, describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import type { SavedChat } from "../../src/chat/saving/saved.ts";
import type { Row } from "../../src/ink/rows/row.ts";
import { ChatScreen } from "../../src/ink/screen/chat-screen.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { terminalWords } from "../../src/screens/words-terminal.ts";
import { agentStep, ManualClock, MockAgent, type MockAgentScript } from "../../src/testing/index.ts";

/** A screen whose time the test moves. */
class Screen {
  readonly clock = new ManualClock();
  readonly agent: MockAgent;
  readonly chat: Chat;
  readonly #screen: ChatScreen;
  readonly #stop: () => void;
  readonly #blocks = new Map<number, readonly Row[]>();

  constructor(script: MockAgentScript, from?: SavedChat) {
    this.agent = new MockAgent({ script, reconnect: { delay: 60_000 } });
    this.chat = createChat(this.agent, from ? { from } : {});
    const { chat, clock } = this;
    const size = { columns: 80, rows: 24 };
    this.#screen = new ChatScreen({
      chat,
      clock,
      size,
      theme: plainTheme,
      placeholder: "",
      clipboard: () => {},
      words: terminalWords,
      onExit: () => {},
    });
    this.#screen.subscribe(() => {
      const frame = this.#screen.getFrame();
      for (const { id, rows } of frame.printed.blocks) this.#blocks.set(id, rows);
      this.#screen.shown(frame);
    });
    this.#stop = this.#screen.start();
  }

  /** The rows of the live region, after `ms`. */
  async after(ms: number): Promise<string> {
    await this.clock.advance(ms);
    const { rows } = this.#screen.getFrame();
    return rows.map((row) => row.map(({ text }) => text).join("")).join("\n");
  }

  /** All that was printed. */
  get printed(): string {
    return [...this.#blocks.values()]
      .flat()
      .map((row) => row.map(({ text }) => text).join(""))
      .join("\n");
  }

  press(...keys: readonly ("escape" | "enter" | { readonly text: string })[]): void {
    for (const key of keys)
      this.#screen.press(typeof key === "string" ? { type: "key", key } : { type: "text", text: key.text });
  }

  /** Resolves once `holds` is true: it is asked after each change of the chat. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.chat.subscribe(resolve));
  }

  async close(): Promise<void> {
    this.#stop();
    await this.chat.close();
  }
}

const open: Screen[] = [];
afterEach(async () => {
  for (const screen of open.splice(0)) await screen.close();
});

function screenOf(script: MockAgentScript): Screen {
  const screen = new Screen(script);
  open.push(screen);
  return screen;
}

/** Longer than a dialog waits before it takes keys. */
const PAUSE = 1_000;

describe("a question with several parts", () => {
  test("goes back one part if Esc is pressed twice quickly, without cancelling the answer", async () => {
    const screen = screenOf(function* () {
      const names = ["one", "two", "three"].map((question) => ({ question, options: [] }));
      yield* agentStep.question({ questions: names });
    });
    screen.press({ text: "go" }, "enter");
    await screen.until(() => screen.chat.getSnapshot().pending.length > 0);
    for (const name of ["one", "two"]) {
      expect(await screen.after(PAUSE)).toContain(`of 3) ${name}\n`);
      screen.press({ text: name }, "enter");
    }
    expect(await screen.after(PAUSE)).toContain("(3 of 3) three\n");
    screen.press("escape", "escape");
    expect(await screen.after(PAUSE)).toContain("(2 of 3) two\n> two\n");
    screen.press("escape");
    expect(await screen.after(PAUSE)).toContain("(1 of 3) one\n> one\n");
    expect(screen.agent.cancels).toEqual([]);
  });
});

describe("a queued prompt", () => {
  const losing: MockAgentScript = ({ text }) =>
    text === "go" ? ["Begun. ", agentStep.wait("loss"), agentStep.lose()] : ["Answered."];

  test("is shown and counted while the link is lost, without a working indicator", async () => {
    const screen = screenOf(losing);
    screen.press({ text: "go" }, "enter");
    await screen.until(() => screen.chat.getSnapshot().messages.at(-1)?.status === "open");
    screen.press({ text: "later" }, "enter");
    expect(await screen.after(PAUSE)).toMatch(
      /> later \(waits\)\n\* working \d s - connected - 1 queued\n> $/,
    );
    screen.agent.set({ refuseConnect: true });
    screen.agent.release("loss");
    await screen.until(() => screen.chat.getSnapshot().connection.retryAt !== undefined);
    await screen.until(() => screen.chat.getSnapshot().busy);
    const shown = await screen.after(PAUSE);
    expect(shown).toMatch(/> later \(waits\)\n! [^\n]* - attempt \d[^\n]*\nreconnecting - 1 queued\n> $/);
  });

  test("is shown above the question whether to send the transcript", async () => {
    const screen = screenOf([["Begun. ", agentStep.wait("loss"), agentStep.forget()], ["Answered."]]);
    screen.press({ text: "go" }, "enter");
    await screen.until(() => screen.chat.getSnapshot().messages.at(-1)?.status === "open");
    screen.press({ text: "later" }, "enter");
    screen.agent.release("loss");
    await screen.until(() => screen.chat.getSnapshot().connection.contextLost);
    const shown = await screen.after(PAUSE);
    expect(shown).toMatch(/> later \(waits\)\n\? The agent has forgotten/);
    expect(shown).toMatch(/conversation forgotten - 1 queued/);
  });

  test("takes one row, and only the next prompts are shown, with a count of the rest", async () => {
    const screen = screenOf([["Begun. ", agentStep.hang()]]);
    screen.press({ text: "go" }, "enter");
    await screen.until(() => screen.chat.getSnapshot().messages.at(-1)?.status === "open");
    for (const text of [`long ${"word ".repeat(50)}`, "two", "three", "four", "five"])
      screen.press({ text }, "enter");
    const rows = (await screen.after(PAUSE)).split("\n").slice(-6);
    expect(rows[0]).toMatch(/^> long word .*\.\.\. \(waits\)$/);
    expect(rows[0]).toHaveLength(80);
    expect(rows.slice(1, 4)).toEqual(["> two (waits)", "> three (waits)", "  2 more wait"]);
  });
});

test("the note about a cancelled answer disappears when the next answer streams", async () => {
  const screen = screenOf([
    ["First. ", agentStep.hang()],
    ["Second. ", agentStep.hang()],
  ]);
  screen.press({ text: "one" }, "enter");
  await screen.until(() => screen.chat.getSnapshot().messages.at(-1)?.status === "open");
  screen.press({ text: "two" }, "enter", "escape");
  await screen.until(() => {
    const { messages, queue } = screen.chat.getSnapshot();
    return queue.length === 0 && messages.at(-1)?.status === "open";
  });
  const shown = await screen.after(PAUSE);
  expect(shown).toContain("* working");
  expect(shown).not.toContain("cancelled");
});

describe("commands about earlier messages", () => {
  /** A screen over this chat's `saved`. */
  const command = async (screen: Screen, text: string): Promise<string> => {
    screen.press({ text });
    await screen.after(1_000); // a line feed right behind a text may be part of a paste
    screen.press("enter");
    return screen.after(0);
  };

  test("/send sends the queued prompts of a saved chat, and the status shows it until then", async () => {
    const first = createChat(new MockAgent());
    first.send("Hello");
    await new Promise<void>((resolve) => first.subscribe(() => first.getSnapshot().busy || resolve()));
    await first.close();
    const { saved } = first.getSnapshot();
    const held = { id: "kept", role: "user", status: "queued", startedAt: 0 } as const;
    const parts = [{ type: "text", id: "kept/text", text: "Kept", open: false }] as const;
    const from = { ...saved, messages: [...saved.messages, { ...held, parts }], queue: ["kept"] };
    const screen = new Screen(["Done."], from);
    open.push(screen);
    expect(await screen.after(0)).toContain("1 queued (/send)");
    expect(screen.agent.prompts).toHaveLength(0);
    expect(await command(screen, "/send")).not.toContain("/send");
    await screen.until(() => screen.agent.prompts.length === 1);
    expect(screen.agent.prompts[0]?.text).toBe("Kept");
    expect(await command(screen, "/send")).toContain("no prompt of an earlier chat waits");
  });

  test("/regenerate requests another answer in place of the last one", async () => {
    const screen = new Screen(["One.", "Two."]);
    open.push(screen);
    expect(await command(screen, "/regenerate")).toContain("there is nothing to ask again");
    await command(screen, "Hello");
    await screen.until(() => !screen.chat.getSnapshot().busy);
    await command(screen, "/regenerate");
    await screen.until(() => !screen.chat.getSnapshot().busy);
    const { messages } = screen.chat.getSnapshot();
    expect(messages.length).toBe(2);
    expect(messages.at(-1)?.branches).toMatchObject({ at: 2, of: 2 });
    await screen.after(1_000);
    expect(screen.printed).toMatch(/> Hello\n\nOne\.\n\nbranch 2 of 2[^\n]*\n\nTwo\.$/);
    await command(screen, "/branch 1.1");
    await screen.after(1_000);
    expect(screen.printed).toMatch(/\n\nTwo\.\n\nbranch 1 of 2[^\n]*\n\nOne\.$/);
  });
});

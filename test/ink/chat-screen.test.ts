import { afterEach, describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import { ChatScreen } from "../../src/ink/screen/chat-screen.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { agentStep, ManualClock, MockAgent, type MockAgentScript } from "../../src/testing/index.ts";

/** A screen whose time the test moves. */
class Screen {
  readonly clock = new ManualClock();
  readonly agent: MockAgent;
  readonly chat: Chat;
  readonly #screen: ChatScreen;
  readonly #stop: () => void;

  constructor(script: MockAgentScript) {
    this.agent = new MockAgent({ script });
    this.chat = createChat(this.agent);
    const { chat, clock } = this;
    const size = { columns: 80, rows: 24 };
    this.#screen = new ChatScreen({
      chat,
      clock,
      size,
      theme: plainTheme,
      placeholder: "",
      onExit: () => {},
    });
    this.#screen.subscribe(() => this.#screen.shown(this.#screen.getFrame()));
    this.#stop = this.#screen.start();
  }

  /** The rows of the live region, after `ms`. */
  async after(ms: number): Promise<string> {
    await this.clock.advance(ms);
    const { rows } = this.#screen.getFrame();
    return rows.map((row) => row.map(({ text }) => text).join("")).join("\n");
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
  test("that Esc is pressed twice in goes back once, and the answer is not cancelled", async () => {
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

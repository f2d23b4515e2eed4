import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import type { ChatSnapshot } from "../../src/chat/snapshot.ts";
import type { KeyName, Press } from "../../src/ink/press.ts";
import type { Row } from "../../src/ink/rows/row.ts";
import { ChatScreen } from "../../src/ink/screen/chat-screen.ts";
import type { CommandOptions, ExitReason } from "../../src/ink/screen/desk.ts";
import type { ChatHeader } from "../../src/ink/screen/header.ts";
import type { Size } from "../../src/ink/screen/layout.ts";
import type { RunCommand } from "../../src/ink/screen/local-commands.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { type TerminalWords, terminalWords } from "../../src/screens/words-terminal.ts";
import { ManualClock, MockAgent } from "../../src/testing/index.ts";
import { emptyList, type List, listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart } from "../../src/universal/transcript/message.ts";

export interface ClockedOptions {
  readonly size?: Size;
  readonly runCommand?: RunCommand;
  readonly header?: ChatHeader;
  readonly commands?: CommandOptions;
  readonly words?: Partial<TerminalWords>;
  /** The chat at the start. */
  readonly snapshot?: Partial<ChatSnapshot>;
  /** In place of functions of the chat. */
  readonly chat?: Partial<Chat>;
}

/** A screen whose chat and whose time a test sets. Each frame is on the screen at once. */
export class ClockedScreen {
  readonly exits: ExitReason[] = [];
  readonly decided: unknown[] = [];
  readonly cancels: unknown[] = [];
  readonly sent: unknown[] = [];
  readonly clipboard: string[] = [];
  /** The other calls of the chat: the name and what was passed. */
  readonly calls: (readonly unknown[])[] = [];
  readonly screen: ChatScreen;
  readonly #clock = new ManualClock();
  readonly #printed = new Map<number, readonly Row[]>();
  #snapshot: ChatSnapshot;
  #changed = (): void => {};

  constructor({
    size = { columns: 80, rows: 24 },
    runCommand,
    chat: own,
    snapshot,
    words,
    ...options
  }: ClockedOptions = {}) {
    const call =
      (name: string) =>
      (...passed: readonly unknown[]) => {
        this.calls.push([name, ...passed]);
        return { ok: true, id: "sent" } as const;
      };
    const later = (name: string) => async (id: string) => call(name)(id);
    const none = createChat(new MockAgent()).getSnapshot();
    const messages: List<ChatMessage> = emptyList();
    this.#snapshot = { ...none, messages, ...snapshot };
    const chat: Chat = Object.assign(Object.create(createChat(new MockAgent())), {
      getSnapshot: () => this.#snapshot,
      subscribe: (listener) => {
        this.#changed = listener;
        return () => {};
      },
      send: (input) => {
        this.sent.push(input);
        return { ok: true, id: "sent" };
      },
      cancel: (what) => {
        this.cancels.push(what);
        return { ok: true };
      },
      decide: (id, decision) => {
        this.decided.push([id, decision]);
        return { ok: true };
      },
      edit: call("edit"),
      regenerate: call("regenerate"),
      selectBranch: call("selectBranch"),
      unqueue: call("unqueue"),
      editQueued: call("editQueued"),
      moveQueued: call("moveQueued"),
      sendNow: call("sendNow"),
      setMode: later("setMode"),
      setModel: later("setModel"),
      ...own,
    } satisfies Partial<Chat>);
    const onExit = (how: ExitReason): void => void this.exits.push(how);
    const commands = runCommand ? { runCommand } : {};
    const clock = this.#clock;
    this.screen = new ChatScreen({
      chat,
      theme: plainTheme,
      clock,
      size,
      placeholder: "",
      clipboard: (text) => void this.clipboard.push(text),
      words: { ...terminalWords, ...words },
      onExit,
      ...commands,
      ...options,
    });
    this.screen.subscribe(() => {
      const frame = this.screen.getFrame();
      for (const { id, rows } of frame.printed.blocks) this.#printed.set(id, rows);
      this.screen.shown(frame);
    });
    this.screen.start();
  }

  /** Changes the chat. */
  set(change: Partial<ChatSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    this.#changed();
  }

  /** An answer under way has these parts. */
  says(parts: readonly ChatPart[]): void {
    this.saysList(listOf(parts));
  }

  saysList(parts: List<ChatPart>): void {
    const message: ChatMessage = { id: "m", role: "assistant", status: "open", startedAt: 0, parts };
    this.set({ messages: listOf([message]), busy: true });
  }

  /** The live region, after `ms`. */
  async after(ms: number): Promise<string> {
    await this.#clock.advance(ms);
    return textOf(this.screen.getFrame().rows);
  }

  /** All that was printed. */
  get printed(): string {
    return textOf([...this.#printed.values()].flat());
  }

  type(text: string): void {
    this.screen.press({ type: "text", text });
  }

  /** Types a line and sends it. */
  async enters(text: string): Promise<string> {
    this.type(text);
    this.press("enter");
    return this.after(1_000);
  }

  press(...keys: readonly KeyName[]): void {
    for (const key of keys) this.screen.press({ type: "key", key } satisfies Press);
  }
}

function textOf(rows: readonly Row[]): string {
  return rows.map((row) => row.map(({ text }) => text).join("")).join("\n");
}

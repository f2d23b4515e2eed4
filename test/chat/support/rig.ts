import { ManualClock } from "agentwire/testing";
import type { Chat } from "../../../src/chat/chat.ts";
import { createChat } from "../../../src/chat/create-chat.ts";
import type { ChatOptions } from "../../../src/chat/options.ts";
import type { ChatSnapshot } from "../../../src/chat/snapshot.ts";
import { settle } from "../../../src/testing/settle.ts";
import type { ChatMessage } from "../../../src/universal/transcript/message.ts";
import { type FakeOptions, FakeSource } from "../../helpers/fake-source.ts";

/** A chat over a fake backend, with ids that count: `m1`, `m2`, ... */
export class Rig {
  readonly clock = new ManualClock({ epoch: 1_770_714_000_000 });
  readonly source: FakeSource;
  readonly chat: Chat;
  readonly thrown: unknown[] = [];

  constructor(options: ChatOptions = {}, source: FakeSource | FakeOptions = {}) {
    this.source = source instanceof FakeSource ? source : new FakeSource(source);
    let ids = 0;
    this.chat = createChat(this.source, {
      clock: this.clock,
      newId: () => `m${++ids}`,
      onListenerError: (error) => this.thrown.push(error),
      ...options,
    });
  }

  get now(): ChatSnapshot {
    return this.chat.getSnapshot();
  }

  /** The messages in short: `user sent: Hello`. */
  get lines(): readonly string[] {
    return this.now.messages.map(lineOf);
  }

  /** The messages of the user in short. */
  get prompts(): readonly string[] {
    return this.lines.filter((line) => line.startsWith("user "));
  }

  /** Lets everything run that is under way. */
  settle(): Promise<void> {
    return settle();
  }

  /** Sends a prompt, and lets the backend answer it. */
  async talk(prompt: string, answer: string): Promise<void> {
    this.chat.send(prompt);
    this.source.turn.says(answer);
    this.source.turn.completes();
    await settle();
  }
}

export function lineOf(message: ChatMessage): string {
  return `${message.role} ${message.status}: ${textOf(message)}`;
}

export function textOf({ parts }: ChatMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("");
}

/** The value as it is after it was kept as JSON. */
export const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

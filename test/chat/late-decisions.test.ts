import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import type { ChatSnapshot } from "../../src/chat/snapshot.ts";
import type { AnyAgentClient } from "../../src/core/client/any-client.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { ANSWER, type AskingWorld, WORLDS } from "./support/asking-worlds.ts";

type Act = "ask" | "question" | "allow" | "deny" | "cancel" | "lose" | "takeover";

const acts = fc.array(
  fc.constantFrom<Act>("ask", "ask", "question", "allow", "deny", "cancel", "lose", "takeover"),
  { minLength: 4, maxLength: 10 },
);

/** The moments of a client, besides those of its chat. */
const MOMENTS = ["status", "turn", "approval", "question", "settled", "disconnected", "frame"] as const;

/** A chat whose dialogs never close: each decides again and again, at every moment that can be heard. */
class Dialogs {
  readonly #world: AskingWorld;
  readonly #asked = new Set<string>();
  readonly #mistakes: unknown[] = [];
  #open: ReadonlySet<string> = new Set();
  readonly #expected: string[] = [];
  #chat: Chat;

  constructor(world: AskingWorld) {
    this.#world = world;
    this.#chat = this.#make();
  }

  async run(story: readonly Act[]): Promise<void> {
    for (const act of story) {
      await this.#act(act);
      this.#late();
      this.#check();
    }
    await this.#close();
    this.#late();
    this.#check();
    expect(this.#mistakes).toEqual([]);
  }

  async #close(): Promise<void> {
    await Promise.all([this.#chat.close(), this.#world.clock.advance(10_000)]);
  }

  /** What was done is what was allowed. */
  #check(): void {
    expect(this.#world.done.toSorted()).toEqual(this.#expected.toSorted());
  }

  #make(from?: ChatSnapshot["saved"]): Chat {
    const { source } = this.#world;
    const client = (): AnyAgentClient => {
      const made = source.client();
      for (const moment of MOMENTS) made.on(moment as "turn", () => this.#late());
      return made;
    };
    const chat = createChat(
      { ...source, name: source.name, client, toUniversal: source.toUniversal.bind(source) },
      from ? { from } : {},
    );
    chat.subscribe(() => this.#late());
    return chat;
  }

  /** What was asked once and does not wait any more is decided and answered. */
  #late(): void {
    const chat: Chat | undefined = this.#chat; // a client may speak while its chat is being made
    if (!chat || this.#mistakes.length > 0) return;
    const open = new Set(chat.getSnapshot().pending.map(({ id }) => id));
    for (const id of this.#asked)
      if (!open.has(id))
        for (const result of [chat.decide(id, "once"), chat.answer(id, "late")])
          if (!result.ok) this.#mistakes.push(result.error);
    for (const id of open) {
      if (this.#asked.has(id) && !this.#open.has(id)) this.#mistakes.push(`the id ${id} came again`);
      this.#asked.add(id);
    }
    this.#open = open;
  }

  async #act(act: Act): Promise<void> {
    const chat = this.#chat;
    const [pending] = chat.getSnapshot().pending;
    switch (act) {
      case "ask":
      case "question":
        if (pending) return;
        chat.resume("without-context");
        expect(chat.send(act === "question" && this.#world.asksQuestions ? act : "ask").ok).toBe(true);
        await this.#until((now) => now.pending.length === 1);
        return;
      case "allow":
      case "deny":
        if (!pending) return;
        this.#reply(pending, act === "allow");
        break;
      case "cancel":
        chat.cancel();
        break;
      case "lose":
        this.#world.lose?.();
        if (!this.#world.lose) return;
        break;
      case "takeover": {
        const saved: ChatSnapshot["saved"] = JSON.parse(JSON.stringify(chat.getSnapshot().saved));
        await this.#close();
        this.#chat = this.#make(saved);
        return;
      }
    }
    await this.#until((now) => !now.busy && now.pending.length === 0);
  }

  #reply({ id, type }: ChatSnapshot["pending"][number], isAllowed: boolean): void {
    const result =
      type === "approval"
        ? this.#chat.decide(id, isAllowed ? "once" : "reject")
        : this.#chat.answer(id, isAllowed ? ANSWER : null);
    expect(result).toEqual({ ok: true });
    if (!isAllowed) return;
    this.#expected.push(type === "approval" ? "ran" : ANSWER);
  }

  #until(holds: (now: ChatSnapshot) => boolean): Promise<void> {
    const chat = this.#chat;
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds(chat.getSnapshot())) return;
        off();
        resolve();
      };
      const off = chat.subscribe(look);
      look();
    });
  }
}

describe.each(WORLDS)("decisions on %s", (_, start) => {
  test(
    "decide only the request that was shown, or nothing, whatever client and time",
    async () => {
      await fc.assert(
        fc.asyncProperty(acts, async (story) => {
          await using world = await start();
          await new Dialogs(world).run(story);
        }),
        runs(25),
      );
    },
    PATIENCE,
  );
});

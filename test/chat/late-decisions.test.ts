import { isAgentwireError } from "agentwire";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import type { ChatSnapshot } from "../../src/chat/snapshot.ts";
import type { AnyAgentClient } from "../../src/core/client/any-client.ts";
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

/** What an old dialog is told: how its call was decided, or the code of the error. */
function late(client: AnyAgentClient, id: string): string {
  try {
    return client.decide(id, "once").decision;
  } catch (error) {
    if (isAgentwireError(error)) return error.code;
    throw error;
  }
}

/** The ids of 10,000 calls, 100 at each prompt: many come again, and some look as if a client had made them. */
const idsAt = (prompt: string): readonly string[] =>
  prompt.includes("again")
    ? ["mcp_shell"]
    : ["mcp_shell", ...Array.from({ length: 99 }, (_, at) => idOf(99 * Number(/\d+/.exec(prompt)) + at))];
const idOf = (n: number): string => (n % 3 === 0 ? `mcp_shell~${n % 50}` : `call-${n % 1_500}`);

describe.each(WORLDS)("on %s", (_, start) => {
  test("no id of 10,000 calls comes again in one client or its events, and no old dialog decides the next call", async () => {
    await using world = await start(idsAt);
    const client = world.source.client();
    const own: string[] = [];
    const told: string[] = [];
    world.source.toUniversal(client).on("event", ({ type, data }) => {
      if (type === "permission.requested") told.push(data.permission_id);
    });
    let decide = (id: string): void => void client.decide(id, "reject");
    client.on("approval", ({ id }) => {
      own.push(id);
      decide(id);
    });
    for (let n = 0; n < 100; n++) await client.prompt(`${n}`).outcome;
    expect([new Set(own).size, new Set(told).size]).toEqual([10_000, 10_000]);
    const asked = new Promise<void>((resolve) => {
      decide = () => resolve();
    });
    const turn = client.prompt("again");
    await asked;
    for (const id of own.slice(0, -1)) expect(late(client, id)).toMatch(/reject|invalid-input/);
    expect(late(client, own.at(-2) ?? "")).toBe("reject");
    expect([turn.pending.length, world.done]).toEqual([1, []]);
    expect(client.decide(own.at(-1) ?? "", "once").decision).toBe("once");
    await turn.outcome;
    await Promise.all([client.close(), world.clock.advance(10_000)]);
  }, 120_000);

  test("a decision names what was shown, or does nothing, in every client of a chat and at every moment", async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (story) => {
        await using world = await start();
        await new Dialogs(world).run(story);
      }),
      { seed: 28, numRuns: 25 },
    );
  }, 120_000);
});

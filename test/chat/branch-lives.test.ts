import fc from "fast-check";
import { expect, test } from "vitest";
import { loadTranscript } from "../../src/chat/store/load.ts";
import type { ChatMessage } from "../../src/universal/transcript/message.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { lineOf, Rig } from "./support/rig.ts";

type Act =
  | { readonly do: "send" | "answer" | "fail" | "cancel" | "sendNow" | "unqueue" }
  | { readonly do: "regenerate" | "edit" | "select" | "move"; readonly at: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Act>({ do: "send" }) },
  { weight: 6, arbitrary: fc.constantFrom<Act>({ do: "answer" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Act>({ do: "fail" }, { do: "cancel" }, { do: "sendNow" }, { do: "unqueue" }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("regenerate", "edit", "select", "move"),
      at: fc.nat(9),
    }) as fc.Arbitrary<Act>,
  },
);

/** A chat whose texts are numbers, so that none comes twice. */
class Life {
  readonly store = new MemoryStore();
  readonly rig = new Rig({ store: this.store, id: "chat" });
  #texts = 0;

  get text(): string {
    return `text ${++this.#texts}`;
  }

  /** The messages of branches that are not shown. */
  get hidden(): readonly { readonly id: string }[] {
    return this.rig.now.saved.branches?.flatMap(({ messages }) => messages) ?? [];
  }

  async act(what: Act): Promise<void> {
    const { rig } = this;
    const { chat } = rig;
    const running = rig.source.turns.find(({ isOpen }) => isOpen);
    const [queued] = rig.now.queue;
    switch (what.do) {
      case "send":
        chat.send(this.text);
        break;
      case "answer":
        running?.says(this.text);
        running?.completes();
        break;
      case "fail":
        chat.cancel("all");
        break;
      case "cancel":
        chat.cancel();
        break;
      case "sendNow":
        chat.sendNow(queued?.id ?? "none");
        break;
      case "unqueue":
        chat.unqueue(queued?.id ?? "none");
        break;
      case "move":
        chat.moveQueued(rig.now.queue.at(what.at % 3)?.id ?? "none", queued?.id ?? null);
        break;
      case "regenerate":
        chat.regenerate(rig.now.messages.at(what.at)?.id ?? "none");
        break;
      case "edit":
        chat.edit(rig.now.messages.at(what.at)?.id ?? "none", this.text);
        break;
      case "select":
        if (this.hidden.length > 0)
          chat.selectBranch(this.hidden[what.at % this.hidden.length]?.id ?? "none");
        break;
    }
    await rig.settle();
  }

  check(before: readonly ChatMessage[]): void {
    const { rig, hidden } = this;
    const shown = rig.now.messages.toArray();
    const all = [...shown, ...hidden].map(({ id }) => id);
    expect(new Set(all).size, "an id comes twice").toBe(all.length);
    for (const { id, status } of before)
      if (status === "completed") expect(all, "an answer was lost").toContain(id);

    for (const { id, branches } of shown) {
      if (!branches) continue;
      expect(branches.ids[branches.at - 1]).toBe(id);
      expect(branches.ids).toHaveLength(branches.of);
      for (const sibling of branches.ids) expect(all).toContain(sibling);
      expect(branches.ids.filter((sibling) => shown.some((message) => message.id === sibling))).toEqual([id]);
    }

    if (rig.now.busy) return;
    const completed = shown.flatMap((message, at) => {
      const prompt = shown.slice(0, at).findLast(({ role, status }) => role === "user" && status === "sent");
      return message.role === "assistant" && message.status === "completed" && prompt
        ? [promptText(prompt)]
        : [];
    });
    const { state } = rig.now;
    expect(state && "said" in state ? state.said : [], "the backend goes on from what is shown").toEqual(
      completed,
    );
    const { messages } = loadTranscript(this.store.events);
    const answers = (list: readonly ChatMessage[]): readonly string[] =>
      list.filter(({ role, parts }) => role === "assistant" && parts.length > 0).map(lineOf);
    expect(answers(messages.toArray()), "the store shows the same branch").toEqual(answers(shown));
  }
}

const promptText = (message: ChatMessage): string => lineOf(message).replace(/^user sent: /, "");

test(
  "any edits, regenerations and selections lose no message, and the backend knows the shown branch",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const life = new Life();
        await life.rig.settle();
        for (const what of acts) {
          const before = life.rig.now.messages.toArray();
          await life.act(what);
          life.check(before);
        }
        await life.rig.chat.close();
      }),
      runs(400),
    );
  },
  PATIENCE,
);

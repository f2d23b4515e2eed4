import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import {
  type ConversationMemory,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../../../src/core/turn/conversation.ts";
import type { TurnOptions, TurnResult } from "../../../src/core/turn/turn.ts";
import { settle, unhandledDuring } from "../support/promises.ts";
import { SILENT_CLIENT, type TestTurn, turnRig } from "../support/turns.ts";

type FakeMemory = ConversationMemory<string, TurnResult, object, never, ConversationState>;

/** A conversation over a memory that writes down what it is asked, and turns that the test ends. */
function rig(start: (input: string) => void = () => {}) {
  const log: string[] = [];
  const turns: TestTurn[] = [];
  const outbox = new Outbox();
  let ended = 0;
  let messages: readonly ConversationMessage[] = [];
  const memory: FakeMemory = {
    get messages() {
      return messages;
    },
    get state() {
      return { protocol: "fake", version: messages.length };
    },
    create(input: string, options: TurnOptions | undefined, first) {
      if (input === "") throw new InvalidInputError("the prompt is blank.", "Write something.");
      const { turn } = turnRig({
        outbox,
        signal: options?.signal,
        stop: () => turn.stopped(),
        settled: () => ended++,
      });
      turns.push(turn);
      log.push(`create ${input}${first ? " first" : ""}`);
      return {
        turn,
        start: () => {
          log.push(`start ${input}`);
          start(input);
        },
        completed: ({ text }) => {
          log.push(`completed ${input}`);
          messages = [...messages, { role: "user", content: input }, { role: "assistant", content: text }];
        },
      };
    },
  };
  return {
    conversation: new LiveConversation(memory, { outbox, client: SILENT_CLIENT }),
    outbox,
    log,
    /** Turns whose end is committed. */
    ended: () => ended,
    turns,
    texts: () => messages.map((m) => m.content),
  };
}

describe("a conversation", () => {
  test("makes the later prompts at once, says which is the first, and sends them in order but for one that was cancelled", async () => {
    const { conversation, log, turns } = rig();
    for (const input of ["a", "b", "c"]) conversation.prompt(input);
    expect(log).toEqual(["create a first", "start a", "create b", "create c"]);
    void turns[1]?.cancel();
    turns[0]?.complete({ text: "A" });
    await settle();
    expect(log.slice(4)).toEqual(["completed a", "start c"]);
  });

  test("continues after a `start` that throws, without an unhandled rejection", async () => {
    const { conversation, log } = rig((input) => {
      if (input === "a") throw new Error("the socket threw");
    });
    const unhandled = await unhandledDuring(() => {
      try {
        conversation.prompt("a");
      } catch {
        // from the call would do, too
      }
    });
    expect(unhandled).toEqual([]);
    conversation.prompt("b");
    await settle();
    expect(log).toContain("start b");
  });

  test("settles a turn whose `start` throws before the status listener runs", async () => {
    const { conversation, turns, outbox, ended } = rig((input) => {
      if (input === "b") throw new Error("the socket threw");
    });
    conversation.prompt("a");
    const seen: unknown[] = [];
    conversation.prompt("b").on("status", (status) => seen.push(status, ended()));
    await settle();
    outbox.run(() => turns[0]?.complete({ text: "A" }));
    await settle();
    expect(seen).toEqual(["queued", 0, "failed", 2]);
  });

  test("sends a thousand queued prompts in order", async () => {
    const { conversation, log, turns } = rig();
    const inputs = Array.from({ length: 1_000 }, (_, index) => String(index));
    for (const input of inputs) conversation.prompt(input);
    for (const turn of turns) {
      turn.complete({ text: "" });
      await settle();
    }
    expect(log.filter((line) => line.startsWith("start"))).toEqual(inputs.map((input) => `start ${input}`));
  });
});

describe("the conversation contains a turn as soon as its end is visible", () => {
  const ways: readonly { seen: string; look: (turn: TestTurn, texts: () => unknown) => Promise<unknown> }[] =
    [
      {
        seen: "its result",
        look: async (turn, texts) => {
          await turn.result;
          return texts();
        },
      },
      {
        seen: "its outcome",
        look: async (turn, texts) => {
          await turn.outcome;
          return texts();
        },
      },
      {
        seen: "the end of the loop",
        look: async (turn, texts) => {
          for await (const _ of turn);
          return texts();
        },
      },
      {
        seen: "the end of textStream",
        look: async (turn, texts) => {
          for await (const _ of turn.textStream);
          return texts();
        },
      },
    ];

  test.each(ways)("the first turn, by $seen", async ({ look }) => {
    const { conversation, turns, texts } = rig();
    conversation.prompt("a");
    const [turn] = turns;
    const seen = turn && look(turn, texts);
    await settle();
    turn?.complete({ text: "A" });
    expect(await seen).toEqual(["a", "A"]);
  });

  test.each(ways)("a queued turn, by $seen", async ({ look }) => {
    const { conversation, turns, texts } = rig();
    conversation.prompt("a");
    conversation.prompt("b");
    const [first, second] = turns;
    const seen = second && look(second, texts);
    first?.complete({ text: "A" });
    await settle();
    second?.complete({ text: "B" });
    expect(await seen).toEqual(["a", "A", "b", "B"]);
  });
});

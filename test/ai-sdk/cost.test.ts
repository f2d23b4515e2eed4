import { expect, test } from "vitest";
import { TurnChunks } from "../../src/ai-sdk/turn-chunks.ts";
import { emptyDictionary } from "../../src/universal/transcript/dictionary.ts";
import { emptyList } from "../../src/universal/transcript/list.ts";
import { callsDuring } from "../core/support/costs.ts";
import { Script } from "../universal/build.ts";

const part = { type: "tool_call", name: "write", call_id: "c1", arguments: "" } as const;

/** How often a text is cut while `count` deltas are shown. Each cut would copy the whole text so far. */
function cuts(type: "text" | "tool_arguments", count: number): number {
  const script = new Script().session().turn();
  const item = script.start(
    type === "text" ? { kind: "message", content: [] } : { kind: "tool_call", content: [part] },
  );
  for (let at = 0; at < count; at++) script.delta(item, "word ", type);
  const chunks = new TurnChunks();
  let shown = "";
  const calls = callsDuring(String.prototype, ["slice"], () => {
    for (const event of script.events)
      for (const chunk of chunks.push(event)) {
        if (chunk.type === "text-delta") shown += chunk.delta;
        if (chunk.type === "tool-input-delta") shown += chunk.inputTextDelta;
      }
  });
  expect(shown).toBe("word ".repeat(count));
  return calls;
}

test.each(["text", "tool_arguments"] as const)(
  "a delta of %s is shown without cutting the text so far",
  (type) => {
    expect(cuts(type, 1_000)).toBe(cuts(type, 10));
  },
);

/** How many entries of lists and dictionaries are read while the events become chunks. */
function entriesRead({ events }: Script): number {
  const chunks = new TurnChunks();
  let entries = 0;
  const undo = [emptyList(), emptyDictionary()].map((empty) => {
    const prototype = Object.getPrototypeOf(empty);
    const walk = prototype[Symbol.iterator];
    prototype[Symbol.iterator] = function* (this: unknown) {
      for (const entry of { [Symbol.iterator]: () => walk.call(this) }) {
        entries++;
        yield entry;
      }
    };
    return () => {
      prototype[Symbol.iterator] = walk;
    };
  });
  const list = Object.getPrototypeOf(emptyList());
  try {
    return callsDuring(list, ["at"], () => events.forEach((event) => void chunks.push(event))) + entries;
  } finally {
    for (const each of undo) each();
  }
}

const callOf = (id: string) => ({ type: "tool_call", name: "write", call_id: id, arguments: "{}" }) as const;

const SCRIPTS: Readonly<Record<string, (count: number) => Script>> = {
  "open calls beside a text": (count) => {
    const script = new Script().session().turn();
    for (let at = 0; at < count; at++) script.item({ kind: "tool_call", content: [callOf(`c${at}`)] });
    const text = script.start({ kind: "message", content: [] });
    for (let at = 0; at < count; at++) script.delta(text, "word ");
    return script;
  },
  "open calls of a sub-agent beside its text": (count) => {
    const script = new Script().session().turn();
    const status = { type: "status", label: "subagent:helper", detail: null } as const;
    const parent_id = script.start({ kind: "status", content: [status] });
    for (let at = 0; at < count; at++)
      script.item({ kind: "tool_call", parent_id, content: [callOf(`c${at}`)] });
    const text = script.start({ kind: "message", parent_id, content: [] });
    for (let at = 0; at < count; at++) script.delta(text, "word ");
    return script;
  },
  "approvals that wait": (count) => {
    const script = new Script().session().turn();
    for (let at = 0; at < count; at++) {
      const item_id = script.item({ kind: "tool_call", content: [callOf(`c${at}`)] });
      script.permission("requested", { permission_id: `p${at}`, item_id, call_id: `c${at}` });
    }
    return script;
  },
};

test.each(Object.keys(SCRIPTS))("%s: an event costs the same whatever their number", (name) => {
  const cost = (count: number): number => entriesRead(SCRIPTS[name]?.(count) ?? new Script());
  expect(cost(800)).toBeLessThan(2.1 * cost(400));
});

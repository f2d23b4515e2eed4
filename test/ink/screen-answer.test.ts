import { expect, test } from "vitest";
import { type List, listOf } from "../../src/universal/transcript/list.ts";
import type { ChatPart, ChatReasoningPart } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

/** Longer than a frame. */
const FRAME = 100;

const call: ChatPart = {
  type: "tool",
  id: "c",
  callId: "c",
  name: "make",
  input: "",
  state: "running",
  output: "",
  content: [],
};

test("a frame reads few parts, even if 10,000 parts without rows follow a running call", async () => {
  const quiet = Array.from({ length: 10_000 }, (_, at): ChatPart => {
    return { type: "status", id: `s${at}`, label: "backend.word", detail: null };
  });
  const parts = listOf<ChatPart>([call, ...quiet]);
  let looks = 0;
  const unused = () => expect.unreachable("a frame goes through all parts");
  const counted: List<ChatPart> = {
    length: parts.length,
    at: (index) => {
      looks++;
      return parts.at(index);
    },
    map: unused,
    toArray: unused,
    toJSON: unused,
    [Symbol.iterator]: unused,
  };
  const screen = new ClockedScreen();
  screen.saysList(counted);
  await screen.after(FRAME);
  looks = 0;
  screen.type("a");
  expect(await screen.after(FRAME)).toContain("* make runs");
  expect(looks).toBeLessThan(500);
});

test("private reasoning shows only its duration: folded, unfolded and with Ctrl-O", async () => {
  const thought = (id: string, open: boolean): ChatReasoningPart => ({
    type: "reasoning",
    id,
    text: "a secret\n".repeat(20),
    visibility: "private",
    open,
  });
  const screen = new ClockedScreen();
  screen.says([thought("a", true)]);
  expect(await screen.after(FRAME)).toMatch(/Thinking 0 s/);
  screen.says([thought("a", false), thought("b", true)]);
  screen.press("ctrl-t");
  await screen.after(FRAME);
  screen.says([thought("a", false), thought("b", false), call]);
  screen.press("ctrl-o");
  expect(await screen.after(FRAME)).toContain("nothing is folded");
  expect(screen.printed).toContain("Thought");
  expect(screen.printed).not.toContain("secret");
});

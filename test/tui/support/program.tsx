// The terminal program over an agent without a wire, whose prompts say what it does: see `scripts.ts`.
import { parseArgs } from "node:util";
import { createChat } from "agentwire/chat";
import { MockAgent } from "agentwire/testing";
import { talkInLines } from "../../../src/program/lines/talk.ts";
import { runTui } from "../../../src/program/tui/run-tui.ts";
import { markOutput } from "./marks.ts";
import { script } from "./scripts.ts";

const options = {
  /** ms before each attempt to reconnect. */
  "reconnect-delay": { type: "string", default: "0" },
  /** Writes marks between the frames. */
  marks: { type: "boolean", default: false },
} as const;
const { values } = parseArgs({ options });
if (values.marks) markOutput();

const delay = Number(values["reconnect-delay"]);
const chat = createChat(new MockAgent({ script, reconnect: { delay } }));
const { stdin, stdout } = process;
process.exitCode = await (stdin.isTTY && stdout.isTTY ? runTui(chat) : talkInLines(chat, stdin, stdout));

// The terminal program over an agent without a wire, whose prompts say what it does: see `scripts.ts`.
import { parseArgs } from "node:util";
import { MockAgent } from "agentwire/testing";
import { keptChat } from "../../../src/program/chats.ts";
import { talkInLines } from "../../../src/program/lines/talk.ts";
import { openChats } from "../../../src/program/open-chats.ts";
import { runTui } from "../../../src/program/tui/run-tui.ts";
import { markOutput } from "./marks.ts";
import { script } from "./scripts.ts";

const options = {
  /** ms before each attempt to reconnect. */
  "reconnect-delay": { type: "string", default: "0" },
  /** Writes marks between the frames. */
  marks: { type: "boolean", default: false },
  /** The folder of the program, in which chats are kept. */
  chats: { type: "string" },
} as const;
const { values } = parseArgs({ options });
if (values.marks) markOutput();

const delay = Number(values["reconnect-delay"]);
const backend = "scripted";
if (values.chats !== undefined) process.env["AGENTWIRE_HOME"] = values.chats;
const chats = openChats({
  backend,
  source: () => new MockAgent({ script, reconnect: { delay } }),
  session: values.chats === undefined ? undefined : await keptChat(backend),
});
const { stdin, stdout } = process;
process.exitCode = await (stdin.isTTY && stdout.isTTY
  ? runTui(chats, { header: { backend, folder: process.cwd() } })
  : talkInLines(chats.first.chat, stdin, stdout));

// The terminal program over an agent without a wire, whose prompts say what it does: see `scripts.ts`.
import { parseArgs } from "node:util";
import { MockAgent } from "agentwire/testing";
import { chatsIn } from "../../../examples/tui/chats.ts";
import { runTui } from "../../../examples/tui/run.ts";
import { markOutput } from "./marks.ts";
import { script } from "./scripts.ts";

const options = {
  /** ms before each attempt to reconnect. */
  "reconnect-delay": { type: "string", default: "0" },
  /** Writes marks between the frames. */
  marks: { type: "boolean", default: false },
  /** The folder of the chats. */
  chats: { type: "string" },
} as const;
const { values } = parseArgs({ options });
if (values.marks) markOutput();

const delay = Number(values["reconnect-delay"]);
process.exitCode = await runTui({
  source: new MockAgent({ script, reconnect: { delay } }),
  header: { backend: "scripted", folder: process.cwd() },
  ...(values.chats === undefined ? {} : { chats: chatsIn(values.chats) }),
});

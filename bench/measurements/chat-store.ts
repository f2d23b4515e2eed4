/** What a chat leaves in the package's own store for an answer that comes token by token. Counted, so the machine does not matter. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChat } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { agentStep, ManualClock, MockAgent } from "agentwire/testing/agent";
import { TEXTS } from "../server/frames.ts";
import { answer } from "../support/measure.ts";

/** Characters of a token. English text has four to five. */
const TOKEN = 5;

/** ms between two tokens: so many writes are due while the answer comes, as with a model. */
const GAP = 20;

const ID = "bench";

await answer(async (settings) => {
  const tokens = settings.number("tokens");
  const text = TEXTS.join("").slice(0, tokens * TOKEN);
  if (text.length !== tokens * TOKEN) throw new RangeError("there are not so many texts");

  const folder = await mkdtemp(join(tmpdir(), "agentwire-bench-"));
  const store = directoryStore(folder);
  const clock = new ManualClock();
  const agent = new MockAgent({ clock });
  agent.script(function* () {
    for (let at = 0; at < text.length; at += TOKEN) {
      yield agentStep.text(text.slice(at, at + TOKEN), { deltas: "whole" });
      yield agentStep.delay(GAP);
    }
  });

  const chat = createChat(agent, { store, id: ID, clock });
  await loaded(chat);
  chat.send("go");
  for (let token = 0; token <= tokens || chat.getSnapshot().busy; token++) await clock.advance(GAP);
  await chat.close();

  // What was written is the whole answer: nobody is light by dropping some.
  const stored = createChat(agent, { store, id: ID, clock });
  await loaded(stored);
  const parts = stored.getSnapshot().messages.at(-1)?.parts ?? [];
  await stored.close();
  const restored = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (restored !== text) throw new Error(`the store holds ${restored.length} of ${text.length} characters`);
  const files = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  await rm(folder, { recursive: true });
  return { ratio: sizes.reduce((sum, size) => sum + size, 0) / Buffer.byteLength(text) };
});

/** Resolves once the chat has read its file. */
async function loaded(chat: ReturnType<typeof createChat>): Promise<void> {
  while (chat.getSnapshot().loading) await new Promise((resolve) => setImmediate(resolve));
}

/** What a chat has its store write for an answer that comes token by token. Counted, so the machine does not matter. */
import { createChat, memoryStore } from "agentwire/chat";
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

  const inner = memoryStore();
  let bytes = 0;
  const store = {
    ...inner,
    append: (id: string, events: Parameters<typeof inner.append>[1]): Promise<void> => {
      for (const event of events) bytes += Buffer.byteLength(`${JSON.stringify(event)}\n`);
      return inner.append(id, events);
    },
  };
  const clock = new ManualClock();
  const agent = new MockAgent({ clock });
  agent.script(function* () {
    for (let at = 0; at < text.length; at += TOKEN) {
      yield agentStep.text(text.slice(at, at + TOKEN), { deltas: "whole" });
      yield agentStep.delay(GAP);
    }
  });

  const chat = createChat(agent, { store, id: ID, clock });
  chat.send("go");
  for (let token = 0; token <= tokens || chat.getSnapshot().busy; token++) await clock.advance(GAP);
  await chat.close();

  // What was written is the whole answer: nobody is light by dropping some.
  const stored = createChat(agent, { store, id: ID, clock });
  await clock.advance(GAP);
  const parts = stored.getSnapshot().messages.at(-1)?.parts ?? [];
  await stored.close();
  const restored = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (restored !== text) throw new Error(`the store holds ${restored.length} of ${text.length} characters`);
  return { ratio: bytes / Buffer.byteLength(text) };
});

/** ms until a new chat over `remote` has all messages of a chat of 10,000 events: from the relay's snapshot, and by reading all events. */
import { createChat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";
import { startServer } from "../support/relay-world.ts";

/** 10,250 events: five of a turn beside its deltas. */
const TURNS = 50;
const DELTAS = 200;

/** Events that the log keeps behind the snapshot. */
const KEPT = 500;

/** Chats opened before anything is measured. */
const WARM_UP = 3;

await answer(async (settings) => {
  const opens = settings.number("opens");
  using trimmed = await startServer({ log: "memory", limits: { retention: KEPT } });
  using whole = await startServer({ log: "memory" });

  const open = async (url: string): Promise<number> => {
    const start = performance.now();
    const chat = createChat(remote({ url: url.slice(0, url.lastIndexOf("/")), chat: "chat" }));
    await new Promise<void>((resolve) => {
      const look = (): void => {
        const { loading, messages } = chat.getSnapshot();
        if (!loading && messages.length === 2 * TURNS) resolve();
      };
      chat.subscribe(look);
    });
    const time = performance.now() - start;
    await chat.close();
    return time;
  };
  const measured: Record<string, number> = {};
  for (const [name, server] of Object.entries({ snapshot: trimmed, events: whole })) {
    await server.call("fill", TURNS, DELTAS);
    const times: number[] = [];
    for (let each = 0; each < WARM_UP + opens; each++) times.push(await open(server.url));
    measured[name] = median(times.slice(WARM_UP));
  }
  return measured;
});

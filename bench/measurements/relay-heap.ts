/** Bytes of heap of a relay: for a viewer, for a chat that it drives, and for a chat that it has driven. */
import { join } from "node:path";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { answer } from "../support/measure.ts";
import { startServer, startWorld } from "../support/relay-world.ts";

/** Opened before anything is measured: the first ones load and compile what the others share. */
const WARM_UP = 100;

/** Machine code would be a part of the growth, and depends on the load of the machine. */
const FLAGS = ["--expose-gc", "--max-opt=0"];

await answer(async (settings) => {
  const [viewers, chats] = [settings.number("viewers"), settings.number("chats")];

  const ofViewer = async (log: "raw" | "memory"): Promise<number> => {
    using world = await startWorld({ log }, WARM_UP);
    const before = await world.server.call("heap");
    await world.viewers.call("open", viewers);
    return ((await world.server.call("heap")) - before) / viewers;
  };

  /** With a log that is not in memory. */
  const ofChat = async (idleAfter: number, work: "drive" | "converse"): Promise<number> => {
    await using folder = await tempFolder();
    const limits = { idleAfter, maxDriven: 10_000 };
    using server = await startServer({ log: "sqlite", place: join(folder.path, "log.db"), limits }, FLAGS);
    const run = (first: number, count: number): Promise<number> =>
      work === "drive" ? server.call("drive", first, count) : server.call("converse", count);
    const settle = async (count: number): Promise<number> => {
      if (idleAfter === 0) await server.call("undriven", count);
      return server.call("heap");
    };
    await run(0, WARM_UP);
    const before = await settle(WARM_UP);
    await run(WARM_UP, chats);
    return ((await settle(WARM_UP + chats)) - before) / chats;
  };

  const hour = 3_600_000;
  const source = await ofChat(hour, "converse");
  const driven = await ofChat(hour, "drive");
  return {
    viewer: await ofViewer("memory"),
    "viewer, raw": await ofViewer("raw"),
    driven: driven - source,
    source,
    idle: await ofChat(0, "drive"),
  };
});

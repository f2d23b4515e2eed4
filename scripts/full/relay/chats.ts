// The relay of each runtime's program.
import { createRelay, memoryLog, type Relay } from "agentwire/server";
import { MockAgent } from "agentwire/testing/agent";

export function chats(): Relay {
  return createRelay({
    source: () => new MockAgent(),
    log: memoryLog(),
    authorize: () => ({ user: "user_1" }),
    maxViewers: 2,
    heartbeat: 600, // workerd notices at the next write that a viewer has left
  });
}

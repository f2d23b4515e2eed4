// What docs/sessions.md shows. Each function holds one region and gives it what it takes for granted.
import type { Server } from "node:http";
import type { AgentSource } from "agentwire";
import { type Authorize, createRelay, type EventLog, type Relay } from "agentwire/server";

interface Users {
  byCookie(cookie: string | null): Promise<{ readonly id: string; readonly isGuest: boolean } | undefined>;
  owns(user: string, chat: string): Promise<boolean>;
}

export function members(source: () => AgentSource, log: EventLog, users: Users): Relay {
  // #region sessions-authorize
  const authorize: Authorize = async (request, { chat, action }) => {
    const user = await users.byCookie(request.headers.get("cookie"));
    if (!user || !(await users.owns(user.id, chat))) return false; // 401
    if (user.isGuest && action !== "read") return new Response(null, { status: 403 });
    return { user: user.id };
  };
  const relay = createRelay({ source, log, authorize, hosts: ["chat.example.com"] });
  // #endregion
  return relay;
}

export function endsWell(relay: Relay, server: Server, log: EventLog): void {
  // #region sessions-close
  process.once("SIGTERM", async () => {
    await relay.close({ drain: 20_000 }); // new commands get 503, and turns have 20 s
    server.close();
    await log.close();
  });
  // #endregion
}

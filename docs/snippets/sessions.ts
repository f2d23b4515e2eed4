// What docs/sessions.md shows. Each function holds one region and gives it what it takes for granted.
import type { Server } from "node:http";
import type { AgentSource } from "agentwire";
import { type Chat, createChat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import { type Authorize, createRelay, type EventLog, type Relay } from "agentwire/server";
import { type RedisLogClient, redisLog } from "agentwire/server/redis";

export function page(): Chat {
  // #region sessions-page
  const chat = createChat(remote({ url: "/chats", chat: "first" }));
  // #endregion
  return chat;
}

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

export function onRedis(client: RedisLogClient): EventLog {
  // #region sessions-redis
  const log = redisLog(client, { wait: { replicas: 1, ms: 1_000 } }); // client: await createClient().connect()
  // #endregion
  return log;
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

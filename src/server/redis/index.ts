// The entry `agentwire/server/redis`: chats of servers on several machines.
export type { RedisWait } from "./redis-calls.ts";
export type { RedisLogClient, RedisLogSubscriber, RedisScriptInput } from "./redis-client.ts";
export { type RedisLogOptions, redisLog } from "./redis-log.ts";

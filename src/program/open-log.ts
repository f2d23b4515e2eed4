// Where `agentwire serve` keeps chats.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadPackage } from "../core/load-package.ts";
import { type EventLog, memoryLog } from "../server/index.ts";
import { programFolder } from "./chats.ts";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";

const REDIS = "AGENTWIRE_REDIS_URL";

export interface OpenedLog {
  readonly log: EventLog;
  /** In words: a path, `memory` or `Redis`. */
  readonly place: string;
  readonly close: () => Promise<void>;
}

/**
 * @param where `memory`, `redis`, or a file; undefined: a file in the folder of the program
 * @throws Failure, UnsupportedError, InvalidInputError for what cannot be opened
 */
export async function openLog(where: string | undefined, backend: string): Promise<OpenedLog> {
  if (where === "memory") {
    const log = memoryLog();
    return { log, place: "memory", close: () => log.close() };
  }
  if (where === "redis") return openRedis();
  if (where?.includes("://"))
    throw wrongCall("--log takes no address: it may hold a password.", `Set ${REDIS}, and pass --log redis.`);
  const { sqliteLog } = await import("../server/node.ts");
  const folder = join(programFolder(), "serve");
  if (where === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = resolve(where ?? join(folder, `${backend}.sqlite`));
  const log = sqliteLog(file);
  return { log, place: file, close: () => log.close() };
}

async function openRedis(): Promise<OpenedLog> {
  const url = process.env[REDIS];
  if (!url) throw wrongCall("No Redis is named.", `Set ${REDIS}, such as redis://127.0.0.1:6379.`);
  const peer = { name: "redis", oldest: "5.0", install: "redis" };
  const { createClient } = await loadPackage(
    "agentwire serve --log redis",
    peer,
    () => import("redis"),
    () => true,
  );
  const { redisLog } = await import("../server/redis/index.ts");
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on("error", () => {}); // calls fail, and the relay tells
  try {
    await client.connect();
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : "";
    throw new ProgramFailure(
      EXIT.unreachable,
      `Redis cannot be reached${reason}.`,
      `Check ${REDIS}, and whether Redis runs.`,
    );
  }
  const log = redisLog(client);
  return {
    log,
    place: "Redis",
    close: async () => {
      await log.close();
      client.destroy();
    },
  };
}

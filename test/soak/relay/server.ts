/**
 * One server of the relay, in a process of its own: a relay over mock agents. The fleet forks it with a
 * {@link ServerOrder}. It notes each prompt that an agent gets, before the agent begins.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRelay, type EventLog, type RelayOptions } from "agentwire/server";
import { relayListener, sqliteLog } from "agentwire/server/node";
import { redisLog } from "agentwire/server/redis";
import { MockAgent } from "agentwire/testing/agent";
import { createClient } from "redis";
import { systemClock } from "../../../src/core/clock.ts";
import { answerPlan, keyIn, PACE } from "./answers.ts";

export type LogOrder =
  /** `clock`: a file with the ms by which the machine's clock is off. */
  | { readonly kind: "sqlite"; readonly file: string; readonly clock: string }
  /** `wait`: whether each write waits for the replica. */
  | { readonly kind: "redis"; readonly port: number; readonly wait: boolean };

export interface ServerOrder {
  readonly name: string;
  readonly log: LogOrder;
  /** A file for the prompts that agents get. */
  readonly journal: string;
  /** A file for what the relay logs. */
  readonly notes: string;
  readonly limits: Partial<RelayOptions>;
}

/** What a server is told. `clock`: the ms by which its own clock is off. */
export type ServerCall =
  | { readonly type: "clock"; readonly ms: number }
  | { readonly type: "close"; readonly drain: number };

/** What a server says. `stalled`: it could do nothing for so many ms. */
export type ServerWord =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "stalled"; readonly ms: number };

/** ms after which a server that has not ended says what holds it. */
const HELD = 20_000;

/** ms between two looks at the time, and the delay that is told. */
const LOOK = 50;
const STALL = 300;

const { name, log: order, journal, notes, limits }: ServerOrder = JSON.parse(process.argv[2] ?? "{}");
const say = (word: ServerWord): void => void process.send?.(word);

let offset = 0;
/** The clock of this server. */
const clock = { ...systemClock, wallTime: () => machineTime() + offset };

/** The clock of the machine, which all of its processes share. */
function machineTime(): number {
  const off = order.kind === "sqlite" ? Number(readFileSync(order.clock, "utf8")) : 0;
  return Date.now() + off;
}

const { log, closeLog } = await openLog();
const agents = new Map<string, MockAgent>();
const note = (message: string): void => appendFileSync(notes, `${Date.now()} ${name} ${message}\n`);
const relay = createRelay({
  ...limits,
  log,
  clock,
  source: agentOf,
  authorize: (request) => ({ user: (request as Request).headers.get("authorization") ?? "nobody" }),
  logger: { debug: note, info: note, warn: note, error: note },
});

function agentOf(chat: string): MockAgent {
  const agent =
    agents.get(chat) ??
    new MockAgent({
      pace: PACE,
      script: ({ text }) => {
        const asks = keyIn(text) ?? "";
        appendFileSync(journal, `${JSON.stringify({ chat, asks, server: name, at: Date.now() })}\n`);
        return answerPlan(asks).steps;
      },
    });
  agents.set(chat, agent);
  return agent;
}

async function openLog(): Promise<{ log: EventLog; closeLog: () => Promise<void> }> {
  if (order.kind === "sqlite") {
    const log = sqliteLog(order.file, { clock: { ...systemClock, wallTime: machineTime } });
    return { log, closeLog: () => log.close() };
  }
  const client = createClient({
    socket: { host: "127.0.0.1", port: order.port, reconnectStrategy: (tries) => Math.min(200, 20 * tries) },
  });
  client.on("error", () => {}); // each call reports it
  await client.connect();
  const log = redisLog(client, order.wait ? { wait: { replicas: 1, ms: 500 } } : {});
  return {
    log,
    closeLog: async () => {
      await log.close();
      client.on("ready", () => client.destroy()); // it may be connecting again in this moment
      client.destroy();
    },
  };
}

const server = createServer(relayListener(relay.handler));
server.listen(0, "127.0.0.1", () => say({ type: "listening", port: (server.address() as AddressInfo).port }));

let lookedAt = performance.now();
const looking = setInterval(() => {
  const now = performance.now();
  if (now - lookedAt > STALL) say({ type: "stalled", ms: now - lookedAt });
  lookedAt = now;
}, LOOK);

process.on("disconnect", () => process.exit(1)); // nobody is left to end it
process.on("message", (call: ServerCall) => {
  switch (call.type) {
    case "clock":
      offset = call.ms;
      return;
    case "close":
      void close(call.drain);
      return;
  }
});

/** Ends as a server does that is replaced: by itself, once the relay and the log are closed. */
async function close(drain: number): Promise<void> {
  server.close();
  const late = setTimeout(
    () => note(`closing is held by ${process.getActiveResourcesInfo().join(", ")}`),
    HELD,
  );
  late.unref();
  await relay.close({ drain });
  note("the relay is closed");
  server.closeAllConnections();
  await closeLog();
  note("the log is closed");
  clearInterval(looking);
  process.removeAllListeners("disconnect");
  process.disconnect();
}

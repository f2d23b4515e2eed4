// Where the log of a chapter is: a SQLite file on a small disk, or Redis with a replica behind links that are cut.
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "redis";
import type { LinkPlan } from "../plan.ts";
import { ChaosProxy } from "../proxy.ts";
import { type BatchReader, redisReader, sqliteReader } from "./log-reader.ts";
import type { NemesisOptions } from "./nemesis.ts";
import { RedisPair } from "./redis-pair.ts";
import type { LogOrder } from "./server.ts";

/** Size of the disk that is filled now and then. */
const DISK = "48m";

export interface Ground extends AsyncDisposable {
  readonly order: LogOrder;
  /** Made once the log exists. */
  readonly reader: () => Promise<BatchReader>;
  readonly nemesis: Pick<NemesisOptions, "redis" | "sqlite">;
  /** What cannot be tried here. */
  readonly untried: readonly string[];
}

const run = promisify(execFile);

export async function sqliteGround(folder: string): Promise<Ground> {
  const disk = join(folder, "disk");
  await mkdir(disk);
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", `size=${DISK}`, "tmpfs", disk]).then(
    () => true,
    () => false, // only root may, and not in each container
  );
  const unmountNow = (): void => void execFileSync("umount", ["--lazy", disk]);
  if (isMounted) {
    process.prependOnceListener("exit", unmountNow); // before the folder is removed
    unmountBehind(disk);
  }
  const [file, clock] = [join(disk, "log.db"), join(folder, "clock")];
  await writeFile(clock, "0");
  return {
    order: { kind: "sqlite", file, clock },
    reader: async () => sqliteReader(file),
    nemesis: { redis: undefined, sqlite: { clock, ballast: isMounted ? join(disk, "ballast") : undefined } },
    untried: isMounted ? [] : ["a full disk: this user may not mount one"],
    [Symbol.asyncDispose]: async () => {
      if (!isMounted) return;
      process.off("exit", unmountNow);
      await run("umount", ["--lazy", disk]);
    },
  };
}

/** Unmounts a disk once this process is gone, even if it is killed: then its end of the pipe is closed. */
function unmountBehind(disk: string): void {
  const script = 'read -r _; umount --lazy "$1" 2>/dev/null; rmdir "$1" 2>/dev/null';
  const janitor = spawn("sh", ["-c", script, "sh", disk], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // a signal to the group must not end it
  });
  janitor.unref();
  (janitor.stdin as Socket).unref();
}

export async function redisGround(
  folder: string,
  waits: boolean,
  plan: (link: number) => LinkPlan,
): Promise<Ground> {
  const pair = new RedisPair(folder);
  await pair.start();
  const links = await ChaosProxy.start(plan);
  links.target = () => pair.port;
  // The reader's own way to the primary has no faults.
  const own = await ChaosProxy.start(() => CALM);
  own.target = () => pair.port;
  return {
    order: { kind: "redis", port: links.port, wait: waits },
    reader: async () => {
      const client = createClient({
        socket: { host: "127.0.0.1", port: own.port, reconnectStrategy: 50 },
        disableOfflineQueue: true,
      });
      client.on("error", () => {}); // each read reports it
      await client.connect();
      return redisReader(client);
    },
    nemesis: {
      redis: {
        pair,
        waits,
        cut: () => links.cutAll(),
      },
      sqlite: undefined,
    },
    untried: ["a step of the clock of Redis: nothing sets the clock of one process"],
    [Symbol.asyncDispose]: async () => {
      await pair.stop();
      await links.stop();
      await own.stop();
    },
  };
}

const CALM: LinkPlan = {
  up: { pieces: "whole", delay: 0, gather: 0 },
  down: { pieces: "whole", delay: 0, gather: 0 },
  fault: undefined,
};

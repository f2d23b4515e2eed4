// Child processes that the fake starts, to test that all of them end.
import { Buffer } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { LIFELINE, ROLE } from "../environment.ts";
import { Lifeline } from "./lifeline.ts";
import { forever, pause } from "./pause.ts";
import { streamSink } from "./sink.ts";

/**
 * What a run has started: this script again.
 * - `stay` lives until it is killed, and `stay stubborn` not by SIGTERM.
 * - `hold` holds the pipes that it has inherited for so many ms behind the end of its parent.
 * - `speak` prints what its parent gave it, once that has ended.
 */
export type Role = "stay" | "stay stubborn" | `hold ${number}` | "speak";

/** A pipe to the parent. Its end is the end of the parent. */
const PARENT = 3;

export interface Relative {
  readonly pid: number;
  /** What is written here reaches one that speaks. */
  readonly pipe: Writable;
}

/** Resolves once it is ready. */
export async function startRelative(role: Role): Promise<Relative> {
  const [, script = "", ...argv] = process.argv;
  // One that stays is there to be killed with its group, and must not keep the pipes open.
  const stays = role.startsWith("stay");
  const child = spawn(process.execPath, [script, ...argv], {
    env: { ...process.env, [ROLE]: role },
    stdio: stays ? ["ignore", "ignore", "ignore", "pipe"] : ["ignore", "inherit", "inherit", "pipe"],
    detached: role.startsWith("hold"),
    windowsHide: true,
  });
  const pipe = await ready(child);
  child.unref();
  return { pid: child.pid ?? 0, pipe };
}

/** Its first byte says that it is there; a relative that ends instead has said why on stderr. */
function ready(child: ChildProcess): Promise<Writable> {
  return new Promise((resolve, reject) => {
    const pipe = child.stdio[PARENT];
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`a relative ended: ${code ?? signal}`)));
    if (!(pipe instanceof Writable)) return reject(new Error("a relative has no pipe"));
    pipe.on("error", () => {}); // it may be killed at any time
    pipe.once("data", () => resolve(pipe));
  });
}

/** How often, a millisecond apart, somebody is given the time to notice that a process has ended. */
const REAPING = 1000;

/**
 * Resolves once whoever has started a process knows of its end: before that it is still there, as a zombie. Nothing else
 * tells, so this has to look again and again.
 */
async function reaped(pid: number): Promise<void> {
  for (let look = 0; look < REAPING; look++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await pause(1);
  }
}

/** What the script does as a relative. */
export async function beRelative(role: string): Promise<never> {
  if (role === "stay stubborn") process.on("SIGTERM", () => {});
  const address = process.env[LIFELINE];
  if (address !== undefined) await (await Lifeline.connect(address)).greet({ pid: process.pid });
  const parent = new Socket({ fd: PARENT });
  const parentId = process.ppid; // another one, once it has ended
  const received: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    parent.on("data", (bytes: Buffer) => received.push(bytes));
    parent.on("error", () => resolve()); // a parent that is killed may reset it
    parent.on("close", () => resolve());
  });
  parent.write("!");
  if (role.startsWith("stay")) await forever();
  await ended;
  if (role === "speak") {
    await reaped(parentId);
    await streamSink(process.stdout).write(Buffer.concat(received));
  } else await pause(Number(role.slice("hold ".length)));
  process.exit(0);
}

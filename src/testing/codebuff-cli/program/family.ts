// Child processes of the fake, to test that all of them are ended.
import { Buffer } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { Lifeline } from "../../processes/lifeline.ts";
import { LIFELINE, ROLE } from "../environment.ts";
import { forever, pause } from "./pause.ts";
import { streamSink } from "./sink.ts";

/**
 * The role of a child process that a run starts. It runs this script again.
 * - `stay` lives until it is killed; `stay stubborn` ignores SIGTERM.
 * - `hold` keeps the inherited pipes open for a number of ms after its parent's end.
 * - `speak` prints the parent's data after the parent's end.
 */
type Role = "stay" | "stay stubborn" | `hold ${number}` | "speak";

/** A pipe to the parent. It ends with the parent. */
const PARENT = 3;

export interface Relative {
  readonly pid: number;
  /** Sends data to a child with the role `speak`. */
  readonly pipe: Writable;
}

export async function startRelative(role: Role): Promise<Relative> {
  const [, script = "", ...argv] = process.argv;
  // A `stay` child must be killed with its group, so it must not hold the pipes.
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

/** Waits for the first byte, which signals readiness. A child that ends early has printed the reason on stderr. */
function ready(child: ChildProcess): Promise<Writable> {
  return new Promise((resolve, reject) => {
    const pipe = child.stdio[PARENT];
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`a child process ended: ${code ?? signal}`)));
    if (!(pipe instanceof Writable)) return reject(new Error("a child process has no pipe"));
    pipe.on("error", () => {}); // the child may be killed at any time
    pipe.once("data", () => resolve(pipe));
  });
}

/** How many checks, 1 ms apart, wait for the parent to reap a process. */
const REAPING = 1000;

/** Resolves when a process is reaped. Until then it exists as a zombie. There is no event for it, so this polls. */
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

/** Runs the script as a child of a run. */
export async function beRelative(role: string): Promise<never> {
  if (role === "stay stubborn") process.on("SIGTERM", () => {});
  const address = process.env[LIFELINE];
  if (address !== undefined) await (await Lifeline.connect(address)).greet({ pid: process.pid });
  const parent = new Socket({ fd: PARENT });
  const parentId = process.ppid; // changes once the parent has ended
  const received: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    parent.on("data", (bytes: Buffer) => received.push(bytes));
    parent.on("error", () => resolve()); // a killed parent may reset it
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

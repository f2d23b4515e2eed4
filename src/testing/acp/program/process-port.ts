// The agent's side of real pipes: writes to stdout, ends this process, starts and ends its commands.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { ACP_CHILD } from "../environment.ts";
import type { AcpPort } from "../link.ts";
import type { MockAcpEnd } from "../record.ts";

export class ProcessPort implements AcpPort {
  readonly #commands = new Map<number, ChildProcess>();
  /** Settles when everything before it is written. */
  #written: Promise<unknown> = Promise.resolve();

  constructor() {
    process.stdout.on("error", () => {}); // the reader may leave at any time
  }

  write(bytes: Uint8Array): void {
    this.#then(() => new Promise((resolve) => process.stdout.write(bytes, () => setImmediate(resolve))));
  }

  end(end: MockAcpEnd): void {
    this.#then(async () => {
      if ("closeStdout" in end) closeSync(1);
      else if ("exit" in end) process.exit(end.exit);
      else {
        process.removeAllListeners(end.signal);
        process.kill(process.pid, end.signal);
      }
    });
  }

  /** A command has a group of its own: a signal to the agent's group does not reach it. */
  command(id: number, on: boolean): void {
    if (on) this.#commands.set(id, this.#start(true));
    else {
      this.#commands.get(id)?.kill("SIGKILL");
      this.#commands.delete(id);
    }
  }

  /** A child in the agent's group, which outlives the agent. */
  stay(): void {
    this.#start(false);
  }

  #start(detached: boolean): ChildProcess {
    const [, script = ""] = process.argv;
    const env = { ...process.env, [ACP_CHILD]: String(process.pid) };
    const child = spawn(process.execPath, [script], { env, detached, stdio: "ignore", windowsHide: true });
    child.unref();
    return child;
  }

  #then(next: () => Promise<unknown>): void {
    this.#written = this.#written.then(next);
  }
}

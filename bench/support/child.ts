/** Processes that a measurement starts, and calls by messages. */
import { fork } from "node:child_process";
import { join } from "node:path";
import * as z from "zod/mini";

/** What a process can be asked for, by name. A function answers with one number. */
export type Calls = Readonly<Record<string, (...values: number[]) => number | Promise<number>>>;

const call = z.object({ id: z.number(), name: z.string(), values: z.array(z.number()) });
const message = z.union([
  z.object({ id: z.number(), value: z.number() }),
  z.object({ id: z.number(), problem: z.string() }),
  z.object({ told: z.number(), at: z.number() }),
]);

export interface Child extends Disposable {
  /** Calls a function of the process. */
  call(name: string, ...values: readonly number[]): Promise<number>;
  /** Calls `listener` with what the process tells by itself. */
  onTold(listener: (told: number, at: number) => void): void;
}

/** Starts a file of `bench/server/`, and resolves once it is ready. `settings`: what `childSettings` returns there. */
export function startChild(
  name: string,
  settings: object,
  flags: readonly string[] = ["--expose-gc"],
): Promise<Child> {
  const file = join(import.meta.dirname, "..", "server", `${name}.ts`);
  const execArgv = ["--disable-warning=ExperimentalWarning", ...flags];
  const child = fork(file, [JSON.stringify(settings)], { execArgv });
  const waiting = new Map<number, { resolve(value: number): void; reject(error: Error): void }>();
  let calls = 0;
  let onTold: (told: number, at: number) => void = () => {};
  const result: Child = {
    call(called, ...values) {
      const id = ++calls;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, name: called, values });
      });
    },
    onTold(listener) {
      onTold = listener;
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
  child.on("message", (received) => {
    const read = message.parse(received);
    if ("told" in read) onTold(read.told, read.at);
    else {
      const asked = waiting.get(read.id);
      waiting.delete(read.id);
      if ("value" in read) asked?.resolve(read.value);
      else asked?.reject(new Error(read.problem));
    }
  });
  return new Promise((resolve, reject) => {
    waiting.set(0, { resolve: () => resolve(result), reject });
    child.once("exit", (code, signal) => {
      const ended = new Error(`bench/server/${name}.ts has ended (${signal ?? `exit code ${code}`})`);
      for (const { reject: fail } of waiting.values()) fail(ended);
      waiting.clear();
    });
  });
}

/** In such a process: its settings. */
export function childSettings(): unknown {
  return JSON.parse(process.argv[2] ?? "{}");
}

/** In such a process: says that it is ready, and answers calls until the measurement is gone. */
export function serveCalls(calls: Calls): void {
  process.on("message", (received) => {
    const { id, name, values } = call.parse(received);
    const work = async (): Promise<number> => {
      const called = calls[name];
      if (!called) throw new Error(`there is no call \`${name}\``);
      return called(...values);
    };
    work().then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, problem: error instanceof Error ? error.stack : "unknown" }),
    );
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ id: 0, value: 0 });
}

/** In such a process: tells something by itself, with its time. */
export function tell(told: number, at = now()): void {
  process.send?.({ told, at });
}

/** ms of the clock that all processes of the machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

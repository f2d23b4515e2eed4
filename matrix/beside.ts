import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A program that has said its first line. */
export interface Started extends AsyncDisposable {
  readonly line: string;
}

/** ms until a program says that it listens. */
const START = 60_000;

/** Starts a program that listens, and waits for the first line that `isReady` accepts. It is killed at the end. */
export async function started(
  command: string,
  args: readonly string[],
  cwd: string,
  isReady: (line: string) => boolean = () => true,
): Promise<Started> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const end = async (): Promise<void> => {
    process.off("exit", kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    kill();
    await ended;
  };
  try {
    return { line: await lineOf(child, isReady), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function lineOf(child: ChildProcess, isReady: (line: string) => boolean): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("the program has no output");
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-2_000);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), START);
  try {
    for await (const line of createInterface({ input: stdout })) {
      if (!isReady(line)) continue;
      stdout.resume(); // a full pipe would stop it
      return line;
    }
    throw new Error(`the program has ended without a word: ${said}`);
  } finally {
    clearTimeout(timer);
  }
}

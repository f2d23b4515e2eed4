import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface Server extends Disposable {
  /** `plain`, `graphql`, `codebuff`, `plain-codey`, `codey` or `cass`, and what to answer with. */
  url(protocol: string, options?: Readonly<Record<string, number | string>>): string;
  /** The base of an HTTP backend whose answers have so many chunks. */
  runUrl(chunks: number): string;
  /** Ends every connection without a Close frame. */
  cut(): void;
}

/** Starts the server of the bench in another process. */
export async function startServer(): Promise<Server> {
  const child = fork(join(import.meta.dirname, "process.ts"), { execArgv: [] });
  const [port]: unknown[] = await once(child, "message");
  return {
    url(protocol, options = {}) {
      const query = Object.entries(options).map(([name, value]) => `${name}=${value}`);
      return `ws://127.0.0.1:${String(port)}/${protocol}?${query.join("&")}`;
    },
    runUrl: (chunks) => `http://127.0.0.1:${String(port)}/run/${chunks}`,
    cut: () => void child.send("cut"),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

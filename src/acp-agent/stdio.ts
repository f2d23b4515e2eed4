// Serves a client over the stdin and stdout of this process. It needs Node's `process`, and imports nothing of Node.
import { UnsupportedError } from "../core/errors.ts";
import type { AcpAgentStream, EditorConnection } from "./connection.ts";
import type { AcpAgentSettings } from "./options.ts";
import type { AcpAgentSdk } from "./peer.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

interface Serving {
  readonly sdk: AcpAgentSdk;
  readonly serve: (stream: AcpAgentStream) => EditorConnection;
}

/** Resolves once stdin has ended, or a signal has come, and all chats are closed or `closeTimeout` is over. */
export async function serveStdio(
  { clock, closeTimeout }: Pick<AcpAgentSettings, "clock" | "closeTimeout">,
  load: () => Promise<Serving>,
): Promise<void> {
  if (typeof process === "undefined" || !process.stdin || !process.stdout.write)
    throw new UnsupportedError(
      "there is no stdin and stdout here.",
      "Use `connect(stream)`, or run the program on Node.",
    );
  const { stdin, stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // Stdout belongs to the protocol. What the app prints, also by `console.log`, goes to stderr.
  stdout.write = stderr.write.bind(stderr);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (const signal of SIGNALS) process.once(signal, end);
  stdout.on("error", end); // the client has gone
  try {
    const { sdk, serve } = await load();
    const connection = serve(sdk.ndJsonStream(output(write), input(stdin)) as AcpAgentStream);
    await Promise.race([ended, connection.ended]);
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimeout(resolve, closeTimeout);
      void connection.close().then(() => {
        cancel();
        resolve();
      });
    });
    // What the app has left open must not keep a program that nobody talks to.
    clock.setTimeout(() => process.exit(), closeTimeout, { unref: true });
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    stdin.pause();
    stdout.off("error", end);
    stdout.on("error", () => {}); // a write that is under way may still fail
    stdout.write = write;
  }
}

function output(write: NodeJS.WriteStream["write"]): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
  });
}

function input(stdin: NodeJS.ReadStream): ReadableStream<Uint8Array> {
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const onData = (piece: Buffer): void => {
        controller.enqueue(piece);
        if ((controller.desiredSize ?? 0) <= 0) stdin.pause();
      };
      const onEnd = (): void => {
        stop();
        controller.close();
      };
      stop = () => {
        stdin.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd).pause();
      };
      stdin.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
    },
    pull: () => void stdin.resume(),
    cancel: () => stop(),
  });
}

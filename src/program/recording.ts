// A recording of traffic that is told by hand. The recorder of `agentwire/testing` writes it, without secrets.
import type { Recorder, RecordingSink, TestSocket } from "../testing/index.ts";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";

/** The mocks, which commands load when they run. */
export type Testing = typeof import("../testing/index.ts");

export type TrafficHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The close code of a link that was cut. */
export const CUT = 1006;

/** A connection of a recording: what happens on it is told by hand. */
export interface RecordedConnection {
  /** One message. `binary`: bytes of a binary message. */
  readonly pass: (from: "client" | "server", data: string | Uint8Array) => void;
  /** @param code {@link CUT} without a Close; 1005 for a Close without a code */
  readonly end: (code: number, reason: string, by: "client" | "server") => void;
}

/** Writes lines of a recording, each without its newline, to all who want them. */
export class Recording {
  readonly #recorder: Recorder;
  readonly #Socket: typeof ToldSocket;

  /** @param write gets each line, as JSON @param sink the file, if there is one */
  constructor(testing: Testing, write: (line: string) => void, sink: RecordingSink | undefined) {
    this.#recorder = new testing.Recorder({
      output: {
        write: (line) => {
          write(line);
          return sink?.write(line);
        },
        ...(sink?.end && { end: () => sink.end?.() }),
      },
    });
    this.#Socket = this.#recorder.wrap(ToldSocket);
  }

  /** @param url of the client's request, and `headers`: secrets in them are known from now on */
  open(url: string, headers: TrafficHeaders): RecordedConnection {
    const texts = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]);
    const socket = new this.#Socket(url, { headers: Object.fromEntries(texts) });
    socket.tell("open", {});
    return {
      pass: (from, data) => {
        if (from === "server") socket.tell("message", { data });
        else socket.send(data);
      },
      end: (code, reason, by) => {
        if (by === "client") socket.close();
        socket.tell("close", { code, reason });
      },
    };
  }

  /** Why the recording is incomplete, if it is. */
  get failure(): Error | undefined {
    return this.#recorder.failure;
  }

  /** @throws Failure if a line could not be written */
  async stop(): Promise<void> {
    try {
      await this.#recorder.stop();
    } catch (error) {
      throw incomplete(error);
    }
  }
}

/** What a recording lacks, or could not write. */
export function incomplete(error: unknown): ProgramFailure {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return new ProgramFailure(EXIT.failed, `The recording is incomplete: ${message}${reason}.`);
}

/** @param make opens the file @throws Failure for a file that cannot be written */
export function openedFile<Opened>(path: string, option: string, make: (path: string) => Opened): Opened {
  try {
    return make(path);
  } catch (error) {
    const { code = "it cannot be opened" } = error as NodeJS.ErrnoException;
    throw wrongCall(
      `${path} cannot be written: ${code}.`,
      `Pass ${option} with a path in a folder that exists.`,
    );
  }
}

type Listener = (event: never) => void;

/** A socket that does nothing: the recorder watches it. */
class ToldSocket implements TestSocket {
  readonly readyState = 1;
  readonly #listeners = new Map<string, Listener>();

  /** The recorder learns the secrets of the arguments. */
  // biome-ignore lint/complexity/noUselessConstructor: they are read by the recorder
  constructor(_url: string, _options: { readonly headers: Readonly<Record<string, string>> }) {}

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  removeEventListener(type: string): void {
    this.#listeners.delete(type);
  }

  tell(type: "open" | "message" | "close", event: object): void {
    this.#listeners.get(type)?.(event as never);
  }

  send(_data: string | ArrayBuffer | Uint8Array): void {}

  close(): void {}
}

// Plays a recording of an agent on stdio: says its lines, each behind as many lines of the client as were recorded.
import { jsonIn } from "../../core/text.ts";
import { LineSplitter } from "../../process/lines.ts";
import type { RecordingLine } from "../../testing/index.ts";
import { EXIT } from "../exit-codes.ts";
import { wrongCall } from "../failure.ts";
import type { Testing } from "../recording.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";

/** Bytes of a line of the client. */
const MAX_LINE_BYTES = 128 * 1_024 * 1_024;

type Message = Readonly<Record<string, unknown>>;

export class LinePlayer {
  readonly #lines: readonly RecordingLine[];
  readonly #received: string[] = [];
  /** The client's id of each request, by the id that was recorded. */
  readonly #ids = new Map<unknown, unknown>();
  #at = 0;
  #read = 0;

  /** @throws Failure for a text that is no recording */
  constructor({ parseRecording }: Testing, text: string, file: string) {
    try {
      const lines = parseRecording(text);
      const [first] = lines;
      this.#lines = lines.filter(({ conn }) => conn === first?.conn);
      if (!first) throw new Error("the recording holds no connection");
    } catch (error) {
      throw wrongCall(
        `${file} cannot be played: ${(error as Error).message}.`,
        "Pass what `agentwire tap` or `agentwire mock --record` has written, or a script.",
      );
    }
  }

  /** Resolves with the recorded exit code; after the end of the standard input with 0. */
  play(): Promise<number> {
    const { stdin, stderr } = process;
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    return new Promise((resolve) => {
      onSignals((signal) => resolve(exitCodeOfSignal(signal)));
      const goOn = (): void => {
        const code = this.#goOn();
        if (code !== undefined) resolve(code);
      };
      stdin.on("data", (bytes: Buffer) => {
        for (const line of splitter.push(bytes))
          if (typeof line === "string" && line.trim() !== "") this.#received.push(line);
        goOn();
      });
      stdin.on("end", () => resolve(EXIT.done));
      stderr.write(`${JSON.stringify({ ev: "ready", ready: true, mock: "acp", pid: process.pid })}\n`);
      goOn();
    });
  }

  /** Up to a line that the client has not written yet. Returns the exit code if the agent ended here. */
  #goOn(): number | undefined {
    for (let line = this.#lines[this.#at]; line; line = this.#lines[++this.#at]) {
      if (line.ev === "open") continue;
      if (line.ev === "close") return line.by === "server" ? exitCodeIn(line.reason) : undefined;
      if (line.dir === "s2c") {
        process.stdout.write(`${this.#translated(line.raw)}\n`);
        continue;
      }
      const sent = this.#received[this.#read];
      if (sent === undefined) return undefined;
      this.#read++;
      this.#learn(line.raw, sent);
    }
    return undefined;
  }

  #learn(recorded: string, sent: string): void {
    const [theirs, ours] = [messageIn(recorded), messageIn(sent)];
    if (theirs?.["method"] !== undefined && theirs["id"] !== undefined && ours?.["id"] !== undefined)
      this.#ids.set(theirs["id"], ours["id"]);
  }

  /** A response has the client's id. */
  #translated(raw: string): string {
    const message = messageIn(raw);
    if (!message || message["method"] !== undefined) return raw;
    const id = this.#ids.get(message["id"]);
    return id === undefined || id === message["id"] ? raw : JSON.stringify({ ...message, id });
  }
}

function messageIn(raw: string): Message | undefined {
  const json = jsonIn(raw);
  return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Message) : undefined;
}

function exitCodeIn(reason: string): number {
  const [, code] = /^exit (\d+)$/.exec(reason) ?? [];
  return code === undefined ? EXIT.failed : Number(code);
}

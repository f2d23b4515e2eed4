// What happens on a mock or a tap: lines for whoever watches, and a recording.
import { inert } from "../chat/index.ts";
import type { RecordingLine, RecordingSink } from "../testing/index.ts";
import {
  incomplete,
  type RecordedConnection,
  Recording,
  type Testing,
  type TrafficHeaders,
} from "./recording.ts";

/** Something beside the traffic of connections. Readers of recordings skip it. */
export type TrafficNote =
  | { readonly ev: "refused"; readonly path: string; readonly status: number; readonly reason?: string }
  | {
      readonly ev: "http";
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly [field: string]: unknown;
    }
  | {
      readonly ev: "violation";
      readonly conn: number | undefined;
      readonly kind: string;
      readonly detail: string;
    }
  | { readonly ev: "problem"; readonly message: string };

/** Characters of a frame that a line in words shows. */
const SHORT = 120;

export interface JournalSetup {
  /** Takes lines with their newline. */
  readonly write: (text: string) => void;
  readonly isJson: boolean;
  readonly sink: RecordingSink | undefined;
}

export class TrafficJournal {
  readonly #setup: JournalSetup;
  readonly #recording: Recording;
  readonly #start = performance.now();
  /** Why a note is missing in the file. */
  #failure: unknown;
  #isStopped = false;

  constructor(testing: Testing, setup: JournalSetup) {
    this.#setup = setup;
    const { write, isJson, sink } = setup;
    this.#recording = new Recording(
      testing,
      (line) => write(`${isJson ? line : wordsOf(JSON.parse(line) as RecordingLine)}\n`),
      sink,
    );
  }

  open(url: string, headers: TrafficHeaders): RecordedConnection {
    return this.#recording.open(url, headers);
  }

  note(note: TrafficNote): void {
    const { write, isJson, sink } = this.#setup;
    const line = JSON.stringify({ ms: Math.round(performance.now() - this.#start), ...note });
    write(`${isJson ? line : noteWords(note)}\n`);
    if (this.#isStopped || this.#recording.failure || this.#failure !== undefined) return;
    try {
      sink?.write(line);
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Something that the recording lacks. */
  problem(message: string): void {
    this.note({ ev: "problem", message });
    this.#failure ??= new Error(message);
  }

  /** @throws Failure if the recording is incomplete */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#recording.stop();
    if (this.#failure !== undefined) throw incomplete(this.#failure);
  }
}

const oneLine = (text: string): string => inert(text, { keepNewlines: false });

function wordsOf(line: RecordingLine): string {
  const name = `#${line.conn}`;
  if (line.ev === "open") return `${name} open`;
  if (line.ev === "close")
    return oneLine(`${name} closed by the ${line.by}: ${line.code} ${line.reason}`).trimEnd();
  const { dir, raw, binary } = line;
  const kind = binary === undefined ? "" : `binary ${binary === "base64" ? "in base64 " : ""}`;
  const short =
    raw.length > SHORT ? `${oneLine(raw.slice(0, SHORT))}... (${raw.length} characters)` : oneLine(raw);
  return `${name} ${dir === "c2s" ? ">" : "<"} ${kind}${short}`;
}

function noteWords(note: TrafficNote): string {
  switch (note.ev) {
    case "refused":
      return oneLine(`refused a connection to ${note.path}: ${note.status} ${note.reason ?? ""}`).trimEnd();
    case "http":
      return oneLine(`${note.method} ${note.path} ${note.status}`);
    case "violation":
      return oneLine(`${note.conn === undefined ? "" : `#${note.conn} `}! ${note.kind}: ${note.detail}`);
    case "problem":
      return oneLine(`! ${note.message}`);
  }
}

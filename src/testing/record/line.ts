// The types of a recording's lines.

/** One line of a recording: an event on one connection. Recordings are JSONL. Readers ignore unknown fields. */
export type RecordingLine = RecordedOpen | RecordedMessage | RecordedClose;

interface Happened {
  /** Time of the event, in ms since the recording began. */
  readonly ms: number;
  /** 1 for the first opened connection. */
  readonly conn: number;
}

/** A connection opened. */
export interface RecordedOpen extends Happened {
  readonly ev: "open";
}

/** One message: `c2s` from the client to the server, `s2c` from the server to the client. */
export interface RecordedMessage extends Happened {
  readonly ev?: never;
  readonly dir: "c2s" | "s2c";
  /** The text, unchanged. */
  readonly raw: string;
  /** Only for a binary message: whether `raw` holds its bytes as UTF-8 text or in base64. */
  readonly binary?: "utf8" | "base64";
}

/** The end of a connection, as the client saw it: 1005 for a Close without a code, 1006 without a Close. */
export interface RecordedClose extends Happened {
  readonly ev: "close";
  readonly code: number;
  readonly reason: string;
  /** Who closed first. `server` also stands for a broken link. Older captures lack this field. */
  readonly by?: "client" | "server";
}

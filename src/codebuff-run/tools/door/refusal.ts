// `Refusal`: the error for a path that a tool may not use, without absolute paths.
import { fieldsOf } from "../../../core/checks.ts";

export type RefusalReason =
  | "outside" // outside of the root
  | "invalid" // not a valid path on this system
  | "blocked" // by the caller's filter, as a secret file, or by an ignore file
  | "protected" // never writable: `.git` and ignore files
  | "missing"
  | "exists"
  | "link" // a write to a link, or too many links
  | "not-a-file" // a folder, a device, a pipe
  | "not-a-folder"
  | "too-large"
  | "changed" // changed since it was read
  | "failed"; // an error of the system

/** A path that a tool may not or cannot use. The message is for the agent, and has no absolute path. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** As in the agent's input, or relative to the root. */
  readonly path: string;
  /** For `too-large`: the file's bytes, or a lower bound. */
  readonly size: bigint | undefined;

  constructor(reason: RefusalReason, path: string, message: string, size?: bigint) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.path = path;
    this.size = size;
  }
}

/** @param text the end of a sentence that starts with the path */
export function refuse(reason: RefusalReason, path: string, text: string, size?: bigint): Refusal {
  return new Refusal(reason, path, `Path ${shown(path)} ${text}.`, size);
}

/** Characters of a path in a message. */
const MAX_SHOWN = 200;

/** An agent's path for a message. */
export function shown(path: string): string {
  const text = path.replace(/\p{Cc}/gu, "\ufffd");
  return `'${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text}'`;
}

const REASONS: Readonly<Record<string, readonly [RefusalReason, string]>> = {
  ENOENT: ["missing", "does not exist"],
  EEXIST: ["exists", "exists already"],
  ELOOP: ["link", "has too many links, or ends with one"],
  ENOTDIR: ["not-a-folder", "goes through a file"],
  EISDIR: ["not-a-file", "is a directory"],
  ENXIO: ["not-a-file", "is not a regular file"],
  ENODEV: ["not-a-file", "is not a regular file"],
  ENAMETOOLONG: ["invalid", "is too long"],
  EILSEQ: ["invalid", "has a name that the file system forbids"],
};

export function codeOf(error: unknown): string | undefined {
  const { code } = fieldsOf(error);
  return typeof code === "string" ? code : undefined;
}

/** Converts a system error without its text, which has absolute paths. Returns other errors unchanged. */
export function refusalOf(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error && "syscall" in error)) return error;
  const [reason, text] = REASONS[code] ?? (["failed", `cannot be used: ${code}`] as const);
  return refuse(reason, path, text);
}

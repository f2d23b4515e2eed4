// `Refusal`: the error for a path that a tool may not use.

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

  constructor(
    reason: RefusalReason,
    path: string,
    message: string,
    { size }: { readonly size?: bigint } = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.path = path;
    this.size = size;
  }
}

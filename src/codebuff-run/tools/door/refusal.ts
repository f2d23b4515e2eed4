// The error of a path that a tool may not use, in words for the agent.

/** Why a path is refused. */
export type RefusalReason =
  | "outside" // of the root
  | "invalid" // no path on this system
  | "blocked" // by the caller's filter, as a file of secrets, or by an ignore file
  | "protected" // never written: the inside of `.git`, and ignore files
  | "missing"
  | "exists"
  | "link" // the last name is a link, for a write; or there are too many links
  | "not-a-file" // a folder, a device, a pipe
  | "not-a-folder"
  | "too-large"
  | "changed" // since it was read
  | "failed"; // the system refused

/** A path that a tool may not use, or cannot use. The message is for the agent, and has no absolute path. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** As the agent named it, or relative to the root. */
  readonly path: string;
  /** Bytes of a file that is `too-large`, or a lower bound of them. */
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

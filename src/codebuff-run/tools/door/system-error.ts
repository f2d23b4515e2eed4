// Converts file system errors into refusals without absolute paths.
import { shown } from "./paths.ts";
import { Refusal, type RefusalReason } from "./refusal.ts";

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
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Converts a system error without its text, which has absolute paths. Returns other errors unchanged. */
export function refusalOf(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error && "syscall" in error)) return error;
  const [reason, text] = REASONS[code] ?? (["failed", `cannot be used: ${code}`] as const);
  return new Refusal(reason, path, `Path ${shown(path)} ${text}.`);
}

// The error for an optional package that is missing or too old.
import { UnsupportedError } from "./errors.ts";

/** An optional package that an entry needs. npm accepts any version, so that it blocks no other app. */
export interface Peer {
  readonly name: string;
  /** The oldest supported version, such as `19.3`. */
  readonly oldest: string;
  /** The argument of `npm install`. */
  readonly install: string;
}

/** The error of an entry whose package is missing or too old. `found`: the installed version, if any. */
export function peerError(
  entry: string,
  { name, oldest, install }: Peer,
  found: string | undefined,
): UnsupportedError {
  const problem = found === undefined ? "it is not installed" : `this is ${found}`;
  return new UnsupportedError(
    `${entry} needs the package \`${name}\`, version ${oldest} or later, and ${problem}.`,
    `Run \`npm install ${install}\`.`,
  );
}

/** Compares the first two numbers of versions. A value that is not a version counts as older. */
export function isOlder(found: string, oldest: string): boolean {
  const [major = 0, minor = 0] = found.split(".", 2).map((part) => Number.parseInt(part, 10));
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".", 2).map(Number);
  return !(major > oldestMajor || (major === oldestMajor && minor >= oldestMinor));
}

/** A promise that one fixture is excused from. */
export interface Exception {
  /** The name of the fixture. */
  readonly protocol: string;
  /** A title, or the subject before its colon: all titles that begin with it. */
  readonly test: string;
  readonly reason: string;
}

/** Every promise that a client does not keep. What is not here runs on every fixture. */
export const exceptions: readonly Exception[] = [];

/** Whether a row is about a title. */
export function names(row: Exception, title: string): boolean {
  return title === row.test || title.startsWith(`${row.test}: `);
}

export function isExcused(protocol: string, title: string): boolean {
  return exceptions.some((row) => row.protocol === protocol && names(row, title));
}

/** A promise that one fixture is excused from. */
export interface Exception {
  /** The name of the fixture. */
  readonly protocol: string;
  /** A title, or the subject before its colon: all titles that begin with it. */
  readonly test: string;
  readonly reason: string;
}

const CODEBUFF = ["codebuff, proxy", "codebuff, original"] as const;
const CODEY = ["codey", "codey, documented"] as const;

const repeated = (place: string): string =>
  `what the backend repeats of a credential in the ${place} is taken out of all that the library says`;

/** Every promise that a client does not keep. What is not here runs on every fixture. */
export const exceptions: readonly Exception[] = [
  ...forAll([...CODEBUFF, ...CODEY], {
    test: `redaction: ${repeated("query")}`,
    reason: "the address is the caller's, and nothing tells what in its query is a credential",
  }),
  ...forAll(CODEY, {
    test: `redaction: ${repeated("token")}`,
    reason: "the protocol knows no token",
  }),
  ...forAll(CODEY, {
    test: "conversation: it goes on from its state, in another client",
    reason: "a server forgets a session with its connection, and `from` is unsupported",
  }),
];

function forAll(protocols: readonly string[], row: Omit<Exception, "protocol">): readonly Exception[] {
  return protocols.map((protocol) => ({ protocol, ...row }));
}

/** Whether a row is about a title. */
export function names(row: Exception, title: string): boolean {
  return title === row.test || title.startsWith(`${row.test}: `);
}

export function isExcused(protocol: string, title: string): boolean {
  return exceptions.some((row) => row.protocol === protocol && names(row, title));
}

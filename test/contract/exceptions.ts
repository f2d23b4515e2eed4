/** A promise that one fixture is excused from. */
export interface Exception {
  /** The name of the fixture. */
  readonly protocol: string;
  /** A title, or the subject before its colon: all titles that begin with it. */
  readonly test: string;
  readonly reason: string;
}

const CODEY = ["codey", "codey, documented"] as const;

const CASS = ["cass, v2", "cass, documented"] as const;

const repeated = (place: string): string =>
  `what the backend repeats of a credential in the ${place} is taken out of all that the library says`;

/** Every promise that a client does not keep. What is not here runs on every fixture. */
export const exceptions: readonly Exception[] = [
  ...forAll([...CODEY, "cass, documented"], {
    test: `redaction: ${repeated("token")}`,
    reason: "no message has a token in it",
  }),
  {
    protocol: "cass, v2",
    test: `redaction: ${repeated("query")}`,
    reason: "its token is in a message, and not in the address",
  },
  ...forAll(CASS, {
    test: "break: leaving the loop over `textStream` cancels the turn",
    reason: "the text comes as one, with the end: there is nothing to leave before",
  }),
  ...forAll(CASS, {
    test: "break: an error thrown in the loop over `textStream` comes out of it, and cancels the turn",
    reason: "the text comes as one, with the end: there is nothing to leave before",
  }),
  {
    protocol: "cass, documented",
    test: "reconnect: a link that falls silent is found dead by its pings, and a live one is left alone",
    reason: "its server answers no ping, so that silence proves nothing",
  },
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

/** What runs on Node alone, and why. */
export interface Omission {
  readonly file: string;
  /** How the title of the test begins; the whole file without it. */
  readonly test?: string;
  readonly reason: string;
}

const NO_STATUS = "browsers do not tell why an upgrade failed, and the test wants to see the status";
const NO_HEADERS = "browsers send no headers with an upgrade";
const NO_PROCESS = "it asks Node for unhandled rejections; in a browser any of them fails the run";

const NO_CUT = "browsers cannot cut a socket: it ends when the server lets it go";
const ONE_BY_ONE = "what the server sends in one go arrives in events of their own";
const ONE_WRITE =
  "browsers write each frame by itself, so the server may answer the Pings before it reads the Close";
const RELAYED = "upgrades go through the relay, and the socket opens before the clock of the test moves";

/** Everything in `test/codebuff`, `test/codey` and `test/cass/acceptance` that does not run in a browser. */
export const omissions: readonly Omission[] = [
  { file: "test/codebuff/acceptance/complete.test.ts", reason: "it reads the files of the suite" },
  {
    file: "test/codebuff/acceptance/closing.test.ts",
    test: "closing 1001, 1005, 1006, 1011, 1012: a Close without a code",
    reason:
      "the mock writes it beneath its own socket, which then sends a second one: to browsers that is 1006",
  },
  { file: "test/codebuff/replay.test.ts", reason: "it reads recordings, and replays them on ports of Node" },
  {
    file: "test/codebuff/universal/captures.test.ts",
    reason: "it reads recordings, and replays them on ports of Node",
  },
  { file: "test/codey/captures.test.ts", reason: "it reads recordings" },
  {
    file: "test/codey/acceptance/connection-ends.test.ts",
    test: "6.1 any, close(): in a turn with open approvals",
    reason: ONE_WRITE,
  },
  {
    file: "test/codey/acceptance/loss.test.ts",
    test: "6.4 leaks & ",
    reason: ONE_WRITE,
  },
  {
    file: "test/codey/acceptance/switches-connection.test.ts",
    test: "switch closeReply=",
    reason: ONE_WRITE,
  },
  { file: "test/codey/farewell.test.ts", reason: "it watches the writes of sockets, as Node has them" },
  { file: "test/codey/universal/captures.test.ts", reason: "it reads recordings" },
  {
    file: "test/codebuff/line.test.ts",
    test: "triggers the due ping; if the socket refuses the ping, the queue uses a new connection",
    reason: "its socket is that of `ws`, which can be made to refuse a frame",
  },
  { file: "test/codebuff/prompt-files.test.ts", reason: "it reads files, from a folder of Node" },
  { file: "test/codebuff/content.test.ts", reason: "it takes its bytes from Node's `Buffer`" },
  {
    file: "test/codebuff/bad-input.test.ts",
    test: "allows exactly 1 MiB and refuses one byte more,",
    reason: "it counts bytes with Node's `Buffer`; edge case 15 has the limit",
  },
  {
    file: "test/codebuff/bad-input.test.ts",
    test: "headers to another machine",
    reason: `${NO_HEADERS}, to whatever machine`,
  },
  {
    file: "test/codebuff/leaks.test.ts",
    test: "a failed turn that nobody reads causes no unhandled rejection",
    reason: NO_PROCESS,
  },
  {
    file: "test/codebuff/platform-socket.test.ts",
    test: "the error for a refused upgrade on Node has the HTTP status and what to check",
    reason: NO_STATUS,
  },
  {
    file: "test/codebuff/platform-socket.test.ts",
    test: "`createWebSocket` is called for each dial, with the headers and the unchanged URL",
    reason: NO_HEADERS,
  },
  {
    file: "test/codebuff/platform-socket.test.ts",
    test: "headers are sent with the upgrade on Node",
    reason: NO_HEADERS,
  },
  {
    file: "test/codebuff/reentrancy.test.ts",
    test: "a refusal of 200,000 backslashes is read in linear time",
    reason: "it asks Node for the time that the CPU took; checklist 4 has such frames",
  },
  {
    file: "test/codebuff/reentrancy.test.ts",
    test: "a late status listener or a `shouldReconnect` that rejects causes only a warning",
    reason: NO_PROCESS,
  },
  {
    file: "test/codey/acceptance/cancel.test.ts",
    test: "5.2 step 2: an approval that was asked for",
    reason: ONE_BY_ONE,
  },
  { file: "test/codey/acceptance/cancel.test.ts", test: "5.2 step 5: without its Pong", reason: NO_CUT },
  {
    file: "test/codey/acceptance/connection.test.ts",
    test: "6.1 connecting, open: the connect timer",
    reason: RELAYED,
  },
  { file: "test/codey/acceptance/complete.test.ts", reason: "it reads the files of the suite" },
  { file: "test/codey/acceptance/documented.test.ts", reason: "it reads the page of the client" },
  { file: "test/cass/acceptance/complete.test.ts", reason: "it reads the files of the suite" },
  { file: "test/cass/acceptance/captures.test.ts", reason: "it reads recordings, and needs no socket" },
];

/** The row that leaves a test out, if there is one. */
export function omits(file: string, title: string): Omission | undefined {
  return omissions.find((row) => row.file === file && row.test !== undefined && title.startsWith(row.test));
}

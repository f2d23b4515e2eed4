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

/** What a process has not, or has otherwise; each reason with its promises. */
const CLI: readonly (readonly [reason: string, tests: readonly string[]])[] = [
  [
    "a process has no link: its pipes end with it, and it is started anew for each prompt",
    [
      "cut",
      "garbage",
      "generic: a client that gave up by itself refuses a prompt as a closed one does",
      "generic: `reopens` says whether a lost link comes back",
      "reconnect",
      "close: while the next attempt to connect is waited for",
      "connect: a refused upgrade fails it, and can be tried again",
      "connect: a server that never answers costs `connectTimeout`",
      "connect: a server that opens and says nothing is not waited for without end",
      "connect: closing ends the wait",
      "frames: listeners hear both ways in the same order when one of them prompts",
      "frames: an answer that is complete is told to all before the frame of the prompt that its listener makes",
      "frames: a loss and the way back are told in order",
      "frames: who is told of a loss finds a client that has left `ready`",
      "frames: a listener that closes the client at a loss leaves the loss to those behind it first",
      "conversation: it outlives a lost link exactly where the client says that it does",
      "limits: a frame over `maxReceiveBytes` ends the link, and with it what runs",
      "many: thirty losses leave no timer, and no listener on the client's own signal",
      "redaction",
      "timeouts: also a turn for which there is no connection yet",
    ],
  ],
  [
    "to connect is to look for the program, which takes no time and starts nothing",
    [
      "connect: to connect several times is to connect once",
      "connect: an aborted wait is rejected, and the client connects all the same",
      "prompt: the states come in their order, each once",
    ],
  ],
  [
    "a program that is not there stays so until somebody installs it: that is not worth another try",
    ["connect: where nobody is, that is told at once, and can be tried again"],
  ],
  [
    "it has no options of a connection, and its limits are those of arguments and of its own input",
    [
      "input: options of a client that cannot work are refused by its constructor",
      "limits: a prompt over `maxSendBytes` is refused at once",
    ],
  ],
  [
    "a turn ends with the exit of its program, and not with its last line",
    ["order: what a listener of the last event asks for comes too late to change the answer"],
  ],
  ["an argument cannot hold a NUL", ["prompt: what is no ASCII arrives as it was, both ways"]],
  [
    "as many processes as there may be answer at once, each when it likes",
    ["many: a hundred turns asked for at once come in order"],
  ],
];

/** What a run has not, or has otherwise; each reason with its promises. */
const RUN: readonly (readonly [reason: string, tests: readonly string[]])[] = [
  [
    "each call over HTTP stands alone: there is no link that could break",
    [
      "cut",
      "garbage",
      "reconnect",
      "redaction", // `credential-places.test.ts` has its places
      "close: while the next attempt to connect is waited for",
      "connect: a refused upgrade fails it, and can be tried again",
      "connect: a server that never answers costs `connectTimeout`",
      "connect: a server that opens and says nothing is not waited for without end",
      "connect: closing ends the wait",
      "conversation: it outlives a lost link exactly where the client says that it does",
      "frames: listeners hear both ways in the same order when one of them prompts",
      "frames: a loss and the way back are told in order",
      "frames: who is told of a loss finds a client that has left `ready`",
      "frames: a listener that closes the client at a loss leaves the loss to those behind it first",
      "frames: an answer that is complete is told to all before the frame of the prompt that its listener makes", // several frames hold a prompt
      "generic: a client that gave up by itself refuses a prompt as a closed one does",
      "limits: a frame over `maxReceiveBytes` ends the link, and with it what runs",
      "many: thirty losses leave no timer, and no listener on the client's own signal",
      "timeouts: also a turn for which there is no connection yet",
    ],
  ],
  [
    "a call that reaches nobody is repeated for seven seconds, and then the run has failed",
    [
      "connect: where nobody is, that is told at once, and can be tried again",
      "connect: a prompt that finds nobody is handed back",
    ],
  ],
  [
    "a run begins at once, and its first event, `start`, is told before the model is asked",
    [
      "break: an error thrown in the loop comes out of it, and cancels the turn",
      "frames: of each frame it is told that it came, its message, the status, its events, and then they are read",
      "frames: who is told of a frame sees what it has brought",
      "order: a listener that cancels at `streaming` hides no status from those behind it",
      "order: a listener that closes the client at `streaming` hides no status from those behind it",
      "prompt: the states come in their order, each once",
    ],
  ],
  [
    "it has no options of a connection, and a history may have any size",
    [
      "input: options of a client that cannot work are refused by its constructor",
      "limits: a prompt over `maxSendBytes` is refused at once",
    ],
  ],
  [
    "a model that falls silent is asked again: `streamTimeout` ends an answer, and not the turn",
    ["timeouts: the client's `idleTimeout` counts where a turn has none of its own"],
  ],
  [
    "as many runs as there may be answer at once, each when it likes",
    ["many: a hundred turns asked for at once come in order"],
  ],
];

/** What the agent of tests has not, for want of a wire; each reason with its promises. */
const AGENT: readonly (readonly [reason: string, tests: readonly string[]])[] = [
  [
    "it has no wire: there are no frames, no messages, no credentials and no HTTP",
    [
      "garbage",
      "moments",
      "redaction",
      "close: from a listener of a message",
      "close: from a listener of a frame",
      "connect: a refused upgrade fails it, and can be tried again",
      "connect: a server that opens and says nothing is not waited for without end",
      "cut: an idle client is told of it, with the code",
      "cut: behind whichever frame the link is cut, the turn ends truly",
      "cut: behind whichever frame the link is cut in the middle of the next, the turn ends truly",
      "cut: behind whichever frame the link is closed with 1000, the turn ends truly",
      "cut: behind whichever frame the link is closed with 1001, the turn ends truly",
      "cut: behind whichever frame the link is closed with 1011, the turn ends truly",
      "frames: of each frame it is told that it came, its message, the status, its events, and then they are read",
      "frames: who is told of a frame sees what it has brought",
      "frames: a listener that another one adds is not told of the message of the frame that came before it",
      "frames: listeners hear both ways in the same order when one of them prompts",
      "frames: an answer that is complete is told to all before the frame of the prompt that its listener makes",
      "limits: a frame over `maxReceiveBytes` ends the link, and with it what runs",
      "reconnect: a link that falls silent is found dead by its pings, and a live one is left alone",
      "reconnect: a server that refuses the credentials is not asked again, and the client says what to check",
      "reconnect: a server that is busy is asked again, and the client says to wait",
    ],
  ],
  [
    "its test says when it comes back: it has no back-off of its own",
    [
      "reconnect: each wait may be twice as long as the one before, up to `maxDelay`, and is random",
      "reconnect: `shouldReconnect` has the last word, and is told why",
      "reconnect: prompts in a loop, to a backend that is gone, make no loop of attempts",
    ],
  ],
  [
    "its options are those of a script, and its clients take none: no signal, no log, no time-out of a connection",
    [
      "abort: the client's own signal closes the client",
      "abort: a client whose signal was aborted before is closed",
      "connect: a server that never answers costs `connectTimeout`",
      "input: options of a client that cannot work are refused by its constructor",
      "many: thirty losses leave no timer, and no listener on the client's own signal",
      "order: what a listener throws is told behind what was to be told before",
      "order: a `protocolWarning` listener that throws is not told of that, only the log is",
      "order: a logger may call the client, and what it causes is told behind what was to be told before",
    ],
  ],
  [
    "its options set no limits: those of queues and buffers are the defaults of every client",
    [
      "iterate: a reader that falls too far behind is told, and the result is whole",
      "limits: a prompt over `maxSendBytes` is refused at once",
      "limits: more turns than `maxQueuedTurns` do not wait",
      "limits: nor more bytes than `maxQueuedBytes`",
      "limits: text over `maxTextBytes` streams on, and the result says that it is cut off",
    ],
  ],
];

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
  ...AGENT.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "mock-agent", test, reason }))),
  ...CLI.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "codebuff-cli", test, reason }))),
  ...RUN.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "codebuff-run", test, reason }))),
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

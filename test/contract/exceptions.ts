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
  `a credential in the ${place} that the backend repeats is redacted everywhere`;

/** What a process has not, or has otherwise; each reason with its promises. */
const CLI: readonly (readonly [reason: string, tests: readonly string[]])[] = [
  [
    "a process has no link: its pipes end with it, and it is started anew for each prompt",
    [
      "cut",
      "garbage",
      "generic: a client that closed after a lost link refuses a prompt as `closed`",
      "generic: `reopens` says whether a lost link comes back",
      "reconnect",
      "close: a client that waits for its next attempt closes",
      "connect: a refused upgrade rejects, and can be retried",
      "connect: a server that never answers fails after `connectTimeout`",
      "connect: a server that opens but stays silent is given up",
      "connect: `close()` ends a pending `connect()`",
      "frames: all listeners get both directions in the same order if one of them makes a prompt",
      "frames: all listeners get a completed answer before the frame of a prompt that one of them makes",
      "frames: a lost link and the reconnect are emitted in order",
      "frames: a `disconnected` listener sees a client that has left `ready`",
      "frames: a `disconnected` listener that closes the client does not hide the loss from others",
      "conversation: `survivesReconnect` says whether it outlives a lost link",
      "limits: a frame over `maxReceiveBytes` closes the link and fails the running turn",
      "many: thirty lost links leave no timer, and no listener on the client's own signal",
      "redaction",
      "timeouts: `timeout` runs for a turn without a connection too",
    ],
  ],
  [
    "to connect is to look for the program, which takes no time and starts nothing",
    [
      "connect: several calls of `connect()` connect once",
      "connect: an aborted `connect()` rejects, but the client still connects",
      "prompt: each state is emitted once, in order",
    ],
  ],
  [
    "a program that is not there stays so until somebody installs it: that is not worth another try",
    ["connect: an unreachable backend rejects at once, and can be retried"],
  ],
  [
    "it has no options of a connection, and its limits are those of arguments and of its own input",
    [
      "input: the constructor refuses invalid options",
      "limits: a prompt over `maxSendBytes` is refused at once",
    ],
  ],
  [
    "a turn ends with the exit of its program, and not with its last line",
    ["order: a cancel in a listener of the last event cannot change the answer"],
  ],
  ["an argument cannot hold a NUL", ["prompt: text beyond ASCII is unchanged in both directions"]],
  [
    "as many processes as there may be answer at once, each when it likes",
    ["many: a hundred turns made at once complete in order"],
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
      "close: a client that waits for its next attempt closes",
      "connect: a refused upgrade rejects, and can be retried",
      "connect: a server that never answers fails after `connectTimeout`",
      "connect: a server that opens but stays silent is given up",
      "connect: `close()` ends a pending `connect()`",
      "conversation: `survivesReconnect` says whether it outlives a lost link",
      "frames: all listeners get both directions in the same order if one of them makes a prompt",
      "frames: a lost link and the reconnect are emitted in order",
      "frames: a `disconnected` listener sees a client that has left `ready`",
      "frames: a `disconnected` listener that closes the client does not hide the loss from others",
      "frames: all listeners get a completed answer before the frame of a prompt that one of them makes", // several frames hold a prompt
      "generic: a client that closed after a lost link refuses a prompt as `closed`",
      "limits: a frame over `maxReceiveBytes` closes the link and fails the running turn",
      "many: thirty lost links leave no timer, and no listener on the client's own signal",
      "timeouts: `timeout` runs for a turn without a connection too",
    ],
  ],
  [
    "a call that reaches nobody is repeated for seven seconds, and then the run has failed",
    [
      "connect: an unreachable backend rejects at once, and can be retried",
      "connect: a prompt to an unreachable backend is handed back",
    ],
  ],
  [
    "a run begins at once, and its first event, `start`, is told before the model is asked",
    [
      "break: an error thrown in the loop reaches the caller, and cancels the turn",
      "frames: each frame emits `frame`, `message`, the status and the events, then readers get them",
      "frames: a listener of a frame sees the status that the frame has caused",
      "order: a listener that cancels at `streaming` hides no status from later listeners",
      "order: a listener that closes the client at `streaming` hides no status from later listeners",
      "prompt: each state is emitted once, in order",
    ],
  ],
  [
    "it has no options of a connection, and a history may have any size",
    [
      "input: the constructor refuses invalid options",
      "limits: a prompt over `maxSendBytes` is refused at once",
    ],
  ],
  [
    "a model that falls silent is asked again: `streamTimeout` ends an answer, and not the turn",
    ["timeouts: the client's `idleTimeout` applies to turns without one of their own"],
  ],
  [
    "as many runs as there may be answer at once, each when it likes",
    ["many: a hundred turns made at once complete in order"],
  ],
];

/** What an ACP agent has not, or has otherwise; each reason with its promises. */
const ACP: readonly (readonly [reason: string, tests: readonly string[]])[] = [
  [
    "a program is no link: it is started again by the next prompt, and nobody waits for it in between",
    [
      "cut",
      "reconnect",
      "redaction: no credential appears in what the client reports, whatever happens to it", // it awaits a reconnect
      "close: a client that waits for its next attempt closes",
      "many: thirty lost links leave no timer, and no listener on the client's own signal",
      "connect: a server that opens but stays silent is given up",
      "conversation: `survivesReconnect` says whether it outlives a lost link",
      "frames: a lost link and the reconnect are emitted in order",
      "frames: a `disconnected` listener sees a client that has left `ready`",
      "frames: a `disconnected` listener that closes the client does not hide the loss from others",
    ],
  ],
  [
    "a program that ends at once does so until somebody mends it, and nobody hands a link to it",
    [
      "connect: an unreachable backend rejects at once, and can be retried",
      "connect: a refused upgrade rejects, and can be retried",
      "connect: a server that never answers fails after `connectTimeout`",
      "generic: a client that closed after a lost link refuses a prompt as `closed`",
    ],
  ],
  [
    "its keys are in the environment: `test/acp/acceptance/process.test.ts`",
    ["query", "header", "token"].map((place) => `redaction: ${repeated(place)}`),
  ],
  ["a line that is no message is a warning alone: `test/acp/errors.test.ts`", ["garbage"]],
  [
    "it has no options of a connection, and a line that is too long is skipped",
    [
      "input: the constructor refuses invalid options",
      "limits: a frame over `maxReceiveBytes` closes the link and fails the running turn",
    ],
  ],
  [
    "the answer to the prompt ends a turn, and not its last update",
    ["order: a cancel in a listener of the last event cannot change the answer"],
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
      "close: a listener of a message can close the client",
      "close: a listener of a frame can close the client",
      "connect: a refused upgrade rejects, and can be retried",
      "connect: a server that opens but stays silent is given up",
      "cut: an idle client emits `disconnected` with the close code",
      "cut: if after any frame the link is cut, no text is lost and no prompt is sent twice",
      "cut: if after any frame the link is cut in the middle of the next, no text is lost and no prompt is sent twice",
      "cut: if after any frame the link is closed with 1000, no text is lost and no prompt is sent twice",
      "cut: if after any frame the link is closed with 1001, no text is lost and no prompt is sent twice",
      "cut: if after any frame the link is closed with 1011, no text is lost and no prompt is sent twice",
      "frames: each frame emits `frame`, `message`, the status and the events, then readers get them",
      "frames: a listener of a frame sees the status that the frame has caused",
      "frames: a listener added during a frame does not get the message of that frame",
      "frames: all listeners get both directions in the same order if one of them makes a prompt",
      "frames: all listeners get a completed answer before the frame of a prompt that one of them makes",
      "limits: a frame over `maxReceiveBytes` closes the link and fails the running turn",
      "reconnect: pings detect a silent link and keep a live one",
      "reconnect: refused credentials end the attempts, and the error says what to check",
      "reconnect: a busy server is tried again, and the error says to wait",
    ],
  ],
  [
    "its test says when it comes back: it has no back-off of its own",
    [
      "reconnect: each wait is random, and its ceiling doubles up to `maxDelay`",
      "reconnect: `shouldReconnect` decides, and gets the error",
      "reconnect: prompts in a loop cause no loop of attempts",
    ],
  ],
  [
    "its options are those of a script, and its clients take none: no signal, no log, no time-out of a connection",
    [
      "abort: the client's own signal closes the client",
      "abort: a client with an already aborted signal is closed",
      "connect: a server that never answers fails after `connectTimeout`",
      "input: the constructor refuses invalid options",
      "many: thirty lost links leave no timer, and no listener on the client's own signal",
      "order: the warning about a listener that throws comes after earlier notifications",
      "order: a `protocolWarning` listener that throws is only logged",
      "order: a logger can call the client, and the effects come after earlier notifications",
    ],
  ],
  [
    "its options set no limits: those of queues and buffers are the defaults of every client",
    [
      "iterate: a reader that falls too far behind fails, and the result is still complete",
      "limits: a prompt over `maxSendBytes` is refused at once",
      "limits: a turn beyond `maxQueuedTurns` is refused as `queue-full`",
      "limits: a turn beyond `maxQueuedBytes` is refused as `queue-full`",
      "limits: text over `maxTextBytes` still streams, and the result is marked as truncated",
    ],
  ],
];

/** What a viewer of a relay's chat has not, or has otherwise; each reason with its promises. */
const REMOTE: readonly (readonly [reason: string, tests: readonly string[]])[] = [
  [
    "it reads and writes over HTTP: there are no close codes and no pings of its own",
    [
      "cut: an idle client emits `disconnected` with the close code",
      "reconnect: pings detect a silent link and keep a live one", // test/remote/timing.test.ts: the relay's beats
    ],
  ],
  [
    "a prompt is posted at once, without waiting for the stream: it may have arrived if nobody answers",
    [
      "connect: `close()` ends a pending `connect()`",
      "connect: a prompt to an unreachable backend is handed back", // it is repeated until the relay answers
      "timeouts: `timeout` runs for a turn without a connection too", // the relay has a moment to end it
    ],
  ],
  [
    "a prompt that waits does so on the relay: the relay has it, and says what becomes of it",
    [
      "conversation: closing the client ends all its turns",
      "order: the effect of a call in a listener is visible right after the call",
    ],
  ],
  [
    "an answer goes on at the relay while the link is away: a lost link fails no turn",
    [
      "cut: several turns each get an error of their own",
      "reconnect: a running turn is never sent again",
      "reconnect: waiting turns are sent or handed back in order, as the protocol defines",
      "reconnect: a waiting prompt of a conversation does not shorten the wait",
      "redaction: no credential appears in what the client reports, whatever happens to it", // test/remote/redaction.test.ts
      `redaction: ${repeated("header")}`, // the same
    ],
  ],
  [
    "it comes back until it is closed or refused: no option says how often, and a failed attempt leaves it so",
    [
      "connect: an unreachable backend rejects at once, and can be retried",
      "cut: the error of a turn that waits to be sent says whether the prompt was sent",
      "cut: the error of a turn that is sent, and not answered says whether the prompt was sent",
      "cut: the error of a turn that streams says whether the prompt was sent",
      "generic: a client that closed after a lost link refuses a prompt as `closed`",
      "reconnect: each wait is random, and its ceiling doubles up to `maxDelay`", // test/remote/timing.test.ts
      "reconnect: `false` closes the client for good at the first lost link",
      "reconnect: after the last attempt the client closes, and waiting turns are handed back",
      "reconnect: `shouldReconnect` decides, and gets the error",
      "redaction: no credential appears if the backend cannot be reached", // test/remote/redaction.test.ts
    ],
  ],
  [
    "its options are a place and its credentials: no signal, no log, no time-outs",
    [
      "abort: the client's own signal closes the client",
      "abort: a client with an already aborted signal is closed",
      "connect: a server that never answers fails after `connectTimeout`",
      "connect: a server that opens but stays silent is given up",
      "input: the constructor refuses invalid options", // test/remote/requests.test.ts
      "many: thirty lost links leave no timer, and no listener on the client's own signal",
      "order: the warning about a listener that throws comes after earlier notifications",
      "order: a `protocolWarning` listener that throws is only logged",
      "order: a logger can call the client, and the effects come after earlier notifications",
      "timeouts: the client's `idleTimeout` applies to turns without one of their own",
      ...["query", "token"].map((place) => `redaction: ${repeated(place)}`),
    ],
  ],
  [
    "its options set no limits: those of prompts and queues are the relay's, the others are fixed",
    [
      "iterate: a reader that falls too far behind fails, and the result is still complete",
      "limits: a prompt over `maxSendBytes` is refused at once",
      "limits: a turn beyond `maxQueuedTurns` is refused as `queue-full`", // test/remote/prompts.test.ts
      "limits: a turn beyond `maxQueuedBytes` is refused as `queue-full`",
      "limits: text over `maxTextBytes` still streams, and the result is marked as truncated",
      "limits: a frame over `maxReceiveBytes` closes the link and fails the running turn",
    ],
  ],
  [
    "its events are those of the chat, which all viewers share: with their session and numbers, several in a frame",
    [
      "conversation: a failed turn does not change its state", // the state is a place in the log
      "order: a listener that another listener adds gets no earlier event",
      "prompt: a message that adds no text is still an event", // a sign of life is two events
      "universal: right after `prompt()`, the stream of a turn gives listeners all that readers get",
      "universal: right after `prompt()`, the stream of a turn of a conversation gives listeners all that readers get",
      "universal: a cancel right after `prompt()` is emitted after the earlier events", // it was never sent
      "universal: a listener that closes the stream in the middle of an answer gets every event up to the end, in order",
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
    test: "break: an error thrown in the loop over `textStream` reaches the caller, and cancels the turn",
    reason: "the text comes as one, with the end: there is nothing to leave before",
  }),
  {
    protocol: "cass, documented",
    test: "reconnect: pings detect a silent link and keep a live one",
    reason: "its server answers no ping, so that silence proves nothing",
  },
  ...AGENT.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "mock-agent", test, reason }))),
  ...REMOTE.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "remote", test, reason }))),
  ...ACP.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "acp", test, reason }))),
  ...CLI.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "codebuff-cli", test, reason }))),
  ...RUN.flatMap(([reason, tests]) => tests.map((test) => ({ protocol: "codebuff-run", test, reason }))),
  ...forAll(CODEY, {
    test: "conversation: another client can continue from `state`",
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

// The exit codes of the program, and which error has which.

export const EXIT = {
  done: 0,
  failed: 1,
  wrongCall: 2,
  denied: 3,
  unreachable: 4,
  timedOut: 5,
  interrupted: 130,
} as const;

/** What each code says, for help texts and the page. */
export const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done",
  failed: "failed",
  wrongCall: "wrong call: an unknown command or option, or a value that cannot work",
  denied: "the turn ended without an error, but a tool was denied",
  unreachable: "cannot connect",
  timedOut: "timed out",
  interrupted:
    "interrupted: Ctrl-C; another signal: 128 and its number, or 0 if that signal ends serve, mock or tap",
};

const BY_ERROR: Readonly<Record<string, number>> = {
  "invalid-input": EXIT.wrongCall,
  "already-consumed": EXIT.wrongCall,
  "payload-too-large": EXIT.wrongCall,
  "connect-failed": EXIT.unreachable,
  "connect-timeout": EXIT.unreachable,
  "handshake-refused": EXIT.unreachable,
  timeout: EXIT.timedOut,
  "turn-timeout": EXIT.timedOut,
  "request-timeout": EXIT.timedOut,
};

/** @param code of an error, or of an `error` event, such as `connect-failed` or `codey.connect_failed` */
export function exitCodeOf(code: string): number {
  const word = code.slice(code.lastIndexOf(".") + 1).replaceAll("_", "-");
  return BY_ERROR[code] ?? (Object.hasOwn(BY_ERROR, word) ? BY_ERROR[word] : undefined) ?? EXIT.failed;
}

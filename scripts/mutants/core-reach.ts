import { type Mutant, mutantsOf } from "./mutant.ts";

/** When to try again, where to, and what one socket may still say. */
export const REACH: readonly Mutant[] = [
  ...mutantsOf(
    "core/backoff.ts",
    ["core/backoff.test.ts"],
    [
      {
        name: "no-jitter",
        breaks: "the wait is its ceiling, for every client alike",
        find: "return random * ",
        replace: "return ",
      },
      {
        name: "no-doubling",
        breaks: "the wait does not grow",
        find: "2 ** Math.min(failures, MAX_DOUBLINGS)",
        replace: "1",
      },
      {
        name: "hot-loop",
        breaks: "`minDelay: 0` never waits",
        find: "Math.max(minDelay, MIN_CEILING)",
        replace: "minDelay",
      },
      {
        name: "no-ceiling",
        breaks: "a wait exceeds `maxDelay`",
        find: "random * Math.min(max, ",
        replace: "random * Math.max(max, ",
      },
      {
        name: "one-try-less",
        breaks: "`maxAttempts` counts one too few",
        find: "attempt > policy.maxAttempts",
        replace: "attempt >= policy.maxAttempts",
      },
      {
        name: "retries-the-final",
        breaks: "what no retry mends is tried again",
        find: "!error.retryable || ",
        replace: "",
      },
      {
        name: "first-connect-retries",
        breaks: "a server that cannot be reached at first is not reported at once",
        find: "if (!this.#wasReady && !mayRetryFirst(error, attempt)) return false;",
        replace: "",
      },
      {
        name: "silence-retried-more",
        breaks: "a server that never answers is asked as often as one that refuses",
        find: 'error.reason === "timeout" ? MAX_FIRST_SILENCES : MAX_FIRST_HANDSHAKES',
        replace: "MAX_FIRST_HANDSHAKES",
        tests: ["core/backoff.test.ts"],
      },
      {
        name: "wrong-url-off-by-one",
        breaks: "a wrong URL is tried once more than it should be",
        find: "this.#refusedInARow >= MAX_REFUSED_UPGRADES",
        replace: "this.#refusedInARow > MAX_REFUSED_UPGRADES",
      },
      {
        name: "wrong-url-not-in-a-row",
        breaks: "refusals count although something else happened between them",
        find: "this.#refusedInARow + 1 : 0;",
        replace: "this.#refusedInARow + 1 : this.#refusedInARow;",
      },
      {
        name: "wrong-url-survives-success",
        breaks: "refusals count although the connection was ready between them",
        find: "this.#wasReady = true;\n    this.#refusedInARow = 0;",
        replace: "this.#wasReady = true;\n",
      },
      {
        name: "never-forgiven",
        breaks: "earlier failures lengthen the wait for ever",
        find: "  forgive(): void {\n    this.#failed = 0;",
        replace: "  forgive(): void {\n",
      },
      {
        name: "ready-forgives",
        breaks: "a server that accepts and drops is asked without waiting longer",
        find: "    this.#wasReady = true;",
        replace: "    this.#wasReady = (this.#failed = 0) === 0;",
      },
      {
        name: "attempts-not-counted",
        breaks: "every attempt is the first",
        find: "attempt: ++this.#failed",
        replace: "attempt: this.#failed + 1",
      },
      {
        name: "throwing-policy-ends",
        breaks: "a `shouldReconnect` that throws ends the client",
        find: "return true; // as if",
        replace: "return false; // as if",
      },
      {
        name: "async-policy-unhandled",
        breaks: "a `shouldReconnect` that rejects is an unhandled rejection",
        find: "if (verdict instanceof Promise) verdict.catch(() => {});",
        replace: "",
        tests: ["codebuff/reentrancy.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "core/private-address.ts",
    ["core/dial.test.ts"],
    [
      {
        name: "loopback-by-prefix",
        breaks: "`127.example.com` counts as this machine",
        find: "/^127(\\.\\d+){3}$/",
        replace: "/^127\\./",
      },
    ],
  ),
  ...mutantsOf(
    "core/dial.ts",
    ["core/dial.test.ts"],
    [
      {
        name: "insecure-by-default",
        breaks: "credentials travel over plain ws://",
        find: "carriesCredentials()) && !allowInsecure",
        replace: "carriesCredentials()) && allowInsecure",
      },
      {
        name: "headers-are-no-credentials",
        breaks: "headers travel over plain ws://",
        find: "Object.keys(headers).length > 0 || settings.carriesCredentials();",
        replace: "settings.carriesCredentials();",
      },
      {
        name: "late-token-unchecked",
        breaks: "a token that a call brings along travels over plain ws://",
        find: "if (address && !allowInsecure) assertPrivate(address);",
        replace: "",
        tests: ["codebuff/bad-input.test.ts"],
      },
      {
        name: "query-in-messages",
        breaks: "the query of the URL, and a key in it, shows in messages",
        find: "url.pathname",
        replace: "String(url)",
      },
      {
        name: "url-check-at-first-only",
        breaks: "the address of a `url` function is looked at once",
        find: "    address = check(asked);",
        replace: "    address ??= check(asked);",
      },
      {
        name: "made-although-unwanted",
        breaks: "a socket is made for a client that was closed meanwhile",
        find: 'if (!stillWanted()) throw new ClosedError("the client was closed while its address was found out");',
        replace: "",
        tests: ["core/dial.test.ts"],
      },
      {
        name: "password-in-url",
        breaks: "a URL with a password alone is taken",
        find: 'url.username !== "" || url.password !== ""',
        replace: 'url.username !== ""',
      },
    ],
  ),
  ...mutantsOf(
    "core/socket.ts",
    ["core/socket.test.ts"],
    [
      {
        name: "old-socket-heard",
        breaks: "a socket that was let go is still listened to",
        find: "    this.#listener = undefined;\n",
        replace: "\n",
      },
      {
        name: "old-socket-listeners-left",
        breaks: "a socket that was let go keeps its listeners",
        find: 'this.#socket.removeEventListener("message", this.#onMessage);',
        replace: "",
      },
      {
        name: "terminate-tells",
        breaks: "a socket that is cut tells its end",
        find: "this.release();\n    if (this.#socket.terminate)",
        replace: "\n    if (this.#socket.terminate)",
      },
      {
        name: "ready-made-socket-waits",
        breaks: "a socket that was open when it was handed over is waited for",
        find: "if (socket.readyState === OPEN) queueMicrotask(this.#onOpen);",
        replace: "",
      },
      {
        name: "closed-socket-waits",
        breaks: "a socket that was closed when it was handed over is waited for",
        find: 'if (socket.readyState > OPEN) queueMicrotask(() => this.#onClose({ code: 1006, reason: "" }));',
        replace: "",
      },
      {
        name: "bad-utf8-read",
        breaks: "bytes that are no UTF-8 are read as text",
        find: "{ fatal: true }",
        replace: "{ fatal: false }",
      },
      {
        name: "blob-frames",
        breaks: "binary frames come as blobs, which are read out of order",
        find: 'socket.binaryType = "arraybuffer";',
        replace: "",
      },
      {
        name: "cause-of-end-lost",
        breaks: "what the runtime said was wrong is not told",
        find: 'if ("error" in event) this.#failure = event.error;',
        replace: "",
      },
      {
        name: "let-go-is-open",
        breaks: "a socket that was let go counts as open",
        find: "this.#listener !== undefined && ",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "core/keepalive.ts",
    ["core/keepalive.test.ts"],
    [
      {
        name: "no-excuse",
        breaks: "a server that works on a prompt is taken for dead",
        find: "if (!this.#setup.excused()) this.#setup.dead();",
        replace: "this.#setup.dead();",
      },
      {
        name: "verdict-put-off",
        breaks: "each ping puts off the verdict on the one before",
        find: "if (!armed) this.#arm();",
        replace: "this.#arm();",
      },
      {
        name: "excuse-outlived",
        breaks: "an answer that is due after an excuse counts from before it",
        find: "  due(): void {\n    this.alive();",
        replace: "  due(): void {\n    if (this.#cancelVerdict) return;",
      },
      {
        name: "verdict-stays",
        breaks: "a stopped keepalive still judges",
        find: "    this.alive();\n  }\n\n  #schedule",
        replace: "\n  }\n\n  #schedule",
      },
      {
        name: "pings-once",
        breaks: "there is one ping and no more",
        find: "    this.#schedule();\n    const armed",
        replace: "\n    const armed",
      },
      {
        name: "unsent-ping-judged",
        breaks: "a link is judged by a ping that was never sent",
        find: "if (!this.#setup.ping() && !armed) this.alive();",
        replace: "this.#setup.ping();",
      },
      {
        name: "ping-holds-process",
        breaks: "an idle client keeps the process from ending",
        find: "() => this.#ping(), interval, { unref: true }",
        replace: "() => this.#ping(), interval",
      },
    ],
  ),
  ...mutantsOf(
    "core/clock.ts",
    ["core/clock.test.ts"],
    [
      {
        name: "long-delay-fires",
        breaks: "a delay over 24.8 days fires at once",
        find: "Math.min(delay, MAX_DELAY)",
        replace: "delay",
      },
    ],
  ),
];

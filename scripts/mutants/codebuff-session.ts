import { type Mutant, mutantsOf } from "./mutant.ts";

/** What one socket has outstanding, and what is asked anew of the next. */
export const SESSION: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff/session.ts",
    ["codebuff/session.test.ts"],
    [
      {
        name: "original-blocks-too",
        breaks: "a prompt excuses the silence of the original server",
        find: 'return this.server === "proxy" && this.inOrder && this.#running.size > 0;',
        replace: "return this.inOrder && this.#running.size > 0;",
      },
      {
        name: "order-still-trusted",
        breaks: "a server that answers out of order still excuses its silence",
        find: 'return this.server === "proxy" && this.inOrder && this.#running.size > 0;',
        replace: 'return this.server === "proxy" && this.#running.size > 0;',
        tests: ["codebuff/reentrancy.test.ts"],
      },
      {
        name: "silent-end-without-order",
        breaks: "prompts are taken for over although the server does not answer in order",
        find: 'if (this.server !== "proxy" || !this.inOrder) return [];',
        replace: 'if (this.server !== "proxy") return [];',
        tests: ["codebuff/reentrancy.test.ts"],
      },
      {
        name: "silent-end-on-original",
        breaks: "a later ack of the original server ends a prompt that runs",
        find: 'if (this.server !== "proxy" || !this.inOrder) return [];',
        replace: "if (!this.inOrder) return [];",
      },
      {
        name: "silent-end-by-own-ack",
        breaks: "a prompt's own ack ends it",
        find: "txid < ackedTxid",
        replace: "txid <= ackedTxid",
      },
      {
        name: "fresh-for-ever",
        breaks: "the end of an idle session of any age counts as a refused handshake",
        find: "return this.untouched && this.#clock.now() - this.#identifiedAt < FRESH_FOR;",
        replace: "return this.untouched;",
        tests: ["codebuff/identify.test.ts"],
      },
      {
        name: "touched-is-fresh",
        breaks: "the end of a session that has answered counts as a refused handshake",
        find: "return this.untouched && this.#clock.now()",
        replace: "return this.#clock.now()",
        tests: ["codebuff/lost-link.test.ts"],
      },
      {
        name: "ping-awaits-something",
        breaks: "a ping without an answer keeps a session from being left",
        find: 'if (sent.kind !== "ping") return false;',
        replace: "if (sent) return false;",
      },
      {
        name: "early-init-response-lost",
        breaks: "an init-response that comes before its ack answers nothing",
        find: "return this.#inits.takeFirst() ?? (early() as Init | undefined);",
        replace: "return this.#inits.takeFirst();",
      },
      {
        name: "init-clock-never-starts",
        breaks: "an init that is acked and never answered waits for ever",
        find: "    this.#inits.add(txid, init);",
        replace: "",
      },
      {
        name: "idle-told-twice",
        breaks: "idleness is told for prompts that were not running",
        find: "    if (!wasRunning) return;",
        replace: "",
      },
      {
        name: "idle-never-told",
        breaks: "close() waits for its limit although the last prompt has ended",
        find: "if (this.#running.size === 0) this.#onIdle();",
        replace: "",
      },
      {
        name: "stall-never-starts",
        breaks: "silence while a prompt runs is never a loss",
        find: "else if (!this.#stall.running) this.#stall.start();",
        replace: "",
      },
      {
        name: "ack-clock-behind-prompt",
        breaks: "the ack clock of what waits behind a prompt runs",
        find: "oldest === undefined || txid <= oldest",
        replace: "oldest === undefined || txid >= oldest",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/loss.ts",
    ["codebuff/lost-link.test.ts"],
    [
      {
        name: "loss-delivery",
        breaks: "a prompt that was under way does not say that it may have been carried out",
        find: '      delivery: "unknown",\n      cause: end.cause,',
        replace: "\n      cause: end.cause,",
      },
      {
        name: "given-up-delivery",
        breaks: "nor does one whose link was given up here",
        find: '{ delivery: "unknown", cause: end }',
        replace: "{ cause: end }",
        tests: ["codebuff/keepalive.test.ts"],
      },
      {
        name: "policy-close-later",
        breaks: "close 1008 of a session that stood is tried again",
        find: 'session === "unproven" || end.code === POLICY',
        replace: 'session === "unproven"',
        tests: ["codebuff/lost-link.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/standing.ts",
    ["codebuff/client.test.ts"],
    [
      {
        name: "init-not-repeated",
        breaks: "a new session is not told of the project",
        find: "        this.#answered = init;",
        replace: "",
      },
      {
        name: "refused-init-repeated",
        breaks: "an init that the server refused is repeated",
        find: "      () => {},\n    );",
        replace: "      () => void (this.#answered = init),\n    );",
        tests: ["codebuff/reentrancy.test.ts"],
      },
      {
        name: "unsubscribed-comes-back",
        breaks: "a topic that was left is subscribed to again after a reconnect",
        find: "else this.#topics.delete(topic);",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff/token.ts",
    ["codebuff/token.test.ts"],
    [
      {
        name: "empty-token-sent",
        breaks: "an empty token is sent",
        find: 'typeof token !== "string" || token === ""',
        replace: 'typeof token !== "string"',
      },
      {
        name: "token-limit",
        breaks: "a token function that never answers holds everything up",
        find: "() => late.reject(error), TOKEN_TIMEOUT",
        replace: "() => void error, TOKEN_TIMEOUT",
        tests: ["codebuff/reentrancy.test.ts"],
      },
      {
        name: "token-timer-left",
        breaks: "each token leaves a timer for half a minute",
        find: "      cancel();",
        replace: "",
        tests: ["codebuff/reentrancy.test.ts", "codebuff/token.test.ts"],
      },
      {
        name: "closed-waits-for-token",
        breaks: "a closed client waits for its token function",
        find: 'for (const late of this.#asking) late.reject(new ClosedError("the client was closed"));',
        replace: "",
        tests: ["codebuff/reentrancy.test.ts"],
      },
    ],
  ),
];

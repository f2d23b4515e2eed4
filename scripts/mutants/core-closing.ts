import { type Mutant, mutantsOf } from "./mutant.ts";

/** The way out, and what a state leaves behind. */
export const CLOSING: readonly Mutant[] = [
  ...mutantsOf(
    "core/connection.ts",
    ["core/connection-close.test.ts"],
    [
      {
        name: "drained-unheard",
        breaks: "close() waits for its limit although the work is done",
        find: 'if (this.#state.name === "draining") this.#shut(closedByCaller());',
        replace: "",
      },
      {
        name: "force-drains",
        breaks: "close({ force: true }) waits for work",
        find: "const drains = !options.force && ",
        replace: "const drains = ",
      },
      {
        name: "zero-drain-waits",
        breaks: "a `drainTimeout` of 0 drains",
        find: "options.drainTimeout > 0 && ",
        replace: "",
      },
      {
        name: "idle-drains",
        breaks: "close() of an idle client waits",
        find: "this.#setup.protocol.busy();",
        replace: "true;",
      },
      {
        name: "second-close-ignored",
        breaks: "close({ force: true }) does not hasten a drain",
        find: "if (!drains) this.#shut(closedByCaller());",
        replace: "",
      },
      {
        name: "drain-limit",
        breaks: "a drain has no end",
        find: "observer.drainExpired(limit);\n      this.#shut(closedByCaller());",
        replace: "observer.drainExpired(limit);\n",
      },
      {
        name: "drain-limit-untold",
        breaks: "work that was left behind is not told",
        find: "observer.drainExpired(limit);",
        replace: "",
      },
      {
        name: "close-limit",
        breaks: "a peer that never answers Close is waited for",
        find: "clock.setTimeout(() => this.#end(reason), CLOSE_TIMEOUT)",
        replace: "clock.setTimeout(() => {}, CLOSE_TIMEOUT)",
      },
      {
        name: "close-limit-longer",
        breaks: "the process is held for 10 s by a peer that never answers Close",
        find: "const CLOSE_TIMEOUT = 1_000;",
        replace: "const CLOSE_TIMEOUT = 10_000;",
      },
      {
        name: "close-leaves-attempt",
        breaks: "connect() stays pending when the client closes meanwhile",
        find: 'if ("step" in state) state.step.reject(reason);',
        replace: "",
      },
      {
        name: "close-untold",
        breaks: "what waits is not told that the client closes",
        find: "    protocol.unavailable(reason);\n  }",
        replace: "\n  }",
      },
      {
        name: "transition-always-stands",
        breaks: "a state goes on that a listener has ended",
        find: "return this.#state === next;",
        replace: "return true;",
      },
      {
        name: "nothing-released",
        breaks: "a transition leaves the timers and sockets of the old state",
        find: "release(previous, next);",
        replace: "",
      },
      {
        name: "status-repeated",
        breaks: "a status that did not change is told",
        find: "if (statusOf(next) !== statusOf(previous))",
        replace: "if (next !== previous)",
      },
    ],
  ),
  ...mutantsOf(
    "core/connection-state.ts",
    ["core/connection-table.test.ts"],
    [
      {
        name: "state-timer-left",
        breaks: "a state's timer outlives it",
        find: 'if ("cancelTimer" in state) state.cancelTimer();',
        replace: "",
      },
      {
        name: "state-keepalive-left",
        breaks: "pings go on after the connection ended",
        find: "state.keepalive.stop();",
        replace: "",
      },
      {
        name: "state-watch-left",
        breaks: "the timer that watches a closing link outlives it",
        find: "state.cancelWatch?.();",
        replace: "",
        tests: ["core/connection-lost.test.ts"],
      },
      {
        name: "state-socket-left",
        breaks: "a socket that nobody goes on with is left open",
        find: 'if (!("socket" in next) || next.socket !== state.socket) state.socket.terminate();',
        replace: "",
      },
    ],
  ),
];

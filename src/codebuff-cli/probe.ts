// Asks the program for its version and help, and derives what it can do.
import { joinBytes } from "../core/bytes.ts";
import { deferred } from "../core/deferred.ts";
import { GroupProcess } from "../process/group-process.ts";
import { locate } from "../process/program.ts";
import type { CliCore } from "./cli-core.ts";
import type { Environments } from "./environment.ts";
import { notStarted } from "./errors.ts";
import { ESCAPE } from "./messages.ts";
import type { CodebuffCliProfile } from "./options.ts";

/** The program's own description. */
export interface CodebuffCliProbe {
  /** The output of `--version`. Absent without an answer within 5 s. */
  readonly version?: string;
  /** The flags in `--help` that select a profile or the free mode. */
  readonly flags: readonly string[];
  /** The best profile that the program supports: `stream-json`, else `print`, else `json`. Absent without any. */
  readonly profile?: CodebuffCliProfile;
  /** The program's flag for the free mode. */
  readonly freeFlag?: "--free" | "--lite";
}

/** ms per call of the program. */
const PROBE_TIMEOUT = 5_000;

/** Upper bound on the bytes of an answer. */
const MAX_ANSWER = 1_048_576;

const FLAGS = ["--stream-json", "--json", "--print", "--free", "--lite"] as const;

/** The profiles and their flags, best first. */
const PROFILES: readonly (readonly [flag: (typeof FLAGS)[number], profile: CodebuffCliProfile])[] = [
  ["--stream-json", "stream-json"],
  ["--print", "print"],
  ["--json", "json"],
];

export class Probe {
  readonly #core: CliCore;
  readonly #environments: Environments;
  #asked: Promise<CodebuffCliProbe> | undefined;
  #isWhole = false;

  constructor(core: CliCore, environments: Environments) {
    this.#core = core;
    this.#environments = environments;
  }

  /**
   * Starts the program twice. Caches a complete result.
   * @throws ClosedError; rejects with ConnectError if the program cannot be started
   */
  run(): Promise<CodebuffCliProbe> {
    this.#core.assertOpen();
    return this.#core.outbox.run(() => {
      this.#asked ??= this.#ask().finally(() => {
        if (!this.#isWhole) this.#asked = undefined;
      });
      return this.#asked;
    });
  }

  async #ask(): Promise<CodebuffCliProbe> {
    const { env, dispose } = this.#environments.make();
    try {
      const version = await ask(this.#core, env, "--version");
      const help = await ask(this.#core, env, "--help");
      this.#isWhole = version.inTime && help.inTime; // ask a slow program again the next time
      return probeOf(version.text, help.text ?? "");
    } finally {
      dispose();
    }
  }
}

function probeOf(version: string | undefined, help: string): CodebuffCliProbe {
  const named = new Set(Array.from(help.matchAll(/(?:^|[\s,])(--[\w-]+)/g), ([, flag = ""]) => flag));
  const flags = FLAGS.filter((flag) => named.has(flag));
  const profile = PROFILES.find(([flag]) => flags.includes(flag))?.[1];
  const freeFlag = (["--free", "--lite"] as const).find((flag) => flags.includes(flag));
  return {
    ...(version === undefined ? {} : { version: withoutEvents(version) }),
    flags,
    ...(profile ? { profile } : {}),
    ...(freeFlag ? { freeFlag } : {}),
  };
}

/** Removes event lines, which the npm launcher prints while it downloads the program. */
function withoutEvents(text: string): string {
  const lines = text.split("\n").filter((line) => !line.startsWith("{"));
  return lines.join("\n").trim();
}

interface Answer {
  /** The output, if the program ended with code 0. */
  readonly text: string | undefined;
  readonly inTime: boolean;
}

function ask(core: CliCore, env: NodeJS.ProcessEnv, question: string): Promise<Answer> {
  const { settings, clock, clean, closing } = core;
  const { command, args } = settings;
  const answer = deferred<Answer>();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let inTime = true;
  let release = (): void => {};
  const failed = (cause: unknown, found: boolean): void => {
    release();
    answer.reject(closing.aborted && !found ? closing.reason : notStarted(command, cause, clean, found));
  };
  try {
    closing.throwIfAborted();
    const program = locate(command, env);
    const asked = new GroupProcess({
      command: program.command,
      args: [...program.args, ...args, question],
      cwd: undefined,
      env,
      input: undefined,
      forwardSignals: false,
      scope: "program",
      clock,
      listener: {
        stdout: (piece) => {
          if (bytes === 0 && piece[0] === ESCAPE) asked.kill(); // the program has opened its user interface
          bytes += piece.length;
          if (bytes <= MAX_ANSWER) pieces.push(piece);
        },
        stderr: () => {},
        exited: () => {},
        abandoned: () => {},
        ended: ({ code }) => {
          release();
          const text = code === 0 ? new TextDecoder().decode(joinBytes(pieces)) : undefined;
          if (closing.aborted) answer.reject(closing.reason);
          else answer.resolve({ text, inTime });
        },
        failed: (cause) => failed(cause, true),
      },
    });
    const kill = (): void => asked.kill();
    const cancel = clock.setTimeout(() => {
      inTime = false;
      kill();
    }, PROBE_TIMEOUT);
    closing.addEventListener("abort", kill, { once: true });
    release = () => {
      cancel();
      closing.removeEventListener("abort", kill);
    };
  } catch (cause) {
    failed(cause, false);
  }
  return answer.promise;
}

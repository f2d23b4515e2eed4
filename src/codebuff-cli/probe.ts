import { joinBytes } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import { deferred } from "../core/deferred.ts";
import { locate } from "./command.ts";
import { notStarted } from "./failures.ts";
import { ESCAPE } from "./lines.ts";
import type { CodebuffCliProfile } from "./options.ts";
import { CliProcess } from "./process.ts";

/** What a program says it can do. */
export interface CodebuffCliProbe {
  /** As it says it; absent where it did not answer. */
  readonly version?: string;
  /** Those of the flags in question that its help names. */
  readonly flags: readonly string[];
  /** The best profile that it has; absent where it has none. */
  readonly profile?: CodebuffCliProfile;
  /** What it calls its free mode. */
  readonly freeFlag?: "--free" | "--lite";
}

/** What is known, and whether the program has answered both questions in time: one that has not may do so later. */
export interface ProbeAnswer {
  readonly probe: CodebuffCliProbe;
  readonly isWhole: boolean;
}

export interface ProbeSetup {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Takes the user's folder out of what it fails with. */
  readonly clean: (text: string) => string;
  /** Ends it; its reason is what the probe rejects with. */
  readonly signal: AbortSignal;
}

/** ms for each of its two questions. */
const PROBE_TIMEOUT = 5_000;

/** Bytes of an answer that are read. */
const MAX_ANSWER = 1_048_576;

const FLAGS = ["--stream-json", "--json", "--print", "--free", "--lite"] as const;

/**
 * Asks a program for its version and its help, and reads there how to talk to it. Starts it twice.
 * @throws ConnectError when it cannot be started
 */
export async function probeCommand(setup: ProbeSetup): Promise<ProbeAnswer> {
  const versions = await ask(setup, "--version");
  const helps = await ask(setup, "--help");
  const version = versions.text === undefined ? undefined : withoutEvents(versions.text);
  const help = helps.text ?? "";
  const flags = FLAGS.filter((flag) => new RegExp(`(?:^|[\\s,])${flag}(?![\\w-])`, "m").test(help));
  const has = (flag: (typeof FLAGS)[number]): boolean => flags.includes(flag);
  const profile = has("--stream-json")
    ? "stream-json"
    : has("--print")
      ? "print"
      : has("--json")
        ? "json"
        : undefined;
  const freeFlag = has("--free") ? "--free" : has("--lite") ? "--lite" : undefined;
  const probe: CodebuffCliProbe = {
    ...(version === undefined ? {} : { version }),
    flags,
    ...(profile ? { profile } : {}),
    ...(freeFlag ? { freeFlag } : {}),
  };
  return { probe, isWhole: versions.inTime && helps.inTime };
}

/** A launcher that fetches the program first says so before, in events. */
function withoutEvents(text: string): string {
  const lines = text.split("\n").filter((line) => !line.startsWith("{"));
  return lines.join("\n").trim();
}

interface Answer {
  /** What it said, if it ended well. */
  readonly text: string | undefined;
  readonly inTime: boolean;
}

function ask({ command, args, env, clock, clean, signal }: ProbeSetup, question: string): Promise<Answer> {
  const answer = deferred<Answer>();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let inTime = true;
  let end = (): void => {};
  const failed = (cause: unknown, found: boolean): void => {
    end();
    answer.reject(notStarted(command, cause, clean, found));
  };
  try {
    signal.throwIfAborted();
    const program = locate(command, env);
    const asked = new CliProcess({
      command: program.command,
      args: [...program.args, ...args, question],
      cwd: undefined,
      env,
      input: undefined,
      clock,
      listener: {
        stdout: (piece) => {
          if (bytes === 0 && piece[0] === ESCAPE) asked.kill(); // it has opened its user interface
          bytes += piece.length;
          if (bytes <= MAX_ANSWER) pieces.push(piece);
        },
        exited: () => {},
        abandoned: () => {},
        stderr: () => {}, // it may complain of whatever it likes
        ended: ({ code }) => {
          end();
          if (signal.aborted) answer.reject(signal.reason);
          else
            answer.resolve({
              text: code === 0 ? new TextDecoder().decode(joinBytes(pieces)) : undefined,
              inTime,
            });
        },
        failed: (cause) => failed(cause, true),
      },
    });
    const kill = (): void => asked.kill();
    const cancel = clock.setTimeout(() => {
      inTime = false;
      kill();
    }, PROBE_TIMEOUT);
    signal.addEventListener("abort", kill, { once: true });
    end = () => {
      cancel();
      signal.removeEventListener("abort", kill);
    };
  } catch (cause) {
    if (signal.aborted) answer.reject(signal.reason);
    else failed(cause, false);
  }
  return answer.promise;
}

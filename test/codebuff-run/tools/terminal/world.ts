import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { vi } from "vitest";
import { tempFolder } from "../../../../scripts/support/temp-folder.ts";
import type { Door } from "../../../../src/codebuff-run/tools/door/door.ts";
import { openDoor } from "../../../../src/codebuff-run/tools/door/open-door.ts";
import {
  type RunCommandInput,
  runCommand,
  type TerminalOptions,
} from "../../../../src/codebuff-run/tools/terminal/run-command.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { WatchedClock } from "../../../helpers/codebuff-cli.ts";
import { processesWith } from "../../../tui/support/processes.ts";

/** Every process of a test inherits this variable. */
const MARK = "AGENTWIRE_TEST_MARK";

/** ms between two looks for processes of a group. */
const LOOK_EVERY = 10;

/** A clock whose limits stand still, and whose looks for other processes run: these processes live in real time. */
class LookingClock extends WatchedClock {
  override setTimeout(callback: () => void, delay: number) {
    return delay === LOOK_EVERY ? systemClock.setTimeout(callback, delay) : super.setTimeout(callback, delay);
  }
}

/** Notes which folders are opened and closed. */
function watchFolders(door: Door) {
  const opened: string[] = [];
  const closed: string[] = [];
  const openFolder = door.openFolder.bind(door);
  vi.spyOn(door, "openFolder").mockImplementation(async (path) => {
    const folder = await openFolder(path);
    opened.push(folder.path);
    return {
      ...folder,
      close: async () => {
        closed.push(folder.path);
        await folder.close();
      },
    };
  });
  return { opened, closed };
}

export interface TerminalResult {
  readonly command: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly message?: string;
  readonly errorMessage?: string;
}

/** A folder in which commands run. When its scope is left, no process, timer or open folder may be left behind. */
export async function terminalWorld(options: TerminalOptions = {}) {
  const folder = await tempFolder();
  const clock = new LookingClock();
  const mark = randomUUID();
  const door = await openDoor({ root: folder.path });
  const { opened, closed } = watchFolders(door);
  const tool = runCommand({ clock, ...options, env: { [MARK]: mark, ...options.env } });
  const alive = (): readonly number[] => processesWith(MARK, mark);

  /** Starts a command, and collects its reports. */
  const start = (
    command: string,
    input: Partial<RunCommandInput> = {},
    signal: AbortSignal = new AbortController().signal,
  ) => {
    let reported = "";
    let changed = (): void => {};
    const reports: string[] = [];
    const job = {
      door,
      signal,
      changes: { note: () => {}, saw: () => {}, isStale: () => false },
      onProgress: (output: string): void => {
        reports.push(output);
        reported += output;
        changed();
      },
    };
    const result = tool({ command, process_type: "SYNC", timeout_seconds: 30, ...input }, job).then(
      (value): TerminalResult => ({ command, ...value }),
    );
    return {
      result,
      reports,
      /** Resolves once the command has reported this. */
      async says(words: string): Promise<void> {
        while (!reported.includes(words)) {
          await new Promise<void>((resolve) => {
            changed = resolve;
          });
        }
      },
    };
  };

  return {
    path: folder.path,
    clock,
    opened,
    alive,
    start,
    run: (command: string, input?: Partial<RunCommandInput>) => start(command, input).result,
    /** Resolves once no process is left, be it as a zombie that nobody collects. */
    async empty(): Promise<void> {
      while (alive().length > 0) await setImmediate();
    },
    async [Symbol.asyncDispose]() {
      const left = alive();
      await door.close();
      for (const pid of left) process.kill(pid, "SIGKILL");
      await folder[Symbol.asyncDispose]();
      if (left.length > 0) throw new Error(`${left.length} processes were left behind`);
      if (clock.pending > 0) throw new Error(`${clock.pending} timers were left behind`);
      if (closed.length < opened.length) throw new Error("a folder was left open");
    },
  };
}

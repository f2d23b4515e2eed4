// Plays every capture of a folder: `test/fixtures`, or a wider one with the same layout.
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { UniversalEvent } from "agentwire/universal";
import { playAcp } from "./acp.ts";
import { playCass } from "./cass.ts";
import { playCodebuff } from "./codebuff.ts";
import { playCliEvents, playCliOutput } from "./codebuff-cli.ts";
import { playRun } from "./codebuff-run.ts";
import { playCodey } from "./codey.ts";
import { reasonOf } from "./left-out.ts";
import { steady } from "./steady.ts";

/** The universal events of a turn, of a conversation, or of a session. */
export interface CapturedStream {
  /** The file without its extension. Further streams of a file have a number: `acp/codex/23-load#2`. */
  readonly name: string;
  readonly events: readonly UniversalEvent[];
}

export interface PlayedFile {
  /** The path in the folder. */
  readonly file: string;
  /** The first folder of the path. */
  readonly protocol: string;
  readonly streams: readonly CapturedStream[];
  /** Why the file gives no stream: see `left-out.ts`. */
  readonly reason: string | undefined;
  /** The file could not be played, or `left-out.ts` is wrong. */
  readonly problem: string | undefined;
}

type Player = (file: string) => Promise<readonly (readonly UniversalEvent[])[]>;

/** What plays a file, by its path in the folder. */
const PLAYERS: readonly (readonly [files: RegExp, play: Player])[] = [
  [/^acp\/.*\.jsonl$/, playAcp],
  [/^cass-v\d\/.*\.jsonl$/, playCass],
  [/^codebuff-(proxy\/.*|ws-sdk\/.*\.frames)\.jsonl$/, playCodebuff],
  [/^codebuff-cli(-\w+)?\/[^.]*\.json$/, playCliOutput],
  [/^codebuff-(events\/.*|.*\.events)\.jsonl$/, playCliEvents],
  [/^codebuff-.*\.http\.jsonl$/, playRun],
  [/^codey-real\/.*\.jsonl$/, playCodey],
  [/^universal\/.*\.jsonl$/, readGolden],
];

/** ms of one file. A capture that waits for a message that nobody sends would never end. */
const LIMIT = 30_000;

/** Plays the protocols side by side, and the files of a protocol one after the other. The files are in the order of their names. */
export async function playFolder(folder: string): Promise<readonly PlayedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"))
    .sort();
  const protocols = [...new Set(files.map(protocolOf))];
  const played = await Promise.all(
    protocols.map(async (protocol) => {
      const all: PlayedFile[] = [];
      for (const file of files)
        if (protocolOf(file) === protocol) all.push(await playFile(folder, protocol, file));
      return all;
    }),
  );
  return played.flat();
}

const protocolOf = (file: string): string => file.split("/")[0] ?? file;

async function playFile(folder: string, protocol: string, file: string): Promise<PlayedFile> {
  const [, play] = PLAYERS.find(([files]) => files.test(file)) ?? [];
  const reason = reasonOf(file);
  const limit = new AbortController();
  const late = wait(LIMIT, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`it was not over after ${LIMIT / 1_000} s`);
  });
  late.catch(() => {}); // the limit was aborted
  try {
    const streams = play ? await Promise.race([play(join(folder, file)), late]) : [];
    return {
      file,
      protocol,
      streams: streams.map((events, at) => ({ name: nameOf(file, at), events: steady(events) })),
      reason,
      problem: problemOf(streams.length > 0, reason),
    };
  } catch (error) {
    return { file, protocol, streams: [], reason, problem: `it cannot be played: ${error}` };
  } finally {
    limit.abort();
  }
}

function nameOf(file: string, at: number): string {
  const base = file.replace(/\.jsonl?$/, "");
  return at === 0 ? base : `${base}#${at + 1}`;
}

function problemOf(hasStream: boolean, reason: string | undefined): string | undefined {
  if (hasStream && reason !== undefined) return "it gives a stream, but is listed as a file without";
  return hasStream || reason !== undefined ? undefined : "it gives no stream, and no reason is listed";
}

/** A golden file has the events themselves. */
async function readGolden(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return [lines.map((line): UniversalEvent => JSON.parse(line))];
}

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import type { Door } from "../../../../src/codebuff-run/tools/door/door.ts";
import { type DoorOptions, openDoor } from "../../../../src/codebuff-run/tools/door/open-door.ts";
import { Refusal, type RefusalReason } from "../../../../src/codebuff-run/tools/door/refusal.ts";

/** Never in a result: the content of every file outside of the root. */
export const CANARY = "outside-canary";

export const GUARDS = ["handles", "checks"] as const;

export interface DoorWorld extends AsyncDisposable {
  readonly door: Door;
  /** The project. A sibling is named `proj-evil`. */
  readonly root: string;
  readonly outside: string;
  /** Writes a file below the root. */
  file(path: string, text: string): void;
  /** The text of a file below the root. */
  text(path: string): string;
  /** Everything outside of the root: names, content and times. */
  outsideNow(): unknown;
}

/** A project with a door, and folders outside of it that nothing may touch. */
export async function doorWorld(options: Omit<DoorOptions, "root"> = {}): Promise<DoorWorld> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "agentwire-door-")));
  const root = join(base, "proj");
  const outside = join(base, "outside");
  for (const folder of [root, outside, join(base, "proj-evil")]) mkdirSync(folder);
  for (const path of ["outside/secret.txt", "proj-evil/secret.txt", "secret.txt"])
    writeFileSync(join(base, path), CANARY);
  const door = await openDoor({ root, ...options });
  return {
    door,
    root,
    outside,
    file(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    text: (path) => readFileSync(join(root, path), "utf8"),
    outsideNow: () => snapshot(base, "proj"),
    async [Symbol.asyncDispose]() {
      await door.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function snapshot(folder: string, except?: string): unknown {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== except)
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return [entry.name, snapshot(path)];
      return [entry.name, readFileSync(path, "utf8"), statSync(path, { bigint: true }).ctimeNs];
    });
}

export async function reasonOf(work: Promise<unknown>): Promise<RefusalReason> {
  return (await refusalOf(work)).reason;
}

export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    (value) => Promise.reject(new Error(`Not refused: ${inspect(value)}`)),
    (error: unknown) => error,
  );
  if (error instanceof Refusal) return error;
  throw error;
}

/** The content of a file as text. */
export async function readText(door: Door, path: string): Promise<string> {
  const { bytes } = await door.readFile(path, { maxBytes: 1_048_576 });
  return Buffer.from(bytes).toString();
}

export async function writeText(door: Door, path: string, text: string): Promise<void> {
  const now = await door.look(path);
  const replaces =
    now?.kind === "file" ? (await door.readFile(path, { maxBytes: 1_048_576 })).stamp : undefined;
  await door.writeFile(path, Buffer.from(text), { replaces });
}

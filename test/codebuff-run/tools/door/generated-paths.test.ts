import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Door } from "../../../../src/codebuff-run/tools/door/door.ts";
import { Refusal } from "../../../../src/codebuff-run/tools/door/refusal.ts";
import { runs } from "../../../helpers/runs.ts";
import { CANARY, type DoorWorld, doorWorld, GUARDS } from "./world.ts";

const PATHS_PER_TREE = 200;
const TREES = runs(100);
/** Paths per guard. */
const PATHS = TREES.numRuns * PATHS_PER_TREE;

/** In files outside that have a second name inside: they may be read, and never change. */
const SHARED = "shared-canary";
const OUTSIDE = ["..", "../outside", "../proj-evil"];
/** A name that no generated path has. */
const ONLY_OUTSIDE = "only-outside";
/** How the door is used. Writes are fewer: each waits for the disk. */
const USES = ["read", "read", "read", "list", "look", "status", "open", "write", "delete", "rmdir"] as const;

interface Node {
  readonly at: string;
  readonly kind: "file" | "folder" | "link" | "shared";
  readonly target: string;
}

interface Step {
  readonly path: string;
  readonly use: (typeof USES)[number];
}

const names = ["a", "b", "..d", "e f"];
const name = fc.constantFrom(...names);
const hop = fc.constantFrom(...names, ...names, "..", ".", "", "outside", "proj-evil");
const last = fc.constantFrom(...names, "secret.txt", "secret.txt", "..", "");
/** `ROOT` and `BASE` are replaced by the absolute paths of the tree. */
const start = fc.constantFrom("", "", "", "", "", "", "../", "ROOT/", "ROOT/../", "BASE/", "ROOT-evil/", "/");
const path = fc
  .tuple(start, fc.array(hop, { maxLength: 4 }), last)
  .map(([start, hops, last]) => start + [...hops, last].join("/"));
/** Where most links lead: outside. */
const hostile = fc.constantFrom(
  ...["..", "../..", "../outside", "../../outside", "../../../outside", "../proj-evil", "../secret.txt"],
  ...[
    "BASE",
    "BASE/outside",
    "BASE/outside/secret.txt",
    "ROOT-evil",
    "ROOT/../outside",
    "/",
    "/proc/self/root",
  ],
);
const node: fc.Arbitrary<Node> = fc.record({
  at: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
  kind: fc.constantFrom("file", "folder", "link", "link", "link", "shared"),
  target: fc.oneof({ weight: 2, arbitrary: hostile }, { weight: 1, arbitrary: path }),
});
const tree = fc.array(node, { minLength: 3, maxLength: 14 });
const steps = fc.array(fc.record({ path, use: fc.constantFrom(...USES) }), {
  minLength: PATHS_PER_TREE,
  maxLength: PATHS_PER_TREE,
});

describe.each(GUARDS)("file guard %s", (guard) => {
  test(`reads and writes nothing outside for ${PATHS} generated paths with links and hard links`, async () => {
    let worked = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(tree, steps, async (tree, steps) => {
        await using world = await doorWorld({ guard });
        plant(world, tree);
        const before = outsideOf(world);
        for (const { path, use } of steps) {
          try {
            await apply(world, absolute(world, path), use);
            worked++;
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            refused++;
          }
        }
        expect(outsideOf(world)).toEqual(before);
      }),
      // A tree with all of its paths takes too long to shrink. The seed in the message repeats it.
      { ...TREES, endOnFailure: true },
    );
    // The paths are neither all harmless nor all refused.
    expect(Math.min(worked, refused)).toBeGreaterThan(PATHS / 20);
  }, 3_600_000);
});

/** Makes the entries that can be made: one may need a folder where another one made a file. */
function plant(world: DoorWorld, tree: readonly Node[]): void {
  for (const folder of OUTSIDE) writeFileSync(join(world.root, folder, ONLY_OUTSIDE), CANARY);
  for (const { at, kind, target } of tree) {
    const path = join(world.root, at);
    try {
      mkdirSync(join(path, ".."), { recursive: true });
      if (kind === "file") writeFileSync(path, "inside", { flag: "wx" });
      if (kind === "folder") mkdirSync(path);
      if (kind === "link") symlinkSync(absolute(world, target), path);
      if (kind === "shared") linkSync(sharedFile(world), path);
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
    }
  }
}

function sharedFile({ outside }: DoorWorld): string {
  const path = join(outside, "shared.txt");
  writeFileSync(path, SHARED);
  return path;
}

function absolute({ root }: DoorWorld, path: string): string {
  return path.replace(/^ROOT/, root).replace(/^BASE/, join(root, ".."));
}

async function apply(world: DoorWorld, path: string, use: Step["use"]): Promise<void> {
  const { door, root } = world;
  switch (use) {
    case "read": {
      const { bytes } = await door.readFile(path, { maxBytes: 1_000 });
      return expect(Buffer.from(bytes).toString()).not.toContain(CANARY);
    }
    case "list": {
      const entries = await door.readFolder(path, { maxEntries: 1_000 });
      return expect(entries.map(({ name }) => name)).not.toContain(ONLY_OUTSIDE);
    }
    case "look": {
      const entry = await door.look(path);
      return expect(entry?.kind === "file" && entry.size === BigInt(CANARY.length)).toBe(false);
    }
    case "status": {
      await door.status(path, "file");
      return;
    }
    case "open": {
      const folder = await door.openFolder(path);
      const real =
        world.door.root === root && folder.cwd.startsWith("/proc/") ? readlinkSync(folder.cwd) : folder.cwd;
      await folder.close();
      return expect(`${real}/`.startsWith(`${root}/`)).toBe(true);
    }
    case "write":
      return write(door, path);
    case "delete":
      return door.removeFile(path);
    case "rmdir": {
      await door.removeFolder(path);
    }
  }
}

async function write(door: Door, path: string): Promise<void> {
  const now = await door.look(path);
  const replaces = now?.kind === "file" ? (await door.readFile(path, { maxBytes: 1_000 })).stamp : undefined;
  await door.writeFile(path, Buffer.from("inside"), { replaces });
}

/** Names, content and times of all that is outside. `ctime` is left out: it tells the number of names, which may fall. */
function outsideOf({ root }: DoorWorld): unknown {
  return OUTSIDE.map((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).map((entry) => {
      if (!entry.isFile()) return entry.name;
      const path = join(root, folder, entry.name);
      return [entry.name, statSync(path, { bigint: true }).mtimeNs, readFileSync(path, "utf8")];
    }),
  );
}

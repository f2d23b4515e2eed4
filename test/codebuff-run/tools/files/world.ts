import type { RunChanges } from "../../../../src/codebuff-run/tools/changes/run-changes.ts";
import type { Door } from "../../../../src/codebuff-run/tools/door/door.ts";
import type { DoorOptions } from "../../../../src/codebuff-run/tools/door/open-door.ts";
import { fileTools } from "../../../../src/codebuff-run/tools/files/file-tools.ts";
import type { ToolJob } from "../../../../src/codebuff-run/tools/job.ts";
import { type DoorWorld, doorWorld } from "../door/world.ts";

export interface FileWorld extends DoorWorld {
  readonly files: ReturnType<typeof fileTools>;
  /** Of the one run. */
  readonly changes: RunChanges;
  job(more?: Partial<ToolJob>): ToolJob;
  write(path: string, content: string, job?: ToolJob): Promise<object>;
  replace(path: string, old: string, by: string, job?: ToolJob): Promise<object>;
  patch(type: "create_file" | "update_file", path: string, diff: string, job?: ToolJob): Promise<object>;
  remove(path: string): Promise<object>;
  read(...paths: readonly string[]): Promise<unknown>;
}

/** The tools of files over a real door to a folder, in one run. */
export async function fileWorld(options?: Omit<DoorOptions, "root">): Promise<FileWorld> {
  const world = await doorWorld(options);
  const files = fileTools();
  const { tools } = files;
  const changes = files.changes(world.door);
  const job = (more: Partial<ToolJob> = {}): ToolJob => ({
    door: world.door,
    changes,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...more,
  });
  return {
    ...world,
    files,
    changes,
    job,
    write: (path, content, own = job()) => tools.write_file({ path, instructions: "", content }, own),
    replace: (path, old, by, own = job()) =>
      tools.str_replace({ path, replacements: [{ old, new: by }] }, own),
    patch: (type, path, diff, own = job()) => tools.apply_patch({ operation: { type, path, diff } }, own),
    remove: (path) => tools.apply_patch({ operation: { type: "delete_file", path } }, job()),
    read: (...paths) => tools.read_files({ paths }, job()),
  };
}

/** A door that does something before it does what it is asked for. */
export function doorThat(
  door: Door,
  before: Partial<Record<"readFile" | "writeFile" | "removeFile", () => void | Promise<void>>>,
): Door {
  return new Proxy(door, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const act =
        name === "readFile" || name === "writeFile" || name === "removeFile" ? before[name] : undefined;
      if (!act) return value.bind(target);
      return async (...given: readonly unknown[]) => {
        await act();
        return Reflect.apply(value, target, given);
      };
    },
  });
}

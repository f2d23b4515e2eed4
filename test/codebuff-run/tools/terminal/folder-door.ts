import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Door, OpenFolder } from "../../../../src/codebuff-run/tools/door/door.ts";
import { Refusal } from "../../../../src/codebuff-run/tools/door/refusal.ts";

/** A folder with the one method of a door that commands use. */
export function folderDoor(root: string) {
  const opened: string[] = [];
  const closed: string[] = [];
  const refused = (): never => {
    throw new Error("commands use `openFolder` alone");
  };
  const door: Door = {
    root,
    resolve: refused,
    status: refused,
    look: refused,
    readFile: refused,
    readFolder: refused,
    writeFile: refused,
    removeFile: refused,
    removeFolder: refused,
    close: async () => {},
    async openFolder(path): Promise<OpenFolder> {
      if (path.split("/").includes(".."))
        throw new Refusal("outside", path, `Path '${path}' is outside the project directory.`);
      const cwd = join(root, path);
      const stats = await stat(cwd).catch(() => undefined);
      if (!stats) throw new Refusal("missing", path, `Path '${path}' does not exist.`);
      const handle = await open(cwd);
      opened.push(path);
      return {
        cwd,
        path,
        async close() {
          closed.push(path);
          await handle.close();
        },
      };
    },
  };
  return { door, opened, closed };
}

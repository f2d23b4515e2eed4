import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { api, writeApi } from "../../scripts/checks/api.ts";
import { type Files, lines, tree } from "./tree.ts";

const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });

const BEFORE: Files = {
  "package.json": {
    name: "agentwire",
    version: "1.0.0",
    exports: { ".": { import: entry("index") }, "./codey": { import: entry("codey") } },
  },
  "dist/shared-A1.d.ts":
    "/** Ends. */\ndeclare class Turn {\n  /** Of the server. */\n  id: string;\n  usage: Usage$1;\n}\ninterface Usage$1 { tokens: number }\nexport { Turn as T };\n",
  "dist/index.d.ts":
    "import { T as Turn } from './shared-A1.js';\ndeclare function start(turn: Turn): void;\nexport { Turn, start };\n",
  "dist/codey.d.ts":
    "import { T as Turn } from './shared-A1.js';\nimport { ReactNode } from \"react\";\ninterface Prompt { node: ReactNode; turn: Turn }\nexport { type Prompt, Turn };\n",
};

/** What is found once the reports of `BEFORE` are committed and some files are others. */
async function foundAfter(changes: Files): Promise<readonly string[]> {
  await using folder = await tree(BEFORE);
  await writeApi(folder.path);
  const committed: Record<string, string> = {};
  for (const name of ["api/index.d.ts", "api/codey.d.ts"])
    committed[name] = await readFile(join(folder.path, name), "utf8");
  await using changed = await tree({ ...BEFORE, ...committed, ...changes });
  return lines(await api(changed.path, () => {})).map((line) => line.replace(/: see what .*/, ""));
}

describe("api", () => {
  test("declares a shared type once, an unexported one without `export`, and no comment", async () => {
    await using folder = await tree(BEFORE);
    await writeApi(folder.path);
    const read = (name: string) => readFile(join(folder.path, "api", name), "utf8");
    expect(await read("index.d.ts")).toBe(
      "// agentwire\n\nexport declare class Turn {\n    id: string;\n    usage: Usage;\n}\n\ninterface Usage {\n    tokens: number;\n}\n\nexport declare function start(turn: Turn): void;\n",
    );
    expect(await read("codey.d.ts")).toBe(
      '// agentwire/codey\n\nexport {\n  Turn,\n} from "agentwire";\n\nexport interface Prompt {\n    node: ReactNode;\n    turn: Turn;\n}\n',
    );
    expect(await api(folder.path, () => {})).toEqual([]);
  });

  test("passes other comments, another name of a shared file, and other names in it", async () => {
    expect(
      await foundAfter({
        "dist/shared-B2.d.ts":
          "interface Usage$2 { tokens: number }\n/** Says more. */\ndeclare class Turn$1 { id: string; usage: Usage$2 }\nexport { Turn$1 as x };\n",
        "dist/index.d.ts":
          "import { x as Turn } from './shared-B2.js';\ndeclare function start(turn: Turn): void;\nexport { Turn, start };\n",
        "dist/codey.d.ts":
          "import { x as Turn } from './shared-B2.js';\ninterface Prompt { node: ReactNode; turn: Turn }\nexport { type Prompt, Turn };\n",
      }),
    ).toEqual([]);
  });

  test("names what has changed, is new and is gone, also of types that are only reached", async () => {
    expect(
      await foundAfter({
        "dist/shared-A1.d.ts":
          "declare class Turn { id: string; usage: Usage$1 }\ninterface Usage$1 { tokens: string }\nexport { Turn as T };\n",
        "dist/index.d.ts":
          "import { T as Turn } from './shared-A1.js';\ndeclare function begin(turn: Turn): void;\nexport { Turn, begin };\n",
        "dist/codey.d.ts":
          "import { T as Turn } from './shared-A1.js';\ninterface Prompt { node: ReactNode; turn: Turn }\nexport { type Prompt };\n",
      }),
    ).toEqual(["api/index.d.ts Usage changed, begin is new, start is gone", "api/codey.d.ts Turn is gone"]);
  });

  test("finds an entry without a report, and a report without an entry", async () => {
    expect(
      await foundAfter({
        "package.json": {
          name: "agentwire",
          version: "1.0.0",
          exports: { ".": { import: entry("index") }, "./cass": { import: entry("cass") } },
        },
        "dist/cass.d.ts": "declare class Cass { }\nexport { Cass };\n",
      }),
    ).toEqual(["api/cass.d.ts Cass is new", "api/codey.d.ts Prompt is gone, Turn is gone"]);
  });

  test("cannot look without declarations", async () => {
    await expect(foundAfter({ "dist/codey.d.ts": "" })).rejects.toThrow(
      "dist/codey.d.ts is no module: npm run build:types",
    );
  });
});

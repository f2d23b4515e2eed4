import { describe, expect, test } from "vitest";
import { dependencies } from "../../scripts/checks/dependencies.ts";
import { type Files, findingsIn, lines } from "./tree.ts";

const MANIFEST = {
  name: "agentwire",
  version: "1.0.0",
  dependencies: { ws: "^8.0.0" },
  peerDependencies: { react: ">=19" },
  devDependencies: { zod: "^4.0.0", vitest: "^5.0.0" },
};

const CLEAN: Files = {
  "package.json": MANIFEST,
  "dist/index.js": 'import "#socket";\nimport "./chunk.js";\nvar z = 1;\n',
  "dist/index.cjs": 'require("./chunk.cjs");\nrequire("react");',
  "dist/index.d.ts": 'import "no-code";',
  "dist/testing.js": 'import { Server } from "ws";\nimport "node:http";\nimport "fs/promises";',
};

describe("dependencies", () => {
  test("passes installed packages and Node builtins", async () => {
    expect(lines(await findingsIn(dependencies, CLEAN))).toEqual([]);
  });

  test.each([
    ["a development dependency", 'import "ws";\nimport { test } from "vitest/node";', "vitest/node"],
    ["a package that is not installed", 'import "ws";\nrequire("left-pad");', "left-pad"],
    ["a dynamic import", 'import "ws";\nexport const load = () => import("@a/b");', "@a/b"],
  ])("finds %s that dist imports", async (_, code, name) => {
    expect(lines(await findingsIn(dependencies, { ...CLEAN, "dist/testing.js": code }))).toEqual([
      `dist/testing.js:2 imports "${name}", which users do not have: bundle it, or add it to "dependencies"`,
    ]);
  });

  test("finds a dependency that dist does not import, because it is bundled or unused", async () => {
    const manifest = { ...MANIFEST, dependencies: { ws: "^8.0.0", zod: "^4.0.0" } };
    expect(lines(await findingsIn(dependencies, { ...CLEAN, "package.json": manifest }))).toEqual([
      'package.json "zod" is in "dependencies", and dist/ does not import it: move it to "devDependencies"',
    ]);
  });
});

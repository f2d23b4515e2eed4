import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { judgeApp, judgeSaid } from "../../scripts/checks/peers.ts";
import { pack } from "../../scripts/support/pack.ts";
import { tree } from "./tree.ts";

describe.each(["npm", "pnpm"] as const)("an app with React 18, by %s", (manager) => {
  /** What is found in the app, where the package has such a range for React. */
  async function complaints(range: string): Promise<readonly string[]> {
    await using folder = await tree({
      "react/package.json": { name: "react", version: "18.3.1" },
      "agentwire/package.json": {
        name: "agentwire",
        version: "1.0.0",
        peerDependencies: { react: range },
        peerDependenciesMeta: { react: { optional: true } },
      },
    });
    const tarball = await pack(join(folder.path, "agentwire"), join(folder.path, "pack"));
    const app = { name: "React 18", packages: [`file:${join(folder.path, "react")}`], says: {} };
    return await judgeApp(join(folder.path, "app"), tarball, app, manager);
  }

  test("refuses a package with a narrow range for an optional peer", async () => {
    expect(await complaints(">=19.3.0")).toEqual([
      expect.stringMatching(
        /^does not install into an app with React 18, by .*peer(?:Optional)? react@"?>=19\.3\.0/s,
      ),
    ]);
  });

  test("installs a package whose range includes its React, and then uses it", async () => {
    expect(await complaints(">=18")).toEqual([
      expect.stringMatching(/^cannot be used in an app with React 18, by .*agentwire/s),
    ]);
  });
});

test("an entry must work, or say which package to install", () => {
  const expected = { a: "works", b: /npm install zod@4/, c: "works", d: /zod/ } as const;
  const said = { a: "works", b: "threw Error: Cannot find package 'zod'", c: "threw Error: no" };
  expect(judgeSaid(expected, said)).toEqual([
    "b should say /npm install zod@4/, and said: threw Error: Cannot find package 'zod'",
    "c should say works, and said: threw Error: no",
    "d should say /zod/, and said: nothing",
  ]);
});

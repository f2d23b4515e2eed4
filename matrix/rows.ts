import { browserRow } from "./browsers.ts";
import { esbuildRow, nextRows, viteRow } from "./bundlers.ts";
import { COMPILERS, compilerRow } from "./compilers.ts";
import type { Row } from "./outcome.ts";
import { RUNTIMES, type Runtime, runtimeRow } from "./runtimes.ts";
import { workerdRow } from "./workerd.ts";

/** What `--only` names. Makes rows, each with its title on the page. */
export interface Subject {
  readonly name: string;
  rows(folder: string, addresses: string): Promise<readonly (readonly [title: string, row: Row])[]>;
}

const one = (
  name: string,
  title: string,
  row: (folder: string, addresses: string) => Promise<Row>,
): Subject => ({
  name,
  rows: async (folder, addresses) => [[title, await row(folder, addresses)]],
});

const runtime = (name: keyof typeof RUNTIMES, title: string): Subject =>
  one(name, title, (folder, addresses) => runtimeRow(RUNTIMES[name] as Runtime, folder, addresses));

export const SUBJECTS: readonly Subject[] = [
  runtime("node22.12", "Node"),
  runtime("node22", "Node"),
  runtime("node24", "Node"),
  runtime("node26", "Node"),
  runtime("bun", "Bun"),
  runtime("deno", "Deno"),
  one("workerd", "workerd", workerdRow),
  one("chromium", "Chromium", (folder, addresses) => browserRow("chromium", folder, addresses)),
  one("firefox", "Firefox", (folder, addresses) => browserRow("firefox", folder, addresses)),
  one("esbuild", "esbuild", esbuildRow),
  one("vite", "Vite", viteRow),
  {
    name: "next",
    async rows(folder, addresses) {
      const { route, page } = await nextRows(folder, addresses);
      return [
        ["Next, route", route],
        ["Next, page", page],
      ];
    },
  },
  ...(Object.keys(COMPILERS) as (keyof typeof COMPILERS)[]).map((name) =>
    one(name, "TypeScript", (folder) => compilerRow(name, folder)),
  ),
];

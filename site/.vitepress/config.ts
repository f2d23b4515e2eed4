import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformerTwoslash } from "@shikijs/vitepress-twoslash";
import { createFileSystemTypesCache } from "@shikijs/vitepress-twoslash/cache-fs";
import ts from "typescript";
import { defineConfig } from "vitepress";
import { GUIDES } from "../guides.ts";

const SITE = join(import.meta.dirname, "..");
const SNIPPETS = join(SITE, "../docs/snippets");
const API = join(SITE, "content/api/typedoc-sidebar.json");

export default defineConfig({
  title: "agentwire",
  description: "One typed client library for AI-agent backends, in Node and in browsers",
  srcDir: "content",
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    html: false, // types such as Map<K, V> are text
    config(md) {
      // The API reference links to rows of its tables.
      md.inline.ruler.before("html_inline", "anchor", (state, silent) => {
        const [anchor] = /^<a id="[\w-]+"><\/a>/.exec(state.src.slice(state.pos)) ?? [];
        if (anchor === undefined) return false;
        if (!silent) state.push("html_inline", "", 0).content = anchor;
        state.pos += anchor.length;
        return true;
      });
      // Braces in code are no expressions of Vue.
      const code = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (...args) => code?.(...args).replace("<code", "<code v-pre") ?? "";
    },
    languages: ["ts", "tsx", "sh", "bash", "json", "nginx", "svelte"],
    codeTransformers: [
      transformerTwoslash({
        explicitTrigger: true,
        typesCache: createFileSystemTypesCache({ dir: join(SITE, "node_modules/.cache/twoslash") }),
        twoslashOptions: { compilerOptions: compilerOptions(), vfsRoot: SNIPPETS },
      }),
    ],
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start" },
      { text: "API", link: "/api/" },
      { text: "Changes", link: "/changelog" },
    ],
    sidebar: {
      "/api/": existsSync(API) ? JSON.parse(readFileSync(API, "utf8")) : [],
      "/": GUIDES.map(({ title, pages }) => ({
        text: title,
        items: pages.map(([page, text]) => ({ text, link: `/${page}` })),
      })),
    },
  },
});

/** The options that the snippets compile with in this repository. */
function compilerOptions(): ts.CompilerOptions {
  const config = join(SITE, "tsconfig.json");
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, ts.sys.readFile).config,
    ts.sys,
    SITE,
  );
  return options;
}

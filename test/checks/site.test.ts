import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deadAnchors } from "../../scripts/site/anchors.ts";
import { mendApiLinks } from "../../scripts/site/api-links.ts";
import { sitePages } from "../../scripts/site/pages.ts";
import { GUIDES } from "../../site/guides.ts";
import { tree } from "./tree.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the pages of the site", () => {
  test("are those of the sidebar, and those of its other links", async () => {
    const pages = new Set([...(await sitePages(ROOT)).keys()].map((page) => page.replace(/\.md$/, "")));
    const guides = GUIDES.flatMap((group) => group.pages.map(([page]) => page));
    expect(guides.filter((page) => !pages.has(page))).toEqual([]);
    expect([...pages].filter((page) => !guides.includes(page)).toSorted()).toEqual([
      "changelog",
      "index",
      "security",
    ]);
  });

  test("link each other, show their pictures, and carry the file of their first code", async () => {
    await using root = await tree({
      "README.md":
        "# A\n\n![A picture](docs/images/a.png)\n\n[Guide](docs/guide.md#part), [code](src/a.ts), [out](https://example.com/)\n",
      "docs/guide.md":
        "# Guide\n\n<!-- snippet: one -->\n```ts\none();\n```\n\n[Home](../README.md)\n\n<!-- snippet: two -->\n```ts\ntwo();\n```\n",
      "docs/snippets/a.ts":
        'import { one, two } from "a";\n\n{\n  // #region one\n  one();\n  // #endregion\n}\n// #region two\ntwo();\n// #endregion\n',
    });
    expect([...(await sitePages(root.path))]).toEqual([
      [
        "index.md",
        "# A\n\n![A picture](./images/a.png)\n\n[Guide](./guide.md#part), code, [out](https://example.com/)\n",
      ],
      [
        "guide.md",
        '# Guide\n\n```ts twoslash\nimport { one, two } from "a";\n\n{\n// ---cut-before---\none();\n// ---cut-after---\n}\ntwo();\n\n```\n\n[Home](./index.md)\n\n```ts\ntwo();\n```\n',
      ],
    ]);
  });
});

test("a link of the built site to no page, or to no heading, is found", async () => {
  await using site = await tree({
    "index.html":
      '<a class="x" href="/guide#part">a</a><a href="#no">b</a><a href="https://example.com/#no">c</a>',
    "guide.html": '<h2 id="part">P</h2><a href="./">d</a><a href="./away">e</a><a href="/api/#top">f</a>',
    "api/index.html": '<h1 id="top">T</h1><a href="../guide#part">g</a><a href="../guide#gone">h</a>',
  });
  expect(await deadAnchors(site.path)).toEqual([
    { page: "api/index.html", link: "../guide#gone" },
    { page: "guide.html", link: "./away" },
    { page: "index.html", link: "#no" },
  ]);
});

test("links of the API reference to a second heading that is none, and to rows with an underscore, are mended", async () => {
  await using api = await tree({
    "a.md":
      '# Turn\n\n## Twice\n\n## Twice\n\n<a id="property-made_at-1"></a>\n\n[one](#turn-1) [two](#twice-1) [row](#property-made-at-1)\n',
    "b/c.md":
      "[up](../a.md#turn-1) [row](../a.md#property-made-at-1) [kept](../a.md#twice-1) [out](x.md#turn-1)\n",
  });
  await mendApiLinks(api.path);
  expect(await readFile(join(api.path, "a.md"), "utf8")).toContain(
    "[one](#turn) [two](#twice-1) [row](#property-made_at-1)",
  );
  expect(await readFile(join(api.path, "b/c.md"), "utf8")).toBe(
    "[up](../a.md#turn) [row](../a.md#property-made_at-1) [kept](../a.md#twice-1) [out](x.md#turn-1)\n",
  );
});

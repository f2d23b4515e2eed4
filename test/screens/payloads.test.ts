import { describe, expect, it } from "vitest";
import { dataImageType, webAddress } from "../../src/screens/addresses.ts";
import type { Inline, MarkdownBlock } from "../../src/screens/markdown/blocks.ts";
import { PAYLOAD_CLASSES, PAYLOAD_COUNT, PAYLOADS } from "./payloads.ts";
import { settledOf } from "./support/sketch.ts";

it("there are 2,000 payloads, with some of each class", () => {
  expect(PAYLOADS).toHaveLength(PAYLOAD_COUNT);
  for (const all of Object.values(PAYLOAD_CLASSES)) {
    const own = new Set(all);
    expect(PAYLOADS.filter((payload) => own.has(payload)).length).toBeGreaterThanOrEqual(
      Math.min(own.size, 12),
    );
  }
});

describe("of all payloads of all classes", () => {
  const blocks = Object.values(PAYLOAD_CLASSES)
    .flat()
    .flatMap((payload) => [
      ...settledOf(payload),
      ...settledOf(`[a](${payload}) ![a](${payload}) <${payload}>`),
    ]);
  const urls = blocks.flatMap(urlsOf);

  it("a link that may be followed leads to the web, and shows its host", () => {
    expect(urls.length).toBeGreaterThan(1_000);
    const followed = urls.map(webAddress).filter((address) => address !== undefined);
    expect(followed.length).toBeGreaterThan(100);
    for (const { href, host } of followed) {
      expect(["http:", "https:"]).toContain(new URL(href).protocol);
      expect(new URL(href).host).toBe(host);
    }
  });

  it("an image that may be shown is a picture in base64", () => {
    for (const url of urls)
      if (dataImageType(url) !== undefined) expect(url).toMatch(/^data:image\/[a-z]+;base64,[\w+/=]+$/i);
  });
});

function urlsOf(block: MarkdownBlock): string[] {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return inlineUrls(block.content);
    case "list":
      return block.items.flatMap(({ blocks }) => blocks.flatMap(urlsOf));
    case "quote":
      return block.blocks.flatMap(urlsOf);
    case "table":
      return [block.head, ...block.rows].flat().flatMap(inlineUrls);
    default:
      return [];
  }
}

function inlineUrls(content: readonly Inline[]): string[] {
  return content.flatMap((node) => [
    ...("url" in node ? [node.url] : []),
    ...("content" in node ? inlineUrls(node.content) : []),
  ]);
}

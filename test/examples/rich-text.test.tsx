import { Text } from "ink";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RichText } from "../../examples/web-chat/page/rich-text.tsx";
import { mount, settled } from "../react/support/mount.ts";

afterEach(() => void vi.restoreAllMocks());

const LINE = "Some words, and https://example.com/a, which is an address.\n";
const LINK = '<a href="https://example.com/a" target="_blank" rel="noopener noreferrer nofollow">';
const markup = (text: string, offsets: readonly number[] = []): string =>
  renderToStaticMarkup(
    <RichText text={text} insets={offsets.map((offset) => ({ offset, node: <b key={offset}>!</b> }))} />,
  );

describe("a long text", () => {
  test("is complete, with all its links", () => {
    const text = LINE.repeat(200);
    const shown = markup(text);
    expect(shown.split(LINK)).toHaveLength(201);
    expect(shown.replaceAll(/<[^>]*>/g, "")).toBe(text.trimEnd());
  });

  test("has its code in blocks, and its insets in place", () => {
    const text = `${LINE.repeat(30)}\`\`\`js\nlet a;\n\`\`\`\n${LINE.repeat(30)}`;
    const offset = LINE.length * 25 + 4;
    const shown = markup(text, [0, offset, text.indexOf("let") + 3, text.length - 1]);
    expect(shown).toContain('<pre tabindex="0"><code>let<b>!</b> a;</code></pre>');
    const before = shown.slice(0, shown.indexOf("<pre")).replaceAll(/<\/?a[^>]*>/g, "");
    expect(before.indexOf("<b>!</b>", 1)).toBe(offset + "<b>!</b>".length);
    expect(shown.endsWith("address.<b>!</b>")).toBe(true);
  });
});

test("a growing text searches only its last piece for links again", async () => {
  const look = vi.spyOn(String.prototype, "matchAll");
  const show = (text: string) => (
    <Text>
      <RichText text={text} />
    </Text>
  );
  const long = "Some words without an address.\n".repeat(300);
  using screen = mount(show(long));
  await settled();
  const seen = (): number =>
    look.mock.contexts.reduce<number>((sum, context) => sum + String(context).length, 0);
  const before = seen();
  expect(before).toBeGreaterThanOrEqual(long.length - 1);
  for (let chunk = 1; chunk <= 5; chunk++) {
    screen.rerender(show(long + "word ".repeat(chunk)));
    await settled();
  }
  expect(seen() - before).toBeGreaterThan(0);
  expect(seen() - before).toBeLessThan(5 * 2_000);
});

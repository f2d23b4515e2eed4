import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { MAX_IMAGE_BYTES } from "../../src/ink/composer/dropped-images.ts";
import { MockAgent } from "../../src/testing/index.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const BYTES = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
let folder = "";
let file = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agentwire images-"));
  file = join(folder, "a shot.png");
  await writeFile(file, BYTES);
});
afterAll(async () => await rm(folder, { recursive: true }));

const { capabilities } = createChat(new MockAgent()).getSnapshot();

function screenOf(images = true): ClockedScreen {
  const screen = new ClockedScreen();
  if (!capabilities) throw new Error("the mock has no capabilities");
  screen.set({ capabilities: { ...capabilities, images } });
  return screen;
}

/** Looks until the files were read. */
async function until(screen: ClockedScreen, shows: RegExp): Promise<string> {
  let shown = "";
  for (let left = 2_000; left > 0; left--) {
    shown = await screen.after(0);
    if (shows.test(shown)) return shown;
    await new Promise((resolve) => setTimeout(resolve, 1));
    await screen.after(100);
  }
  throw new Error(`the screen has no ${shows}:\n${shown}`);
}

describe("a pasted path of an image", () => {
  test.each([
    ["with backslashes", () => file.replaceAll(" ", "\\ ")],
    ["in quotes", () => `'${file}'`],
    ["as a URL", () => pathToFileURL(file).href],
  ])("%s goes along as an image", async (_, dropped) => {
    const screen = screenOf();
    screen.type("What is this? ");
    screen.screen.paste(`${dropped()} `);
    expect(await screen.after(100)).toContain("> What is this? [image a shot.png]");
    screen.press("enter");
    await until(screen, /ready\n> /);
    for (let left = 2_000; left > 0 && screen.sent.length === 0; left--) {
      await new Promise((resolve) => setImmediate(resolve));
      screen.press("enter");
    }
    expect(screen.sent).toMatchObject([{ text: "What is this? ", images: [{ data: Buffer.from(BYTES) }] }]);
  });

  test("is not sent before it is read", async () => {
    const screen = screenOf();
    screen.type("This: ");
    screen.screen.paste(`'${file}'`);
    screen.press("enter");
    expect(await screen.after(100)).toContain("an image is still being read");
    expect(screen.sent).toEqual([]);
  });

  test("becomes text if there is no such file, and a note says why", async () => {
    const screen = screenOf();
    screen.screen.paste("/nowhere/b.png");
    const shown = await until(screen, /that failed/);
    expect(shown).toMatch(/ENOENT[\s\S]*> \/nowhere\/b\.png$/);
  });

  test("becomes text if the file is too large", async () => {
    const large = join(folder, "large.png");
    await writeFile(large, "");
    await truncate(large, MAX_IMAGE_BYTES + 1);
    const screen = screenOf();
    screen.screen.paste(`'${large}'`);
    expect(await until(screen, /that failed/)).toContain("more than 20 MiB");
  });

  test("is text where the agent takes no images, in a sentence, and for other files", async () => {
    for (const [screen, text] of [
      [screenOf(false), "/a/b.png"],
      [screenOf(), "see /a/b.png"],
      [screenOf(), "/a/b.txt"],
      [screenOf(), "b.png"],
    ] as const) {
      screen.screen.paste(text);
      expect(await screen.after(100)).toContain(`> ${text}`);
    }
  });
});

describe("a pasted `data:` URL", () => {
  test("goes along as an image, and is deleted by one key", async () => {
    const screen = screenOf();
    const url = `data:image/png;base64,${Buffer.from(BYTES).toString("base64")}`;
    screen.type("This: ");
    screen.screen.paste(url);
    expect(await screen.after(100)).toContain("> This: [image png]");
    screen.screen.paste(url);
    screen.press("backspace", "enter");
    await screen.after(100);
    expect(screen.sent).toEqual([{ text: "This: ", images: [{ data: url }] }]);
  });
});

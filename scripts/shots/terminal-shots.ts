// Pictures of the terminal screen: each state at three sizes, as a text and drawn from the terminal's cells.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { bundleOf } from "../../test/tui/support/bundle.ts";
import { Terminal } from "../../test/tui/support/terminal.ts";
import { DARK, drawingOf, LIGHT } from "./drawing.ts";
import type { Shot } from "./page-shots.ts";
import { SCENES, type SceneUser } from "./scenes.ts";

const PROGRAM = fileURLToPath(new URL("terminal-program.ts", import.meta.url));
type Size = readonly [columns: number, rows: number];

const SIZES: readonly Size[] = [
  [80, 24],
  [40, 15],
  [200, 60],
];

/** Where nothing of the screen has scrolled away. */
export const README_SIZE: Size = [80, 36];

export function terminalShots(sizes: readonly Size[] = SIZES): readonly Shot[] {
  return SCENES.filter(({ on = "terminal" }) => on === "terminal").flatMap((scene) =>
    sizes.map(([columns, rows]) => {
      const name = `terminal-${scene.name}-${columns}x${rows}`;
      const take = async (browser: Browser, out: string): Promise<void> => {
        const program = await bundleOf(PROGRAM);
        await using terminal = await Terminal.start(program, { args: [scene.name], columns, rows });
        await terminal.until(/^ready\b/m);
        await scene.play(userOf(terminal));
        await writeFile(join(out, `${name}.txt`), textOf(terminal));
        for (const [end, palette] of [["", DARK] as const, ["-light", LIGHT] as const])
          await picture(browser, drawingOf(terminal.cells(), palette), join(out, `${name}${end}.png`));
      };
      return { name, take };
    }),
  );
}

/** What has scrolled away, and below a line the screen. */
function textOf(terminal: Terminal): string {
  const { above } = terminal.cells();
  const lines = terminal.scrollback();
  const edge = above > 0 ? ["-------- the screen --------"] : [];
  return `${[...lines.slice(0, above), ...edge, ...lines.slice(above)].join("\n")}\n`;
}

async function picture(browser: Browser, html: string, path: string): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 1.5 });
  try {
    await page.setContent(html);
    await page.locator("pre").screenshot({ path });
  } finally {
    await page.close();
  }
}

function userOf(terminal: Terminal): SceneUser {
  const sees: SceneUser["sees"] = (wanted) => {
    const text = typeof wanted === "string" ? wanted : wanted.terminal;
    const shows = (): boolean => squeezed(terminal.scrollback().join("")).includes(squeezed(text));
    return terminal.until(Object.assign(shows, { toString: () => `"${text}"` }));
  };
  return {
    async say(prompt) {
      terminal.type(prompt);
      const isTyped = (): boolean => squeezed(terminal.screen().join("")).includes(squeezed(`› ${prompt}`));
      await terminal.until(Object.assign(isTyped, { toString: () => `"${prompt}" in the composer` }));
      terminal.press("enter");
    },
    attach(url) {
      terminal.paste(url);
      return sees("[image");
    },
    async press({ keys }) {
      for (const key of keys) terminal.type(key);
    },
    sees,
  };
}

/** Without blanks, and the bars at the side of rows. */
function squeezed(text: string): string {
  return text.replaceAll(/[\s│]/g, "");
}

// The page with all pictures of a folder, by their states.
import { readdir } from "node:fs/promises";

/** The state, the variant, and whether it is the light one of a terminal. */
const NAME = /^(page|terminal)-(.+)-(light|dark|phone|rtl|\d+x\d+)(-light)?\.png$/;

/** HTML, to be written into the folder. Pictures of earlier runs are in it too. */
export async function indexOf(folder: string): Promise<string> {
  const states = new Map<string, string[]>();
  for (const file of (await readdir(folder)).toSorted()) {
    const [, screen, state, variant, light = ""] = NAME.exec(file) ?? [];
    if (screen === undefined || state === undefined) continue;
    const figures = states.get(state) ?? [];
    states.set(state, figures);
    const text = file.replace(/(-light)?\.png$/, ".txt");
    const link = screen === "terminal" && light === "" ? ` <a href="${text}">text</a>` : "";
    figures.push(
      `<figure><figcaption>${screen} ${variant}${light}${link}</figcaption><a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a></figure>`,
    );
  }
  const sections = [...states].map(
    ([state, figures]) => `<h2 id="${state}">${state}</h2>\n<div>\n${figures.join("\n")}\n</div>`,
  );
  const links = [...states.keys()].map((state) => `<a href="#${state}">${state}</a>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pictures of the screens</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; background: #eceff3; color: #1d2126 }
div { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start }
figure { margin: 0; max-width: 48% }
img { max-width: 100%; max-height: 80vh; border: 1px solid #c5ccd4 }
</style>
<nav>${links.join(" · ")}</nav>
${sections.join("\n")}
</html>
`;
}

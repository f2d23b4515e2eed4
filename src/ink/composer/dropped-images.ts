// Images that the user pastes, or drops on the terminal: a `data:` URL, or paths of image files.
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PastedImage } from "./pastes.ts";

/** Bytes of an image file. Models take no more than 20 MB, and most take less. */
export const MAX_IMAGE_BYTES = 20 * 1_024 * 1_024;

const DATA_URL = /^data:image\/([\w.+-]+);base64,[\w+/=\s-]+$/i;
const IMAGE_FILE = /\.(?:png|jpe?g|gif|webp)$/i;
/** A path as terminals write a dropped file: in quotes, or with a backslash before a space. */
const PATH = /'([^']*)'|"([^"]*)"|((?:\\.|[^\s\\])+)/g;

export function imageInUrl(text: string): PastedImage | undefined {
  const type = DATA_URL.exec(text.trim())?.[1];
  return type === undefined ? undefined : { name: type, data: text.replace(/\s+/g, "") };
}

/** The paths, if the text consists of nothing but absolute paths of image files. */
export function imagePathsIn(text: string): readonly string[] {
  if (text.length > MAX_PASTE) return [];
  const paths = Array.from(text.trim().matchAll(PATH), ([, single, double, bare]) =>
    pathOf(single ?? double ?? bare?.replace(/\\(.)/g, "$1") ?? ""),
  );
  return paths.every((path) => path !== undefined) ? paths : [];
}

/** Characters of a paste that is searched for paths. Longer ones are no dropped files. */
const MAX_PASTE = 8_192;

function pathOf(text: string): string | undefined {
  if (!IMAGE_FILE.test(text)) return undefined;
  if (/^file:\/\//i.test(text)) return URL.canParse(text) ? pathOfUrl(text) : undefined;
  if (text.startsWith("~/")) return join(homedir(), text.slice(2));
  return isAbsolute(text) ? text : undefined;
}

/** A URL may name another machine. */
function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

export function imageName(path: string): string {
  return basename(path);
}

/** @throws if the file cannot be read, or is larger than `MAX_IMAGE_BYTES` */
export async function readImageFile(path: string): Promise<Uint8Array> {
  const file = await stat(path);
  if (!file.isFile()) throw new Error("it is not a file");
  if (file.size > MAX_IMAGE_BYTES) throw new Error(`it has more than ${MAX_IMAGE_BYTES >> 20} MiB`);
  return await readFile(path);
}

// Characters that Markdown tells apart.

const SPACE_BEFORE = /\s$/;
const SPACE_AFTER = /^\s/;
const SIGN_BEFORE = /[\p{P}\p{S}]$/u;
const SIGN_AFTER = /^[\p{P}\p{S}]/u;
const ESCAPABLE = /^[!-/:-@[-`{-~]$/;

/** What stands on one side of a run of marks. The ends of the text are space. */
export type Side = "space" | "sign" | "word";

export function sideBefore(text: string): Side {
  if (text === "" || SPACE_BEFORE.test(text)) return "space";
  return SIGN_BEFORE.test(text) ? "sign" : "word";
}

export function sideAfter(text: string): Side {
  if (text === "" || SPACE_AFTER.test(text)) return "space";
  return SIGN_AFTER.test(text) ? "sign" : "word";
}

export const isEscapable = (character: string): boolean => ESCAPABLE.test(character);

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/y;

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["copy", "©"],
  ["reg", "®"],
  ["trade", "™"],
  ["hellip", "…"],
  ["mdash", "—"],
  ["ndash", "–"],
  ["bull", "•"],
  ["middot", "·"],
  ["times", "×"],
  ["larr", "←"],
  ["rarr", "→"],
]);

/** The character that an entity such as `&lt;` at this place means, and where the entity ends. */
export function entityAt(
  text: string,
  at: number,
): { readonly text: string; readonly end: number } | undefined {
  ENTITY.lastIndex = at;
  const [all, decimal, hex, name] = ENTITY.exec(text) ?? [];
  if (all === undefined) return undefined;
  const meant =
    name === undefined
      ? characterOf(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal))
      : NAMED.get(name);
  return meant === undefined ? undefined : { text: meant, end: at + all.length };
}

/** Controls and impossible numbers are U+FFFD. */
function characterOf(code: number): string {
  const control = code < 32 || (code >= 127 && code < 160);
  const impossible = code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
  return control || impossible ? "\ufffd" : String.fromCodePoint(code);
}

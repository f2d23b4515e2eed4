// Text inside a Markdown block, as spans.
import type { Inline } from "../../screens/markdown/blocks.ts";
import { displayed, inLine, type Row, type Span } from "../rows/row.ts";
import type { Theme, Tone } from "../theme.ts";

/** The Markdown marks of tones. They are shown if the theme has no style for the tone. */
const MARKS = { strong: "**", emphasis: "*", strike: "~~", code: "`" } as const;

/** The spans of a text, made inert. They may contain line breaks. `tones`: the tones of the whole text. */
export function inlineSpans(
  content: readonly Inline[],
  theme: Theme,
  tones: readonly Tone[] = [],
): readonly Span[] {
  return content.flatMap((inline) => spansOf(inline, theme, tones));
}

function spansOf(inline: Inline, theme: Theme, tones: readonly Tone[]): readonly Span[] {
  switch (inline.type) {
    case "text":
      return [spanOf(displayed(inline.text), tones)];
    case "break":
      return [spanOf("\n", tones)];
    case "code":
      return toned("code", theme, tones, (all) => [spanOf(displayed(inline.text), all)]);
    case "strong":
    case "emphasis":
    case "strike":
      return toned(inline.type, theme, tones, (all) => inlineSpans(inline.content, theme, all));
    case "link":
      return withUrl(inlineSpans(inline.content, theme, [...tones, "link"]), inline.url);
    case "image":
      return withUrl([spanOf(`[${inLine(inline.alt) || "image"}]`, [...tones, "link"])], inline.url);
  }
}

export function isStyled(tone: Tone, theme: Theme): boolean {
  return Object.keys(theme.styles[tone]).length > 0;
}

function toned(
  tone: keyof typeof MARKS,
  theme: Theme,
  tones: readonly Tone[],
  make: (tones: readonly Tone[]) => Row,
): Row {
  if (isStyled(tone, theme)) return make([...tones, tone]);
  const mark = spanOf(MARKS[tone], tones);
  return [mark, ...make(tones), mark];
}

/** Adds the URL, dim, unless the text is the URL. */
function withUrl(text: Row, url: string): Row {
  const shown = inLine(url.startsWith("data:") ? (url.split(/[;,]/, 1)[0] ?? "data:") : url);
  const says = text.map((span) => span.text).join("");
  if (shown === "" || says === shown || `mailto:${says}` === shown) return text;
  return [...text, { text: ` (${shown})`, tone: "dim" }];
}

function spanOf(text: string, [tone = "plain", ...also]: readonly Tone[]): Span {
  return also.length === 0 ? { text, tone } : { text, tone, also };
}

import { TEXTS } from "./frames.ts";

/** One frame of an answer, and the text in it. */
export interface Frame {
  readonly json: string;
  readonly text: string;
}

/** Frames that a server repeats while it answers. */
const PERIOD = 512;

/** The frames of an answer of `count` frames, up to the point where they repeat. */
export function framesOf(shape: string, promptId: string, count: number): readonly Frame[] {
  const frameAt = SHAPES[shape];
  if (!frameAt) throw new Error(`no shape of frames is named ${shape}`);
  return Array.from({ length: Math.min(count, PERIOD) }, (_, at) => frameAt(promptId, at));
}

/** German, Chinese, English with emoji, and all of them. Each as long as 100 bytes of UTF-8 allow. */
const FOREIGN = TEXTS.map((_, index) =>
  upTo(
    100,
    [
      `${index}. Für jeden Schlüssel prüft die Schleife, ob der Wert größer ist als die zuvor gewählte Höchstmenge`,
      `${index}。这个函数会检查每一个键的值，\n如果它比之前的最大值更大，就把它保存下来，然后继续处理下一个元素`,
      `${index}. "All tests pass" 🎉 and the build is green ✅, so ship it 🚀!\n\nOne more thing 🤔: the naïve résumé 📄`,
      `${index}. 日本語のテスト: größte Übergröße — “naïve” façade… 👩‍💻 schreibt 代码，und prüft es ✅ 然后部署 🚀 danach`,
    ][index % 4] ?? "",
  ),
);

const SHORT = TEXTS.map((text, index) => text.slice(index, index + 10));

/** 2 000 bytes each. */
const LONG = TEXTS.map((_, index) =>
  Array.from({ length: 20 }, (_, more) => TEXTS[(index + more) % TEXTS.length]).join(""),
);

/** As the original server names the agents that work for a prompt. The prompt's own id is the first. */
const SUFFIXES = [
  "",
  "-file-picker4f1c2a90",
  "-thinker81d3e7b2",
  "-file-explorer0a9b8c7d",
  "-reviewer5e6f7a8b",
  "-researcher9c0d1e2f",
  "-basher3a4b5c6d",
  "-editor7e8f9a0b",
];

type FrameAt = (promptId: string, at: number) => Frame;

const SHAPES: Readonly<Record<string, FrameAt>> = {
  plain: strings(TEXTS),
  "10-bytes": strings(SHORT),
  "2-kB": strings(LONG),
  "non-ascii": strings(FOREIGN),
  escapes: strings(FOREIGN, pythonJson),
  subagents: (promptId, at) => {
    const text = textAt(TEXTS, at);
    return { json: JSON.stringify(chunk(`${promptId}${SUFFIXES[at % SUFFIXES.length]}`, text)), text };
  },
  interleaved: (promptId, at) => {
    const text = textAt(TEXTS, at >> 1);
    return { json: JSON.stringify(interleaved(promptId, at % 16, text)), text };
  },
};

/** The original server sends each text twice, as a string and as an object. A sub-agent says something now and then. */
function interleaved(promptId: string, place: number, text: string): unknown {
  if (place === 14) return chunk(`${promptId}${SUFFIXES[1]}`, text);
  if (place === 15) {
    const agent = { agentId: "4f1c2a90", agentType: "file-picker" };
    return action({ type: "subagent-response-chunk", userInputId: promptId, ...agent, chunk: text });
  }
  return chunk(promptId, place % 2 === 0 ? text : { type: "text", text });
}

function strings(texts: readonly string[], toJson: (message: unknown) => string = JSON.stringify): FrameAt {
  return (promptId, at) => {
    const text = textAt(texts, at);
    return { json: toJson(chunk(promptId, text)), text };
  };
}

function textAt(texts: readonly string[], at: number): string {
  return texts[at % texts.length] ?? "";
}

/** One piece of an answer in Codebuff's protocol. */
export function chunk(userInputId: string, piece: unknown): unknown {
  return action({ type: "response-chunk", userInputId, chunk: piece });
}

function action(data: unknown): unknown {
  return { type: "action", data };
}

/** JSON as Python's `json.dumps` writes it: spaces behind `,` and `:`, and `\uXXXX` for each UTF-16 unit beyond ASCII. */
function pythonJson(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${pythonJson(name)}: ${pythonJson(field)}`);
    return `{${fields.join(", ")}}`;
  }
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** As many whole characters of a text as fit into so many bytes of UTF-8. */
function upTo(bytes: number, text: string): string {
  let cut = "";
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > bytes) break;
    cut += character;
  }
  return cut;
}

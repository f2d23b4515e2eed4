// Checks a run's prompt, and builds its messages.
import { isBase64, toBase64 } from "../core/bytes.ts";
import { type Check, type Checks, checks, checkValues, describe } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import { checkNames } from "../core/names.ts";
import { utf8Length, wellFormed } from "../core/text.ts";
import { fileParts, type PromptFile } from "../core/turn/prompt-files.ts";
import {
  checkOwnPrompt,
  type PromptImage,
  type PromptOf,
  readPromptInput,
} from "../core/turn/prompt-input.ts";
import type { AgentDefinition } from "./agents/agents.ts";
import { type RunMessage, type RunPart, USER_PROMPT } from "./messages.ts";
import { RUN_PROMPT_CHECKS } from "./options.ts";

/** A part of a prompt. */
export type CodebuffRunContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      /** Bytes, base64, a `data:` URL, or the URL of an image. */
      readonly image: string | Uint8Array;
      /** @default "image/png", or the type of the `data:` URL */
      readonly mediaType?: string;
    }
  /** A text file for the agent. */
  | { readonly type: "file"; readonly name: string; readonly text: string };

/** A prompt of a run. */
export interface CodebuffRunPromptInput {
  /** The user's text, not blank. Optional if `content` has a text. */
  readonly prompt?: string;
  /** Texts, images and text files. In the history, `content` replaces `prompt`. */
  readonly content?: readonly CodebuffRunContent[];
}

export interface RunPrompt {
  readonly text: string;
  readonly content: readonly RunPart[];
  readonly bytes: number;
  /** The paths of its files, which are read before the run starts. */
  readonly files: readonly string[];
}

const FIELDS: Checks<CodebuffRunPromptInput> = { prompt: checks.text, content: checks.objects };

const ADDRESS = /^(?:data|https?):/i;

/** A text with the marker for user input. */
export const MARKED = /^<user_message>([\s\S]*)<\/user_message>$/;

const HOW = 'Pass a string, or an object such as { prompt: "Fix the tests" }.';

/** @throws InvalidInputError if the prompt cannot be sent; UnsupportedError for files, unless `takesFiles` */
export function buildPrompt(
  input: PromptOf<CodebuffRunPromptInput>,
  params: Readonly<Record<string, unknown>> | undefined,
  takesFiles = false,
): RunPrompt {
  if (typeof input === "string" && !checks.text.holds(input))
    throw new InvalidInputError(`the prompt is ${describe(input)}.`, HOW);
  const common = readPromptInput(input, RUN_PROMPT_CHECKS, takesFiles);
  const given: CodebuffRunPromptInput = common
    ? {
        prompt: common.text,
        ...(common.images ? { content: [textPart(common.text), ...common.images.map(imagePart)] } : {}),
      }
    : (input as CodebuffRunPromptInput);
  checkOwnPrompt(given, FIELDS, RUN_PROMPT_CHECKS, HOW);
  const { prompt, content: parts = [] } = given;
  const isSaid = parts.some(({ type }) => type === "text"); // a file's text is not the user's text
  const all: readonly CodebuffRunContent[] =
    isSaid || prompt === undefined ? parts : [textPart(prompt), ...parts];
  const at = all.findIndex(({ type }) => type === "text");
  const content = all.map(readPart);
  if (content.length === 0 && params === undefined)
    throw new InvalidInputError("the prompt says nothing.", HOW);
  const said = content[at];
  const marked = withUserMessage(content, at, params);
  return {
    text: said?.type === "text" ? said.text : "",
    content: marked,
    bytes: utf8Length(JSON.stringify(marked)),
    files: common?.files ?? [],
  };
}

/** The prompt with the texts of its files. @throws InvalidInputError for a file without a text */
export function withAttachments(prompt: RunPrompt, files: readonly PromptFile[]): RunPrompt {
  return { ...prompt, content: [...prompt.content, ...fileParts(files).map(readPart)] };
}

/** Marks the text at `at` as user input, and adds the parameters. */
function withUserMessage(
  parts: readonly RunPart[],
  at: number,
  params: Readonly<Record<string, unknown>> | undefined,
): readonly RunPart[] {
  const part = parts[at];
  const text = part?.type === "text" ? part.text : "";
  const json = params === undefined ? "" : `\n\n${JSON.stringify(params, null, 2)}`;
  const marked = textPart(`<user_message>${MARKED.exec(text)?.[1] ?? text}${json}</user_message>`);
  return part ? parts.map((each, index) => (index === at ? marked : each)) : [marked, ...parts];
}

function textPart(text: string): Extract<RunPart, { readonly type: "text" }> {
  return { type: "text", text };
}

function imagePart({ data, mediaType }: PromptImage): CodebuffRunContent {
  return { type: "image", image: data, ...(mediaType === undefined ? {} : { mediaType }) };
}

const PART_FIELDS = {
  text: { type: checks.any, text: checks.any },
  file: { type: checks.any, name: checks.any, text: checks.any },
  image: { type: checks.any, image: checks.any, mediaType: checks.text },
} satisfies { readonly [Type in CodebuffRunContent["type"]]: Readonly<Record<string, Check>> };

function readPart(part: CodebuffRunContent, index: number): RunPart {
  const { type } = part;
  if (Object.hasOwn(PART_FIELDS, type)) {
    const fields: Readonly<Record<string, Check>> = PART_FIELDS[type];
    const what = `field of content[${index}]`;
    checkNames(part, fields, what);
    checkValues(part, fields, what);
  }
  switch (type) {
    case "text":
      return textPart(filled(part.text, `content[${index}].text`));
    case "file": {
      const name = filled(part.name, `content[${index}].name`);
      const text = wellFormedText(part.text, `content[${index}].text`);
      return textPart(`<attachment name=${JSON.stringify(name)}>\n${text}\n</attachment>`);
    }
    case "image": {
      const { image, mediaType } = part;
      const known =
        typeof image === "string"
          ? ADDRESS.test(image) || (image !== "" && isBase64(image))
          : image instanceof Uint8Array && image.length > 0;
      if (!known)
        throw new InvalidInputError(
          `\`content[${index}].image\` is ${describe(image)}.`,
          "Pass bytes, base64, a `data:` URL or an address.",
        );
      return {
        type: "image",
        image: typeof image === "string" ? image : toBase64(image),
        ...(mediaType === undefined ? {} : { mediaType }),
      };
    }
    default:
      throw new InvalidInputError(
        `\`content[${index}].type\` is ${typeof type === "string" ? `"${String(type)}"` : describe(type)}.`,
        'It must be "text", "image" or "file".',
      );
  }
}

function filled(text: unknown, where: string): string {
  if (typeof text === "string" && text.trim() !== "") return wellFormedText(text, where);
  throw new InvalidInputError(`\`${where}\` is ${describe(text)}.`, "Pass a string that is not blank.");
}

function wellFormedText(text: unknown, where: string): string {
  if (typeof text !== "string")
    throw new InvalidInputError(`\`${where}\` is ${describe(text)}.`, "Pass a string.");
  if (wellFormed(text) !== text)
    throw new InvalidInputError(`\`${where}\` has half of a surrogate pair.`, "Leave it out.");
  return text;
}

export function promptMessage({ content }: RunPrompt, sentAt: number): RunMessage {
  return { role: "user", content, tags: [USER_PROMPT], sentAt };
}

/** The message with an agent's instructions and its output schema. Empty if the agent has neither. */
export function instructionMessages(
  instructions: string,
  outputSchema: AgentDefinition["outputSchema"],
  sentAt: number,
): readonly RunMessage[] {
  const json = JSON.stringify(outputSchema, null, 2);
  const schema = `## Output Schema\n\nWhat you pass to set_output must fit this JSON Schema:\n\n\`\`\`json\n${json}\n\`\`\``;
  const text = outputSchema ? `${instructions}\n\n${schema}`.trim() : instructions;
  return text === ""
    ? []
    : [{ role: "user", content: [textPart(text)], tags: ["INSTRUCTIONS_PROMPT"], sentAt }];
}

/** The text and images of a prompt, for universal events. */
export function saidIn({ prompt, content = [] }: CodebuffRunPromptInput): {
  readonly text: string;
  readonly images: readonly { readonly path: string; readonly mime: string | null }[];
} {
  const said = content.find((part) => part.type === "text");
  return {
    text: said?.type === "text" ? said.text : (prompt ?? ""),
    images: content.flatMap((part) => {
      if (part.type !== "image") return [];
      const { image, mediaType = "image/png" } = part;
      const isAddress = typeof image === "string" && ADDRESS.test(image);
      const path = isAddress
        ? image
        : `data:${mediaType};base64,${typeof image === "string" ? image : toBase64(image)}`;
      return [{ path, mime: part.mediaType ?? null }];
    }),
  };
}

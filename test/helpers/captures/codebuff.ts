// Plays captures of both Codebuff servers to the client: each prompt gives a stream.
import { readFile } from "node:fs/promises";
import { CodebuffClient, type CodebuffPromptInput, type ToolOutput, toUniversal } from "agentwire/codebuff";
import { ManualClock, parseRecording, type RecordingLine, Replayer } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { allOf } from "../../universal/all-of.ts";
import { goldenOptions } from "../../universal/golden-options.ts";

/** A message of the captured client. */
interface Sent {
  readonly type?: string;
  readonly data?: {
    readonly promptId?: string;
    readonly prompt?: string;
    readonly content?: NonNullable<CodebuffPromptInput["content"]>;
    readonly output?: readonly ToolOutput[];
    readonly files?: Readonly<Record<string, string | null>>;
  };
}

export async function playCodebuff(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const text = await readFile(file, "utf8");
  const lines = parseRecording(text);
  const streams: (readonly UniversalEvent[])[] = [];
  for (const connection of new Set(lines.map(({ conn }) => conn))) {
    const own = lines.filter(({ conn }) => conn === connection);
    streams.push(...(await playConnection(text, connection, own)));
  }
  return streams;
}

async function playConnection(
  text: string,
  connection: number,
  lines: readonly RecordingLine[],
): Promise<readonly (readonly UniversalEvent[])[]> {
  const sent = lines.flatMap((line) => (line.ev === undefined && line.dir === "c2s" ? read(line.raw) : []));
  const prompts = sent.filter(isPrompt);
  if (prompts.length === 0) return [];
  const outputs = sent.flatMap(({ data }) => (data?.output ? [data.output] : [])).values();
  const files = sent.flatMap(({ data }) => (data?.files ? [data.files] : [])).values();
  await using replayer = await Replayer.start(
    { text },
    { connections: [connection], unsent: (raw) => !read(raw).some(isOurs) },
  );
  replayer.goOn();
  await using client = new CodebuffClient({
    url: replayer.url,
    clock: new ManualClock(),
    settleWindow: 0,
    reconnect: false,
    maxConcurrentPrompts: prompts.length,
    profile: sent.some(({ type }) => type === "identify") ? "proxy" : "codebuff",
    tools: { "*": () => outputs.next().value ?? [] },
    onReadFiles: () => files.next().value ?? {},
  });
  const turns = prompts.map(({ data: { prompt, content } = {} }) =>
    client.prompt({ ...(content ? { content } : { prompt: prompt ?? "" }) }, { read: false }),
  );
  return await Promise.all(turns.map((turn) => allOf(toUniversal(turn, goldenOptions()))));
}

function read(raw: string): readonly Sent[] {
  try {
    const message: unknown = JSON.parse(raw);
    return typeof message === "object" && message !== null ? [message] : [];
  } catch {
    return []; // the captured client sent no JSON
  }
}

const isPrompt = ({ data }: Sent): boolean => data?.promptId !== undefined;

/** Whether this client sends such a message by itself, or for a prompt. */
const isOurs = (message: Sent): boolean =>
  message.type === "identify" || isPrompt(message) || Boolean(message.data?.output ?? message.data?.files);

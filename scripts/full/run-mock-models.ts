/** The mock models of AI SDK 5 and 7 with the answers of the suite `run`. */
import { type AiSdkModel, aiSdkModel, type ModelProvider } from "../../src/codebuff-run/index.ts";
import { SCRIPT } from "./run-cases.ts";
import type { Installed } from "./run-install.ts";

type Version = "V2" | "V4";

interface Call {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly abortSignal?: AbortSignal;
}

/** ms between two words of the long answer. */
const GAP = 20;

export async function mockModel(packages: Installed, version: Version): Promise<ModelProvider> {
  const { simulateReadableStream, APICallError } = await packages.load<{
    simulateReadableStream(options: object): ReadableStream<object>;
    APICallError: new (options: object) => Error;
  }>("ai");
  const models = await packages.load<Record<string, new (options: object) => AiSdkModel>>("ai/test");
  const Model = models[`MockLanguageModel${version}`];
  if (!Model) throw new Error(`there is no MockLanguageModel${version}`);
  const doStream = async (call: Call) => {
    const said = JSON.stringify(call.prompt);
    if (said.includes(SCRIPT.errors.ask)) {
      const { message, code } = SCRIPT.errors;
      const responseBody = JSON.stringify({ error: { message, code } });
      const where = { url: "http://127.0.0.1/", requestBodyValues: {} };
      throw new APICallError({ message, ...where, statusCode: 400, responseBody });
    }
    const chunkDelayInMs = said.includes(SCRIPT.abort.ask) ? GAP : 0;
    return { stream: simulateReadableStream({ chunks: partsOf(call, said, version), chunkDelayInMs }) };
  };
  return aiSdkModel(new Model({ doStream }));
}

function partsOf({ prompt }: Call, said: string, version: Version): readonly object[] {
  const { text, thoughts, tools, images, abort } = SCRIPT;
  if (said.includes(thoughts.ask))
    return [
      ...streamed("reasoning", [thoughts.thought]),
      ...streamed("text", [thoughts.answer]),
      end(version),
    ];
  if (said.includes(tools.ask) && prompt.at(-1)?.role !== "tool") {
    const input = JSON.stringify(tools.call);
    const call = { toolCallId: "call-1", toolName: "add" };
    return [
      { type: "tool-input-start", id: call.toolCallId, toolName: "add" },
      { type: "tool-input-delta", id: call.toolCallId, delta: input.slice(0, 4) },
      { type: "tool-input-delta", id: call.toolCallId, delta: input.slice(4) },
      { type: "tool-input-end", id: call.toolCallId },
      { type: "tool-call", ...call, input },
      end(version, "tool-calls"),
    ];
  }
  if (said.includes(tools.ask)) return [...streamed("text", [tools.answer]), end(version)];
  if (said.includes(images.ask)) {
    const isSeen = said.includes('"type":"file"') && said.includes('"mediaType":"image/png"');
    return [...streamed("text", [isSeen ? images.answer : "I see nothing."]), end(version)];
  }
  if (said.includes(abort.ask))
    return [...streamed("text", abort.answer.match(/\S+\s/g) ?? []), end(version)];
  return [...streamed("text", [text.answer]), end(version)];
}

function streamed(kind: "text" | "reasoning", texts: readonly string[]): readonly object[] {
  return [
    { type: `${kind}-start`, id: kind },
    ...texts.map((delta) => ({ type: `${kind}-delta`, id: kind, delta })),
    { type: `${kind}-end`, id: kind },
  ];
}

function end(version: Version, reason = "stop"): object {
  const count = (total: number) => (version === "V2" ? total : { total });
  return {
    type: "finish",
    finishReason: version === "V2" ? reason : { unified: reason, raw: reason },
    usage: { inputTokens: count(7), outputTokens: count(3), totalTokens: 10 },
  };
}

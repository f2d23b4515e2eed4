/** A model of the AI SDK that streams these parts, an answer for each call, and keeps what it was asked. */
export function fakeModel(...answers: readonly (readonly object[])[]) {
  const asked: {
    prompt: readonly { role: string; content: unknown; providerOptions?: object }[];
    tools?: readonly object[];
    [option: string]: unknown;
  }[] = [];
  const model = {
    specificationVersion: "v2",
    provider: "fake",
    modelId: "model-1",
    async doStream(options: (typeof asked)[number]) {
      const parts = answers[asked.length] ?? [];
      asked.push(options);
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
  return { asked, model };
}

/** The end of an answer. */
export const finish = { type: "finish", finishReason: "stop", usage: { inputTokens: 7, outputTokens: 3 } };

export const agent = { id: "helper", displayName: "Helper", model: "any", systemPrompt: "Be brief." };

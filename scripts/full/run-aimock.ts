/** aimock with the answers of the suite `run`. */
import { SCRIPT } from "./run-cases.ts";
import type { Installed } from "./run-install.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

interface LLMock {
  readonly url: string;
  start(): Promise<string>;
  stop(): Promise<void>;
  on(match: object, response: object, options?: object): LLMock;
}

export async function startAimock(packages: Installed): Promise<LLMock> {
  const { LLMock } = await packages.load<{ LLMock: new (options: object) => LLMock }>("@copilotkit/aimock");
  const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 8 });
  const { text, thoughts, tools, images, errors, abort } = SCRIPT;
  /** Matches a request by its prompt, and by whether a tool has answered. */
  const on = (ask: string, response: object, options: object = {}, hasResult = false) =>
    mock.on(
      {
        predicate: ({ messages }: { readonly messages: readonly Message[] }) =>
          messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(ask)) &&
          messages.some(({ role }) => role === "tool") === hasResult,
      },
      response,
      options,
    );
  on(text.ask, { content: text.answer });
  on(thoughts.ask, { content: thoughts.answer, reasoning: thoughts.thought });
  on(tools.ask, { toolCalls: [{ name: "add", arguments: JSON.stringify(tools.call) }] });
  on(tools.ask, { content: tools.answer }, {}, true);
  on(abort.ask, { content: abort.answer }, { streamingProfile: { tps: 50 } });
  on(errors.ask, {
    error: { message: errors.message, type: "invalid_request_error", code: errors.code },
    status: 400,
  });
  mock.on(
    {
      predicate: ({ messages, model }: { readonly messages: readonly Message[]; readonly model: string }) => {
        const said = JSON.stringify(messages);
        // aimock drops the pictures of Anthropic's API before it matches.
        return said.includes(images.ask) && (said.includes("image") || model.startsWith("claude"));
      },
    },
    { content: images.answer },
  );
  await mock.start();
  return mock;
}

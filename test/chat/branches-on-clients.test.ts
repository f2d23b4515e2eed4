import { createChat } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";
import { codebuffRun } from "agentwire/codebuff-run";
import { MockAgent, MockCodebuffBackend, MockCodebuffServer } from "agentwire/testing";
import type { AgentSource } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";

describe("branches with real clients", () => {
  /** A backend that answers with what it was told before: `One|answer|Two` and so on. */
  interface World {
    readonly source: AgentSource;
    stop(): Promise<void>;
  }

  /** A prompt by its number word, an answer as `a`. */
  const short = (content: unknown): string => {
    const text = JSON.stringify(content);
    return text.includes("I heard") ? "a" : (/One|Two|Zwei|Three/.exec(text)?.[0] ?? "?");
  };

  const heard = (contents: readonly unknown[]): string => `I heard ${contents.map(short).join("|")}`;

  const worlds: Readonly<Record<string, () => Promise<World>>> = {
    "Codebuff's proxy": async () => {
      const server = await MockCodebuffServer.start({
        answer: ({ messages }) => [heard(messages.map(({ content }) => content))],
      });
      return { source: codebuff({ url: server.url }), stop: () => server.stop() };
    },
    "the run": async () => {
      const backend = await MockCodebuffBackend.start({
        answer: ({ request }) =>
          heard(request.messages.filter(({ role }) => role !== "system").map(({ text }) => text)),
      });
      const { url: baseUrl, apiKey } = backend;
      const agent = { id: "plain", displayName: "Plain", model: "test/model", toolNames: [] };
      return { source: codebuffRun({ baseUrl, apiKey, agent }), stop: () => backend.stop() };
    },
    MockAgent: async () => ({
      source: new MockAgent({
        script: ({ messages, text }) => [heard([...messages.map(({ content }) => content), text])],
      }),
      stop: async () => {},
    }),
  };

  test.each(Object.entries(worlds))(
    "%s gets the history before the branch, and each branch continues separately",
    async (_, world) => {
      const { source, stop } = await world();
      const chat = createChat(source);
      const last = () => chat.getSnapshot().messages.at(-1);
      const text = (): string =>
        last()
          ?.parts.map((part) => (part.type === "text" ? part.text : ""))
          .join("") ?? "";
      const answered = async (act: () => { readonly ok: boolean }): Promise<string> => {
        expect(act()).toMatchObject({ ok: true });
        await until(chat, ({ busy, messages }) => !busy && messages.at(-1)?.status === "completed");
        return text();
      };
      expect(await answered(() => chat.send("One"))).toBe("I heard One");
      expect(await answered(() => chat.send("Two"))).toBe("I heard One|a|Two");
      const old = last()?.id ?? "";
      expect(await answered(() => chat.regenerate(old))).toBe("I heard One|a|Two");
      expect(last()?.branches).toMatchObject({ at: 2, of: 2 });
      const prompt = chat.getSnapshot().messages.at(-2)?.id ?? "";
      expect(await answered(() => chat.edit(prompt, "Zwei"))).toBe("I heard One|a|Zwei");
      expect(await answered(() => chat.send("Three"))).toBe("I heard One|a|Zwei|a|Three");
      expect(chat.selectBranch(old)).toEqual({ ok: true });
      expect(await answered(() => chat.send("Three"))).toBe("I heard One|a|Two|a|Three");
      await chat.close();
      await stop();
    },
  );
});

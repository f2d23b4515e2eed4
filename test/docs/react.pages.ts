import { fileURLToPath } from "node:url";
import { MockCodebuffServer, step } from "agentwire/testing";
import { checkTranscript, JsonlReader, readJsonl } from "agentwire/universal";
import { type BuildOptions, build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findChromium } from "../../scripts/support/chromium.ts";

const FOLDER = fileURLToPath(new URL("../../docs/snippets/web/", import.meta.url));

const isSkipped = findChromium() === undefined && process.env["CI"] !== "true";
/** A program of the page as a bundler makes it. */
async function bundled(program: Pick<BuildOptions, "stdin" | "entryPoints">): Promise<string> {
  const result = await build({
    ...program,
    bundle: true,
    write: false,
    format: "iife",
    jsx: "automatic",
    tsconfig: `${FOLDER}tsconfig.json`,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles.map(({ text }) => text).join("");
}

describe.skipIf(isSkipped)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    const executablePath = findChromium();
    browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      args: ["--no-sandbox"],
    });
  });
  afterAll(() => browser?.close());

  async function opened(program: Pick<BuildOptions, "stdin" | "entryPoints">) {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.setContent('<div id="root"></div>');
    await page.addScriptTag({ content: await bundled(program) });
    return { page, complaints };
  }

  const openedWith = (contents: string) => opened({ stdin: { contents, resolveDir: FOLDER, loader: "tsx" } });

  test("the first program of the page talks, asks for the tool, and shows what it found", async () => {
    const { page, complaints } = await opened({ entryPoints: [`${FOLDER}react-first.tsx`] });
    await page.getByLabel("Your message").fill("hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText('"command": "ls"').waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("One file.").waitFor();
    await page.getByText("shell: done").waitFor();
    expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("a chat kept by the browser's store is there again, and in its list", async () => {
    const { page, complaints } = await openedWith(`
      import { createChat } from "agentwire/chat";
      import { MockAgent } from "agentwire/testing/agent";
      import { browserStore } from "./react.tsx";
      window.talk = async () => {
        const kept = new Map();
        Object.defineProperty(window, "localStorage", { value: new Proxy({}, {
          get: (_, name) => ({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) })[name],
          ownKeys: () => [...kept.keys()],
          getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        }) });
        const open = () => createChat(new MockAgent({ script: ["Kept."] }), { store: browserStore, id: "today" });
        const until = (chat, holds) => new Promise((resolve) => {
          const look = () => holds(chat.getSnapshot()) && resolve();
          chat.subscribe(look);
          look();
        });
        const first = open();
        first.send("Keep this");
        await until(first, ({ messages }) => messages.at(-1)?.status === "completed");
        await first.close();
        const again = open();
        await until(again, ({ loading }) => !loading);
        return [await browserStore.list(), again.getSnapshot().messages.map(({ parts }) => parts.at(0).text)];
      };`);
    expect(await page.evaluate("talk()")).toEqual([["today"], ["Keep this", "Kept."]]);
    expect(complaints).toEqual([]);
  });

  test("the banner counts down, and goes away; a question is answered by its form", async () => {
    const { page, complaints } = await openedWith(`
      import { createChat } from "agentwire/chat";
      import { ChatProvider, usePending } from "agentwire/react";
      import { agentStep, MockAgent } from "agentwire/testing/agent";
      import { createRoot } from "react-dom/client";
      import { Banner, Everything, QuestionForm } from "./react.tsx";
      const agent = new MockAgent({ reconnect: { delay: 2_500 }, capabilities: { survivesReconnect: false }, script: function* () {
        const answers = yield* agentStep.question({ questions: [{ question: "Which?", options: ["this", "that"] }, "Why?"] });
        yield JSON.stringify(answers);
      } });
      const chat = createChat(agent);
      const Questions = () => usePending().map((each) => <QuestionForm key={each.id} request={each} />);
      createRoot(document.getElementById("root")).render(
        <ChatProvider chat={chat}><Banner /><Questions /><Everything chat={chat} /></ChatProvider>);
      window.ask = () => chat.send("hi");
      window.answer = () => chat.getSnapshot().messages.at(-1).parts.toArray().map((part) => part.text).join("");
      window.cut = () => agent.disconnect();`);
    await page.evaluate("ask()");
    await page.getByLabel("that").check();
    await page.getByLabel("Why?").fill("because");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await page.waitForFunction('answer().includes("because")');
    expect(await page.evaluate("answer()")).toContain('[["that"],["because"]]');
    await page.evaluate("cut()");
    // The context is lost from now on, and the countdown comes first.
    await page.getByText(/Attempt 1 in \d s/).waitFor();
    await page.getByText(/Attempt/).waitFor({ state: "detached" });
    await page.getByText("The agent has forgotten this conversation.").waitFor();
    expect(complaints).toEqual([]);
  });
});

const route = async (url: string) => {
  vi.resetModules(); // the module reads the environment once
  vi.stubEnv("AGENT_URL", url);
  const { POST } = await import("../../docs/snippets/web/next-route.ts");
  return (prompt: string) =>
    POST(new Request("http://127.0.0.1/api/agent", { method: "POST", body: prompt }));
};
afterEach(() => {
  vi.unstubAllEnvs();
});

test("the route handler works without a token", async () => {
  await using server = await MockCodebuffServer.start({ answer: () => ["Hello."] });
  vi.stubEnv("AGENT_TOKEN", undefined);
  const post = await route(server.url);
  expect(await (await post("hi")).text()).toContain('"turn.ended"');
  expect(server.prompts).toMatchObject([{ data: { prompt: "hi" } }]);
});

test("a page that stops reading cancels the turn at once, and its client is closed", async () => {
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    answer: () => ["Hello ", step.hang()],
  });
  vi.stubEnv("AGENT_TOKEN", "secret");
  const post = await route(server.url);
  const body = (await post("hi")).body?.getReader();
  const lines = new JsonlReader();
  const seen = new Set<string>();
  while (!seen.has("item.delta")) {
    const piece = await body?.read();
    for (const { type } of lines.push(piece?.value ?? new Uint8Array())) seen.add(type);
  }
  await body?.cancel();
  expect(server.cancels).toHaveLength(1); // `close` alone sends none
  await server.waitFor(({ connections }) => connections.every((connection) => connection.closed));
});

test("the route handler streams the events of one turn as lines of JSON, and closes its client", async () => {
  await using server = await MockCodebuffServer.start({ answer: () => ["Hello ", "there."] });
  vi.stubEnv("AGENT_TOKEN", "secret");
  const post = await route(server.url);
  expect((await post(" ")).status).toBe(400);
  const response = await post("hi");
  const { events, problems } = readJsonl(await response.text());
  expect(problems).toEqual([]);
  expect(checkTranscript(events)).toEqual([]);
  expect(events.at(-1)?.type).toBe("turn.ended");
  await server.waitFor(({ connections }) => connections.every((connection) => connection.closed));
});

// The page of docs/ai-sdk.md with `useChat`, in Chromium.
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FOLDER, isSkipped, launchChromium, newPage } from "./support/snippet-pages.ts";

const PROGRAM = `
  import { StrictMode } from "react";
  import { createRoot } from "react-dom/client";
  import { AgentwireChatTransport } from "agentwire/ai-sdk";
  import { createChat } from "agentwire/chat";
  import { agentStep, MockAgent } from "agentwire/testing/agent";
  import { Page } from "./ai-sdk-page.tsx";
  const agent = new MockAgent({
    *script({ text }) {
      yield "You said: " + text + ". ";
      if (text === "hang") yield agentStep.hang();
      const { state } = yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
      const answers = yield* agentStep.question({ questions: [{ question: "Which?", options: ["this"] }, { question: "Why?" }] });
      yield state + " " + answers.join(" ");
    },
  });
  const transport = new AgentwireChatTransport(createChat(agent));
  const root = createRoot(document.getElementById("root"));
  const show = () => root.render(<StrictMode><Page by={transport} /></StrictMode>);
  Object.assign(window, { agent, show, hide: () => root.render(null) });
  show();`;

describe.skipIf(isSkipped)("in a browser", () => {
  let browser: Browser;
  const files = new Map<string, string>();
  beforeAll(async () => {
    browser = await launchChromium();
    const { outputFiles } = await build({
      stdin: { contents: PROGRAM, resolveDir: FOLDER, loader: "tsx" },
      bundle: true,
      write: false,
      format: "esm",
      splitting: true, // `ai` imports some modules later, and does not start as one file
      outdir: "/",
      jsx: "automatic",
      tsconfig: `${FOLDER}tsconfig.json`,
      define: { "process.env.NODE_ENV": '"development"' },
    });
    for (const { path, text } of outputFiles) files.set(path, text);
  });
  afterAll(() => browser?.close());

  async function opened() {
    const { page, complaints } = await newPage(browser);
    await page.route("**/*", (route) => {
      const body = files.get(new URL(route.request().url()).pathname);
      if (body !== undefined) return route.fulfill({ contentType: "text/javascript", body });
      const html =
        '<link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/stdin.js"></script>';
      return route.fulfill({ contentType: "text/html", body: html });
    });
    await page.goto("http://page.test/");
    await page.getByLabel("Your message").waitFor();
    const send = async (text: string): Promise<void> => {
      await page.getByLabel("Your message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    return { page, complaints, send };
  }

  test("`useChat` shows a turn, asks for an approval and two answers, and goes on in the same message", async () => {
    const { page, complaints, send } = await opened();
    await send("hello");
    await page.getByText("You said: hello.").waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByLabel("Which?").fill("this");
    await page.getByLabel("Why?").fill("so");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByText("done this so").waitFor();
    expect(await page.locator("article").count()).toBe(2);
    expect(await page.evaluate("agent.prompts.length")).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("Stop ends the turn, a blank prompt is an error in words, and the next prompt is answered", async () => {
    const { page, complaints, send } = await opened();
    await send("hang");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await send(" ");
    await page.getByText("The message is empty").waitFor();
    await send("again");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("a page that mounts while a turn waits shows the turn again", async () => {
    const { page, complaints, send } = await opened();
    await send("hello");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await page.evaluate("hide()");
    await page.getByLabel("Your message").waitFor({ state: "detached" });
    await page.evaluate("show()");
    await page.getByText("You said: hello.").waitFor();
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByText("shell: output-denied").waitFor();
    expect(complaints).toEqual([]);
  });
});

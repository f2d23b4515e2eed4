import { MockCodebuffServer, step } from "agentwire/testing";
import { checkTranscript, JsonlReader, readJsonl } from "agentwire/universal";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { bundled, FOLDER, inline, isSkipped, launchChromium, opened } from "./support/snippet-pages.ts";

describe.skipIf(isSkipped)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const openedWith = (contents: string) => opened(browser, inline(contents));

  test("the first program of the page asks before the tool runs, and shows the tool's output", async () => {
    const { page, complaints } = await opened(browser, { entryPoints: [`${FOLDER}react-first.tsx`] });
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

  test("the page of `agentwire/react/ui` asks before the tool runs, and shows the answer with coloured code", async () => {
    const program = { entryPoints: [`${FOLDER}react-ui.tsx`] };
    const { page, complaints } = await opened(browser, program, { loader: { ".css": "empty" } });
    await page.getByRole("button", { name: "What is here?" }).click();
    await page.getByText("Allow shell?").waitFor();
    await page
      .locator(".aw-choices:not([aria-disabled=true])")
      .getByRole("button", { name: "Allow once" })
      .click();
    await page.locator("[data-kind=keyword]", { hasText: "let" }).waitFor();
    expect(await page.locator(".aw-text strong").innerText()).toBe("What is here?");
    expect(complaints).toEqual([]);
  });

  test("parts of the page can be put together, with own words and an own component for a part", async () => {
    const { page, complaints } = await openedWith(`
      import { createChat } from "agentwire/chat";
      import { agentStep, MockAgent } from "agentwire/testing/agent";
      import { createRoot } from "react-dom/client";
      import { SidePanel } from "./react-ui-own.tsx";
      const chat = createChat(new MockAgent({ *script() {
        yield* agentStep.tool({ name: "shell", input: {}, output: "a" });
        yield* agentStep.tool({ name: "look", input: {}, output: "b" });
      } }));
      createRoot(document.getElementById("root")).render(<SidePanel chat={chat} />);`);
    await page.getByLabel("Nachricht").fill("hi");
    await page.getByRole("button", { name: "Senden" }).click();
    await page.getByText("A command done").waitFor();
    await page.locator(".aw-tool", { hasText: "look is done" }).waitFor();
    expect(await page.locator(".aw-tool").count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("Stop removes a prompt that waits for the user's choice after a lost conversation", async () => {
    const { page, complaints } = await openedWith(`
      import { MockAgent } from "agentwire/testing/agent";
      const make = MockAgent.prototype.client;
      MockAgent.prototype.client = function () {
        window.agent = this;
        const client = make.call(this);
        return Object.defineProperty(client, "capabilities", { value: { ...client.capabilities, survivesReconnect: false } });
      };
      void import("./react-first.tsx");`);
    await page.getByLabel("Your message").fill("hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("One file.").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await page.evaluate("agent.disconnect()");
    await page.getByLabel("Your message").fill("more");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("waits").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("waits").waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    expect(await page.evaluate("agent.prompts.length")).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("two tabs that store a chat under one id at once lose no message, and the chat is listed", async () => {
    const context = await browser.newContext();
    await context.route("**/*", (route) =>
      route.fulfill({ contentType: "text/html", body: '<div id="root"></div>' }),
    );
    const code = await bundled(
      inline(`
      import { createChat } from "agentwire/chat";
      import { MockAgent } from "agentwire/testing/agent";
      import { browserStore } from "./browser-store.ts";
      const script = ({ text }) => Array.from({ length: 30 }, (_, at) => text + at + " ");
      const chat = createChat(new MockAgent({ script, pace: 1 }), { store: browserStore, id: "today" });
      const until = (holds) => new Promise((resolve) => {
        const look = () => holds(chat.getSnapshot()) && resolve();
        chat.subscribe(look);
        look();
      });
      window.talk = async (text) => {
        await until(({ loading }) => !loading);
        chat.send(text);
        await until(({ messages }) => messages.at(-1)?.status === "completed");
        await chat.close();
      };
      window.kept = async () => {
        await until(({ loading }) => !loading);
        const texts = chat.getSnapshot().messages.map(({ parts, status }) => status + " " + parts.at(0).text);
        return [await browserStore.list(), texts];
      };`),
    );
    const tab = async () => {
      const page = await context.newPage();
      await page.goto("http://store.test/");
      await page.addScriptTag({ content: code });
      return page;
    };
    const [one, two] = [await tab(), await tab()];
    await Promise.all([one.evaluate('talk("a")'), two.evaluate('talk("b")')]);
    const said = (text: string): string => Array.from({ length: 30 }, (_, at) => `${text}${at} `).join("");
    expect(await (await tab()).evaluate("kept()")).toEqual([
      ["today"],
      ["sent a", `completed ${said("a")}`, "sent b", `completed ${said("b")}`],
    ]);
    await context.close();
  });

  test("the banner counts down, retries on request, and keeps showing the reason and the choice", async () => {
    const { page, complaints } = await openedWith(`
      import { createChat } from "agentwire/chat";
      import { ChatProvider } from "agentwire/react";
      import { MockAgent } from "agentwire/testing/agent";
      import { createRoot } from "react-dom/client";
      import { Banner } from "./banner.tsx";
      const agent = new MockAgent({
        reconnect: { maxAttempts: 2, delay: 90_000 },
        capabilities: { survivesReconnect: false },
        script: ["Hello."],
      });
      const chat = createChat(agent);
      createRoot(document.getElementById("root")).render(<ChatProvider chat={chat}><Banner /></ChatProvider>);
      Object.assign(window, { agent, chat });`);
    const status = page.getByRole("status");
    expect(await status.innerText()).toBe("");
    await page.evaluate('chat.send("hi")');
    await page.waitForFunction("chat.getSnapshot().messages.at(-1)?.status === 'completed'");
    await page.evaluate("agent.disconnect()");
    await page.getByText(/Attempt 1 in \d\d s\./).waitFor();
    await page.getByText("The agent has forgotten this conversation.").waitFor();
    await page.evaluate("agent.set({ connectDelay: 600_000 })");
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText(/The connection was lost\. Trying, attempt 1\./).waitFor();
    expect(await page.getByRole("button", { name: "Try now" }).count()).toBe(0);
    await page.evaluate("agent.clients.at(-1).close()");
    await page.getByText("The connection is closed. The app or the agent has ended it.").waitFor();
    await page.getByText("The agent has forgotten this conversation.").waitFor();
    await page.evaluate("agent.set({ connectDelay: 0 })");
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByRole("button", { name: "Try now" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Go on without" }).click();
    await page.waitForFunction("document.querySelector('[role=status]').innerText === ''");
    await page.evaluate('chat.send(" ")');
    await page.getByText("The message is empty.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    expect(await status.innerText()).toBe("");
    expect(complaints).toEqual([]);
  });

  test("a question accepts labels, own words or no answer, but no empty answer", async () => {
    const { page, complaints } = await openedWith(`
      import { createChat } from "agentwire/chat";
      import { ChatProvider, usePending } from "agentwire/react";
      import { agentStep, MockAgent } from "agentwire/testing/agent";
      import { createRoot } from "react-dom/client";
      import { QuestionForm } from "./question-form.tsx";
      const questions = [{ question: "Which?", options: ["this", " that "] }, { question: "When?", options: ["now"] }, "Why?"];
      const chat = createChat(new MockAgent({ *script() {
        yield JSON.stringify(yield* agentStep.question({ questions }));
      } }));
      const Questions = () => usePending().map((each) => <QuestionForm key={each.id} request={each} />);
      createRoot(document.getElementById("root")).render(<ChatProvider chat={chat}><Questions /></ChatProvider>);
      Object.assign(window, { chat });
      window.answer = () => chat.getSnapshot().messages.at(-1).parts.toArray().map((part) => part.text).join("");`);
    await page.evaluate('chat.send("hi")');
    const submit = page.getByRole("button", { name: "Answer", exact: true });
    await submit.click();
    await page.getByText("Each question needs an answer.").waitFor();
    await page.getByLabel("that", { exact: true }).check();
    await page.getByLabel("In your words: When?").fill("tomorrow");
    await page.getByLabel("In your words: Why?").fill(" ");
    await submit.click();
    expect(await page.evaluate("chat.getSnapshot().pending.length")).toBe(1);
    await page.getByLabel("In your words: Why?").fill("because");
    await submit.click();
    await page.waitForFunction('answer().includes("because")');
    expect(await page.evaluate("answer()")).toContain('[[" that "],["tomorrow"],["because"]]');
    await page.evaluate('chat.send("again")');
    await page.getByRole("button", { name: "No answer" }).click();
    await page.waitForFunction("chat.getSnapshot().pending.length === 0");
    expect(complaints).toEqual([]);
  });

  test("a failed message can be sent again once, even after the chat is loaded again", async () => {
    const { page, complaints } = await openedWith(`
      import { createChat, memoryStore } from "agentwire/chat";
      import { ChatProvider, useAgentChat } from "agentwire/react";
      import { agentStep, MockAgent } from "agentwire/testing/agent";
      import { createRoot } from "react-dom/client";
      import { TryAgain } from "./try-again.tsx";
      const agent = new MockAgent({ script: [[agentStep.fail("no")], ["Yes."]] });
      const store = memoryStore();
      const List = () => useAgentChat(undefined, (now) => now.messages).map((message) =>
        <p key={message.id}>{message.status} <TryAgain message={message} /></p>);
      const root = createRoot(document.getElementById("root"));
      window.open = () => {
        window.chat = createChat(agent, { store, id: "today" });
        root.render(<ChatProvider chat={chat}><List /></ChatProvider>);
      };
      window.open();
      window.asked = [];
      window.confirm = (text) => asked.push(text);`);
    await page.evaluate('chat.send("hi")');
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("completed").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await page.evaluate("asked.length")).toBe(1);
    await page.evaluate("chat.close().then(open)");
    await page.waitForFunction("!chat.getSnapshot().loading");
    await page.getByText("completed").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("the Next page shows a refusal, and works afterwards", async () => {
    const { page, complaints } = await openedWith(`
      import { createRoot } from "react-dom/client";
      import Page from "./next-page.tsx";
      window.answers = [];
      window.fetch = async () => {
        const answer = answers.shift();
        return answer === undefined ? Promise.reject(new TypeError("Failed to fetch")) : new Response(...answer);
      };
      createRoot(document.getElementById("root")).render(<Page />);`);
    const field = page.getByLabel("Your message");
    const ask = async (text: string): Promise<void> => {
      await field.fill(text);
      await field.press("Enter");
    };
    await page.evaluate('answers.push(["A blank prompt", { status: 400 }])');
    await ask(" ");
    await page.getByText("A blank prompt").waitFor();
    await ask("hi");
    await page.getByText("Failed to fetch").waitFor();
    await page.evaluate('answers.push([""])');
    await ask("hi");
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await field.getAttribute("required")).not.toBeNull();
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

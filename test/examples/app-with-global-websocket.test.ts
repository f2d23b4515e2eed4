// How to test an app that opens the global WebSocket, without a port and without changing the app. There are two of
// them in support/: `assistant.ts` is built on this library, `raw-chat.ts` speaks the protocol itself.
//
// msw replaces the global WebSocket, and hands what the app opens to a `MockCodebuff`. Step by step:

import { ManualClock, MockCodebuff, step } from "agentwire/testing";
import { ws } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Assistant } from "./support/assistant.ts";
import { RawChat } from "./support/raw-chat.ts";

// 1. Name the address that the app dials, and start msw. Whatever else the app dials is reported as an error.

const agent = ws.link("wss://agent.example/ws");
const network = setupServer();

beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
afterEach(() => network.resetHandlers());
afterAll(() => network.close());

// 2. Put a mock there: for each test its own, so that no test sees another's connections.

function agentThatIs(mock: MockCodebuff): MockCodebuff {
  network.use(agent.addEventListener("connection", mock.accept));
  return mock;
}

/** What the user of the app has seen. */
function screen() {
  const seen: string[] = [];
  return {
    seen,
    text: (text: string) => void seen.push(text),
    notice: (text: string) => void seen.push(`[${text}]`),
  };
}

describe("an app built on the client", () => {
  test("shows the answer as it streams in", async () => {
    // 3. `answer` is the script of the agent: strings are chunks of text.
    await using mock = agentThatIs(new MockCodebuff({ answer: () => ["Hello ", "Ada", "."] }));
    const user = screen();
    await using app = new Assistant(user);

    await app.ask("Who am I?");

    expect(user.seen).toEqual(["Hello ", "Ada", "."]);
    // 4. The mock has kept what it received...
    expect(mock.prompts.map(({ data }) => data.prompt)).toEqual(["Who am I?"]);
    // ...and whatever the client did that a real server would not have liked.
    expect(mock.violations).toEqual([]);
  });

  test("shows the reason if the agent refuses", async () => {
    await using _mock = agentThatIs(
      new MockCodebuff({ answer: () => ["Let me ", step.promptError({ message: "Out of credits" })] }),
    );
    const user = screen();
    await using app = new Assistant(user);

    await app.ask("Write a novel.");

    expect(user.seen).toEqual(["Let me ", "[The agent says: Out of credits]"]);
  });

  test("reports a lost link, and gets the next answer on a new one", async () => {
    await using mock = agentThatIs(
      new MockCodebuff({
        // 5. Scripts may differ from prompt to prompt, and break the link in the middle of one.
        answer: ({ data }) => (data.prompt === "first" ? ["Once upon ", step.close(1012)] : ["a time."]),
        // The real server keeps the id of a session that broke in mid-prompt for a minute; here it need not.
        idRelease: { midPrompt: 0 },
      }),
    );
    // 6. Nobody waits for the back-off: time is the test's. The settle window runs on that clock too.
    const clock = new ManualClock();
    const user = screen();
    await using app = new Assistant(user, { clock, settleWindow: 0 });

    await app.ask("first");
    expect(user.seen).toEqual(["Once upon ", "[offline]", "[The answer was cut off.]"]);

    const answered = app.ask("second");
    await clock.advance(500); // the longest back-off before a first attempt
    await answered;

    expect(user.seen.slice(3)).toEqual(["[online again]", "a time."]);
    expect(mock.connections.map(({ closed }) => closed?.code)).toEqual([1012, undefined]);
    expect(mock.violations).toEqual([]);
  });

  test("times out if the agent sends nothing more", async () => {
    await using mock = agentThatIs(new MockCodebuff({ answer: () => ["Well...", step.hang()] }));
    const clock = new ManualClock();
    const user = screen();
    await using app = new Assistant(user, { clock, settleWindow: 0, idleTimeout: 30_000 });

    const asked = app.ask("Are you there?");
    // 7. Wait for what the app has seen, not for what the server has sent; then move the clock.
    await new Promise<void>((resolve) => {
      user.text = (text) => {
        user.seen.push(text);
        resolve();
      };
    });
    await clock.advance(30_000);
    await asked;

    expect(user.seen).toEqual(["Well...", "[The agent is silent.]"]);
    expect(mock.prompts).toHaveLength(1);
  });
});

describe("an app with its own protocol code", () => {
  test("gets the whole answer", async () => {
    await using mock = agentThatIs(new MockCodebuff({ answer: () => ["Hello ", "Ada", "."] }));
    const app = new RawChat();

    expect(await app.ask("Who am I?")).toBe("Hello Ada.");

    await app.close();
    const closed = await mock.waitFor(({ connections }) => connections[0]?.closed);
    expect(closed).toMatchObject({ by: "client", code: 1000 });
    expect(mock.violations).toEqual([]);
  });

  test("gets the agent's error, and may ask again on the same link", async () => {
    await using mock = agentThatIs(
      new MockCodebuff({ answer: () => [step.promptError({ message: "Out of credits" })] }),
    );
    const app = new RawChat();

    await expect(app.ask("Write a novel.")).rejects.toThrow("Out of credits");
    mock.answer = () => ["A haiku, then."];

    expect(await app.ask("Write less.")).toBe("A haiku, then.");
    expect(mock.connections).toHaveLength(1);
  });

  test("opens a new link after it has lost one", async () => {
    await using mock = agentThatIs(
      new MockCodebuff({ answer: () => ["Once upon ", step.drop()], idRelease: { midPrompt: 0 } }),
    );
    const app = new RawChat();

    await expect(app.ask("Tell me a story.")).rejects.toThrow("the link broke (1006)");
    mock.answer = () => ["The end."];

    expect(await app.ask("A shorter one.")).toBe("The end.");
    expect(mock.prompts.map(({ connection }) => connection.id)).toEqual([1, 2]);
  });

  test("is checked by the mock, which records its protocol violations", async () => {
    await using mock = agentThatIs(new MockCodebuff());
    // 8. A mistake that many servers forgive until they do not: the first prompt does not wait for the ack.
    const socket = new WebSocket("wss://agent.example/ws");
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ type: "identify", txid: 1, clientSessionId: "hasty" }));
      socket.send(JSON.stringify({ type: "ping", txid: 1 }));
    });

    const violations = await mock.waitFor(({ violations }) => violations.length === 2 && violations);

    expect(violations).toMatchObject([{ kind: "frame-before-identify-ack" }, { kind: "txid-reused" }]);
  });
});

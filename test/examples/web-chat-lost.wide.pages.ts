import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped, Stage } from "./support/web-chat.ts";

let stage: Stage;

beforeAll(async () => {
  if (!isSkipped) stage = await Stage.open();
});

afterAll(async () => {
  if (!isSkipped) await stage[Symbol.asyncDispose]();
});

describe.skipIf(isSkipped)("a lost link", () => {
  test("shows a countdown, and prompts written meanwhile are sent after the reconnect", () =>
    stage.codebuff(
      { answer: ({ messages }) => [`You said: ${messages.at(-1)?.content}`] },
      async (visitor, server) => {
        await visitor.say("before");
        await visitor.hears("You said: before");
        server.refuseUpgrades(503);
        server.dropAll();
        await visitor.sees("Reconnecting");
        await visitor.reads(/Attempt \d in \d s\./);
        await visitor.say("meanwhile");
        server.refuseUpgrades(undefined);
        await visitor.page.clock.fastForward(30_000);
        await visitor.hears("You said: meanwhile");
        await visitor.sees("Connected");
        expect(server.prompts).toHaveLength(2);
      },
    ));

  test.each([
    ["Send what was said along", /before[\s\S]*after$/],
    ["Go on as if new", /^after$/],
  ])("to a server that lost the conversation lets the user choose: %s", (choice, sent) =>
    stage.codey({ answer: () => ["Yes."] }, async (visitor, server) => {
      await visitor.say("before");
      await visitor.hears("Yes.");
      server.dropAll();
      await visitor.reads("The agent has forgotten this conversation.");
      await visitor.say("after");
      await visitor.reads("Waits to be sent");
      await visitor.press(choice);
      await visitor.page.clock.fastForward(30_000);
      await visitor.rests();
      expect(server.sends.map(({ content }) => content)).toEqual(["before", expect.stringMatching(sent)]);
      await visitor.page.locator(".aw-reply", { hasText: "Yes." }).nth(1).waitFor();
    }),
  );

  test("to an unreachable server that lost the conversation shows the choice and the button Try now", () =>
    stage.codey({ answer: () => ["Yes."] }, async (visitor, server) => {
      await visitor.say("before");
      await visitor.hears("Yes.");
      server.refuseUpgrades(503);
      server.dropAll();
      await visitor.reads("The agent has forgotten this conversation.");
      const giveUp = async (): Promise<string> => {
        await visitor.page.clock.fastForward(30_000); // to the next attempt
        return visitor.page.locator(".aw-pill").innerText();
      };
      await expect.poll(giveUp, { timeout: 20_000 }).toBe("Disconnected");
      await visitor.page.getByRole("region", { name: "The connection" }).waitFor();
      await visitor.say("after");
      await visitor.reads("Waits to be sent");
      await visitor.press("Take back");
      await visitor.reads("Cancelled. It was not sent.");
      await visitor.rests();
      await visitor.reads("The agent has forgotten this conversation.");
      server.refuseUpgrades(undefined);
      await visitor.press("Try now");
      await visitor.sees("Connected");
      await visitor.page.getByRole("button", { name: "Try now" }).waitFor({ state: "hidden" });
      await visitor.reads("The agent has forgotten this conversation.");
      expect(server.sends).toHaveLength(1);
    }));

  test("shows a prompt as waiting, not as sent", () =>
    stage.codebuff({ answer: () => ["Yes."] }, async (visitor, server) => {
      await visitor.say("before");
      await visitor.hears("Yes.");
      server.refuseUpgrades(503);
      server.dropAll();
      await visitor.sees("Reconnecting");
      await visitor.say("after");
      await visitor.reads("Waits to be sent");
      expect(await visitor.page.getByText("Sent", { exact: true }).count()).toBe(0);
      await visitor.press("Cancel");
      await visitor.reads("Cancelled. It was not sent.");
      expect(server.prompts).toHaveLength(1);
    }));

  test("during an answer is reported, and the answer continues", () =>
    stage.mock(async (visitor) => {
      await visitor.say("recover");
      await visitor.reads("The connection was lost. Looking for the answer");
      await visitor.reads("Attempt 1");
      await visitor.page.clock.fastForward(4_000);
      await visitor.hears("The link breaks, and the answer goes on.");
      await visitor.sees("Connected");
    }));
});

describe.skipIf(isSkipped)("a browser without a usable database", () => {
  test("causes a notice, and the chat continues", () =>
    stage.visit("mock", async (visitor) => {
      const { page } = visitor;
      await page.evaluate(
        "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError') }",
      );
      await visitor.press("Start");
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      const problem = page.getByRole("region", { name: "A problem" });
      await problem.waitFor();
      await visitor.press("Dismiss");
      await problem.waitFor({ state: "hidden" });
    }));
});

describe.skipIf(isSkipped)("a browser that forbids web storage", () => {
  test.each(["localStorage", "sessionStorage"])("%s: the page works without it", (storage) =>
    stage.visit("mock", async (visitor) => {
      const { page } = visitor;
      await page.addInitScript(
        `Object.defineProperty(window, "${storage}", { get() { throw new DOMException("no", "SecurityError") } })`,
      );
      await page.reload();
      await visitor.press("Start");
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      await visitor.keeps(1);
      await page.reload();
      await visitor.hears("You said: hello");
    }),
  );
});

describe.skipIf(isSkipped)("a reload of the page", () => {
  test("restores the same chat with all messages, and the list of chats", () =>
    stage.mock(async (visitor) => {
      await visitor.say("Show me everything");
      await visitor.press("Allow once");
      await visitor.hears("That was all.");
      await visitor.rests();
      const before = await visitor.answers.innerText();
      await visitor.press("New conversation");
      await visitor.say("another one");
      await visitor.hears("You said: another one");
      await visitor.keeps(2);
      await visitor.page.reload();
      await visitor.hears("You said: another one");
      await visitor.page.getByRole("heading", { name: "another one" }).waitFor();
      await visitor.press("Show me everything");
      await visitor.hears("That was all.");
      expect(await visitor.answers.innerText()).toBe(before);
      expect(await visitor.request.count()).toBe(0);
    }));

  test("keeps the agent's memory of the current chat", () =>
    stage.codebuff(
      { answer: ({ messages }) => [`I have heard ${messages.map(({ content }) => content).join()}.`] },
      async (visitor) => {
        await visitor.say("one");
        await visitor.hears("I have heard one.");
        await visitor.page.reload();
        await visitor.hears("I have heard one.");
        await visitor.say("two");
        await visitor.hears(/I have heard one,.*two\./);
      },
    ));

  test("restores an earlier chat from the store, and asks how to continue it", () =>
    stage.codebuff({ answer: ({ messages }) => [`I have heard ${messages.length}.`] }, async (visitor) => {
      await visitor.say("one");
      await visitor.hears("I have heard 1.");
      await visitor.keeps(1);
      await visitor.press("New conversation");
      await visitor.reads("What would you like to talk about?");
      await visitor.page.reload();
      await visitor.press("one");
      await visitor.hears("I have heard 1.");
      await visitor.say("two");
      await visitor.reads("The agent has forgotten this conversation.");
      await visitor.press("Send what was said along");
      await visitor.page.locator(".aw-reply", { hasText: "I have heard" }).nth(1).waitFor();
    }));

  test("during an answer keeps what had arrived, and shows that the answer ended", () =>
    stage.mock(async (visitor) => {
      await visitor.say("count");
      await visitor.hears("2 3");
      await visitor.page.reload();
      await visitor.hears("1 2");
      await visitor.page.locator(".aw-trouble").waitFor();
      await visitor.say("hello");
      await visitor.press("Go on as if new");
      await visitor.hears("You said: hello");
    }));

  test("keeps each backend's chats separate", () =>
    stage.mock(async (visitor) => {
      await visitor.say("for the mock");
      await visitor.hears("You said: for the mock");
      await visitor.press("Leave");
      await visitor.page.getByLabel("Agent").selectOption("Codey");
      await visitor.press("Start");
      await visitor.reads("Nothing was said yet.");
    }));

  test("is not needed to return to an answer that streams in another chat", () =>
    stage.mock(async (visitor) => {
      await visitor.say("count");
      await visitor.hears("2 3");
      await visitor.press("New conversation");
      await visitor.reads("What would you like to talk about?");
      await visitor.page.clock.runFor(20_000);
      await visitor.press("count");
      await visitor.hears("99 100");
    }));
});

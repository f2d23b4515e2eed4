import { MAX_QUEUED_PROMPTS } from "agentwire/chat";
import { codeyStep, codeyTool, step } from "agentwire/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { isSkipped, Stage } from "./support/web-chat.ts";

let stage: Stage;

beforeAll(async () => {
  if (!isSkipped) stage = await Stage.open();
});

afterAll(async () => {
  if (!isSkipped) await stage[Symbol.asyncDispose]();
});

describe.skipIf(isSkipped)("the start page", () => {
  test("selects the backend of the URL, offers the others, and writes the choice to the URL", () =>
    stage.visit("codey", async ({ page }) => {
      const choice = page.getByLabel("Agent");
      expect(await choice.inputValue()).toBe("codey");
      expect(await choice.locator("option").allTextContents()).toEqual(["Mock", "Codebuff", "Codey", "Cass"]);
      await choice.selectOption("Mock");
      expect(new URL(page.url()).search).toBe("?backend=mock");
    }));

  test("selects the first backend if the URL names an unknown one", () =>
    stage.visit("nobody", async ({ page }) => {
      expect(await page.getByLabel("Agent").inputValue()).toBe("mock");
    }));
});

describe.skipIf(isSkipped)("a conversation", () => {
  test("with Codebuff shows an approval, a question and the cost", () =>
    stage.codebuff(
      {
        *answer({ messages }) {
          yield `You said: ${messages.at(-1)?.content}. `;
          yield* step.toolCall({ toolName: "get_time", input: { zone: "local" } });
          const questions = [{ question: "Go out?", options: [{ label: "yes" }, { label: "no" }] }];
          yield* step.toolCall({ toolName: "ask_user", input: { questions } });
          yield "Noted.";
          yield step.cost(3);
        },
      },
      async (visitor, server) => {
        await visitor.say("hello");
        await visitor.reads("Allow get_time?");
        await visitor.press("Allow once");
        await visitor.page.getByLabel("yes").check();
        await visitor.press("Answer");
        await visitor.hears("Noted.");
        await visitor.hears("3 credits");
        await visitor.reads("get_time");
        expect(JSON.stringify(server.answers.map(({ data }) => data))).toContain("yes");
      },
    ));

  test("with Codey shows the reasoning, the tool call's states and the tokens", () => {
    const gate = deferred<string>();
    return stage.codey(
      {
        async *answer() {
          yield codeyStep.thinking("I should look.");
          yield "Let me look. ";
          yield codeyStep.calls(codeyTool.shell("ls", () => gate.promise));
          yield "One file.";
        },
      },
      async (visitor) => {
        await visitor.say("look");
        await visitor.hears("waits for your decision");
        expect(await visitor.page.getByText("I should look.").isVisible()).toBe(false);
        await visitor.page.getByText("Reasoning").click();
        await visitor.reads("I should look.");
        await visitor.press("Allow once");
        await visitor.hears("mcp_shell Run ls runs");
        gate.resolve("a.txt\n");
        await visitor.hears(/mcp_shell Run ls is done.*a\.txt.*One file\./s);
        await visitor.hears("tokens written");
      },
    );
  });

  test("with the mock agent shows every kind of part, and loads no URL from it", () =>
    stage.mock(async (visitor) => {
      const { page } = visitor;
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await visitor.say("Show me everything");
      await visitor.press("Allow once");
      await visitor.hears("That was all.");
      for (const words of [
        "Searches the notes",
        "read_file is done",
        "fetch has failed",
        "no answer",
        "Changed lamp.py",
      ])
        await visitor.hears(words);
      for (const words of [
        "File picker is done",
        "glob is done",
        "The index is a day old.",
        "Output, 60 lines",
      ])
        await visitor.hears(words);
      expect(await page.locator(".aw-text pre").textContent()).toBe("def lamp():\n    flash()");
      expect(await page.locator(".aw-picture").evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(
        160,
      );
      await visitor.hears("100 tokens read, 20 written");
      await visitor.reads("100 tokens read, 20 written · 3 credits");
      expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([]);
    }));

  test.each([
    ["Allow once", true, "a.txt"],
    ["Reject", false, "Denied by user"],
  ])("settles an approval with %s", (button, approved, result) =>
    stage.codey(
      { answer: () => [codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "Done."] },
      async (visitor, server) => {
        await visitor.say("go");
        await visitor.reads("Allow mcp_shell?");
        await visitor.press(button);
        await visitor.hears("Done.");
        await visitor.hears(result);
        expect(server.decisions).toMatchObject([{ approved }]);
      },
    ),
  );

  test("sends a rejection's reason to the agent, and does not ask again after Always allow", () =>
    stage.mock(async (visitor) => {
      await visitor.say("run");
      await visitor.press("Reject with a reason");
      await visitor.page.getByLabel("Why not?").fill("not today");
      await visitor.press("Reject");
      await visitor.hears("As you like: not today.");
      await visitor.say("run");
      await visitor.press("Always allow");
      await visitor.hears("That was all.");
      await visitor.say("run");
      await visitor.page.locator(".aw-reply", { hasText: "That was all." }).nth(1).waitFor();
      expect(await visitor.request.count()).toBe(0);
    }));

  test("shows what Always allow covers, and can take it back", () =>
    stage.codey(
      { answer: () => [codeyStep.calls(codeyTool.shell("ls", "a")), "Done."] },
      async (visitor, server) => {
        await visitor.say("go");
        await visitor.reads("do not ask again for: `ls` in the project");
        await visitor.press("Always allow");
        await visitor.hears("Done.");
        await visitor.page.getByText("Allowed without asking: 1").click();
        await visitor.reads("mcp_shell: `ls` in the project, in this session");
        await visitor.press("Take back");
        await visitor.page.getByText("Allowed without asking").waitFor({ state: "detached" });
        await visitor.say("go on");
        await visitor.press("Allow once");
        await visitor.page.locator(".aw-reply", { hasText: "Done." }).nth(1).waitFor();
        expect(server.decisions).toHaveLength(2);
      },
    ));

  test("allows every call of a tool only in a second step that says so", () =>
    stage.codey(
      {
        answer: () => [
          codeyStep.calls(codeyTool.shell("ls", "a")),
          codeyStep.calls(codeyTool.shell("rm a", "b")),
          "Done.",
        ],
      },
      async (visitor, server) => {
        await visitor.say("go");
        await visitor.press("Every call…");
        await visitor.reads("Allow every call of mcp_shell in this session, whatever it does?");
        await visitor.press("Back");
        await visitor.press("Every call…");
        await visitor.press("Allow every call");
        await visitor.hears("Done.");
        expect(server.decisions.map(({ approved }) => approved)).toEqual([true, true]);
      },
    ));

  test("decides one request, not two, on a double click", () =>
    stage.codey(
      { answer: () => [codeyStep.calls(codeyTool.shell("ls", "a"), codeyTool.shell("rm a", "b")), "Done."] },
      async (visitor, server) => {
        await visitor.say("go");
        await visitor.reads("Allow mcp_shell?");
        const allow = visitor.page.getByRole("button", { name: "Allow once" });
        await allow.click();
        await visitor.request.filter({ hasText: "rm a" }).waitFor();
        await allow.dispatchEvent("click", { detail: 2 }); // the second click of the same hand
        await visitor.press("Reject");
        await visitor.hears("Done.");
        expect(server.decisions.map(({ approved }) => approved)).toEqual([true, false]);
      },
    ));

  test("ignores clicks on the next request for a moment, but accepts keys at once", () =>
    stage.codey(
      {
        answer: () => [
          codeyStep.calls(
            codeyTool.shell("ls", "a"),
            codeyTool.shell("rm a", "b"),
            codeyTool.shell("rm b", "c"),
          ),
          "Done.",
        ],
      },
      async (visitor, server) => {
        const { page } = visitor;
        await visitor.say("go");
        await visitor.reads("Allow mcp_shell?");
        const allow = page.getByRole("button", { name: "Allow once" });
        await allow.click(); // Playwright waits until the buttons take clicks
        await visitor.request.filter({ hasText: "rm a" }).waitFor();
        await page.locator(".aw-request .aw-choices:not([aria-disabled=true])").waitFor();
        await page.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
        await visitor.press("Reject");
        await visitor.request.filter({ hasText: "rm b" }).waitFor();
        await allow.dispatchEvent("click", { detail: 1 }); // time stands still: this is the first moment
        await page.getByRole("button", { name: "Reject", exact: true }).focus();
        await page.keyboard.press("Enter");
        await page.clock.resume();
        await visitor.hears("Done.");
        expect(server.decisions.map(({ approved }) => approved)).toEqual([true, false, false]);
      },
    ));

  test("shows hidden characters in the input of a tool that waits for approval", () =>
    stage.codey(
      { answer: () => [codeyStep.calls(codeyTool.shell("rm \u202Eoc.txt\u200b -rf /", ""))] },
      async (visitor) => {
        await visitor.say("go");
        await visitor.reads("Allow mcp_shell?");
        expect(await visitor.request.locator("pre").textContent()).toContain(
          "rm \\u{202e}oc.txt\\u{200b} -rf /",
        );
      },
    ));

  test("accepts one choice, several choices, free text, or no answer to questions", () =>
    stage.mock(async (visitor) => {
      const { page } = visitor;
      await visitor.say("ask");
      await page.getByLabel("next").check();
      await page.getByLabel("unit").check();
      await page.getByLabel("soak").check();
      await visitor.press("Answer");
      await visitor.reads("This question needs an answer.");
      await page.getByLabel("Anything else?").fill("soon");
      await visitor.press("Answer");
      await visitor.hears("You chose: next; unit and soak; soon.");
      await visitor.hears("Which tests? unit, soak");
      await visitor.say("ask");
      await visitor.press("Do not answer");
      await visitor.hears("Then I choose.");
      await visitor.hears("was not answered");
    }));

  test("shows an answer as text, with links only for web addresses", () => {
    const answer = "<b>bold</b><img src=x> javascript:alert(1) https://example.com/a. \u001b[31mred\u200b";
    return stage.codey({ answer: () => [answer] }, async (visitor) => {
      const { page } = visitor;
      await visitor.say("<i>hi</i>");
      await page.locator(".aw-reply .aw-text").filter({ hasText: "red" }).waitFor();
      expect(await page.locator(".aw-reply .aw-text").textContent()).toBe(
        "<b>bold</b><img src=x> javascript:alert(1) https://example.com/a. red",
      );
      expect(await page.locator(".aw-thread :is(b, i, img)").count()).toBe(0);
      const links = await page
        .locator(".aw-thread a")
        .evaluateAll((all) => all.map((link) => Reflect.get(link, "href")));
      expect(links).toEqual(["https://example.com/a"]);
    });
  });

  test.each(["the button", "Escape"])("is cancelled with %s, and continues with the next message", (how) =>
    stage.mock(async (visitor) => {
      await visitor.say("count");
      await visitor.hears("2 3");
      await visitor.say("hello");
      await visitor.reads("Waits to be sent");
      if (how === "Escape") await visitor.page.keyboard.press("Escape");
      else await visitor.press("Cancel");
      await visitor.reads("Cancelled.");
      await visitor.hears("You said: hello");
      await visitor.rests();
    }),
  );

  test("sends a queued message at once, or cancels it", () =>
    stage.mock(async (visitor) => {
      await visitor.say("count");
      await visitor.hears("2 3");
      await visitor.say("hello");
      await visitor.say("again");
      await visitor.reads("Waits to be sent");
      const waiting = visitor.page.locator(".aw-queue li");
      await waiting.nth(0).getByRole("button", { name: "Take back" }).click();
      await visitor.reads("Cancelled. It was not sent.");
      await waiting.nth(0).getByRole("button", { name: "Send now" }).click();
      await visitor.hears("You said: again");
      await visitor.rests();
    }));

  test("gets another answer, and can show the earlier one again", () =>
    stage.mock(async (visitor) => {
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      await visitor.rests();
      await visitor.press("Another answer");
      await visitor.reads("2 of 2");
      await visitor.rests();
      await visitor.press("The one before");
      await visitor.reads("1 of 2");
      await visitor.press("The next one");
      await visitor.reads("2 of 2");
    }));

  test("shows an error with advice, and sends the prompt again only at the user's request", () =>
    stage.codey({ answer: () => [codeyStep.apiError(529, "overloaded")] }, async (visitor, server) => {
      await visitor.say("hello");
      await visitor.hears(/send (it|your message) again/i);
      server.answer = ({ content }) => [`You said: ${content}`];
      expect(server.sends).toHaveLength(1);
      const again = visitor.page.getByRole("button", { name: /^(Try|Send) again$/ });
      await again.click();
      await visitor.hears("You said: hello");
      expect(server.sends).toHaveLength(2);
      expect(await again.count()).toBe(0); // nobody sends it a third time by mistake
      await visitor.keeps(2);
      await visitor.press("New conversation");
      await visitor.page.reload(); // the store knows of no retry
      await visitor.press("hello");
      await visitor.hears("You said: hello");
      expect(await again.count()).toBe(0);
    }));

  test("keeps a refused message in the field", () =>
    stage.mock(async (visitor) => {
      await visitor.say("count");
      await visitor.hears("2 3");
      // The answer stands still.
      await visitor.page.clock.pauseAt(await visitor.page.evaluate<number>("Date.now() + 1_000"));
      for (let sent = 0; sent < MAX_QUEUED_PROMPTS; sent++) await visitor.say(`${sent}`);
      expect(await visitor.field.inputValue()).toBe("");
      await visitor.say("an important message");
      await visitor.page.getByRole("region", { name: "A problem" }).waitFor();
      expect(await visitor.field.inputValue()).toBe("an important message");
    }));

  test("inserts a line break on Shift+Enter, and sends no blank message", () =>
    stage.codey({ answer: ({ content }) => [`You said: ${content}`] }, async (visitor, server) => {
      await visitor.say("   ");
      await visitor.field.fill("one");
      await visitor.field.press("Shift+Enter");
      await visitor.page.keyboard.type("two");
      await visitor.page.keyboard.press("Enter");
      await visitor.hears("You said: one");
      expect(server.sends.map(({ content }) => content)).toEqual(["one\ntwo"]);
    }));

  test("scrolls with a growing answer, unless the user has scrolled up", () =>
    stage.mock(async (visitor) => {
      const { page } = visitor;
      const distance =
        "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)";
      const log = "document.querySelector('.aw-log')";
      await visitor.say("Show me everything");
      await visitor.reads("Allow shell?");
      await page.waitForFunction(`${distance}(${log}) < 2`);
      await page.locator(".aw-log").hover();
      await page.mouse.wheel(0, -2_000);
      await page.waitForFunction(`${log}.scrollTop === 0`);
      await visitor.press("Allow once");
      await visitor.hears("That was all.");
      expect(await page.evaluate(`${log}.scrollTop`)).toBe(0);
    }));

  test("fits a narrow screen, with the list in a drawer", () =>
    stage.mock(async (visitor) => {
      const { page } = visitor;
      await page.setViewportSize({ width: 390, height: 700 });
      await visitor.say("Show me everything");
      await visitor.reads("Allow shell?");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      const create = page.getByRole("button", { name: "New conversation" });
      await create.waitFor({ state: "hidden" });
      await visitor.press("Conversations");
      await create.click();
      await create.waitFor({ state: "hidden" });
      await visitor.reads("What would you like to talk about?");
    }));
});

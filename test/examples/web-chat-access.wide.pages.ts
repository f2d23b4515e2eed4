import { codeyStep, codeyTool } from "agentwire/testing";
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

describe.skipIf(isSkipped)("axe finds no accessibility fault, in light and dark mode,", () => {
  test("on the login page, with fields and with an error", () =>
    stage.cass({}, async ({ visitor, user }) => {
      expect(await visitor.faults()).toEqual([]);
      await visitor.logIn({ ...user, password: "wrong horse" });
      await visitor.reads("Invalid email or password");
      expect(await visitor.faults()).toEqual([]);
    }));

  test("on the welcome page, during an answer, and after an error", () =>
    stage.mock(async (visitor) => {
      expect(await visitor.faults()).toEqual([]);
      await visitor.say("count");
      await visitor.hears("2 3");
      expect(await visitor.faults()).toEqual([]);
      await visitor.press("Cancel");
      await visitor.say("fail");
      await visitor.hears("overloaded");
      expect(await visitor.faults()).toEqual([]);
    }));

  test("at an approval, at its reason field, and after every kind of part", () =>
    stage.mock(async (visitor) => {
      await visitor.say("Show me everything");
      await visitor.reads("Allow shell?");
      expect(await visitor.faults()).toEqual([]);
      await visitor.press("Reject with a reason");
      expect(await visitor.faults()).toEqual([]);
      await visitor.press("Back");
      await visitor.press("Allow once");
      await visitor.hears("That was all.");
      await visitor.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await visitor.faults()).toEqual([]);
    }));

  test("at questions with an answer missing", () =>
    stage.mock(async (visitor) => {
      await visitor.say("ask");
      await visitor.reads("The agent asks 3 questions");
      await visitor.press("Answer");
      await visitor.reads("This question needs an answer.");
      expect(await visitor.faults()).toEqual([]);
    }));

  test("during a reconnect, and after the agent lost the conversation", () =>
    stage.mock(async (visitor) => {
      await visitor.say("recover");
      await visitor.reads("Attempt 1");
      expect(await visitor.faults()).toEqual([]);
      await visitor.page.clock.fastForward(4_000);
      await visitor.hears("and the answer goes on.");
      await visitor.say("forget");
      await visitor.reads("The agent has forgotten this conversation.");
      expect(await visitor.faults()).toEqual([]);
    }));

  test("on a narrow screen with the list open", () =>
    stage.mock(async (visitor) => {
      await visitor.page.setViewportSize({ width: 390, height: 700 });
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      await visitor.press("Conversations");
      await visitor.page.getByRole("button", { name: "New conversation" }).waitFor();
      expect(await visitor.faults()).toEqual([]);
    }));
});

describe.skipIf(isSkipped)("a keyboard user", () => {
  test("can hold a whole conversation", () =>
    stage.visit("mock", async ({ page }) => {
      const { keyboard } = page;
      await page.getByLabel("Agent").waitFor();
      await keyboard.press("Tab");
      await keyboard.press("Enter"); // Start
      await page.getByLabel("Your message").waitFor();
      await keyboard.type("run it");
      await keyboard.press("Enter");
      await page.getByText("Allow shell?").waitFor();
      expect(await page.evaluate("document.activeElement.className")).toBe("aw-request");
      for (const _ of ["the input", "Allow once", "Allow in this turn", "Always allow", "Reject"])
        await keyboard.press("Tab");
      await keyboard.press("Enter");
      await page.getByText("As you like").waitFor();
      expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("Your message");
      await keyboard.type("ask");
      await keyboard.press("Enter");
      await page.getByText("The agent asks 3 questions").waitFor();
      await keyboard.press("Tab");
      await keyboard.press("Space"); // main
      await keyboard.press("Tab");
      await keyboard.press("Tab");
      await keyboard.press("Space"); // unit
      await keyboard.press("Tab");
      await keyboard.press("Space"); // browser
      await keyboard.press("Tab");
      await keyboard.press("Tab");
      await keyboard.press("Tab");
      await keyboard.type("No");
      await keyboard.press("Enter");
      await page
        .getByText("You chose: main; unit and browser; No.")
        .and(page.locator(".aw-text p"))
        .waitFor();
    }));

  test("keeps the focus in the message field when an approval opens", () =>
    stage.codey({}, async (visitor, server) => {
      const gate = deferred<void>();
      server.answer = async function* () {
        await gate.promise;
        yield codeyStep.calls(codeyTool.shell("ls", "a.txt\n"));
        yield "Done.";
      };
      await visitor.say("go");
      await server.nextSend();
      await visitor.page.keyboard.type("and th");
      gate.resolve();
      await visitor.reads("Allow mcp_shell?");
      await visitor.page.keyboard.type("en?");
      expect(await visitor.field.inputValue()).toBe("and then?");
      await visitor.press("Allow once");
      await visitor.hears("Done.");
      expect(await visitor.field.inputValue()).toBe("and then?");
    }));

  test("types a message in front of an approval, and approves nothing", () =>
    stage.mock(async (visitor) => {
      const { keyboard } = visitor.page;
      await visitor.say("run");
      await visitor.reads("Allow shell?");
      await keyboard.press("Enter");
      await keyboard.press("Space");
      await keyboard.type("wait");
      expect(await visitor.field.inputValue()).toBe("wait");
      await visitor.reads("Allow shell?");
    }));

  test("closes the reason field with Escape, without cancelling the answer", () =>
    stage.mock(async (visitor) => {
      await visitor.say("run");
      await visitor.press("Reject with a reason");
      expect(await visitor.page.evaluate("document.activeElement.ariaLabel")).toBe("Why not?");
      await visitor.page.keyboard.press("Escape");
      await visitor.press("Allow once");
      await visitor.hears("That was all.");
    }));

  test("closes the list with Escape before it cancels the answer", () =>
    stage.mock(async (visitor) => {
      await visitor.page.setViewportSize({ width: 390, height: 700 });
      await visitor.say("count");
      await visitor.hears("2 3");
      await visitor.press("Conversations");
      await visitor.page.keyboard.press("Escape");
      await visitor.page.getByRole("button", { name: "New conversation" }).waitFor({ state: "hidden" });
      await visitor.page.getByRole("button", { name: "Cancel" }).waitFor();
      await visitor.page.keyboard.press("Escape");
      await visitor.hears("Cancelled.");
    }));
});

describe.skipIf(isSkipped)("a screen reader", () => {
  test("gets an answer once, when it is complete", () =>
    stage.mock(async (visitor) => {
      const { page } = visitor;
      await page.evaluate(
        "globalThis.told = []; new MutationObserver((changes) => told.push(...changes.flatMap(({ addedNodes }) => [...addedNodes].map(({ textContent }) => textContent)))).observe(document.querySelector('[role=status]'), { childList: true, characterData: true, subtree: true })",
      );
      await visitor.say("hello there");
      await page.getByRole("status").filter({ hasText: "The page of this chat" }).waitFor();
      expect(await page.evaluate("told")).toEqual([
        "The agent answers.",
        "You said: hello there.",
        "The page of this chat is at https://example.com/agentwire.",
      ]);
      expect(await page.locator("[aria-live], [role=log]").count()).toBe(0);
    }));
});

describe.skipIf(isSkipped)("a user who prefers reduced motion", () => {
  test("sees no animation", () =>
    stage.mock(async (visitor) => {
      const { page } = visitor;
      await visitor.say("count");
      await visitor.hears("2 3");
      await page.emulateMedia({ reducedMotion: "no-preference" });
      expect(await page.evaluate("document.getAnimations().length")).toBeGreaterThan(0);
      await page.emulateMedia({ reducedMotion: "reduce" });
      expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    }));
});

describe.skipIf(isSkipped)("parts of the page that have not changed", () => {
  test("are not rendered again while an answer of a hundred words streams", () =>
    stage.mock(async (visitor) => {
      await visitor.say("Show me everything");
      await visitor.press("Allow once");
      await visitor.hears("That was all.");
      await visitor.rests();
      const before = await visitor.renders();
      expect(before.size).toBeGreaterThan(5);
      await visitor.say("count");
      await visitor.hears("1 2");
      await visitor.page.clock.runFor(30_000);
      await visitor.hears("99 100");
      await visitor.rests();
      const after = await visitor.renders();
      for (const [id, count] of before) expect({ id, count: after.get(id) }).toEqual({ id, count });
      const counts = [...after].filter(([id]) => !before.has(id)).map(([, count]) => count);
      // The answer and its text, once for each word and each space at most. The prompt and the reasoning have ended before it.
      expect(counts.filter((count) => count > 20)).toHaveLength(2);
      expect(Math.max(...counts)).toBeLessThan(2 * 100 + 30);
    }));
});

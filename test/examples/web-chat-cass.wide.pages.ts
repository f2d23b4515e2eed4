import { type CassAnswer, type CassStep, cassStep } from "agentwire/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hum } from "../../examples/web-chat/mock/speech.ts";
import { deferred } from "../../src/core/deferred.ts";
import { isSkipped, Stage } from "./support/web-chat.ts";

let stage: Stage;

beforeAll(async () => {
  if (!isSkipped) stage = await Stage.open();
});

afterAll(async () => {
  if (!isSkipped) await stage[Symbol.asyncDispose]();
});

/** An answer that waits in the middle for the test. */
function held(before: readonly CassStep[], after: readonly CassStep[]) {
  const gate = deferred<void>();
  const answer: CassAnswer = async function* () {
    yield* before;
    await gate.promise;
    yield* after;
  };
  return { answer, release: () => gate.resolve() };
}

/** Says what it was told. */
const echo: CassAnswer = ({ message }) => [`You said: ${message}`];

describe.skipIf(isSkipped)("the login page of Cass", () => {
  test("logs the user in, and shows the user", () =>
    stage.cass({ answer: echo }, async ({ visitor, server, user }) => {
      await visitor.logIn(user);
      await visitor.reads("guest@example.com");
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      await visitor.sees("Connected");
      expect(server.turns.map(({ userId }) => userId)).toEqual([user.userId]);
    }));

  test("reports a wrong password, and allows another try", () =>
    stage.cass({}, async ({ visitor, page, server, user }) => {
      await visitor.logIn({ ...user, password: "wrong horse" });
      await page.getByRole("alert").filter({ hasText: "Invalid email or password" }).waitFor();
      expect(server.connections).toEqual([]);
      await visitor.logIn(user);
      await visitor.reads("What would you like to talk about?");
    }));

  test("lets a user in without an account, also after a reload", () =>
    stage.cass({ answer: echo }, async ({ visitor, page }) => {
      await visitor.press("Continue without an account");
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      await visitor.keeps(1);
      await page.reload();
      await visitor.hears("You said: hello");
    }));

  test("reports a server error", () =>
    stage.cass({ restStatus: { "POST /auth/login": 502 } }, async ({ visitor, page, user }) => {
      await visitor.logIn(user);
      await page.getByRole("alert").filter({ hasText: "The server has a problem" }).waitFor();
    }));

  test("returns after a logout, and nothing of the user stays in the browser", () =>
    stage.cass({ answer: echo }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("a secret");
      await visitor.hears("You said: a secret");
      expect(new URL(page.url()).search).toBe("?backend=cass");
      await visitor.press("Log out");
      await page.getByRole("button", { name: "Log in" }).waitFor();
      expect(await page.getByText("a secret").count()).toBe(0);
      expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")).toBe(
        '[{},{},""]',
      );
      await server.waitFor(({ connections }) => connections.every(({ closed }) => closed));
      await visitor.logIn(user);
      await visitor.reads("Nothing was said yet.");
    }));

  test("leads back to the user's chats after a reload and a login", () =>
    stage.cass({ answer: echo }, async ({ visitor, page, user }) => {
      await visitor.logIn(user);
      await visitor.say("Do you remember?");
      await visitor.hears("You said: Do you remember?");
      await visitor.keeps(1);
      await page.reload();
      await visitor.logIn(user);
      await visitor.press("Do you remember?");
      await visitor.hears("You said: Do you remember?");
    }));

  test("is required again after the server rejects the user's tokens", () =>
    stage.cass({ answer: echo }, async ({ visitor, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("hello");
      await visitor.hears("You said: hello");
      server.set({ auth: "error", rejectRefresh: 401 });
      server.restart();
      await visitor.page.clock.fastForward(30_000);
      await visitor.reads("Sign in again");
    }));
});

describe.skipIf(isSkipped)("an answer of Cass", () => {
  test("shows the memories and the tools in use before its text arrives", async () => {
    const { answer, release } = held([cassStep.tools("recall_journal", "search_wiki")], ["Of lighthouses."]);
    const memories = { summaries_count: 3, details_count: 5, has_context: true };
    await stage.cass({ answer, memories }, async ({ visitor, user }) => {
      await visitor.logIn(user);
      await visitor.say("What was it?");
      await visitor.reads("recall_journal, search_wiki");
      release();
      await visitor.hears("Of lighthouses.");
      await visitor.hears("8 memories");
      await visitor.hears("3,000 tokens read, 300 written");
    });
  });

  test("shows gestures and emotes in place, and plays each at its time", () =>
    stage.cass(
      { answer: () => ["Hello! <gesture:wave>So good <emote:happy:0.8>to see you."] },
      async ({ visitor, page, user }) => {
        await visitor.logIn(user);
        await page.clock.pauseAt(Date.now() + 60_000);
        await visitor.say("hi");
        await visitor.hears("Hello! waveSo good happyto see you.");
        const avatar = visitor.answers.locator(".avatar");
        await page.clock.runFor(1);
        await page.locator('.aw-reply .avatar[data-gesture="wave"]').waitFor();
        expect(await avatar.getAttribute("data-emote")).toBe(null);
        await page.clock.runFor(500);
        await page.locator('.aw-reply .avatar[data-emote="happy"]').waitFor();
        await page.clock.runFor(10_000);
        await page.locator(".aw-reply .avatar:not([data-emote])").waitFor();
        await page.getByTitle("gesture, intensity 1, 0 s in").click();
        await page.clock.runFor(1);
        await page.locator('.aw-reply .avatar[data-gesture="wave"]').waitFor();
      },
    ));

  test("plays no gesture automatically when it is loaded from the store", () =>
    stage.cass({ answer: () => ["Hello! <emote:happy>"] }, async ({ visitor, page }) => {
      await visitor.press("Continue without an account");
      await visitor.say("hi");
      await visitor.hears("Hello!");
      await page.locator('.aw-reply .avatar[data-emote="happy"]').waitFor();
      await visitor.keeps(1);
      await page.clock.runFor(10_000);
      await page.reload();
      await visitor.hears("Hello!");
      await page.clock.runFor(1_000);
      expect(await visitor.answers.locator(".avatar").getAttribute("data-emote")).toBe(null);
      await page.getByRole("button", { name: "happy" }).click();
      await page.clock.runFor(1);
      await page.locator('.aw-reply .avatar[data-emote="happy"]').waitFor();
    }));

  test("keeps the reasoning folded, and the indentation of code", () =>
    stage.cass(
      {
        answer: () => [
          "<gesture:think>Lamps turn</gesture:think>So:\n\n```\nif lamp:\n    flash()\n```\n\nDone. <gesture:nod>",
        ],
      },
      async ({ visitor, page, user }) => {
        await visitor.logIn(user);
        await visitor.say("Why?");
        await visitor.hears("Done.");
        expect(await page.getByText("Lamps turn").isVisible()).toBe(false);
        await page.getByText("Reasoning").click();
        await visitor.reads("Lamps turn");
        expect(await page.locator(".aw-text pre").textContent()).toBe("if lamp:\n    flash()");
      },
    ));

  test("can be played and paused, and the face moves along", async () => {
    const audio = Buffer.from(hum("a b c d e f g h i j k l m n o p q r s t u v w x")).toString("base64");
    const answer: CassAnswer = () => ["La la.", cassStep.fields({ audio, audio_format: "wav" })];
    await stage.cass({ answer }, async ({ visitor, page, user }) => {
      await visitor.logIn(user);
      await visitor.say("Sing!");
      await visitor.press("Play");
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await page.locator('.aw-reply .avatar[data-gesture="talk"]').waitFor();
      const player = page.locator("audio");
      expect(await player.evaluate((audio) => Reflect.get(audio, "duration"))).toBeCloseTo(24 * 0.16);
      await visitor.press("Pause");
      await page.getByRole("button", { name: "Play" }).waitFor();
    });
  });

  test("can be played if the server sends the audio's URL after the text", () =>
    stage.cass(
      { profile: "documented", audio: "url", answer: () => ["La la."] },
      async ({ visitor, page, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("Sing!");
        await visitor.press("Play");
        await page.getByRole("button", { name: "Pause" }).waitFor();
        expect(server.requests.at(-1)).toMatchObject({ route: "GET /audio/{id}.wav" });
      },
    ));

  test("that fails shows the server's error, and can be requested again", () =>
    stage.cass(
      { answer: () => [cassStep.fail()], failure: "error", resends: true },
      async ({ visitor, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("hi");
        await visitor.hears("Failed to generate response");
        server.answer = echo;
        await visitor.page.getByRole("button", { name: /^(Try|Send) again$/ }).click();
        await visitor.hears("You said: hi");
      },
    ));

  test("changes the chat's title everywhere, and shows the server's note about its memory", () =>
    stage.cass(
      { answer: () => ["I will. <memory:summarize>", cassStep.title("Of lamps")] },
      async ({ visitor, page, user }) => {
        await visitor.logIn(user);
        await page.getByRole("heading", { name: "New conversation" }).waitFor();
        await visitor.say("Remember this");
        await page.getByRole("heading", { name: "Of lamps" }).waitFor();
        await page.getByRole("button", { name: "Of lamps" }).waitFor();
        expect(await page.title()).toBe("Of lamps · Cass");
        await visitor.reads("Memory consolidated (2 messages summarized)");
      },
    ));

  test("that is cancelled may continue on the server, without mixing with the next one", async () => {
    const { answer, release } = held([], ["the old answer"]);
    await stage.cass({ answer }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("first");
      await server.nextTurn();
      await visitor.press("Cancel");
      await visitor.reads("The agent may finish all the same");
      server.answer = echo;
      await visitor.say("second");
      release();
      await visitor.hears("You said: second");
      expect(await page.getByText("the old answer").count()).toBe(0);
    });
  });

  test("that is queued can be cancelled before its message is sent", async () => {
    const { answer, release } = held([], ["the first answer"]);
    await stage.cass({ answer }, async ({ visitor, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("first");
      await server.nextTurn();
      await visitor.say("second");
      await visitor.reads("Waits to be sent");
      await visitor.press("Cancel");
      await visitor.press("Cancel");
      await visitor.rests();
      server.answer = echo;
      release();
      await visitor.say("third");
      await visitor.hears("You said: third");
      expect(server.turns.map(({ message }) => message)).toEqual(["first", "third"]);
    });
  });
});

describe.skipIf(isSkipped)("a lost link to Cass", () => {
  test("loses no answer that the server has stored: the client looks it up", () =>
    stage.cass(
      { answer: () => ["Stored in time. <gesture:wave>"], death: { at: "stored", by: "drop" } },
      async ({ visitor, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("hi");
        await visitor.hears("Stored in time.");
        server.set({ death: "off" });
        await visitor.sees("Connected");
        expect(server.turns).toHaveLength(1);
      },
    ));

  test("leaves a message's fate unknown, and sends it again only at the user's request", () =>
    stage.cass(
      { answer: echo, death: { at: 1, by: "drop" }, resends: true },
      async ({ visitor, page, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("hi");
        await visitor.reads("Looking for the answer");
        await visitor.sees("Connected");
        server.set({ death: "off" });
        await page.clock.fastForward(31_000);
        await visitor.reads("check before you send it again");
        expect(server.turns).toHaveLength(1);
        await visitor.press("Send again");
        await visitor.hears("You said: hi");
      },
    ));
});

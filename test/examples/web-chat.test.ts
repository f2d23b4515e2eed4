import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CassAnswer, type CassStep, cassStep, MockCassServer } from "agentwire/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hum } from "../../examples/web-chat/mock/speech.ts";
import { findChromium } from "../../scripts/support/chromium.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { deferred } from "../../src/core/deferred.ts";
import { Child } from "./support/child.ts";
import { Stage } from "./support/web-chat.ts";

const START = fileURLToPath(new URL("../../examples/web-chat/start.ts", import.meta.url));

/** Without a browser there is nothing to test. CI has one, and fails where it has not. */
const isSkipped = findChromium() === undefined && process.env["CI"] !== "true";
if (isSkipped)
  console.error(
    "!!! THE WEB CHAT IS NOT TESTED: no Chromium on the PATH. Install the package `chromium`, or set AGENTWIRE_CHROMIUM to the program.",
  );

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

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

describe.skipIf(isSkipped)("the entrance", () => {
  test("logs in, and shows who is in and what conversations there are", () =>
    stage.play({}, async ({ visitor, page, server, user }) => {
      server.addConversation({ userId: user.userId, title: "Of lighthouses" });
      await visitor.logIn(user);
      await visitor.sees("Connected");
      await visitor.reads("Guest");
      await page.getByRole("button", { name: "Of lighthouses" }).waitFor();
      expect(await page.getByLabel("Password").inputValue()).toBe("");
    }));

  test("says that a password is wrong, and lets one try again", () =>
    stage.play({}, async ({ visitor, page, server, user }) => {
      await visitor.logIn({ ...user, password: "wrong horse" });
      await page.getByRole("alert").filter({ hasText: "Invalid email or password" }).waitFor();
      expect(server.connections).toEqual([]);
      await visitor.logIn(user);
      await visitor.sees("Connected");
    }));

  test("lets one in without an account, and says that nothing is kept", () =>
    stage.play({ answer: echo }, async ({ visitor }) => {
      await visitor.press("Continue without an account");
      await visitor.sees("Connected");
      await visitor.reads("Without an account nothing is kept.");
      await visitor.say("hello");
      await visitor.hears("You said: hello");
    }));

  test("says that the server cannot be reached, or is in trouble", () =>
    stage.play({ refuseUpgrade: 503 }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await page.getByRole("alert").filter({ hasText: "Cass cannot be reached" }).waitFor();
      server.set({ restStatus: { "POST /auth/login": 502 } });
      await visitor.logIn(user);
      await page.getByRole("alert").filter({ hasText: "The server is in trouble (HTTP 502)" }).waitFor();
    }));

  test("is in front again after logging out, with nothing of the user left on the machine", () =>
    stage.play({ answer: echo }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("a secret");
      await visitor.hears("You said: a secret");
      await visitor.press("Log out");
      await page.getByRole("button", { name: "Log in" }).waitFor();
      expect(await page.getByText("a secret").count()).toBe(0);
      expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")).toBe(
        '[{},{},""]',
      );
      await server.waitFor(({ connections }) => connections.every(({ closed }) => closed));
    }));

  test("is in front again, with the reason, when the server does not know the user any more", () =>
    stage.play({}, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.sees("Connected");
      server.set({ auth: "error", rejectRefresh: 401 });
      server.restart();
      await page.getByRole("alert").filter({ hasText: "Log in again." }).waitFor();
      server.set({ auth: "checked", rejectRefresh: false });
      await visitor.logIn(user);
      await visitor.sees("Connected");
    }));
});

describe.skipIf(isSkipped)("a reply", () => {
  test("shows what Cass does before it comes: her memories, and her tools by name", async () => {
    const { answer, release } = held([cassStep.tools("recall_journal", "search_wiki")], ["Of lighthouses."]);
    const memories = { summaries_count: 3, details_count: 5, has_context: true };
    await stage.play({ answer, memories }, async ({ visitor, user }) => {
      await visitor.logIn(user);
      await visitor.say("What was it?");
      await visitor.reads("Uses recall_journal, search_wiki (8 memories)");
      release();
      await visitor.hears("Of lighthouses.");
      await visitor.reads("8 memories");
      await visitor.reads("3,000 tokens read, 300 written");
    });
  });

  test("has its gestures and emotes where they stand, and plays each at its time", () =>
    stage.play(
      { answer: () => ["Hello! <gesture:wave>So good <emote:happy:0.8>to see you."] },
      async ({ visitor, page, user }) => {
        await visitor.logIn(user);
        await visitor.sees("Connected");
        await page.clock.pauseAt(Date.now() + 60_000);
        await visitor.say("hi");
        await visitor.hears("Hello! waveSo good happyto see you.");
        const avatar = visitor.replies.locator(".avatar");
        expect(await avatar.getAttribute("data-gesture")).toBe(null);
        await page.clock.runFor(1);
        expect(await avatar.getAttribute("data-gesture")).toBe("wave");
        expect(await avatar.getAttribute("data-emote")).toBe(null);
        await page.clock.runFor(500);
        expect(await avatar.getAttribute("data-emote")).toBe("happy");
        await page.clock.runFor(10_000);
        expect(await avatar.getAttribute("data-emote")).toBe(null);
        await page.getByTitle("gesture, intensity 1, 0 s in").click();
        await page.clock.runFor(1);
        expect(await avatar.getAttribute("data-gesture")).toBe("wave");
      },
    ));

  test("keeps the reasoning folded until somebody wants it", () =>
    stage.play(
      { answer: () => ["<gesture:think>Lamps turn, so</gesture:think>Because of the rhythm."] },
      async ({ visitor, page, user }) => {
        await visitor.logIn(user);
        await visitor.say("Why?");
        await visitor.hears(/^Because of the rhythm\.$/);
        expect(await page.getByText("Lamps turn, so").isVisible()).toBe(false);
        await page.getByText("Reasoning").click();
        await page.getByText("Lamps turn, so").waitFor();
      },
    ));

  test("keeps the indentation of code", () =>
    stage.play(
      { answer: () => ["So:\n\n```\nif lamp:\n    flash()\n```\n\nThat is all. <gesture:nod>"] },
      async ({ visitor, user }) => {
        await visitor.logIn(user);
        await visitor.say("code?");
        await visitor.hears("That is all.");
        expect(await visitor.replies.locator("pre").textContent()).toBe("if lamp:\n    flash()");
      },
    ));

  test("is text, whatever it looks like", () =>
    stage.play({ answer: () => ["<b>bold</b><img src=x>"] }, async ({ visitor, page, user }) => {
      await visitor.logIn(user);
      await visitor.say("<i>hi</i>");
      await visitor.hears("<b>bold</b><img src=x>");
      expect(await page.locator("#messages :is(b, i, img)").count()).toBe(0);
    }));

  test("can be heard, and paused", async () => {
    const audio = Buffer.from(hum("a b c d e f g h i j k l m n o p q r s t u v w x")).toString("base64");
    const answer: CassAnswer = () => ["La la.", cassStep.fields({ audio, audio_format: "wav" })];
    await stage.play({ answer }, async ({ visitor, page, user }) => {
      await visitor.logIn(user);
      await visitor.say("Sing!");
      await visitor.press("Play");
      await page.getByRole("button", { name: "Pause" }).waitFor();
      const player = page.locator("audio");
      expect(await player.getAttribute("src")).toMatch(/^blob:/);
      expect(await player.evaluate((audio) => Reflect.get(audio, "duration"))).toBeCloseTo(24 * 0.16);
      await visitor.press("Pause");
      await page.getByRole("button", { name: "Play" }).waitFor();
    });
  });

  test("can be heard where a server sends the address of what it says behind the text", () =>
    stage.play(
      { profile: "documented", audio: "url", answer: () => ["La la."] },
      async ({ visitor, page, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("Sing!");
        await visitor.press("Play");
        await page.locator('audio[src^="blob:"]').waitFor({ state: "attached" });
        expect(server.requests.at(-1)).toMatchObject({ route: "GET /audio/{id}.wav", status: 200 });
      },
    ));

  test("that is the server's error is told in its words, and asked for again on demand", () =>
    stage.play(
      { answer: () => [cassStep.fail()], failure: "error", resends: true },
      async ({ visitor, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("hi");
        await visitor.reads("Cass says: Failed to generate response");
        server.answer = echo;
        await visitor.press("Try again");
        await visitor.hears("You said: hi");
      },
    ));
});

describe.skipIf(isSkipped)("a conversation", () => {
  test("changes its title while one looks at it, everywhere", () =>
    stage.play({ answer: () => ["Yes.", cassStep.title("Of lamps")] }, async ({ visitor, page, user }) => {
      await visitor.logIn(user);
      await page.getByRole("heading", { name: "New conversation" }).waitFor();
      await visitor.say("Do they turn?");
      await page.getByRole("heading", { name: "Of lamps" }).waitFor();
      await page.getByRole("button", { name: "Of lamps" }).waitFor();
      expect(await page.title()).toBe("Of lamps · Cass");
    }));

  test("keeps the title that it was just given, also when a list arrives that is older", () =>
    stage.play({ answer: () => ["Yes."] }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.reads("Nothing was said yet.");
      server.addConversation({ userId: user.userId, title: "In the late list" });
      const gate = deferred<void>();
      await page.route("**/cass/conversations?*", async (route) => {
        const response = await route.fetch();
        await gate.promise;
        await route.fulfill({ response });
      });
      await visitor.say("Do they turn?");
      await page.getByRole("heading", { name: "Do they turn?" }).waitFor();
      await server.waitFor(
        ({ requests }) => requests.filter(({ path }) => /conversations\?/.test(path)).length === 3,
      );
      const [turn] = server.turns;
      turn?.connection.push({
        type: "title_updated",
        conversation_id: turn.conversationId,
        title: "Of lamps",
      });
      await page.getByRole("heading", { name: "Of lamps" }).waitFor();
      gate.resolve();
      await page.getByRole("button", { name: "In the late list" }).waitFor();
      await page.getByRole("button", { name: "Of lamps" }).waitFor();
      await page.getByRole("heading", { name: "Of lamps" }).waitFor();
    }));

  test("goes on while another one is looked at", async () => {
    const { answer, release } = held([], ["Here I am.", cassStep.title("The first")]);
    await stage.play({ answer }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("Are you there?");
      await server.nextTurn();
      await visitor.press("New conversation");
      await visitor.reads("What would you like to talk about?");
      release();
      await visitor.press("The first");
      await visitor.hears("Here I am.");
      await page.getByRole("heading", { name: "The first" }).waitFor();
    });
  });

  test("is there again after logging in anew", () =>
    stage.play({ answer: () => ["I do. <gesture:nod>"] }, async ({ visitor, user }) => {
      await visitor.logIn(user);
      await visitor.say("Do you remember?");
      await visitor.hears("I do.");
      await visitor.press("Log out");
      await visitor.logIn(user);
      await visitor.press("Do you remember?");
      await visitor.hears("I do.");
    }));

  test("tells what the server says of its memory", () =>
    stage.play({ answer: () => ["I will. <memory:summarize>"] }, async ({ visitor, user }) => {
      await visitor.logIn(user);
      await visitor.say("Remember this");
      await visitor.reads("Memory consolidated (2 messages summarized)");
    }));

  test.each(["the button", "Escape"])(
    "can be cancelled with %s, and the next message gets its own reply",
    async (how) => {
      const { answer, release } = held([], ["the old answer"]);
      await stage.play({ answer }, async ({ visitor, page, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("first");
        await server.nextTurn();
        if (how === "Escape") await page.keyboard.press("Escape");
        else await visitor.press("Cancel");
        await visitor.reads("Cancelled.");
        await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "hidden" });
        server.answer = echo;
        await visitor.say("second");
        await visitor.reads("Waits to be sent");
        release();
        await visitor.hears("You said: second");
        expect(await page.getByText("the old answer").count()).toBe(0);
      });
    },
  );

  test("cancels what waits behind another message without ever sending it", async () => {
    const { answer, release } = held([], ["the first answer"]);
    await stage.play({ answer }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("first");
      await server.nextTurn();
      await visitor.say("second");
      await visitor.reads("Waits to be sent");
      await visitor.press("Cancel");
      await visitor.reads("Cancelled. Cass may finish all the same");
      await visitor.press("Cancel");
      await visitor.reads("Cancelled. It was not sent.");
      server.answer = echo;
      release();
      await visitor.say("third");
      await visitor.hears("You said: third");
      expect(server.turns.map(({ message }) => message)).toEqual(["first", "third"]);
      await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "hidden" });
    });
  });

  test("takes a line break with Shift and Enter, and sends nothing blank", () =>
    stage.play({ answer: echo }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("   ");
      await page.getByLabel("Your message").fill("one");
      await page.getByLabel("Your message").press("Shift+Enter");
      await page.keyboard.type("two");
      await page.keyboard.press("Enter");
      await visitor.hears("You said: one two");
      expect(server.turns.map(({ message }) => message)).toEqual(["one\ntwo"]);
    }));

  test("has its list in a drawer where the window is narrow", () =>
    stage.play({}, async ({ visitor, page, user }) => {
      await page.setViewportSize({ width: 390, height: 700 });
      await visitor.logIn(user);
      await visitor.sees("Connected");
      const create = page.getByRole("button", { name: "New conversation" });
      await create.waitFor({ state: "hidden" });
      await visitor.press("Conversations");
      await create.click();
      await create.waitFor({ state: "hidden" });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    }));
});

describe.skipIf(isSkipped)("a link that breaks", () => {
  test("is told of, and counted down to; what was said meanwhile is sent when the server is back", () =>
    stage.play({ answer: echo }, async ({ visitor, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("before");
      await visitor.hears("You said: before");
      server.refuseUpgrades(503);
      server.restart();
      await visitor.sees(/Reconnecting in \d s, attempt \d/);
      await visitor.say("meanwhile");
      await visitor.reads("Waits to be sent");
      server.refuseUpgrades(undefined);
      await visitor.sees("Connected");
      await visitor.hears("You said: meanwhile");
      expect(server.turns.map(({ message }) => message)).toEqual(["before", "meanwhile"]);
    }));

  test("costs no reply that the server has stored: it is found, and marked", () =>
    stage.play(
      { answer: () => ["Stored in time. <gesture:wave>"], death: { at: "stored", by: "drop" } },
      async ({ visitor, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("hi");
        await visitor.hears("Stored in time.");
        await visitor.reads("Recovered:");
        server.set({ death: "off" });
        await visitor.sees("Connected");
        expect(server.turns).toHaveLength(1);
      },
    ));

  test("leaves open what became of a message that nobody can tell of, and sends it again only when asked", () =>
    stage.play(
      { answer: echo, death: { at: 1, by: "drop" }, resends: true },
      async ({ visitor, page, server, user }) => {
        await visitor.logIn(user);
        await visitor.say("hi");
        await visitor.reads("Looking for the reply");
        await visitor.sees("Connected");
        server.set({ death: "off" });
        await page.clock.fastForward(31_000);
        await visitor.reads("Whether your message was heard is unknown");
        expect(server.turns).toHaveLength(1);
        await visitor.press("Send again");
        await visitor.hears("You said: hi");
      },
    ));

  test("in the middle of a turn leaves the conversation as usable as before", async () => {
    const { answer } = held([cassStep.tools("search_wiki")], []);
    await stage.play({ answer }, async ({ visitor, page, server, user }) => {
      await visitor.logIn(user);
      await visitor.say("first");
      await visitor.reads("Uses search_wiki");
      server.answer = echo;
      server.restart();
      await visitor.reads("Looking for the reply");
      await visitor.sees("Connected");
      await visitor.press("Cancel");
      await visitor.say("second");
      await visitor.hears("You said: second");
      await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "hidden" });
    });
  });
});

describe.skipIf(isSkipped)("npm run example:web", () => {
  /** The program, up, and where its page is. */
  async function started(...args: string[]): Promise<{ readonly program: Child; readonly url: string }> {
    const program = new Child(START, ["--port", "0", ...args], {
      env: { AGENTWIRE_VITE_CACHE: stage.cacheDir },
      limit: 50_000,
    });
    await program.until("q ends.");
    const [url = ""] = /http:\S+/.exec(program.text) ?? [];
    return { program, url };
  }

  test("serves the page and a lively mock, restarts it with r, and ends on Ctrl-C", async () => {
    const { program, url } = await started();
    await using _ = program;
    const [, email = "", password = ""] = /Log in as (\S+) with the password (.+?),/.exec(program.text) ?? [];
    await using visitor = await stage.visitor(url);
    await visitor.logIn({ email, password });
    await visitor.sees("Connected");
    await visitor.say("Hello!");
    await visitor.hears("I am Cass");
    program.type("r");
    await visitor.sees("Reconnecting");
    await program.until("It is back.");
    await visitor.page.clock.fastForward(30_000); // the longest wait before an attempt
    await visitor.sees("Connected");
    expect(visitor.complaints).toEqual([]);
    program.interrupt();
    expect(await program.exitCode()).toBe(0);
    expect(program.stderr).toBe("");
  });

  test("serves the page for a server of the user's, wherever that is", async () => {
    await using server = await MockCassServer.start({ basePath: "/deep/inside", answer: echo });
    const user = server.addUser();
    const { program, url } = await started(server.httpUrl);
    await using _ = program;
    await using visitor = await stage.visitor(url);
    await visitor.logIn(user);
    await visitor.say("hello");
    await visitor.hears("You said: hello");
    expect(program.text).not.toContain("Log in as");
    expect(server.violations).toEqual([]);
  });

  test("builds the page into a folder", async () => {
    await using folder = await tempFolder();
    await using program = new Child(START, ["--build", folder.path]);
    expect(await program.exitCode()).toBe(0);
    const page = await readFile(join(folder.path, "index.html"), "utf8");
    for (const [, file = ""] of page.matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect(await readFile(join(folder.path, file), "utf8")).not.toBe("");
    expect(page).toMatch(/<script type="module" [^>]*src="\.\/assets\/[^"]+\.js">/);
  });

  test("ends with q, and says how to use it", async () => {
    const { program } = await started();
    await using _ = program;
    program.type("q");
    expect(await program.exitCode()).toBe(0);
    await using help = new Child(START, ["--help"]);
    expect(await help.exitCode()).toBe(0);
    expect(help.text).toContain("Usage: npm run example:web");
  });

  test.each([[["--nope"]], [["--port", "many"]], [["ws://127.0.0.1:8000/"]], [["nonsense"]]])(
    "refuses %j, and says where help is",
    async (args) => {
      await using program = new Child(START, args);
      expect(await program.exitCode()).toBe(2);
      expect(program.stderr).toContain("Try --help.");
    },
  );
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";
import { RelayChild } from "./support/relay-child.ts";
import { isSkipped, Stage } from "./support/web-chat.ts";

let stage: Stage;
let folder: TempFolder;

beforeAll(async () => {
  if (isSkipped) return;
  stage = await Stage.open();
  folder = await tempFolder();
});

afterAll(async () => {
  if (isSkipped) return;
  await stage[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe.skipIf(isSkipped)("the page of npm run example:relay", () => {
  test("shows one chat in two windows, through a reload and an approval that the other one decides", async () => {
    await using program = await RelayChild.started(folder.path);
    await using one = await stage.visitor(program.url);
    await using other = await stage.visitor(program.url);
    await one.sees("Connected");
    expect(new URL(one.page.url()).searchParams.get("token")).toBeNull();
    await one.say("Count to a hundred");
    await other.hears("1 2 3 4 5");
    await one.page.reload();
    await one.hears(/1 2 3 4 5 6 7 8/);
    await other.press("Cancel");
    await one.rests();
    await one.reads("Cancelled.");
    await one.say("run");
    await other.reads("Allow shell?");
    await other.press("Allow once");
    await one.hears("That was all.");
    await one.rests();
    await expect.poll(() => one.request.count()).toBe(0);
    await one.page.getByRole("button", { name: "Count to a hundred", exact: true }).waitFor();
    await one.reads("Kept on the relay.");
    expect([...one.complaints, ...other.complaints]).toEqual([]);
  });

  test("offers an agent that speaks ACP", async () => {
    await using program = await RelayChild.started(folder.path);
    await using visitor = await stage.visitor(
      program.url.replace("&backend=mock&chat=first", "&backend=acp"),
    );
    await visitor.press("Start");
    await visitor.say("hello");
    await visitor.reads("Plan: 0 of 1 done");
    await visitor.press("Allow once");
    await visitor.hears("There are two pages.");
    await visitor.rests();
    expect(await visitor.faults()).toEqual([]);
    await visitor.press("Leave");
    const agents = await visitor.page.getByLabel("Agent").locator("option").allTextContents();
    expect(agents).toEqual(["Mock", "Codebuff", "Codey", "Cass", "ACP"]);
    expect(visitor.complaints).toEqual([]);
  });

  test("finds its chats again when the server has restarted, and sends what was written meanwhile once", async () => {
    await using first = await RelayChild.started(folder.path, "--port", "0");
    const port = new URL(first.url).port;
    await using visitor = await stage.visitor(first.url.replace("chat=first", "chat=second"));
    await visitor.say("hello");
    await visitor.hears("You said: hello");
    first.type("q");
    expect(await first.exitCode()).toBe(0);
    await visitor.sees("Reconnecting");
    await visitor.say("again");
    await using _second = await RelayChild.started(folder.path, "--port", port);
    await visitor.page.clock.fastForward(30_000); // the longest wait before an attempt
    await visitor.hears("You said: again");
    await expect(visitor.page.getByRole("article", { name: "You" }).count()).resolves.toBe(2);
  });
});

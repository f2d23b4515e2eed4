import { expect, test } from "vitest";
import { leave, over, scripted, send } from "./support/user.ts";

test("a cut link ends the answer with what to do, and the next prompt goes over a new link", async () => {
  await using terminal = await scripted();
  await send(terminal, "lose");
  await terminal.until(/Before the loss\.[\s\S]*✗[\s\S]*\/retry sends it again/);
  await over(terminal);
  await send(terminal, "hello");
  await terminal.until("You said 5 characters: hello");
  await terminal.until(/^connected/m);
  await leave(terminal);
});

test("a banner counts down to the next attempt, and a prompt does not wait for it", async () => {
  await using terminal = await scripted({ args: ["--reconnect-delay", "30000"] });
  await send(terminal, "lose");
  const seconds = (): number => Number(/attempt 1 in (\d+) s · \w/.exec(terminal.screen().join("\n"))?.[1]);
  await terminal.until(() => seconds() > 0);
  const first = seconds(); // on a slow machine the first frame is late
  await terminal.until(() => seconds() < first);
  await send(terminal, "hello");
  await terminal.until("You said 5 characters: hello");
  await terminal.until(() => !terminal.shows("Reconnecting"));
  await leave(terminal);
});

test("an answer is found again after a loss, under a banner, and goes on where it was", async () => {
  await using terminal = await scripted({ args: ["--reconnect-delay", "300"] });
  await send(terminal, "recover");
  await terminal.until(/Reconnecting|Recovering/);
  await terminal.until("Behind the loss.");
  await over(terminal);
  const shown = terminal.scrollback().join(" ");
  expect(shown.match(/Before the loss\./g)).toHaveLength(1);
  expect(shown).not.toContain("/retry");
  await terminal.until(() => !terminal.shows(/Reconnecting|Recovering/));
  await leave(terminal);
});

test("after a lost context, prompts wait until the user has said how to go on: with the transcript, or without", async () => {
  await using terminal = await scripted();
  await send(terminal, "remember me");
  await terminal.until("characters: remember me");
  await send(terminal, "forget");
  await terminal.until(/The agent has forgotten this conversation\.[\s\S]*y yes/);
  terminal.type("y");
  await terminal.until(() => !terminal.shows("y yes"));
  await send(terminal, "hello");
  await terminal.until(/User: remember me[\s\S]*The user now writes/);
  await over(terminal);

  await send(terminal, "forget");
  await terminal.until("y yes");
  terminal.type("n");
  await terminal.until(() => !terminal.shows("y yes"));
  await send(terminal, "again");
  await terminal.until("You said 5 characters: again");
  await leave(terminal);
});

test("a link that is closed for good is named, and the next prompt makes a new one", async () => {
  await using terminal = await scripted();
  await send(terminal, "close");
  await terminal.until("Not connected");
  await over(terminal);
  await send(terminal, "hello");
  await terminal.until("You said 5 characters: hello");
  await terminal.until(() => !terminal.shows("Not connected"));
  await leave(terminal);
});

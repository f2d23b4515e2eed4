// What docs/ui.md shows besides its first program. Each function holds one region and gives it what it takes for granted.
import type { AgentSource } from "agentwire";
import {
  type Chat,
  type ChatPart,
  type ChatPending,
  createChat,
  createInert,
  describeError,
  type ErrorDescription,
  inert,
  reveal,
} from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { agentStep, MockAgent } from "agentwire/testing";

// #region ui-parts
function lineOf(part: ChatPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return inert(part.text);
    case "tool":
      return `${inert(part.name)} (${part.state}) ${inert(part.output)}`;
    case "question":
      return part.questions.map(({ question }) => inert(question)).join(" ");
    case "file":
      return inert(part.path, { keepNewlines: false });
    case "status":
      return inert(part.detail ?? (part.label.includes(".") ? "" : part.label));
    case "subagent":
      return `${inert(part.name)}: ${part.parts.map(lineOf).join("\n")}`;
    case "data":
      return inert(JSON.stringify(part.json));
    case "error":
      return inert(part.message);
  }
}

// #endregion
export { lineOf };

export function sending(chat: Chat, image: Uint8Array): void {
  // #region ui-send
  chat.send("Write the tests.");
  const second = chat.send({ text: "And what is this?", images: [{ data: image }] }); // waits: status "queued"
  chat.cancel(); // the answer that is coming; the second prompt is sent next
  chat.cancel("all"); // that one too: status "cancelled"
  if (second.ok) chat.retry(second.id); // a new prompt with the same text and images
  // #endregion
}

export function waiting(chat: Chat): void {
  // #region ui-queue
  for (const { id, input, held } of chat.getSnapshot().queue) {
    const text = typeof input === "string" ? input : input.text;
    console.log(held ? "kept from before:" : "waits:", inert(text), id);
  }
  const [first, second] = chat.getSnapshot().queue;
  if (second) chat.editQueued(second.id, "And then the docs, please."); // other words
  if (first && second) chat.moveQueued(second.id, first.id); // before the first one; null: to the end
  if (first) chat.unqueue(first.id); // taken back: its message is "cancelled"
  if (second) chat.sendNow(second.id); // cancels the answer that is coming, and goes first
  // #endregion
}

export async function choosing(chat: Chat, signal: AbortSignal): Promise<void> {
  // #region ui-choices
  chat.connect(); // an ACP agent opens its session: the modes are known before the first prompt
  const { modes, capabilities } = chat.getSnapshot();
  for (const { id, name } of modes?.available ?? [])
    console.log(id === modes?.current ? "*" : " ", inert(name, { keepNewlines: false }));
  const set = await chat.setMode("plan"); // resolves once the agent has confirmed it
  if (!set.ok) console.log(set.error.code, inert(set.error.message)); // `snapshot.problem` shows it too
  if (!capabilities?.files) return;
  const found = await chat.files("src/a", { signal }); // abort it when the user types on
  for (const path of found.ok ? found.paths : []) console.log(inert(path, { keepNewlines: false }));
  if (found.ok) chat.send({ text: "What does it do?", files: found.paths.slice(0, 1) });
  // #endregion
}

export async function askAnew(chat: Chat, idle: () => Promise<void>): Promise<void> {
  // #region ui-branches
  const [prompt, answer] = chat.getSnapshot().messages.toArray();
  if (!prompt || !answer || !chat.getSnapshot().capabilities?.branches) return;
  chat.regenerate(answer.id); // another answer to the same prompt
  await idle(); // a function of yours: until `busy` is false
  const fresh = chat.getSnapshot().messages.at(1);
  console.log(fresh?.branches); // { at: 2, of: 2, ids: [ ... ] }
  chat.edit(prompt.id, "Count to three."); // another prompt, and all that follows it
  await idle();
  chat.selectBranch(answer.id); // the first answer again; the next prompt goes on from there
  // #endregion
}

/** What an app has to ask its user with. */
export interface Dialogs {
  confirm(title: string, text: string): Promise<boolean>;
  choose(question: string, labels: readonly string[]): Promise<string | undefined>;
}

export async function settle(chat: Chat, request: ChatPending, dialogs: Dialogs): Promise<void> {
  // #region ui-pending
  if (request.type === "approval") {
    const { tool, input, preview = [] } = request;
    const text = reveal(JSON.stringify(input, null, 2)); // nothing hidden: the user judges it
    const diffs = preview.map(({ path, diff, by }) => {
      const claim = by === "agent" ? ", as the agent states it" : ""; // `tool`: computed here from the file
      return `\n${reveal(path)}${claim}:\n${reveal(diff)}`;
    });
    const isAllowed = await dialogs.confirm(`Allow ${reveal(tool)}?`, text + diffs.join(""));
    chat.decide(request.id, isAllowed ? "once" : { decision: "reject", reason: "not like this" });
  } else {
    const answers: string[] = [];
    for (const { question, options } of request.questions) {
      const labels = options.map(({ label }) => label);
      answers.push((await dialogs.choose(inert(question), labels)) ?? "");
    }
    chat.answer(request.id, answers.includes("") ? null : answers); // null: the user does not want to answer
  }
  // #endregion
}

export async function bannerOf(chat: Chat, dialogs: Dialogs): Promise<string> {
  // #region ui-connection
  const { status, attempt, retryAt, reason, contextLost } = chat.getSnapshot().connection;
  if (contextLost) {
    const isSent = await dialogs.confirm("The agent has forgotten this.", "Send the transcript along?");
    chat.resume(isSent ? "with-transcript" : "without-context"); // prompts wait until then
  }
  if (retryAt !== undefined) {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000));
    return `${reason?.title}: attempt ${attempt} in ${seconds} s`;
  }
  if (attempt > 0) return `${reason?.title}: trying, attempt ${attempt}`; // no `retryAt` while an attempt runs
  return status === "closed" ? `${reason?.title ?? "Not connected"}. The next message connects.` : "";
  // #endregion
}

export async function allowing(chat: Chat, dialogs: Dialogs): Promise<void> {
  const [request] = chat.getSnapshot().pending;
  if (request?.type !== "approval") return;
  // #region ui-grants
  const { id, tool, input, grant, agent } = request;
  const who = agent === undefined ? "The agent" : `The sub-agent ${inert(agent)}`;
  const asks = `${who} wants to use ${reveal(tool)}: ${reveal(JSON.stringify(input, null, 2))}`;
  const lasting =
    grant === undefined ? [] : [`in this turn: ${reveal(grant)}`, `always: ${reveal(grant)}`, "every call"];
  const said = await dialogs.choose(asks, ["once", ...lasting, "no"]);
  if (said === "once") chat.decide(id, "once");
  else if (said?.startsWith("in this turn")) chat.decide(id, { decision: "once", scope: "turn" });
  else if (said?.startsWith("always")) chat.decide(id, "always");
  else if (
    said === "every call" &&
    (await dialogs.confirm(`Every call of ${reveal(tool)}?`, "Whatever it does."))
  )
    chat.decide(id, { decision: "always", tool: true });
  else chat.decide(id, "reject");

  for (const standing of chat.getSnapshot().approvals) {
    const words = `${reveal(standing.tool)}: ${reveal(standing.grant)} (${standing.scope})`;
    if (await dialogs.confirm("Take this back?", words)) chat.revoke(standing.id);
  }
  // #endregion
}

export function saving(source: AgentSource, storage: Pick<Storage, "getItem" | "setItem">): Chat {
  // #region ui-saved
  const before = storage.getItem("chat");
  const chat = createChat(source, before === null ? {} : { from: JSON.parse(before) });
  addEventListener("pagehide", () => storage.setItem("chat", JSON.stringify(chat.getSnapshot().saved)));
  // #endregion
  return chat;
}

/** What a page has. */
interface Storage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}
declare function addEventListener(name: string, listener: () => void): void;

export async function storing(source: AgentSource, folder: string): Promise<Chat> {
  // #region ui-store
  const store = directoryStore(folder); // one JSONL file for each chat; or memoryStore(), or one of your own
  console.log(await store.list());
  const chat = createChat(source, { store, id: "today" }); // shows what is stored, and keeps what follows
  // #endregion
  return chat;
}

export function failure(thrown: unknown, show: (error: ErrorDescription) => void): void {
  // #region ui-errors
  const { title, detail, retry, code } = describeError(thrown); // takes anything, and never throws
  show({ title, detail, retry, code });
  // #endregion
}

export function terminal(write: (text: string) => void): (delta: string) => void {
  // #region ui-inert
  const stream = createInert();
  const onDelta = (delta: string): void => write(stream.push(delta)); // a sequence may be cut in two
  const onEnd = (): void => write(stream.end());
  // #endregion
  void onEnd;
  return onDelta;
}

export async function testing(): Promise<void> {
  // #region ui-testing
  const agent = new MockAgent();
  agent.script(["Hello", ["Wait ", agentStep.wait("gate"), "over."], [agentStep.forget()]]);
  const chat = createChat(agent);
  chat.send("one");
  chat.send("two");
  await agent.waitFor(({ prompts }) => prompts.length === 2);
  console.log(chat.getSnapshot().busy); // true: the second answer waits at its gate
  agent.release("gate");
  chat.send("three");
  await agent.waitFor(({ prompts }) => prompts.length === 3);
  // #endregion
  await agent.waitFor(() => chat.getSnapshot().connection.contextLost);
  console.log(
    chat
      .getSnapshot()
      .messages.map(({ status }) => status)
      .join(),
  );
  await chat.close();
}

import { type Chat, type ChatPart, createChat, inert } from "agentwire/chat";
import { backendNamed } from "./backends.ts";
import { label, type Stage } from "./stage.ts";
import { until } from "./until.ts";

const PROMPT = "Hello";
const BACKENDS = ["codebuff", "codey", "cass", "cli", "run", "acp"];

/** The same chat on six backends. Returns what there is to say of it in the summary. */
export async function oneChat(stage: Stage): Promise<string> {
  let completed = 0;
  for (const name of BACKENDS) {
    const backend = await backendNamed(name, undefined); // all that differs
    const chat = createChat(backend.source);
    try {
      stage.note(`createChat(${backend.source.name}(...))`);
      if (await isAnswered(chat, stage)) completed++;
    } finally {
      await chat.close();
      await backend.stop();
    }
  }
  return `${completed} answers on ${BACKENDS.length} backends, by one chat`;
}

async function isAnswered(chat: Chat, stage: Stage): Promise<boolean> {
  const shown = new Map<string, ChatPart>();
  let speaks = false;
  const show = (part: ChatPart): void => {
    const before = shown.get(part.id);
    shown.set(part.id, part);
    if (part.type === "text") {
      if (!speaks) stage.write(label("agent"));
      speaks = true;
      stage.write(inert(part.text.slice(before?.type === "text" ? before.text.length : 0)));
    } else if (part.type === "tool" && part.state === "done" && before !== part) {
      if (speaks) stage.line();
      speaks = false;
      stage.note(`uses ${inert(part.name)}`);
    }
  };
  chat.subscribe(() => {
    const { messages, pending } = chat.getSnapshot();
    const answer = messages.at(-1);
    if (answer?.role === "assistant") for (const part of answer.parts) show(part);
    for (const request of pending) {
      if (request.type === "approval") chat.decide(request.id, "once");
      else chat.answer(request.id, request.questions[0]?.options[0]?.label ?? null);
    }
  });
  stage.line(`${label("you")}${PROMPT}`);
  chat.send(PROMPT);
  await until(chat, ({ busy, queue }) => !busy && queue.length === 0);
  stage.line();
  const { usage, cost, messages } = chat.getSnapshot();
  const [price] = cost;
  const { output_tokens: tokens } = usage;
  stage.note(price ? `${price.total} ${price.currency}` : `${tokens} tokens written`);
  return messages.at(-1)?.status === "completed";
}

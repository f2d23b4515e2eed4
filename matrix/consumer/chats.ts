// A chat, as user interfaces have it.
import { type Chat, type ChatSnapshot, createChat, inert } from "agentwire/chat";
import { codebuff as codebuffSource } from "agentwire/codebuff";
import { CodeyClient, codey as codeySource, toUniversal } from "agentwire/codey";
import { remote } from "agentwire/remote";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { checkTranscript, fold, readJsonl, toJsonl, type UniversalEvent } from "agentwire/universal";
import { same, type Trial } from "./report.ts";

/** The snapshot once it is as `isAsWanted` says. */
export function shows(chat: Chat, isAsWanted: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const snapshot = chat.getSnapshot();
      if (!isAsWanted(snapshot)) return;
      off();
      resolve(snapshot);
    };
    const off = chat.subscribe(look);
    look();
  });
}

export const answered = ({ busy, messages }: ChatSnapshot): boolean =>
  !busy && messages.at(-1)?.role === "assistant";

export function textOf({ messages }: ChatSnapshot): string {
  const parts = messages.at(-1)?.parts ?? [];
  return [...parts].map((part) => (part.type === "text" ? inert(part.text) : "")).join("");
}

export const chats: readonly Trial[] = [
  {
    name: "a chat survives a cut link",
    async run({ codebuff }) {
      const chat = createChat(codebuffSource({ url: codebuff, reconnect: { minDelay: 10 } }));
      try {
        chat.send("cut");
        const cut = await shows(chat, answered);
        same([cut.messages.at(-1)?.status, textOf(cut)], ["failed", "part"]);
        chat.send("Hello");
        const { messages } = await shows(
          chat,
          (snapshot) => answered(snapshot) && snapshot.messages.length > 3,
        );
        same(messages.at(-1)?.status, "completed");
      } finally {
        await chat.close();
      }
    },
  },
  {
    name: "a chat shows an approval, and sends the decision",
    async run({ codey }) {
      const chat = createChat(codeySource({ url: codey, onToolApproval: "manual" }));
      try {
        chat.send("What is here?");
        const { pending } = await shows(chat, (snapshot) => snapshot.pending.length > 0);
        chat.decide(pending[0]?.id ?? "", "once");
        const done = await shows(chat, answered);
        same([textOf(done), done.pending.length], ["Let me look. One file.", 0]);
      } finally {
        await chat.close();
      }
    },
  },
  {
    name: "a chat goes on from what it has saved",
    async run() {
      const agent = (): MockAgent => new MockAgent({ script: () => ["Hello."] });
      const before = createChat(agent());
      before.send("Hi");
      const { saved } = await shows(before, answered);
      await before.close();
      const after = createChat(agent(), { from: JSON.parse(JSON.stringify(saved)) });
      same([after.getSnapshot().messages.length, textOf(after.getSnapshot())], [2, "Hello."]);
      await after.close();
    },
  },
  {
    name: "a question is answered",
    async run() {
      const chat = createChat(
        new MockAgent({
          *script() {
            yield* agentStep.question("Which?");
            yield "Thank you.";
          },
        }),
      );
      try {
        chat.send("Ask me");
        const { pending } = await shows(chat, (snapshot) => snapshot.pending.length > 0);
        chat.answer(pending[0]?.id ?? "", ["a"]);
        same(textOf(await shows(chat, answered)), "Thank you.");
      } finally {
        await chat.close();
      }
    },
  },
  {
    name: "a chat on a relay outlives its viewer",
    async run({ relay }) {
      const id = crypto.randomUUID();
      const first = createChat(remote({ url: relay, chat: id }));
      first.send("What is here?");
      await shows(first, ({ pending }) => pending.length > 0);
      await first.close(); // a reload
      const second = createChat(remote({ url: relay, chat: id }));
      try {
        second.connect();
        const { pending } = await shows(second, (snapshot) => snapshot.pending.length > 0);
        second.decide(pending[0]?.id ?? "", "once");
        same(textOf(await shows(second, answered)), "Let me look. One file.");
      } finally {
        await second.close();
      }
    },
  },
  {
    name: "events are valid, and go through JSONL unchanged",
    async run({ codey }) {
      await using client = new CodeyClient({ url: codey, onToolApproval: () => true });
      const events: UniversalEvent[] = [];
      for await (const event of toUniversal(client.prompt("What is here?"))) events.push(event);
      same(checkTranscript(events), []);
      const read = readJsonl(toJsonl(events));
      same([read.problems, read.events], [[], JSON.parse(JSON.stringify(events))]);
      same(JSON.stringify(fold(read.events)), JSON.stringify(fold(events)));
    },
  },
];

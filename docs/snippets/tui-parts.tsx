// #region tui-parts
import { createChat } from "agentwire/chat";
import { Approval, Composer, Message, Question, StatusLine } from "agentwire/ink";
import { ChatProvider, useAgentChat, useChat, usePending } from "agentwire/react";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { Box, render, Static, useApp, useInput } from "ink";

function Own() {
  const chat = useChat();
  const { exit } = useApp();
  const snapshot = useAgentChat();
  const [asked] = usePending(); // the oldest request that waits
  const all = [...snapshot.messages];
  const open = all.findIndex(({ status }) => ["open", "recovering", "queued"].includes(status));
  const finished = open === -1 ? all : all.slice(0, open);
  const live = open === -1 ? undefined : all[open];
  const since = live ? { since: live.startedAt } : {};
  useInput((input, key) => {
    if (!key.ctrl || input !== "c") return;
    if (snapshot.busy) chat.cancel("all");
    else exit();
  });
  return (
    <>
      <Static items={finished}>{(message) => <Message key={message.id} message={message} />}</Static>
      <Box flexDirection="column">
        {live && <Message message={live} />}
        {asked?.type === "approval" && (
          <Approval key={asked.id} pending={asked} onDecide={(decision) => chat.decide(asked.id, decision)} />
        )}
        {asked?.type === "question" && (
          <Question key={asked.id} pending={asked} onAnswer={(answer) => chat.answer(asked.id, answer)} />
        )}
        <StatusLine {...snapshot} {...since} />
        <Composer onSubmit={(text) => chat.send(text).ok} placeholder="Ask" isActive={!asked} />
      </Box>
    </>
  );
}

const chat = createChat(
  new MockAgent({
    *script({ text }) {
      yield `You said: ${text}. `;
      yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
      const answers = yield* agentStep.question("Which file?");
      yield `You chose ${answers?.[0]?.[0] ?? "none"}.`;
    },
  }),
);
const app = render(
  <ChatProvider chat={chat}>
    <Own />
  </ChatProvider>,
  { incrementalRendering: true, exitOnCtrlC: false },
);
await app.waitUntilExit();
await chat.close();
// #endregion

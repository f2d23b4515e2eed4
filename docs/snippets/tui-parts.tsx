// The screen in parts of docs/tui.md.
import { createChat } from "agentwire/chat";
import { Approval, Composer, Question, Resume, StatusLine, Transcript } from "agentwire/ink";
import { ChatProvider, useAgentChat, useChat } from "agentwire/react";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { render, useApp } from "ink";
import { useEffect, useState } from "react";

// #region tui-parts
function Own() {
  const chat = useChat();
  const snapshot = useAgentChat();
  const { exit } = useApp();
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    if (isLeaving) exit();
  }, [isLeaving, exit]);
  const { busy, queue, connection, pending } = snapshot;
  const [asked] = pending;
  const keys = {
    onInterrupt: () => (busy || queue.length > 0 ? chat.cancel("all") : setLeaving(true)), // Ctrl-C
    onEscape: () => chat.cancel(),
  };
  const isAsking = asked !== undefined || connection.contextLost;
  return (
    <Transcript {...snapshot}>
      {!isLeaving && (
        <>
          {asked?.type === "approval" && (
            <Approval
              key={asked.id}
              pending={asked}
              onDecide={(how) => chat.decide(asked.id, how)}
              {...keys}
            />
          )}
          {asked?.type === "question" && (
            <Question
              key={asked.id}
              pending={asked}
              onAnswer={(answer) => chat.answer(asked.id, answer)}
              {...keys}
            />
          )}
          {!asked && connection.contextLost && <Resume onResume={(how) => chat.resume(how)} {...keys} />}
          <StatusLine {...snapshot} />
          <Composer onSubmit={(text) => chat.send(text).ok} placeholder="Ask" isHidden={isAsking} {...keys} />
        </>
      )}
    </Transcript>
  );
}
// #endregion

if (!process.stdin.isTTY || !process.stdout.isTTY) throw new Error("This program needs a terminal.");
const chat = createChat(
  new MockAgent({
    pace: 5, // ms between two pieces
    *script({ text }) {
      yield `You said: ${text}\n`;
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

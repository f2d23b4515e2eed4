// What the user has to know of the connection, for docs/react.md.
// #region react-connection
// banner.tsx
import type { ChatConnection } from "agentwire/chat";
import { useAgentChat, useChat, useConnection, useSeconds } from "agentwire/react";

export function Banner() {
  const { connect, resume, dismiss } = useChat();
  const connection = useConnection();
  const wait = -useSeconds(connection.retryAt);
  const problem = useAgentChat(undefined, (now) => now.problem);
  const { status, reason, contextLost } = connection;
  const isTrying = status === "connecting" || status === "handshaking";
  return (
    <div role="status">
      {reason && <p>{wordsOf(connection, wait)}</p>}
      {reason && !isTrying && (
        <button type="button" onClick={connect}>
          Try now
        </button>
      )}
      {contextLost && (
        <p>
          The agent has forgotten this conversation. Your messages wait until you choose.
          <button type="button" onClick={() => resume("with-transcript")}>
            Send the transcript
          </button>
          <button type="button" onClick={() => resume("without-context")}>
            Go on without
          </button>
        </p>
      )}
      {problem && (
        <p role="alert">
          {`${problem.title}. ${problem.detail}`}
          <button type="button" onClick={dismiss}>
            Close
          </button>
        </p>
      )}
    </div>
  );
}

function wordsOf({ attempt, retryAt, reason }: ChatConnection, wait: number): string {
  if (attempt === 0) return `${reason?.title}. ${reason?.detail}`;
  if (retryAt === undefined || wait <= 0) return `${reason?.title}. Trying, attempt ${attempt}.`;
  return `${reason?.title}. Attempt ${attempt} in ${wait} s.`;
}
// #endregion

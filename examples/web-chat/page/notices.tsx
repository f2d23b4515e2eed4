import { inert } from "agentwire/chat";
import { useAgentChat, useChat, useConnection } from "agentwire/react";
import type { ReactElement } from "react";
import { Countdown } from "./pill.tsx";

/** What is wrong with the chat as a whole, and what to do about it. */
export function Notices(): ReactElement {
  return (
    <>
      <LostLink />
      <LostContext />
      <Problem />
    </>
  );
}

/** The connection is being repaired, or has ended, or cannot be made. */
function LostLink(): ReactElement | null {
  const chat = useChat();
  const connection = useConnection();
  const { status, attempt, reason } = connection;
  if (!reason) return null;
  const isTrying = status === "connecting" || status === "handshaking";
  return (
    <section className="notice" aria-label="The connection">
      <p>
        <strong>{inert(reason.title)}.</strong>{" "}
        {attempt > 0 ? <Countdown connection={connection} /> : inert(reason.detail)}
      </p>
      {!isTrying && (
        <div className="notice-choices">
          <button className="choice" type="button" onClick={chat.connect}>
            Try now
          </button>
        </div>
      )}
    </section>
  );
}

/** The backend has forgotten the conversation. Prompts wait for the user's choice. */
function LostContext(): ReactElement | null {
  const chat = useChat();
  const { contextLost } = useConnection();
  if (!contextLost) return null;
  return (
    <section className="notice" aria-label="The agent has forgotten">
      <p>
        <strong>The agent has forgotten this conversation.</strong> Messages wait until you choose how to go
        on.
      </p>
      <div className="notice-choices">
        <button className="choice" type="button" onClick={() => chat.resume("with-transcript")}>
          Send what was said along
        </button>
        <button className="choice" type="button" onClick={() => chat.resume("without-context")}>
          Go on as if new
        </button>
      </div>
    </section>
  );
}

/** What no message shows, such as a store that fails. */
function Problem(): ReactElement | null {
  const chat = useChat();
  const problem = useAgentChat(undefined, (snapshot) => snapshot.problem);
  if (!problem) return null;
  return (
    <section className="notice" aria-label="A problem">
      <p>
        <strong>{inert(problem.title)}.</strong> {inert(problem.detail)}
      </p>
      <div className="notice-choices">
        <button className="choice" type="button" onClick={chat.dismiss}>
          Dismiss
        </button>
      </div>
    </section>
  );
}

// What is wrong with the chat as a whole, and what to do about it.
import type { ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import { useAgentChat, useChat, useConnection } from "../index.ts";
import { Countdown } from "./connection.tsx";
import { useWords } from "./root.tsx";

/** What is wrong with the chat as a whole, and what to do about it. */
export function NoticeList(): ReactElement {
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
  const words = useWords();
  const connection = useConnection();
  const { status, attempt, reason } = connection;
  if (!reason) return null;
  const isTrying = status === "connecting" || status === "handshaking";
  return (
    <section className="aw-notice" aria-label={words.connectionNotice}>
      <p>
        <strong>{inert(reason.title)}.</strong>{" "}
        {attempt > 0 ? <Countdown connection={connection} /> : inert(reason.detail)}
      </p>
      {!isTrying && (
        <div className="aw-choices">
          <button className="aw-choice" type="button" onClick={chat.connect}>
            {words.tryNow}
          </button>
        </div>
      )}
    </section>
  );
}

/** The backend has forgotten the conversation. Prompts wait for the user's choice. */
function LostContext(): ReactElement | null {
  const chat = useChat();
  const words = useWords();
  const { contextLost } = useConnection();
  if (!contextLost) return null;
  return (
    <section className="aw-notice" aria-label={words.forgottenNotice}>
      <p>
        <strong>{words.forgotten}</strong> {words.forgottenDetail}
      </p>
      <div className="aw-choices">
        <button className="aw-choice" type="button" onClick={() => chat.resume("with-transcript")}>
          {words.withTranscript}
        </button>
        <button className="aw-choice" type="button" onClick={() => chat.resume("without-context")}>
          {words.withoutContext}
        </button>
      </div>
    </section>
  );
}

/** What no message shows, such as a store that fails. */
function Problem(): ReactElement | null {
  const chat = useChat();
  const words = useWords();
  const problem = useAgentChat(undefined, (snapshot) => snapshot.problem);
  if (!problem) return null;
  return (
    <section className="aw-notice" aria-label={words.problemNotice}>
      <p>
        <strong>{inert(problem.title)}.</strong> {inert(problem.detail)}
      </p>
      <div className="aw-choices">
        <button className="aw-choice" type="button" onClick={chat.dismiss}>
          {words.dismiss}
        </button>
      </div>
    </section>
  );
}

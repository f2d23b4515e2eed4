// All messages, and the place of an answer that has not begun.
import type { ReactElement } from "react";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { differences } from "../../universal/transcript/list.ts";
import { useAgentChat, useSeconds } from "../index.ts";
import { LongList, type Marks, useMarks } from "./long-list.tsx";
import { MessageView } from "./message.tsx";
import { BranchContext, LastActions } from "./message-actions.tsx";
import { useSlots, useWords } from "./root.tsx";

type Messages = ChatSnapshot["messages"];

/** The messages of the chat, without those of `<QueueView>`. */
export function Thread(): ReactElement {
  const messages = useAgentChat(undefined, (chat) => chat.messages);
  const canBranch = useAgentChat(undefined, ({ capabilities }) => capabilities?.branches === true);
  const marks = useMarks(messages, markChanges);
  const entry = (index: number): ReactElement | null => {
    const message = messages.at(index);
    return message ? <MessageView key={message.id} message={message} /> : null;
  };
  return (
    <div className="aw-thread">
      <BranchContext.Provider value={canBranch}>
        <LongList length={messages.length} marks={marks} entry={entry} leafClass="aw-messages" />
      </BranchContext.Provider>
      <LastActions />
      <Awaited />
      <Elapsed />
    </div>
  );
}

function markChanges(marks: Marks, before: Messages | undefined, now: Messages): void {
  if (!before) return;
  for (const index of differences(before, now)) marks.mark(index);
  const [shorter, longer] = [before.length, now.length].sort((one, other) => one - other);
  for (let index = shorter ?? 0; index < (longer ?? 0); index++) marks.mark(index);
}

/** The prompt was sent, and nothing of the answer is here. */
function Awaited(): ReactElement | null {
  const isAwaited = useAgentChat(undefined, awaits);
  const words = useWords();
  const { Face } = useSlots();
  if (!isAwaited) return null;
  return (
    <article className="aw-message aw-reply" aria-label={words.answer} aria-busy="true">
      {Face && (
        <div className="aw-face">
          <Face />
        </div>
      )}
      <div className="aw-body">
        <p className="aw-progress">{words.sent}</p>
      </div>
    </article>
  );
}

/** Seconds after which a turn says how long it runs: a quick one says nothing. */
const QUICK = 3;

/** How long the turn runs. */
function Elapsed(): ReactElement | null {
  const words = useWords();
  const seconds = useSeconds(useAgentChat(undefined, turnStart));
  return seconds < QUICK ? null : <div className="aw-elapsed">{words.elapsed(seconds)}</div>;
}

/** When the turn that runs has begun. */
function turnStart({ busy, messages }: ChatSnapshot): number | undefined {
  for (let at = messages.length - 1; busy && at >= 0; at--) {
    const { role, status, startedAt } = messages.at(at) ?? {};
    if (status === "open" || status === "recovering" || status === "sent") return startedAt;
    if (role === "assistant") return undefined;
  }
  return undefined;
}

function awaits({ busy, messages, queue }: ChatSnapshot): boolean {
  if (!busy) return false;
  let waiting = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.status === "open" || message?.status === "recovering") return false;
    if (message?.status === "queued") waiting++;
    else if (message?.role === "user") break;
  }
  return waiting <= queue.length; // one more: the client's prompt waits for the link, and its message says so
}

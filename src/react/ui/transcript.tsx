// What was said, at its end as long as nobody reads further up.
import type { ReactElement, ReactNode } from "react";
import { useAgentChat } from "../index.ts";
import { useSlots, useWords } from "./root.tsx";
import { Thread } from "./thread.tsx";
import { type Following, useFollow } from "./use-follow.ts";

interface TranscriptProps {
  /** Shown in a chat without messages. @default nothing */
  readonly welcome?: ReactNode;
}

/** Fills a box with a height, and scrolls in it. */
export function Transcript({ welcome }: TranscriptProps): ReactElement {
  return <Log welcome={welcome} following={useFollow()} />;
}

export function Log({
  welcome,
  following,
}: TranscriptProps & { readonly following: Following }): ReactElement {
  const words = useWords();
  const isEmpty = useAgentChat(undefined, ({ messages, loading }) => messages.length === 0 && !loading);
  const { log, content, follow } = following;
  const onJump = (): void => {
    follow();
    log.current?.focus({ preventScroll: true }); // the button goes
  };
  return (
    // The answers are announced by sentences: a log would read every piece of them.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it
    <section ref={log} className="aw-log" aria-label={words.transcript} tabIndex={0}>
      {!isEmpty && <h2 className="aw-unseen">{words.transcript}</h2>}
      {isEmpty && welcome}
      <div ref={content}>
        <Thread />
      </div>
      <div className="aw-jump">
        <button className="aw-choice" type="button" onClick={onJump}>
          {words.jump}
        </button>
      </div>
    </section>
  );
}

export interface WelcomeProps {
  /** What one may say first. */
  readonly suggestions: readonly string[];
  onSay(text: string): void;
}

export function Welcome({ suggestions, onSay }: WelcomeProps): ReactElement {
  const words = useWords();
  const { Face } = useSlots();
  return (
    <div className="aw-welcome">
      {Face && (
        <div className="aw-face">
          <Face />
        </div>
      )}
      <h2>{words.welcome}</h2>
      <div className="aw-suggestions">
        {suggestions.map((text) => (
          <button key={text} className="aw-choice aw-suggestion" type="button" onClick={() => onSay(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

import type { CassAnimation } from "agentwire/cass";
import { type ChatDataPart, inert } from "agentwire/chat";
import { type ReactElement, useContext, useSyncExternalStore } from "react";
import type { Inset } from "../rich-text.tsx";
import { animationsIn } from "./animations.ts";
import { Stage } from "./stage.tsx";

/** The gestures whose place in the text is known, as chips for that place. */
export function gestureInsets(part: ChatDataPart | undefined): readonly Inset[] {
  return animationsIn(part).flatMap((animation) => {
    const { offset, index } = animation;
    return offset === undefined
      ? []
      : [{ offset, node: <Chip key={`chip-${index}`} animation={animation} /> }];
  });
}

/** The gestures of which only the time is known, and not the place in the text. */
export function Gestures({ part }: { readonly part: ChatDataPart }): ReactElement | null {
  const acts = animationsIn(part).filter(({ offset }) => offset === undefined);
  if (acts.length === 0) return null;
  return (
    <ul className="acts" aria-label="Gestures and emotes">
      {acts.map((animation) => (
        <li key={animation.index}>
          <Chip animation={animation} />
        </li>
      ))}
    </ul>
  );
}

function Chip({ animation }: { readonly animation: CassAnimation }): ReactElement {
  const { type, name, intensity, delay, index } = animation;
  const performer = useContext(Stage);
  const isPlayed = useSyncExternalStore(
    performer?.subscribe ?? nobody,
    () => performer?.hasPlayed(index) === true,
  );
  return (
    <button
      className={`chip ${type}${isPlayed ? " played" : ""}`}
      type="button"
      title={`${type}, intensity ${intensity}${delay === undefined ? "" : `, ${delay} s in`}`}
      onClick={() => performer?.play([{ ...animation, delay: 0 }])}
    >
      {inert(name, { keepNewlines: false })}
    </button>
  );
}

const nobody = () => (): void => {};

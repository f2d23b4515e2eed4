import type { CassAnimation } from "agentwire/cass";
import { type ChatDataPart, inert } from "agentwire/chat";
import { type Inset, Markdown, type PartSlotProps } from "agentwire/react/ui";
import { type ReactElement, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
import { countRender } from "../render-count.ts";
import { animationsIn } from "./animations.ts";
import { Said, Stage } from "./stage.tsx";

/** A text with the gestures whose place in it is known, as chips. They come behind the text, as data. */
export function TextWithGestures({ part, children }: PartSlotProps<"text">): ReactNode {
  countRender(part.id);
  const parts = useContext(Said)?.parts.toArray() ?? [];
  const next = parts[parts.findIndex(({ id }) => id === part.id) + 1];
  const animations = animationsIn(next);
  const insets = useMemo(() => animations.flatMap(insetOf), [animations]);
  return insets.length === 0 ? children : <Markdown text={part.text} open={part.open} insets={insets} />;
}

function insetOf(animation: CassAnimation): readonly Inset[] {
  const { offset } = animation;
  return offset === undefined ? [] : [{ offset, node: <Chip animation={animation} /> }];
}

/** The gestures of which only the time is known, and what else the data has. */
export function GestureData({ part, children }: PartSlotProps<"data">): ReactNode {
  countRender(part.id);
  const { json } = part;
  const isOnlyGestures =
    typeof json === "object" && json !== null && "animations" in json && Object.keys(json).length === 1;
  return (
    <>
      <Gestures part={part} />
      {!isOnlyGestures && children}
    </>
  );
}

/** The gestures of which only the time is known, and not the place in the text. */
function Gestures({ part }: { readonly part: ChatDataPart }): ReactElement | null {
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

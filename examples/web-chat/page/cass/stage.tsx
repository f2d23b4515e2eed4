import type { ChatMessage } from "agentwire/chat";
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Avatar, type Look } from "../avatar.tsx";
import { countRender } from "../render-count.ts";
import { animationsIn } from "./animations.ts";
import { Performer } from "./performer.ts";

/** ms: an answer that ended this long ago is still news. It may be shown for the first time when it has ended. */
const NEWS = 2_000;

/** Who plays the gestures of an answer. */
export const Stage = createContext<Performer | undefined>(undefined);

/** The answer around a part. */
export const Said = createContext<ChatMessage | undefined>(undefined);

interface PerformingProps {
  readonly message: ChatMessage;
  readonly children?: ReactNode;
}

/** A message; an answer with somebody who plays its gestures. */
export function Performing({ message, children }: PerformingProps): ReactNode {
  countRender(message.id);
  return message.role === "assistant" ? <Performance message={message}>{children}</Performance> : children;
}

/** A fresh answer plays its gestures by itself; a stored one only when asked. */
function Performance({ message, children }: PerformingProps): ReactElement {
  const [performer] = useState(() => new Performer());
  const { endedAt } = message;
  const isFresh = useRef(endedAt === undefined || Date.now() - endedAt < NEWS);
  const parts = useRef(message.parts);
  parts.current = message.parts;
  useEffect(() => {
    if (endedAt === undefined || !isFresh.current) return;
    isFresh.current = false;
    const animations = parts.current.toArray().flatMap(animationsIn);
    if (animations.length > 0) performer.play(animations);
  }, [endedAt, performer]);
  useEffect(() => () => performer.rest(), [performer]);
  return (
    <Stage value={performer}>
      <Said value={message}>{children}</Said>
    </Stage>
  );
}

/** The face of an answer. What is played comes before the mood. */
export function PerformingAvatar({ mood }: { readonly mood: Look }): ReactElement {
  const performer = useContext(Stage);
  const look = useSyncExternalStore(performer?.subscribe ?? nobody, performer?.look ?? (() => mood));
  const isAtRest = look.gesture === undefined && look.emote === undefined;
  return <Avatar look={isAtRest ? mood : look} />;
}

const nobody = () => (): void => {};

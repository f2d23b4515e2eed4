import type { ChatMessage } from "agentwire/chat";
import {
  createContext,
  type ReactElement,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Avatar, type Look } from "../avatar.tsx";
import { animationsIn } from "./animations.ts";
import { Performer } from "./performer.ts";

/** ms: an answer that ended this long ago is still news. It may be shown for the first time when it has ended. */
const NEWS = 2_000;

export const Stage = createContext<Performer | undefined>(undefined);

/** Who plays the gestures of an answer. A fresh answer plays them by itself; a stored one only when asked. */
export function usePerformer(message: ChatMessage): Performer {
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
  return performer;
}

/** The face of an answer. What is played comes before the mood. */
export function PerformingAvatar({ mood }: { readonly mood: Look }): ReactElement {
  const performer = useContext(Stage);
  const look = useSyncExternalStore(performer?.subscribe ?? nobody, performer?.look ?? (() => mood));
  const isAtRest = look.gesture === undefined && look.emote === undefined;
  return <Avatar look={isAtRest ? mood : look} />;
}

const nobody = () => (): void => {};

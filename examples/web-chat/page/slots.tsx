import type { ChatMessage } from "agentwire/chat";
import { type ChatSlots, highlightWith } from "agentwire/react/ui";
import { common, createLowlight } from "lowlight";
import type { ReactElement } from "react";
import { Avatar, type Look } from "./avatar.tsx";
import { GestureData, TextWithGestures } from "./cass/gestures.tsx";
import { memoriesOf } from "./cass/memories.ts";
import { Sound } from "./cass/speech.tsx";
import { Performing, PerformingAvatar } from "./cass/stage.tsx";

/** The colours of code. */
export const HIGHLIGHT = highlightWith(createLowlight(common));

/** What this page shows in its own way: a face that moves, gestures and sounds. */
export const SLOTS: ChatSlots = {
  Message: Performing,
  Face,
  parts: { text: TextWithGestures, data: GestureData, file: Sound },
  facts: (message) => {
    const memories = memoriesOf(message);
    return memories === undefined ? [] : [`${memories} memories`];
  },
};

function Face({ message }: { readonly message?: ChatMessage }): ReactElement {
  return message ? <PerformingAvatar mood={moodOf(message)} /> : <Avatar look={MOODS.waves} />;
}

const MOODS = {
  waves: { gesture: "wave" },
  thinks: { gesture: "think" },
  talks: { gesture: "talk" },
  worries: { emote: "concern" },
  rests: {},
} as const satisfies Record<string, Look>;

/** The same object for the same mood, so that the face does not begin anew with each piece of text. */
function moodOf({ status, parts }: ChatMessage): Look {
  if (status === "failed") return MOODS.worries;
  if (status === "recovering") return MOODS.thinks;
  if (status !== "open") return MOODS.rests;
  const last = parts.at(-1);
  return last?.type === "text" && last.open ? MOODS.talks : MOODS.thinks;
}

// The app's own components in place of the library's.
import type { ComponentType, ReactNode } from "react";
import type { ChatMessage, ChatPart } from "../../universal/transcript/message.ts";

/** A part of a message. `children`: how the library shows it. */
export interface PartSlotProps<Type extends ChatPart["type"]> {
  readonly part: Extract<ChatPart, { readonly type: Type }>;
  readonly children?: ReactNode;
}

/** The app's own components. Components with state must be defined outside of components, as all React components. */
export interface ChatSlots {
  /** Surrounds each message. `children`: the message. */
  readonly Message?: ComponentType<{ readonly message: ChatMessage; readonly children?: ReactNode }>;
  /** A picture beside each answer. Without `message`: on the welcome page, and before an answer begins. */
  readonly Face?: ComponentType<{ readonly message?: ChatMessage }>;
  /** Replaces or surrounds the parts of a type. A `status` is one step of several, and has no component. */
  readonly parts?: {
    readonly [Type in Exclude<ChatPart["type"], "status">]?: ComponentType<PartSlotProps<Type>>;
  };
  /** More facts below an answer, such as `8 memories`. */
  readonly facts?: (message: ChatMessage) => readonly string[];
}

// What a client's frame asks the model for, in chat and in onboarding.
import type { Dict } from "../server/dict.ts";
import type { CassModel } from "./models.ts";
import type { ProfileName } from "./profiles.ts";
import type { ReceivedTurn } from "./record.ts";

/** What the client wants answered. */
export type Asked = Omit<ReceivedTurn, "number" | "message"> & {
  /** Undefined where it is something that the model cannot take. */
  readonly message: string | undefined;
};

/** What a frame asks for, before it is known by whom. */
export type Question = Pick<Asked, "kind" | "message" | "conversationId" | "image" | "data">;

export function askedInChat(data: Dict, { provider }: CassModel, profile: ProfileName): Question {
  const { message = "", image, image_media_type: mediaType } = data;
  const isSeen = provider === "anthropic" && profile !== "relay";
  const isImage = typeof image === "string" && typeof mediaType === "string" && mediaType !== "";
  return {
    kind: "chat",
    message: typeof message === "string" ? message : undefined,
    conversationId: conversationIn(data),
    image: isSeen && isImage ? { data: image, mediaType } : undefined,
    data,
  };
}

export function askedInOnboarding(kind: "intro" | "demo", data: Dict): Question {
  const { message } = data;
  return {
    kind,
    message: typeof message === "string" ? message : "",
    conversationId: conversationIn(data),
    image: undefined,
    data,
  };
}

function conversationIn({ conversation_id: id }: Dict): string | null {
  return typeof id === "string" && id !== "" ? id : null;
}

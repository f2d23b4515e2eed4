// `<Resume>`: asks how to go on after the backend has lost the conversation.
import type { ReactElement } from "react";
import type { ChatResume } from "../../chat/chat.ts";
import { resumeRows, stepResume } from "../dialogs/resume-dialog.ts";
import { Rows } from "../rows/rows.tsx";
import { useRoom } from "./space.ts";
import { insteadOf, type KeyProps, useCanType, useKeys, useOffer } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface ResumeProps extends Look, KeyProps {
  /** Goes to `chat.resume(how)`. */
  readonly onResume: (how: ChatResume) => void;
  /** Rows at most. @default what the `<Transcript>` around it gives; without one Infinity */
  readonly maxRows?: number;
}

/**
 * Asks how to go on after the agent has forgotten the conversation: show it while `snapshot.connection.contextLost` holds, because prompts wait
 * for the answer. Keys: `y` sends the transcript along, `n` goes on without it. It takes no keys before it shows its choices, which is a moment
 * after it has appeared.
 */
export function Resume({ onResume, maxRows, isActive = true, ...props }: ResumeProps): ReactElement {
  const { columns, theme } = useLook(props);
  const limit = useRoom(maxRows).maxRows;
  const canType = useCanType();
  const offer = useOffer("resume", isActive && canType);
  useKeys(undefined, { ...props, isActive }, (press) => {
    const how = stepResume(press);
    if (press.type === "key" && press.key === "escape") props.onEscape?.();
    else if (how && offer.takesKeys()) onResume(how);
    else offer.withdraw();
  });
  const instead = insteadOf(isActive, canType, offer.isOffered);
  return <Rows rows={resumeRows({ columns, theme, maxRows: limit, ...instead }).rows} theme={theme} />;
}

// `<Resume>`: asks how to continue after the backend has lost the conversation.
import type { ReactElement } from "react";
import type { ChatResume } from "../../chat/chat.ts";
import { resumeRows, stepResume } from "../dialogs/resume-dialog.ts";
import { Rows } from "../rows/rows.tsx";
import { useSpace } from "./space.ts";
import { insteadOf, type KeyProps, useCanType, useKeys, useOffer } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface ResumeProps extends Look, KeyProps {
  /** Called with the choice, for `chat.resume(how)`. */
  readonly onResume: (how: ChatResume) => void;
  /** Maximum rows. @default the space in the surrounding `<Transcript>`; without one Infinity */
  readonly maxRows?: number;
}

/**
 * Asks how to continue after the agent has forgotten the conversation. Show the dialog while
 * `snapshot.connection.contextLost` is set, because prompts wait for the choice. Keys: `y` sends the transcript, `n`
 * continues without it. Keys work only after the choices are visible, a moment after the dialog appears.
 */
export function Resume({ onResume, maxRows, isActive = true, ...props }: ResumeProps): ReactElement {
  const { columns, theme } = useLook(props);
  const limit = useSpace(maxRows).maxRows;
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

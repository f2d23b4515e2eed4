// The parts of a message or of a sub-agent, in their order. Statuses in a row are shown together.
import type { ReactElement } from "react";
import type { List } from "../../universal/transcript/list.ts";
import type { ChatPart, ChatStatusPart } from "../../universal/transcript/message.ts";
import { Part, type PartProps } from "./part.tsx";
import { Steps } from "./steps.tsx";

export interface PartsProps {
  readonly parts: List<ChatPart>;
  /** Whether more follows. */
  readonly isOpen: boolean;
  /** The user's own: text is shown as it is. */
  readonly isPlain?: boolean;
}

export function Parts({ parts, isOpen, isPlain }: PartsProps): ReactElement {
  const last = parts.at(-1);
  return (
    <>
      {groupsOf(parts).map((group) =>
        "steps" in group ? (
          <Steps key={group.id} steps={group.steps} isOpen={isOpen && group.steps.at(-1) === last} />
        ) : (
          <Part key={group.part.id} part={group.part} isPlain={isPlain} />
        ),
      )}
    </>
  );
}

type Group = { readonly id: string; readonly steps: ChatStatusPart[] } | { readonly part: PartProps["part"] };

/** Whether a part is not shown in its message: the title of the chat, and figures without words, for programs. */
export function isShownElsewhere(part: ChatPart): boolean {
  if (part.type !== "status") return false;
  const { label, detail, json } = part;
  return label === "title" || (detail === null && json !== undefined);
}

function groupsOf(parts: List<ChatPart>): readonly Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    if (isShownElsewhere(part)) continue;
    const before = groups.at(-1);
    if (part.type !== "status") groups.push({ part });
    else if (before && "steps" in before) before.steps.push(part);
    else groups.push({ id: part.id, steps: [part] });
  }
  return groups;
}

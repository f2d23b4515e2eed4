import type { ChatDataPart, ChatPart, ChatStatusPart } from "agentwire/chat";
import type { List } from "agentwire/universal";
import type { ReactElement } from "react";
import { animationsIn } from "./cass/animations.ts";
import { Part, type PartProps } from "./part.tsx";
import { Steps } from "./steps.tsx";

/** The parts of a message or of a sub-agent, in their order. Statuses in a row are shown together. */
export function Parts({
  parts,
  isOpen,
}: {
  readonly parts: List<ChatPart>;
  readonly isOpen: boolean;
}): ReactElement {
  const groups = groupsOf(parts);
  const last = parts.at(-1);
  return (
    <>
      {groups.map((group) =>
        group.type === "steps" ? (
          <Steps key={group.id} steps={group.steps} isOpen={isOpen && group.steps.at(-1) === last} />
        ) : (
          <Part key={group.part.id} part={group.part} inside={group.inside} />
        ),
      )}
    </>
  );
}

type Group =
  | { readonly type: "steps"; readonly id: string; readonly steps: ChatStatusPart[] }
  | { readonly type: "part"; readonly part: PartProps["part"]; readonly inside?: ChatDataPart };

/** The page shows the title of the chat elsewhere. */
export function isShownElsewhere(part: ChatPart): boolean {
  if (part.type !== "status") return false;
  const { label, detail, json } = part;
  return label === "title" || (detail === null && json !== undefined); // figures without words are for programs
}

function groupsOf(parts: List<ChatPart>): readonly Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    if (isShownElsewhere(part)) continue;
    const before = groups.at(-1);
    if (part.type === "status") {
      if (before?.type === "steps") before.steps.push(part);
      else groups.push({ type: "steps", id: part.id, steps: [part] });
      continue;
    }
    const isInText = part.type === "data" && before?.type === "part" && before.part.type === "text";
    if (isInText && animationsIn(part).length > 0)
      groups.splice(-1, 1, { type: "part", part: before.part, inside: part });
    groups.push({ type: "part", part });
  }
  return groups;
}

// The mode and the model of the agent, where the user may choose them.
import { type ReactElement, useId } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { TranscriptChoice } from "../../universal/transcript/transcript.ts";
import { useAgentChat, useChat } from "../index.ts";
import { useWords } from "./root.tsx";

export function Choices(): ReactElement | null {
  const chat = useChat();
  const words = useWords();
  const modes = useAgentChat(undefined, ({ modes, capabilities }) => (capabilities?.modes ? modes : null));
  const models = useAgentChat(undefined, ({ models, capabilities }) =>
    capabilities?.models ? models : null,
  );
  if (!modes && !models) return null;
  return (
    <div className="aw-selects">
      {modes && <Choice label={words.mode} choice={modes} onChoice={chat.setMode} />}
      {models && <Choice label={words.model} choice={models} onChoice={chat.setModel} />}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly choice: TranscriptChoice;
  /** What fails is a `problem` of the snapshot. */
  onChoice(id: string): unknown;
}

/** The field shows what the agent has confirmed. */
function Choice({ label, choice: { current, available }, onChoice }: ChoiceProps): ReactElement | null {
  const id = useId();
  if (available.length === 0) return null;
  return (
    <span>
      <label htmlFor={id}>{label}</label>{" "}
      <select id={id} value={current ?? ""} onChange={(event) => onChoice(event.target.value)}>
        {!available.some(({ id }) => id === current) && (
          <option value={current ?? ""}>{inert(current ?? "")}</option>
        )}
        {available.map(({ id: value, name, description }) => (
          <option key={value} value={value} title={description && inert(description)}>
            {inert(name, { keepNewlines: false })}
          </option>
        ))}
      </select>
    </span>
  );
}

// A text that is changed where it stands.
import { type FormEvent, type KeyboardEvent, type ReactElement, useEffect, useRef } from "react";
import { useWords } from "./root.tsx";

export interface TextFormProps {
  readonly label: string;
  readonly text: string;
  /** On the button that takes the text. */
  readonly submit: string;
  readonly note?: string;
  /** Gets a text that is not blank. */
  onSubmit(text: string): void;
  onBack(): void;
}

/** Enter takes the text, Escape leaves it. */
export function EditForm({ label, text, submit, note, onSubmit, onBack }: TextFormProps): ReactElement {
  const words = useWords();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const take = (event: FormEvent): void => {
    event.preventDefault();
    const next = field.current?.value.trim() ?? "";
    if (next !== "") onSubmit(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      field.current?.form?.requestSubmit();
    }
    if (event.key !== "Escape") return;
    event.stopPropagation(); // only this text is left, and not the answer
    onBack();
  };
  return (
    <form className="aw-text-form" onSubmit={take}>
      <textarea ref={field} rows={2} required aria-label={label} defaultValue={text} onKeyDown={onKeyDown} />
      {note !== undefined && <p className="aw-hint">{note}</p>}
      <div className="aw-choices">
        <button className="aw-primary" type="submit">
          {submit}
        </button>
        <button className="aw-plain" type="button" onClick={onBack}>
          {words.back}
        </button>
      </div>
    </form>
  );
}

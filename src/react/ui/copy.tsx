// A button that copies a text.
import { type ReactElement, useEffect, useState } from "react";
import { useWords } from "./root.tsx";

/** ms for which the button says what has happened. */
const SHOWN = 2_000;

export function Copy({ text }: { readonly text: () => string }): ReactElement {
  const words = useWords();
  const [state, setState] = useState<"copy" | "copied" | "notCopied">("copy");
  useEffect(() => {
    if (state === "copy") return;
    const timer = setTimeout(() => setState("copy"), SHOWN);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setState("copied");
    } catch {
      setState("notCopied"); // no permission, or a page without https
    }
  };
  return (
    <button className="aw-plain aw-copy" type="button" onClick={() => void copy()}>
      {words[state]}
    </button>
  );
}

// A picture on a button. The button has the words.
import type { ReactElement } from "react";

const SHAPES = { add: "M10 3v14M3 10h14", close: "M5 5l10 10M15 5L5 15", list: "M3 5h14M3 10h14M3 15h14" };

export function Icon({ name }: { readonly name: keyof typeof SHAPES }): ReactElement {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}

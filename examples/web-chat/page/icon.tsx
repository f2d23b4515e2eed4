import type { ReactElement } from "react";

const SHAPES = {
  close: <path d="M5 5l10 10M15 5L5 15" />,
  list: <path d="M3 5h14M3 10h14M3 15h14" />,
  theme: (
    <>
      <circle cx="10" cy="10" r="6" />
      <path className="half" d="M10 4a6 6 0 0 1 0 12z" />
    </>
  ),
};

/** A picture on a button. The button has the words. */
export function Icon({ name }: { readonly name: keyof typeof SHAPES }): ReactElement {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      {SHAPES[name]}
    </svg>
  );
}

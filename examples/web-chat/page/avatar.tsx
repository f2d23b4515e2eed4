import { type ReactElement, useEffect, useRef } from "react";

/** How the face looks, and what it does. How each name looks is in avatar.css; a gesture without a picture there is a little bounce. */
export interface Look {
  readonly gesture?: string;
  readonly emote?: string;
  /** @default 1 */
  readonly intensity?: number;
}

export function Avatar({ look }: { readonly look: Look }): ReactElement {
  const svg = useRef<SVGSVGElement>(null);
  useEffect(() => {
    if (!svg.current) return;
    const { dataset, style } = svg.current;
    style.setProperty("--intensity", String(Math.min(Math.max(look.intensity ?? 1, 0.2), 2)));
    if (look.emote === undefined) delete dataset["emote"];
    else dataset["emote"] = look.emote;
    delete dataset["gesture"];
    svg.current.getBoundingClientRect(); // so that the same gesture twice begins anew
    if (look.gesture !== undefined) dataset["gesture"] = look.gesture;
  }, [look]);
  return (
    <svg ref={svg} className="avatar" viewBox="0 0 120 120" aria-hidden="true">
      <g className="whole">
        <circle className="hand left" cx="16" cy="88" r="9" />
        <circle className="hand right" cx="104" cy="88" r="9" />
        <g className="head">
          <circle className="skin" cx="60" cy="62" r="42" />
          <circle className="cheek" cx="36" cy="74" r="7" />
          <circle className="cheek" cx="84" cy="74" r="7" />
          <g className="eyes">
            <ellipse cx="46" cy="58" rx="5" ry="7" />
            <ellipse cx="74" cy="58" rx="5" ry="7" />
          </g>
          <g className="hearts">
            <path d="M46 66c-9-6-8-14-3-14 2 0 3 2 3 3 0-1 1-3 3-3 5 0 6 8-3 14z" />
            <path d="M74 66c-9-6-8-14-3-14 2 0 3 2 3 3 0-1 1-3 3-3 5 0 6 8-3 14z" />
          </g>
          <g className="brows">
            <path className="brow left" d="M38 45q8-5 15-1" />
            <path className="brow right" d="M67 44q8-4 15 1" />
          </g>
          <path className="mouth calm" d="M49 79q11 5 22 0" />
          <path className="mouth smile" d="M45 76q15 15 30 0" />
          <path className="mouth grin" d="M44 75q16 3 32 0q-3 17-16 17t-16-17z" />
          <path className="mouth frown" d="M49 83q11-7 22 0" />
          <ellipse className="mouth round" cx="60" cy="81" rx="6" ry="8" />
          <ellipse className="mouth speaking" cx="60" cy="80" rx="9" ry="5" />
        </g>
        <g className="thought">
          <circle cx="92" cy="24" r="4" />
          <circle cx="102" cy="14" r="5" />
          <circle cx="114" cy="6" r="6" />
        </g>
      </g>
    </svg>
  );
}

// Code, with the app's colours and a button that copies it.
import { type ReactElement, useMemo } from "react";
import { inert } from "../../../chat/print/inert.ts";
import type { MarkdownBlock } from "../../../screens/markdown/blocks.ts";
import { Copy } from "../copy.tsx";
import { useHighlight } from "../root.tsx";
import { InertText } from "./insets.tsx";

export interface CodeProps {
  readonly block: Extract<MarkdownBlock, { readonly type: "code" }>;
  /** All of the code, with the parts that join the block. */
  readonly text: () => string;
}

export function CodeNode({ block: { language, text: code, joins }, text }: CodeProps): ReactElement {
  return (
    <figure className="aw-code-block" data-joins={joins && ""}>
      {!joins && (
        <figcaption>
          <span>{inert(language, { keepNewlines: false })}</span>
          <Copy text={text} />
        </figcaption>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and a keyboard must reach them */}
      <pre tabIndex={0} dir="ltr">
        <code>
          <Coloured code={code} language={language} />
        </code>
      </pre>
    </figure>
  );
}

/** Code in the colours of the app's highlighter. */
function Coloured({ code, language }: { readonly code: string; readonly language: string }): ReactElement {
  const highlight = useHighlight();
  const pieces = useMemo(() => highlight?.(code, language), [highlight, code, language]);
  if (!pieces) return <InertText text={code} />;
  return (
    <>
      {pieces.map(({ text, kind }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all pieces are made anew
        <span key={index} data-kind={kind}>
          <InertText text={text} />
        </span>
      ))}
    </>
  );
}

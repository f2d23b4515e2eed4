// Text inside of a block.
import { type ReactElement, useState } from "react";
import { inert } from "../../../chat/print/inert.ts";
import { reveal } from "../../../chat/print/reveal.ts";
import { dataImageType, mailAddress, webAddress } from "../../../screens/addresses.ts";
import type { Inline } from "../../../screens/markdown/blocks.ts";
import { useWords } from "../root.tsx";
import { InertText } from "./insets.tsx";

export function Inlines({ content }: { readonly content: readonly Inline[] }): ReactElement {
  return (
    <>
      {content.map((inline, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: content is replaced as a whole
        <InlineNode key={index} inline={inline} />
      ))}
    </>
  );
}

function InlineNode({ inline }: { readonly inline: Inline }): ReactElement | null {
  switch (inline.type) {
    case "text":
      return <InertText text={inline.text} />;
    case "code":
      return (
        <code className="aw-code">
          <InertText text={inline.text} />
        </code>
      );
    case "strong":
      return (
        <strong>
          <Inlines content={inline.content} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines content={inline.content} />
        </em>
      );
    case "strike":
      return (
        <del>
          <Inlines content={inline.content} />
        </del>
      );
    case "link":
      return (
        <WebLink url={inline.url} words={textOfInlines(inline.content)}>
          <Inlines content={inline.content} />
        </WebLink>
      );
    case "image":
      return <Picture url={inline.url} alt={inline.alt} />;
    case "break":
      return <br />;
    default:
      inline satisfies never;
      return null;
  }
}

export interface LinkProps {
  /** As the agent wrote it. */
  readonly url: string;
  /** The text of the link. */
  readonly words: string;
  readonly children?: ReactElement;
}

/** A link to the web, with its host, unless its words are the address. Any other address is text behind the words. */
export function WebLink({ url, words, children }: LinkProps): ReactElement {
  const address = webAddress(url);
  const shown = children ?? <>{inert(words, { keepNewlines: false })}</>;
  if (!address)
    return (
      <>
        {shown}
        {url !== words && mailAddress(url) !== words && <code className="aw-host"> {reveal(url)}</code>}
      </>
    );
  const isPlain = [address.href, address.host, url].includes(words.trim());
  return (
    <>
      <a href={address.href} target="_blank" rel="noopener noreferrer nofollow">
        {shown}
      </a>
      {!isPlain && <span className="aw-host"> {address.host}</span>}
    </>
  );
}

/** Shows at a click, if it came whole. The address of any other is a link: its server would learn who looks. */
function Picture({ url, alt }: { readonly url: string; readonly alt: string }): ReactElement {
  const words = useWords();
  const [isShown, setShown] = useState(false);
  const name = inert(alt, { keepNewlines: false });
  if (!dataImageType(url)) return <WebLink url={url} words={name || url} />;
  if (isShown) return <img className="aw-picture" src={url} alt={name || words.imageOfAgent} />;
  return (
    <button className="aw-choice" type="button" onClick={() => setShown(true)}>
      {words.image(name)}
    </button>
  );
}

/** The text of a content, without marks. */
export function textOfInlines(content: readonly Inline[]): string {
  let text = "";
  for (const inline of content) {
    if ("text" in inline) text += inline.text;
    else if ("content" in inline) text += textOfInlines(inline.content);
    else if (inline.type === "image") text += inline.alt;
    else text += "\n";
  }
  return text;
}

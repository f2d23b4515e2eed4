// A file or an image, of the user or of the agent.
import type { ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import { webAddress } from "../../screens/addresses.ts";
import type { ChatFilePart } from "../../universal/transcript/message.ts";
import { Diff } from "./diff.tsx";
import { WebLink } from "./markdown/inline.tsx";
import { useWords } from "./root.tsx";

/** Characters of a path that are shown. */
const MAX_PATH = 300;

export function File({
  part: { path, action, diff, mediaType },
}: {
  readonly part: ChatFilePart;
}): ReactElement {
  const words = useWords();
  if (path.startsWith("data:image/")) return <ContentImage path={path} />;
  const isData = path.startsWith("data:");
  const shown = inert(isData ? (mediaType ?? "data") : path, { keepNewlines: false }).slice(0, MAX_PATH);
  return (
    <div className="aw-file">
      <p className="aw-file-path">
        {action && `${words.fileAction[action]} `}
        {webAddress(path) ? <WebLink url={path} words={shown} /> : <code dir="ltr">{shown}</code>}
      </p>
      {diff !== undefined && <Diff path={path} diff={diff} />}
    </div>
  );
}

/** An image that came whole. The address of any other is not loaded: its server would learn who looks at it. */
export function ContentImage({ path }: { readonly path: string }): ReactElement | null {
  const words = useWords();
  if (!path.startsWith("data:image/")) return null;
  return <img className="aw-picture" src={path} alt={words.imageOfAgent} />;
}

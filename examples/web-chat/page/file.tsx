import { type ChatFilePart, inert } from "agentwire/chat";
import type { ReactElement } from "react";
import { Speech } from "./cass/speech.tsx";
import { Folded } from "./folded.tsx";

const ACTIONS = { read: "Read", write: "Wrote", patch: "Changed" } as const;

/** Characters of a path that are shown. */
const MAX_PATH = 300;

/** A file, an image or a sound, of the user or of the agent. */
export function File({ part }: { readonly part: ChatFilePart }): ReactElement {
  const { path, action, diff, mediaType } = part;
  if (isSound(path, mediaType)) return <Speech address={path} />;
  if (path.startsWith("data:image/")) return <ContentImage path={path} />;
  const shown = path.startsWith("data:")
    ? (mediaType ?? "data")
    : inert(path, { keepNewlines: false }).slice(0, MAX_PATH);
  return (
    <div className="file">
      <p className="file-path">
        {action && `${ACTIONS[action]} `}
        {isAddress(path) ? (
          <a href={path} target="_blank" rel="noopener noreferrer nofollow">
            {shown}
          </a>
        ) : (
          <code>{shown}</code>
        )}
      </p>
      {diff !== undefined && <Folded label="Changes" text={inert(diff)} />}
    </div>
  );
}

/** An image that came whole. The address of any other is shown, and not loaded: its server would learn who looks at it. */
export function ContentImage({ path }: { readonly path: string }): ReactElement | null {
  return path.startsWith("data:image/") ? <img className="picture" src={path} alt="From the agent" /> : null;
}

function isSound(path: string, mediaType: string | null): boolean {
  if (path.startsWith("data:")) return mediaType?.startsWith("audio/") === true;
  return isAddress(path) && /\.(wav|mp3|ogg)$/i.test(new URL(path).pathname);
}

function isAddress(path: string): boolean {
  return /^https?:\/\//i.test(path) && URL.canParse(path);
}

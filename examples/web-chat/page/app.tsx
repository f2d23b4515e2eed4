import { type ReactElement, useState } from "react";
import { readPlace } from "./address.ts";
import type { Archive } from "./archive.ts";
import type { Backend } from "./backend.ts";
import { Entrance } from "./entrance.tsx";
import { Room } from "./room.tsx";
import type { Session } from "./session.ts";
import { useTheme } from "./theme.ts";

export interface AppProps {
  readonly backends: ReadonlyMap<string, Backend>;
  readonly archive: Archive;
}

export function App({ backends, archive }: AppProps): ReactElement {
  const [session, setSession] = useState(() => restored(backends));
  const [trouble, setTrouble] = useState("");
  const [theme, onTheme] = useTheme();
  const enter = (entered: Session): void => {
    setTrouble("");
    setSession(entered);
  };
  if (!session) return <Entrance backends={backends} trouble={trouble} theme={theme} onEnter={enter} />;
  return (
    <Room
      session={session}
      about={backends.get(session.backend)}
      archive={archive}
      theme={theme}
      onTheme={onTheme}
      onLeave={() => setSession(undefined)}
      onTrouble={setTrouble}
    />
  );
}

/** After a reload, somebody without an account is where they were. */
function restored(backends: AppProps["backends"]): Session | undefined {
  const { backend: name, chat } = readPlace();
  const backend = backends.get(name ?? "");
  if (name === undefined || chat === undefined || !backend) return undefined;
  return { backend: name, sourceOf: backend.open };
}

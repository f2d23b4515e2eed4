import { type ReactElement, useState } from "react";
import { readPlace } from "./address.ts";
import { BACKENDS } from "./backends.ts";
import { BrowserStore } from "./browser-store.ts";
import { Entrance } from "./entrance.tsx";
import { Room } from "./room.tsx";
import type { Session } from "./session.ts";

const store = new BrowserStore();

export function App(): ReactElement {
  const [session, setSession] = useState(restored);
  const [trouble, setTrouble] = useState("");
  const enter = (entered: Session): void => {
    setTrouble("");
    setSession(entered);
  };
  if (!session) return <Entrance trouble={trouble} onEnter={enter} />;
  return (
    <Room session={session} store={store} onLeave={() => setSession(undefined)} onTrouble={setTrouble} />
  );
}

/** After a reload, somebody without an account is where they were. */
function restored(): Session | undefined {
  const { backend: name, chat } = readPlace();
  const backend = BACKENDS.get(name ?? "");
  if (name === undefined || chat === undefined || !backend) return undefined;
  return { backend: name, source: backend.open() };
}

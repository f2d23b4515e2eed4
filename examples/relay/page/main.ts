import { ABOUT } from "../../web-chat/about.ts";
import { showPage } from "../../web-chat/page/show.tsx";
import { RelayArchive, sourceOf } from "./relay-archive.ts";

// The page knows no backend: each chat is a chat on the relay.
const backends = Object.entries(ABOUT).map(([name, about]) => [name, { ...about, open: sourceOf }] as const);

showPage({ backends: new Map(backends), archive: new RelayArchive() });

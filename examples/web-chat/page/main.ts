import { BACKENDS } from "./backends.ts";
import { BrowserStore } from "./browser-store.ts";
import { showPage } from "./show.tsx";

showPage({ backends: BACKENDS, archive: new BrowserStore() });

import { withPeers } from "./peers.ts";

export type * from "./components.ts";

const components = await withPeers(() => import("./components.ts"));

export const { Chat, defaultTheme, plainTheme, themeFor } = components;

import { withPeers } from "./peers.ts";

const components = await withPeers(() => import("./components.ts"));

export const { Chat } = components;

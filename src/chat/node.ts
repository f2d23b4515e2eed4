// The entry `agentwire/chat/node`: the store in a folder.
export { type DirectoryStoreOptions, directoryStore } from "./store/directory-store.node.ts";

export { type DirectoryStoreOptions, directoryStore } from "./store/directory-store.node.ts";

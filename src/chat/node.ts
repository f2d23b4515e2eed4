export { type DirectoryStoreOptions, directoryStore } from "./directory-store.node.ts";

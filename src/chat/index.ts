export { describeError } from "./describe-error.ts";
export { describeErrorData } from "./describe-error-data.ts";
export type { ErrorDescription } from "./error-description.ts";
export { createInert, type InertOptions, type InertStream, inert } from "./inert.ts";
export { reveal } from "./reveal.ts";
export { type ChatStore, memoryStore } from "./store.ts";
export { ChatStoreError, isChatStoreError } from "./store-error.ts";

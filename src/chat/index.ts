export { createInert, type InertOptions, type InertStream, inert } from "./inert.ts";
export { reveal } from "./reveal.ts";

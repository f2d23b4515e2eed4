import { join } from "node:path";

/** Next and React lie in the matrix's own folder, two levels up. */
const root = join(import.meta.dirname, "../..");
export default { turbopack: { root }, outputFileTracingRoot: root };

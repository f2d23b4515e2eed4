export { until } from "../../src/program/lines/until.ts";

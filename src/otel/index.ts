// The entry `agentwire/otel`: OpenTelemetry spans and metrics of any source.

export { type TelemetryOptions, withTelemetry } from "./with-telemetry.ts";

// Listens on a port of 127.0.0.1.
import type { Server } from "node:http";
import { InvalidMockInput } from "../names.ts";

/** The extra option of a mock with a port. */
export interface PortOption {
  /** The port on 127.0.0.1, from 0 to 65535; 0 selects any free port. A port in use is an error. @default 0 */
  readonly port?: number;
}

const HIGHEST_PORT = 65_535;

/**
 * Resolves once the server listens on a port of 127.0.0.1.
 * @throws InvalidMockInput for an invalid port, or one in use
 */
export async function listenOn(http: Server, port: number): Promise<void> {
  if (!Number.isInteger(port) || port < 0 || port > HIGHEST_PORT)
    throw new InvalidMockInput("`port` is no port.", `Give a whole number from 0 to ${HIGHEST_PORT}.`);
  await new Promise<void>((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => reject(errorOf(error, port)));
    http.listen(port, "127.0.0.1", resolve);
  });
}

function errorOf(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== "EADDRINUSE") return error;
  const hint = "Stop the server that has it, or leave `port` out for one that is free.";
  return new InvalidMockInput(`Port ${port} of 127.0.0.1 is in use.`, hint, { cause: error });
}

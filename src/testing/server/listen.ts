// Listens on a port of 127.0.0.1.
import type { Server } from "node:http";
import { InvalidMockInput } from "../names.ts";

/** What a mock with a port takes besides its options. */
export interface PortOption {
  /** The port on 127.0.0.1, from 0 to 65535; 0 is any that is free. One that is in use is an error. @default 0 */
  readonly port?: number;
}

const HIGHEST_PORT = 65_535;

/**
 * Resolves once the server listens on a port of 127.0.0.1.
 * @throws InvalidMockInput for a port that there is not, or that is in use
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

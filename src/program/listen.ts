// Listens on a port of this machine.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";

export const MAX_PORT = 65_535;
export const LOOPBACK = "127.0.0.1";

/** Resolves with the port. @throws Failure for one that is taken, and for an address that is not of this machine */
export function listenOnPort(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(failureOf(error, port, host)));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function failureOf(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new ProgramFailure(
        EXIT.failed,
        `Port ${port} is taken.`,
        "Pass another one, or --port 0 for a free one.",
      );
    case "EACCES":
      return new ProgramFailure(
        EXIT.failed,
        `Port ${port} needs rights that this user lacks.`,
        "Pass a port above 1023.",
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return wrongCall(
        `${host} is no address of this machine.`,
        "Pass --host 127.0.0.1, or one that this machine has.",
      );
    default:
      return error;
  }
}

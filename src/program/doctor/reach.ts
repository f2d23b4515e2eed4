// Whether an address can be reached: its name, its port, its certificate.
import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { SYSTEM_ADVICE } from "./advice.ts";
import { type Found, stepFailed, stepOk } from "./steps.ts";

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const SCHEMES: Readonly<Record<string, number>> = { "ws:": 80, "http:": 80, "wss:": 443, "https:": 443 };

/** Undefined for what is no address of a server. */
export function addressIn(text: string): ServerAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  const usual = SCHEMES[protocol];
  if (usual === undefined) return undefined;
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || usual), isSecure: usual === 443 };
}

export async function lookUp({ host }: ServerAddress): Promise<Found> {
  if (isIP(host)) return stepOk(host);
  try {
    const found = await lookup(host, { all: true });
    return stepOk(`${host} is ${found.map(({ address }) => address).join(", ")}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const next =
      code === "EAI_AGAIN"
        ? "The name server does not answer: check the network, and a VPN."
        : SYSTEM_ADVICE.ENOTFOUND;
    return stepFailed(`${host} has no address: ${code}`, next);
  }
}

export const TCP_NEXT = "A firewall or a VPN may drop the packets: check them, and the address.";

/** @param mock the command that plays such a server, if there is one */
export async function openPort(
  { host, port }: ServerAddress,
  signal: AbortSignal,
  mock?: string,
): Promise<Found> {
  const began = performance.now();
  try {
    await opened(connect({ host, port }), "connect", signal, () => undefined);
    return stepOk(`port ${port} of ${host} is open, after ${Math.round(performance.now() - began)} ms`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ECONNREFUSED") return stepFailed(`port ${port} of ${host}: ${code}`, TCP_NEXT);
    const play = mock === undefined ? "" : ` To try without one: ${mock} --port ${port}.`;
    return stepFailed(`nobody listens on port ${port} of ${host}`, `${SYSTEM_ADVICE.ECONNREFUSED}${play}`);
  }
}

export async function checkCertificate({ host, port }: ServerAddress, signal: AbortSignal): Promise<Found> {
  try {
    const socket = connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }) });
    const version = await opened(socket, "secureConnect", signal, () => socket.getProtocol());
    return stepOk(`${version}, and the certificate is valid`);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (/WRONG_VERSION|EPROTO|PACKET_LENGTH|ECONNRESET/.test(code))
      return stepFailed(
        `the server speaks no TLS: ${code}`,
        "Pass ws:// or http://, or the port that speaks TLS.",
      );
    return stepFailed(
      `the certificate is not accepted: ${code || message}`,
      "Name the certificate of your authority in NODE_EXTRA_CA_CERTS, or have the server's certificate renewed.",
    );
  }
}

/** Resolves at the event with what `read` finds, and ends the socket. */
function opened<Read>(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  read: () => Read,
): Promise<Read> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    socket.on("error", reject);
    socket.once(event, () => {
      resolve(read());
      socket.destroy();
    });
  });
}

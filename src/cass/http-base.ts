/**
 * Where the REST routes of a server are, from the address of its socket: `wss://host/cass/ws?token=t` is at
 * `https://host/cass/`. An address that is HTTP's already stays what it is, without query and fragment. Ends in a slash.
 */
export function httpBaseOf(url: URL): string {
  const socket = url.protocol === "ws:" || url.protocol === "wss:";
  const protocol = url.protocol === "wss:" || url.protocol === "https:" ? "https:" : "http:";
  const path = socket ? url.pathname.replace(/\/ws\/?$/, "/") : url.pathname;
  return `${protocol}//${url.host}${path.endsWith("/") ? path : `${path}/`}`;
}

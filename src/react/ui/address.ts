/** The address of a link, if it leads to the web: `http` or `https`. `host`: in ASCII, so that no letter looks like another one. */
export function addressOf(url: string): { readonly href: string; readonly host: string } | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { href, host } = new URL(url);
  return { href, host };
}

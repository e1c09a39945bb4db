const start = '/console';
const maxLength = 2_000;
const origin = 'http://console.invalid';

/**
 * The address of a screen: path and query below the gateway's own origin. Whatever is no screen of the console becomes its start, so that a
 * sign-in sends nobody to a page of somebody else.
 * @param asked below `/console`, such as `/calls?state=failed`
 */
export function screenAddress(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > maxLength || !/^\/[\x21-\x7e]*$/.test(asked)) return start;
  if (!URL.canParse(`${start}${asked}`, origin)) return start;
  const url = new URL(`${start}${asked}`, origin);
  // What the console's own routes answer is no screen.
  const isScreen = url.pathname.startsWith(`${start}/`) && !/\/\/|^\/console\/(session|tickets|oidc|assets)(\/|$)/.test(url.pathname);
  return isScreen ? `${url.pathname}${url.search}` : start;
}

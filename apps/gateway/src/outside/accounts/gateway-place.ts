/** Where providers send browsers back to. */
export function redirectUriOf(place: string): string {
  return `${place}/connections/callback`;
}

/** Where the metadata document of our client is (CIMD); null where no provider could read it. */
export function clientDocumentOf(publicUrl: string | undefined): string | null {
  return publicUrl?.startsWith('https://') ? `${publicUrl}/connections/client.json` : null;
}

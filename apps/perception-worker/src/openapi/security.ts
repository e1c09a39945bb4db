// The credentials that an operation asks for.
import { isJsonObject, type CredentialPlace } from '#lib/contracts';
import { listOf, textOf, UnusableDocument, type OpenApiDocument, type Part } from './document.js';

/**
 * Lists of credentials, of which one is enough; undefined where none is needed.
 * @throws UnusableDocument where every one of them is of a kind that a request alone cannot have
 */
export function readSecurity(document: OpenApiDocument, operation: Part): readonly CredentialPlace[][] | undefined {
  const wanted = listOf(operation['security'] ?? document.root['security']).filter(isJsonObject);
  if (wanted.length === 0) return undefined;
  const lists = wanted.map((one) => Object.keys(one).map((scheme) => placeOf(document, scheme)));
  const possible = lists.flatMap((list): CredentialPlace[][] => {
    const places = list.filter((place) => place !== null);
    return places.length === list.length ? [places] : [];
  });
  if (possible.length > 0) return possible;
  throw new UnusableDocument(
    `it asks for '${Object.keys(wanted[0] ?? {})
      .join("' and '")
      .slice(0, 80)}', which a header, a query or a cookie cannot carry`,
  );
}

function placeOf(document: OpenApiDocument, scheme: string): CredentialPlace | null {
  const { components } = document.root;
  const schemes = isJsonObject(components) && isJsonObject(components['securitySchemes']) ? components['securitySchemes'] : {};
  const given = Object.hasOwn(schemes, scheme) ? document.resolved(schemes[scheme]) : {};
  switch (given['type']) {
    case 'http': {
      const kind = (textOf(given['scheme']) ?? '').toLowerCase();
      return kind === 'basic' || kind === 'bearer'
        ? { scheme, in: kind, name: 'authorization' }
        : { scheme, in: 'header', name: 'authorization' };
    }
    case 'oauth2':
    case 'openIdConnect':
      return { scheme, in: 'bearer', name: 'authorization' };
    case 'apiKey': {
      const name = textOf(given['name']) ?? '';
      const place = given['in'];
      if (place !== 'header' && place !== 'query' && place !== 'cookie') return null;
      if (name === '' || (place !== 'query' && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))) return null;
      return { scheme, in: place, name: place === 'header' ? name.toLowerCase() : name };
    }
    // Certificates of the client.
    case 'mutualTLS':
      return null;
    // What is named and nowhere defined is some header, which the registration may hold.
    default:
      return { scheme, in: 'header', name: 'authorization' };
  }
}

/** Text as XML content or attribute value. Control characters that XML 1.0 cannot hold are left out. */
export function escapeXml(text: string): string {
  return text.replace(UNSAFE, (character) => ESCAPES[character] ?? '');
}

// CR is escaped because a parser would turn it into LF (XML 1.0 §2.11).
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

// Characters that need escaping, and those outside of the Char production of XML 1.0 §2.2.
const UNSAFE =
  // eslint-disable-next-line no-control-regex -- exactly these are not allowed
  /[&<>"'\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Namespace prefixes of every body we write; both ends of the shorthand `D:`, `C:`, `CS:`, `A:`. */
export const NAMESPACES = {
  D: 'DAV:',
  C: 'urn:ietf:params:xml:ns:caldav',
  CS: 'http://calendarserver.org/ns/',
  A: 'http://apple.com/ns/ical/',
} as const;

const PREFIXES = new Map<string, string>(Object.entries(NAMESPACES).map(([prefix, uri]) => [uri, prefix]));

/** Names like `{DAV:}getetag` → `{ open: 'D:getetag', … }`. @throws TypeError for a namespace that is none of ours */
export function qualified(name: string): string {
  const end = name.indexOf('}');
  const prefix = PREFIXES.get(name.slice(1, end));
  if (prefix === undefined) throw new TypeError(`No prefix for the namespace of ${name}`);
  return `${prefix}:${name.slice(end + 1)}`;
}

/** An element from a `{namespace}local` name and XML that is its content. */
export function element(name: string, content = ''): string {
  const tag = qualified(name);
  return content === '' ? `<${tag}/>` : `<${tag}>${content}</${tag}>`;
}

/** A whole document: declares the namespaces on the root. */
export function document(rootName: string, content: string): string {
  const tag = qualified(rootName);
  const declarations = Object.entries(NAMESPACES)
    .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
    .join(' ');
  return `<?xml version="1.0" encoding="utf-8"?>\n<${tag} ${declarations}>${content}</${tag}>`;
}

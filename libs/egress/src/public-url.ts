import { isPrivateName } from './address-policy.js';
import { isPublicAddress } from './special-addresses.js';
import { parseUrl, type UrlShape } from './url-shape.js';

/**
 * Whether a URL leads to the public Internet by https, as far as its text says. A name is not resolved: what it is here
 * may be something else to others.
 */
export function isPublicUrl(url: string): boolean {
  const shape = shapeOf(url);
  if (shape === null || !shape.secure) return false;
  return shape.literal === null ? !isPrivateName(shape.hostname) : isPublicAddress(shape.literal);
}

function shapeOf(url: string): UrlShape | null {
  try {
    return parseUrl(url);
  } catch {
    return null;
  }
}

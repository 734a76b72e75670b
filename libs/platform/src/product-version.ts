import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

export function productVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) return 'unknown';
  return (JSON.parse(readFileSync(path, 'utf8')) as { version?: string }).version ?? 'unknown';
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command that a page shows, with what it says that comes of it. */
export interface ShownCommand {
  command: string;
  output: string;
}

/**
 * The text of a page below a heading, up to the next one of its level.
 * @param page from the root of the repository
 * @throws Error when there is none
 */
export function sectionOf(page: string, heading: string): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', page), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section "${heading}"`);
  return section;
}

/** Fenced blocks, in their order, those of a list without its indentation; `language` is '' for those that name none. */
export function blocksOf(text: string): { language: string; content: string }[] {
  return [...text.matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gm)].map(([, indent = '', language = '', content = '']) => ({
    language,
    content: content.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The contents of the fenced blocks of a language. */
export function fencedBlocks(text: string, language: string): string[] {
  return blocksOf(text).flatMap((block) => (block.language === language ? [block.content] : []));
}

/** The commands of a console block. One goes on over the lines until its quotes are closed. */
export function shownCommands(block: string): ShownCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const lines = text.split('\n');
      let length = 1;
      while (length < lines.length && isInQuotes(lines.slice(0, length).join('\n'))) length += 1;
      return { command: lines.slice(0, length).join('\n'), output: lines.slice(length).join('\n') };
    });
}

/**
 * What matches an output as a page shows it: `…` stands for anything, also for the end of a word that differs from
 * run to run, as ids do in any case. White space is for the reader.
 */
export function shownOutput(output: string): RegExp {
  const parts = output
    .replace(/\s+/g, '')
    .replace(/[\w-]*…/g, '…')
    .split(/(…|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/);
  const pattern = parts.map((part, index) => (index % 2 === 0 ? literally(part) : part === '…' ? '.*?' : ID));
  return new RegExp(`^${pattern.join('')}$`);
}

const ID = '[0-9a-f-]{36}';

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isInQuotes(text: string): boolean {
  return (text.split("'").length - 1) % 2 === 1;
}

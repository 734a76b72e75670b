/** Our product's name is on every page with a password field. */
const PRODUCT_WORDS = ['unified', 'calendar'];
/** Shorter words occur in many good passwords. */
const MIN_WORD_LENGTH = 3;

let loaded: Promise<ReadonlySet<string>> | undefined;

/**
 * ASVS 5.0 §6.2.11 and the intent of §6.2.4: rejects common passwords, pairs of them, and both with padding, the
 * operator's address or our name. Few entries of the list reach our minimum length, so combinations count too.
 */
export async function isEasyToGuess(password: string, email: string): Promise<boolean> {
  const common = await commonPasswords();
  const text = password.normalize('NFKC').toLowerCase();
  const rest = ownWords(email).reduce((left, word) => left.replaceAll(word, ''), text);
  const core = coreOf(rest);
  if (rest !== text && core === '') return true;
  return [text, coreOf(text), core].some((part) => isMadeOf(part, common));
}

/** Loaded on demand, because most processes never set a password. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as readonly string[]),
  );
  return loaded;
}

/** Longest first, so that no word is cut by a shorter one. */
function ownWords(email: string): string[] {
  const words = [...email.toLowerCase().split(/[^\p{L}\p{N}]+/u), ...PRODUCT_WORDS];
  return words.filter(({ length }) => length >= MIN_WORD_LENGTH).sort((one, other) => other.length - one.length);
}

/** `Summer2026!!!` becomes `summer`. */
function coreOf(text: string): string {
  return text.replace(/^\P{L}+/u, '').replace(/\P{L}+$/u, '');
}

function isMadeOf(text: string, common: ReadonlySet<string>): boolean {
  if (common.has(text)) return true;
  for (let end = MIN_WORD_LENGTH; end <= text.length - MIN_WORD_LENGTH; end += 1) {
    if (common.has(text.slice(0, end)) && common.has(text.slice(end))) return true;
  }
  return false;
}

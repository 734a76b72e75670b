/** Words of our own name, which is on every page where a password is typed. */
const PRODUCT_WORDS = ['unified', 'calendar'];
/** Shorter words are in many passwords that nobody guesses. */
const MIN_WORD_LENGTH = 3;

let loaded: Promise<ReadonlySet<string>> | undefined;

/**
 * Whether a password is one of those that are tried first: a common one, two of them in a row, either with digits and
 * signs around it, or the operator's address or our name with nothing but such a one besides. The case of letters makes
 * no difference. That is ASVS 5.0 §6.2.11, and §6.2.4 in its sense, not by the letter: few entries of such lists are as
 * long as our passwords have to be, so the list stands for what is made of its entries as well.
 */
export async function isEasyToGuess(password: string, email: string): Promise<boolean> {
  const common = await commonPasswords();
  const text = password.normalize('NFKC').toLowerCase();
  const rest = ownWords(email).reduce((left, word) => left.replaceAll(word, ''), text);
  const core = coreOf(rest);
  if (rest !== text && core === '') return true;
  return [text, coreOf(text), core].some((part) => isMadeOf(part, common));
}

/** Read when the first password is set: most processes never need it. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as readonly string[]),
  );
  return loaded;
}

/** In lower case, the longest first, so that no word is cut by a shorter one. */
function ownWords(email: string): string[] {
  const words = [...email.toLowerCase().split(/[^\p{L}\p{N}]+/u), ...PRODUCT_WORDS];
  return words.filter(({ length }) => length >= MIN_WORD_LENGTH).sort((one, other) => other.length - one.length);
}

/** Without what is put around a word so that a password is long enough: `Summer2026!!!` is `summer`. */
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
